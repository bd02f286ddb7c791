"""Durable files, on a real file system."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from healthlog.base import errors, files
from healthlog.base.files import Part
from tests.support.sources import ROOT


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def child(script: str, *arguments: str) -> str:
    """What a Python of its own prints, for limits that would hit the tests themselves."""
    run = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    return run.stdout.strip()


def test_a_part_is_private_with_a_name_that_is_swept(tmp_path: Path) -> None:
    part = Part.create(tmp_path)
    assert (part.path.parent, part.path.suffix, mode_of(part.path)) == (tmp_path, ".part", 0o600)
    part.discard()


def test_two_parts_never_share_a_name(tmp_path: Path) -> None:
    parts = [Part.create(tmp_path) for _ in range(20)]
    assert len({part.path for part in parts}) == 20
    for part in parts:
        part.discard()


def test_a_suffix_that_would_not_be_swept_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"must end in \.part"):
        Part.create(tmp_path, ".json")


def test_a_renamed_part_has_all_that_was_written(tmp_path: Path) -> None:
    part = Part.create(tmp_path, ".json.part")
    part.write(b"one ")
    part.write(b"")
    part.write(b"two")
    part.sync()
    part.rename(tmp_path / "whole")
    assert ((tmp_path / "whole").read_bytes(), part.size) == (b"one two", 7)
    assert sorted(tmp_path.iterdir()) == [tmp_path / "whole"]


def test_a_rename_replaces_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "whole").write_bytes(b"old")
    part = Part.create(tmp_path)
    part.write(b"new")
    part.sync()
    part.rename(tmp_path / "whole")
    assert (tmp_path / "whole").read_bytes() == b"new"


def test_a_part_that_is_not_synced_cannot_be_renamed(tmp_path: Path) -> None:
    part = Part.create(tmp_path)
    with pytest.raises(ValueError, match="synced"):
        part.rename(tmp_path / "whole")
    part.discard()
    assert list(tmp_path.iterdir()) == []


def test_a_synced_part_takes_no_more_bytes(tmp_path: Path) -> None:
    part = Part.create(tmp_path)
    part.sync()
    with pytest.raises(ValueError, match="closed"):
        part.write(b"late")
    part.discard()


def test_a_part_is_never_synced_twice(tmp_path: Path) -> None:
    part = Part.create(tmp_path)
    part.sync()
    with pytest.raises(ValueError, match="closed"):
        part.sync()
    part.discard()


def test_a_failed_sync_leaves_a_part_that_can_only_be_discarded(tmp_path: Path) -> None:
    # A pipe takes writes but no fsync: EINVAL, without a broken disk.
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from healthlog.base.files import Part\n"
        "path = Path(sys.argv[1])\n"
        "path.touch()\n"
        "part = Part(path, os.pipe()[1])\n"
        "part.write(b'x')\n"
        "for act in (part.sync, part.sync, lambda: part.rename(path.parent / 'whole')):\n"
        "    try: act()\n"
        "    except Exception as error: print(type(error).__name__)\n"
        "part.discard()\n"
        "print(os.listdir(path.parent))\n"
    )
    printed = child(script, str(tmp_path / "x.part")).splitlines()
    assert printed == ["OSError", "ValueError", "ValueError", "[]"]


def test_a_discarded_part_is_gone_and_stays_so(tmp_path: Path) -> None:
    part = Part.create(tmp_path)
    part.discard()
    part.discard()
    assert list(tmp_path.iterdir()) == []


def test_discarding_after_the_rename_keeps_the_file(tmp_path: Path) -> None:
    part = Part.create(tmp_path)
    part.sync()
    part.rename(tmp_path / "whole")
    part.discard()
    assert (tmp_path / "whole").exists()


def test_a_failed_rename_leaves_a_part_to_discard(tmp_path: Path) -> None:
    part = Part.create(tmp_path)
    part.sync()
    with pytest.raises(errors.Inaccessible, match="missing/whole: No such file"):
        part.rename(tmp_path / "missing" / "whole")
    part.discard()
    assert list(tmp_path.iterdir()) == []


def test_a_write_beyond_the_room_is_disk_full(tmp_path: Path) -> None:
    script = (
        "import os, resource, sys\n"
        "from pathlib import Path\n"
        "from healthlog.base import errors\n"
        "from healthlog.base.files import Part, write_whole\n"
        "folder = Path(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "part = Part.create(folder)\n"
        "try: part.write(b'x' * 1500)\n"
        "except errors.DiskFull: print(part.size)\n"
        "part.discard()\n"
        "try: write_whole(folder / 'whole', b'x' * 1500)\n"
        "except errors.DiskFull: print(os.listdir(folder))\n"
    )
    assert child(script, str(tmp_path)).splitlines() == ["1000", "[]"]


def test_no_descriptor_for_a_part_has_its_name(tmp_path: Path) -> None:
    script = (
        "import os, resource, sys\n"
        "from pathlib import Path\n"
        "from healthlog.base import errors, files\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))\n"
        "parts = []\n"
        "try:\n"
        "    while True: parts.append(files.Part.create(Path(sys.argv[1])))\n"
        "except errors.NoDescriptors: print('part')\n"
        "try: files.sync_folder(Path(sys.argv[1]))\n"
        "except errors.NoDescriptors: print('folder')\n"
    )
    assert child(script, str(tmp_path)).splitlines() == ["part", "folder"]


def test_missing_folders_are_made_private(tmp_path: Path) -> None:
    files.make_folders(tmp_path / "2026" / "08" / "02", tmp_path)
    assert [mode_of(tmp_path / "2026"), mode_of(tmp_path / "2026" / "08" / "02")] == [0o700, 0o700]


def test_making_folders_again_changes_nothing(tmp_path: Path) -> None:
    files.make_folders(tmp_path / "a", tmp_path)
    (tmp_path / "a" / "kept").touch()
    files.make_folders(tmp_path / "a" / "b", tmp_path)
    files.make_folders(tmp_path / "a" / "b", tmp_path)
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == ["b", "kept"]


def test_the_root_itself_needs_no_making(tmp_path: Path) -> None:
    files.make_folders(tmp_path, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("outside", ["/elsewhere", "{root}/../aside"])
def test_a_folder_outside_the_root_is_refused(tmp_path: Path, outside: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with pytest.raises(ValueError, match=r"inside|subpath"):
        files.make_folders(Path(outside.format(root=root)), root)
    assert sorted(tmp_path.iterdir()) == [root]


def test_a_file_in_the_way_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(FileExistsError):
        files.make_folders(tmp_path / "a" / "b", tmp_path)


def test_a_folder_whose_name_was_not_made_durable_is_taken_back(tmp_path: Path) -> None:
    # One descriptor too few for the sync of the parent; mkdir itself needs none.
    script = (
        "import os, resource, sys\n"
        "from pathlib import Path\n"
        "from healthlog.base import errors, files\n"
        "root = Path(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))\n"
        "held = []\n"
        "try:\n"
        "    while True: held.append(os.open('/dev/null', os.O_RDONLY))\n"
        "except OSError: pass\n"
        "try: files.make_folders(root / 'a' / 'b', root)\n"
        "except errors.NoDescriptors: print('refused', (root / 'a').exists())\n"
        "os.close(held.pop())\n"
        "files.make_folders(root / 'a' / 'b', root)\n"
        "print('made', (root / 'a' / 'b').exists())\n"
    )
    assert child(script, str(tmp_path)).splitlines() == ["refused False", "made True"]


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    files.write_whole(tmp_path / "whole", b"first")
    files.write_whole(tmp_path / "whole", b"second")
    assert ((tmp_path / "whole").read_bytes(), mode_of(tmp_path / "whole")) == (b"second", 0o600)
    assert sorted(tmp_path.iterdir()) == [tmp_path / "whole"]


@pytest.mark.parametrize("mode", [0o640, 0o644, 0o666])
def test_the_mode_asked_for_is_the_mode_got(tmp_path: Path, mode: int) -> None:
    files.write_whole(tmp_path / "whole", b"", mode=mode)
    assert mode_of(tmp_path / "whole") == mode


def test_a_whole_file_that_cannot_take_its_name_leaves_no_part(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    with pytest.raises(errors.Inaccessible, match="whole: Is a directory"):
        files.write_whole(tmp_path / "whole", b"x")
    assert sorted(tmp_path.iterdir()) == [tmp_path / "whole"]


def test_a_sweep_removes_the_parts_of_one_folder_only(tmp_path: Path) -> None:
    for name in ("a.part", "b.json.part", "kept.json", "part"):
        (tmp_path / name).touch()
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "c.part").touch()
    (tmp_path / "folder.part").mkdir()
    assert files.sweep(tmp_path) == [tmp_path / "a.part", tmp_path / "b.json.part"]
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*"))
    assert left == ["deeper", "deeper/c.part", "folder.part", "kept.json", "part"]


def test_a_sweep_removes_a_link_and_not_what_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    (tmp_path / "link.part").symlink_to(tmp_path / "kept")
    assert files.sweep(tmp_path) == [tmp_path / "link.part"]
    assert (tmp_path / "kept").exists()


def test_a_sweep_of_a_missing_folder_finds_nothing(tmp_path: Path) -> None:
    assert files.sweep(tmp_path / "missing") == []


def test_syncing_a_folder_that_is_missing_or_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name, reason in (("missing", "No such file"), ("file", "Not a directory")):
        with pytest.raises(errors.Inaccessible, match=f"{name}: {reason}"):
            files.sync_folder(tmp_path / name)


def test_free_bytes_are_those_of_the_file_system(tmp_path: Path) -> None:
    assert files.free_bytes(tmp_path) > 0
    with pytest.raises(errors.Inaccessible, match="missing"):
        files.free_bytes(tmp_path / "missing")


def test_a_file_takes_another_name_over_an_old_one(tmp_path: Path) -> None:
    (tmp_path / "new").write_bytes(b"new")
    (tmp_path / "old").write_bytes(b"old")
    files.rename(tmp_path / "new", tmp_path / "old")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"new"]


def test_a_file_is_removed_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    files.remove(tmp_path / "file")
    files.remove(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_is_larger_than_what_is_free_of_it(tmp_path: Path) -> None:
    assert files.total_bytes(tmp_path) >= files.free_bytes(tmp_path) > 0
