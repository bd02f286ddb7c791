"""Recordings in `check` and in backups: each file by its row, each row by its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from healthlog.check import Finding
from healthlog.check_audio import check_audio
from healthlog.transcriber.rows import HTTP, Meta
from tests.support.backups import backup, filled, findings, is_whole, restore, tree
from tests.support.clock import FakeClock
from tests.support.shell import run
from tests.support.studio import Studio, open_studio

DIFFERS = "differs from its checksum"
MISSING = "is missing, and its recording has a row"
STRAY = "is no file of a recording that has a row"


@pytest.fixture
def tmp_path(memory_path: Path) -> Path:
    return memory_path


@pytest.fixture
def dest(tmp_path: Path) -> Path:
    return tmp_path / "dest"


def spoken(studio: Studio) -> list[str]:
    """Three recordings and one whose file never came; the paths of the files in the log."""
    posted = [studio.post(f"sound {n}".encode()) for n in range(3)]
    studio.recordings.intake.take_refused(Meta(HTTP, "m4a"), "too large")
    originals = [studio.recordings.places.original(one.recording_id, "m4a") for one in posted]
    return [path.relative_to(studio.data).as_posix() for path in originals]


def at_work(data: Path) -> list[str]:
    """Files that pass by: of an upload, of a recogniser."""
    paths = ["audio/incoming/a.part", "audio/work/a.wav", "audio/work/operations/a/out.txt"]
    for path in paths:
        (data / path).parent.mkdir(parents=True, exist_ok=True)
        (data / path).write_bytes(b"passing by")
    return paths


def log_with_recordings(data: Path, clock: FakeClock) -> list[str]:
    filled(data, clock)
    with open_studio(data, clock) as studio:
        return spoken(studio)


@pytest.mark.scenario("operations", "Check names recordings without their files, files without")
def test_every_file_is_held_against_its_row(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock) as studio:
        whole, changed, missing = spoken(studio)
        at_work(data)
        assert list(check_audio(data, studio.journal)) == []
        (data / changed).write_bytes(b"Sound 1")
        (data / missing).unlink()
        strays = [whole.replace(".m4a", ".wav"), "audio/note.txt"]
        (data / "audio" / "note.txt").write_bytes(b"")
        (data / whole).rename(data / strays[0])
        assert list(check_audio(data, studio.journal)) == [
            Finding(whole, MISSING),
            Finding(changed, DIFFERS),
            Finding(missing, MISSING),
            Finding(strays[1], STRAY),
        ]


@pytest.mark.scenario("operations", "Check names recordings without their files, files without")
def test_a_file_whose_row_was_never_written_is_named(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock) as studio:
        one, *_ = spoken(studio)
        studio.write(lambda c: c.execute("DELETE FROM recording WHERE bytes = 7").rowcount)
        found = list(check_audio(data, studio.journal))
    assert Finding(one, STRAY) in found
    assert {finding.problem for finding in found} == {STRAY}


def test_the_command_names_them_too(data: Path, clock: FakeClock) -> None:
    one, *_ = log_with_recordings(data, clock)
    assert run("check", "--data", data).status == 0
    (data / one).unlink()
    ran = run("check", "--data", data)
    assert (ran.status, ran.out.splitlines()[0]) == (1, f"{one}: {MISSING}")


@pytest.mark.scenario("backup", "Recordings come back, what they were worked on with does not")
def test_recordings_come_back(data: Path, dest: Path, tmp_path: Path, clock: FakeClock) -> None:
    paths = log_with_recordings(data, clock)
    passing = at_work(data)
    assert backup(data, dest).status == 0
    assert restore(dest, tmp_path / "new").status == 0
    back, there = tree(tmp_path / "new"), tree(data)
    assert {path: back[path] for path in paths} == {path: there[path] for path in paths}
    assert not {*passing} & back.keys()
    assert run("check", "--data", tmp_path / "new").status == 0


@pytest.mark.scenario("backup", "Recording that the log has lost stays in the backup")
def test_a_lost_file_stays_in_the_backup(data: Path, dest: Path, clock: FakeClock) -> None:
    one, other, _ = log_with_recordings(data, clock)
    backup(data, dest)
    (data / one).unlink()
    ran = backup(data, dest)
    assert (ran.status, findings(ran)) == (
        1,
        [f"{one}: is missing here or has another size; the backup keeps what it has"],
    )
    assert (dest / one).read_bytes() == b"sound 0"
    assert is_whole(dest)
    with open_studio(data, clock) as studio:
        gone = Path(other).stem
        assert studio.recordings.removal.remove(gone)
    backup(data, dest)
    assert not (dest / other).exists()


@pytest.mark.scenario("backup", "Recordings come back, what they were worked on with does not")
def test_without_a_manifest_too(data: Path, dest: Path, tmp_path: Path, clock: FakeClock) -> None:
    paths = log_with_recordings(data, clock)
    backup(data, dest)
    (dest / "manifest.ndjson").unlink()
    at_work(dest)
    (dest / "audio" / "elsewhere.ogg").symlink_to("/etc/hostname")
    ran = restore(dest, tmp_path / "new", "--salvage")
    assert ran.status in {0, 1}
    assert "audio/elsewhere.ogg: is a link and was left out" in findings(ran)
    back = [path for path in tree(tmp_path / "new") if path.startswith("audio/")]
    assert sorted(back) == sorted(paths)
