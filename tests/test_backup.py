"""Backups: what is in them, what is copied again, what stands in them however they end."""

from __future__ import annotations

import hashlib
import json
import stat
from pathlib import Path

import pytest

from healthlog.archive.disk import Disk
from healthlog.base.errors import Circumstance, DiskFull, IOFault
from tests.support.backups import (
    FailingDisk,
    backup,
    digest,
    files_of,
    filled,
    findings,
    ids_in,
    is_whole,
    make,
    manifest,
    more,
    report,
    state,
    tree,
)
from tests.support.bodies import ONE_DAY, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.damage import flip_pages
from tests.support.sealed import run_powerless, sealed
from tests.support.shell import run


@pytest.fixture
def tmp_path(memory_path: Path) -> Path:
    return memory_path


@pytest.fixture
def dest(tmp_path: Path) -> Path:
    """Where the backup goes; not made yet."""
    return tmp_path / "dest"


@pytest.mark.scenario("backup", "Everything that must not be lost is in it")
def test_all_that_must_not_be_lost_is_copied(data: Path, dest: Path, clock: FakeClock) -> None:
    posted = filled(data, clock)
    audio = data / "audio" / "2026" / "note.ogg"
    audio.parent.mkdir(parents=True)
    audio.write_bytes(b"sound")
    audio.with_name("rest.part").write_bytes(b"of an upload")
    ran = backup(data, dest)
    assert (ran.status, ran.err) == (0, "")
    there, copied = tree(data), tree(dest)
    for path in ("audio/2026/note.ogg", *(one for one in there if one.startswith("archive/"))):
        assert copied[path] == there[path]
    assert "audio/2026/rest.part" not in copied
    folder = state(dest)
    assert (folder / "tokens.json").read_bytes() == there["tokens.json"]
    assert (folder / "healthlog.toml").read_bytes() == there["healthlog.toml"]
    assert ids_in(folder / "journal.db") == [one.delivery_id for one in posted]
    assert run("digest", "--mart", folder / "mart.db").out == digest(data)
    told = report(ran)
    assert (told["deliveries"], told["files"], told["copied"]) == (4, 13, 13)
    assert (told["mart"], told["findings"]) == (True, 0)


@pytest.mark.scenario("backup", "Manifest names each file with size and checksum")
def test_the_manifest_names_each_file(data: Path, dest: Path, clock: FakeClock) -> None:
    filled(data, clock)
    backup(data, dest)
    lines = (dest / "manifest.ndjson").read_bytes().splitlines(keepends=True)
    head, *files, last = map(json.loads, lines)
    assert head["healthlog_backup"] == 1
    copied = tree(dest)
    assert {one["path"] for one in files} == copied.keys() - {"manifest.ndjson", "healthlog-backup"}
    for one in files:
        assert one["bytes"] == len(copied[one["path"]])
        assert one["sha256"] == hashlib.sha256(copied[one["path"]]).hexdigest()
    sha256 = hashlib.sha256(b"".join(lines[:-1])).hexdigest()
    assert last == {"files": len(files), "sha256": sha256}


def test_a_backup_is_for_its_owner_alone(data: Path, dest: Path, clock: FakeClock) -> None:
    filled(data, clock)
    backup(data, dest)
    for path in (dest, *dest.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.scenario("backup", "Log is left as it is")
def test_the_log_is_left_as_it_is(data: Path, dest: Path, clock: FakeClock) -> None:
    filled(data, clock)
    before = tree(data)
    backup(data, dest)
    backup(data, dest, "--again")
    assert tree(data) == before


def test_a_log_without_a_mart_is_backed_up(data: Path, dest: Path, clock: FakeClock) -> None:
    filled(data, clock)
    (data / "mart.db").unlink()
    ran = backup(data, dest)
    assert (ran.status, report(ran)["mart"]) == (0, False)
    assert is_whole(dest)


def test_a_log_without_deliveries_is_backed_up(data: Path, dest: Path, clock: FakeClock) -> None:
    more(data, clock)
    assert backup(data, dest).status == 0
    assert is_whole(dest)


@pytest.mark.scenario("backup", "Log is left as it is")
def test_a_log_that_can_not_be_written_to_is_backed_up(
    data: Path, dest: Path, clock: FakeClock
) -> None:
    filled(data, clock)
    with sealed(data):
        assert run_powerless("backup", dest, "--data", data).status == 0
    assert is_whole(dest)


# Again


@pytest.mark.scenario("backup", "Second backup copies what is new")
def test_the_second_backup_copies_what_is_new(data: Path, dest: Path, clock: FakeClock) -> None:
    filled(data, clock)
    backup(data, dest)
    first = state(dest)
    kept = {path: path.stat().st_mtime_ns for path in dest.glob("archive/*/*/*/*")}
    more(data, clock, ONE_DAY)
    told = report(backup(data, dest))
    assert (told["deliveries"], told["files"], told["copied"]) == (5, 14, 6)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert not first.exists()
    assert is_whole(dest)


@pytest.mark.scenario("backup", "File that goes bad in the log stays good in the backup")
def test_what_goes_bad_in_the_log_stays_good_in_the_backup(
    data: Path, dest: Path, clock: FakeClock
) -> None:
    flipped, cut, gone, _ = filled(data, clock)
    backup(data, dest)
    before = {one: [path.read_bytes() for path in files_of(dest, one)] for one in (flipped, cut)}
    body, _ = files_of(data, flipped)
    body.write_bytes(bytes(255 - byte for byte in body.read_bytes()))
    body, _ = files_of(data, cut)
    body.write_bytes(body.read_bytes()[:-1])
    for path in files_of(data, gone):
        path.unlink()
    ran = backup(data, dest)
    assert ran.status == 1
    named = sorted(line.partition(":")[0].rpartition("/")[2] for line in findings(ran))
    assert named == sorted(
        [f"{cut.delivery_id}.json.gz", f"{gone.delivery_id}.json.gz",
         f"{gone.delivery_id}.meta.json"]
    )  # fmt: skip
    after = {one: [path.read_bytes() for path in files_of(dest, one)] for one in before}
    assert after == before
    assert is_whole(dest)


@pytest.mark.scenario("backup", "File that is bad already is copied and named")
def test_what_is_bad_already_is_copied_and_named(data: Path, dest: Path, clock: FakeClock) -> None:
    flipped, gone, *_ = filled(data, clock)
    body, _ = files_of(data, flipped)
    whole = body.read_bytes()
    body.write_bytes(bytes(255 - byte for byte in whole))
    files_of(data, gone)[0].unlink()
    for _ in range(2):  # and is not forgotten
        ran = backup(data, dest)
        assert ran.status == 1
        assert [line.partition(": ")[2] for line in findings(ran)] == [
            "differs from its checksum; it was copied as it is",
            "is missing",
        ]
        assert is_whole(dest)
    body.write_bytes(whole)
    assert len(findings(backup(data, dest))) == 1
    assert files_of(dest, flipped)[0].read_bytes() == whole


@pytest.mark.scenario("backup", "Damage in the backup is mended from the log")
def test_damage_in_the_backup_is_mended(data: Path, dest: Path, clock: FakeClock) -> None:
    flipped, cut, gone, _ = filled(data, clock)
    backup(data, dest)
    before = tree(dest)
    body, _ = files_of(dest, flipped)
    body.write_bytes(bytes(255 - byte for byte in body.read_bytes()))
    body, meta = files_of(dest, cut)
    body.write_bytes(body.read_bytes()[:-1])
    meta.write_bytes(b"")
    files_of(dest, gone)[0].unlink()
    assert report(backup(data, dest))["copied"] == 4 + 3
    assert not is_whole(dest)  # a flipped byte isn't seen by its size
    assert report(backup(data, dest, "--again"))["copied"] == 4 + 1
    assert is_whole(dest)
    assert {path: tree(dest)[path] for path in before if path.startswith("archive/")} == {
        path: contents for path, contents in before.items() if path.startswith("archive/")
    }


def test_audio_that_was_deleted_leaves_the_backup(data: Path, dest: Path, clock: FakeClock) -> None:
    filled(data, clock)
    (data / "audio").mkdir()
    for name in ("a.ogg", "b.ogg", "c.ogg"):
        (data / "audio" / name).write_bytes(name.encode())
    backup(data, dest)
    (data / "audio" / "b.ogg").unlink()
    backup(data, dest)
    assert sorted(path.name for path in (dest / "audio").iterdir()) == ["a.ogg", "c.ogg"]
    assert is_whole(dest)


def test_a_damaged_manifest_is_followed_by_a_whole_one(
    data: Path, dest: Path, clock: FakeClock
) -> None:
    filled(data, clock)
    backup(data, dest)
    (dest / "manifest.ndjson").write_bytes((dest / "manifest.ndjson").read_bytes()[:-9])
    told = report(backup(data, dest))
    assert told["copied"] == 4  # what is there is found to be right by reading it
    assert is_whole(dest)


# The databases


@pytest.mark.scenario("backup", "Damaged mart is left out")
def test_a_damaged_mart_is_left_out(data: Path, dest: Path, clock: FakeClock) -> None:
    filled(data, clock)
    flip_pages(data / "mart.db", first=3)
    ran = backup(data, dest)
    assert (ran.status, report(ran)["mart"]) == (1, False)
    [finding] = findings(ran)
    assert finding.startswith("mart.db: ")
    assert is_whole(dest)
    assert not (state(dest) / "mart.db").exists()


def test_a_mart_exchanged_under_the_copy_is_copied_anew(
    data: Path, dest: Path, clock: FakeClock
) -> None:
    filled(data, clock)
    other = data / "mart.db.new"
    other.write_bytes((data / "mart.db").read_bytes())
    inodes = [(data / "mart.db").stat().st_ino, other.stat().st_ino]
    marts = iter([other])

    def exchange() -> None:
        new = next(marts, None)
        if new is not None:
            new.rename(data / "mart.db")

    assert make(data, dest, Disk(), clock, room=exchange) == []
    assert (data / "mart.db").stat().st_ino == inodes[1]
    assert run("digest", "--mart", state(dest) / "mart.db").out == digest(data)
    assert is_whole(dest)


def test_a_mart_exchanged_again_and_again_is_left_out(
    data: Path, dest: Path, clock: FakeClock
) -> None:
    filled(data, clock)

    def exchange() -> None:
        new = data / "mart.db.new"
        new.write_bytes((data / "mart.db").read_bytes())
        new.rename(data / "mart.db")

    [finding] = make(data, dest, Disk(), clock, room=exchange)
    assert (finding.what, "again and again" in finding.problem) == ("mart.db", True)
    assert is_whole(dest)


@pytest.mark.scenario("backup", "Damaged journal leaves the earlier backup")
@pytest.mark.parametrize("first", [1, 2])
def test_a_damaged_journal_leaves_the_earlier_backup(
    data: Path, dest: Path, clock: FakeClock, first: int
) -> None:
    filled(data, clock)
    backup(data, dest)
    before = tree(dest)
    flip_pages(data / "journal.db", first=first)
    assert backup(data, dest).refused(1, "journal.db", "damaged", "reindex")
    assert tree(dest) == before


def test_a_missing_journal_is_named(data: Path, dest: Path, clock: FakeClock) -> None:
    filled(data, clock)
    (data / "journal.db").unlink()
    assert backup(data, dest).refused(1, "journal.db")


# However it ends


@pytest.mark.scenario("backup", "Interrupted first backup is none")
def test_an_interrupted_first_backup_is_none(data: Path, dest: Path, clock: FakeClock) -> None:
    filled(data, clock)
    before, step, ended = tree(data), 0, False
    while not ended:
        step += 1
        disk = FailingDisk(step, DiskFull("no room"))
        try:
            make(data, dest, disk, clock)
            ended = True
        except DiskFull:
            assert disk.failed
        assert is_whole(dest) == (dest / "manifest.ndjson").exists()
        assert tree(data) == before
    assert not disk.failed
    assert step > 30
    assert is_whole(dest)


@pytest.mark.scenario("backup", "Interrupted later backup leaves the earlier one whole")
@pytest.mark.parametrize("once", [False, True], ids=["from then on", "once"])
@pytest.mark.parametrize("error", [DiskFull("no room"), IOFault("no disk"), KeyboardInterrupt()])
def test_an_interrupted_later_backup_leaves_the_earlier_one(
    data: Path, dest: Path, clock: FakeClock, error: BaseException, once: bool
) -> None:
    filled(data, clock, TWO_DAYS)
    make(data, dest, Disk(), clock)
    first = manifest(dest).identity
    more(data, clock, minutes(3))
    step, found, ended = 0, {first}, False
    while not ended:
        step += 1
        disk = FailingDisk(step, error, once=once)
        try:
            make(data, dest, disk, clock)
            ended = True
        except (Circumstance, KeyboardInterrupt):
            assert disk.failed
        assert is_whole(dest)
        found.add(manifest(dest).identity)
    assert step > 20
    assert len(found) > 1
    assert len(list(dest.glob("state-*"))) == 1
    assert list((dest / "incoming").iterdir()) == []


@pytest.mark.scenario("backup", "Full disk is named and clears away what it can")
def test_a_full_disk_is_named(data: Path, dest: Path, clock: FakeClock) -> None:
    filled(data, clock)
    make(data, dest, Disk(), clock)
    before = tree(dest)

    def no_room() -> None:
        raise DiskFull("less than 5 bytes are free")

    with pytest.raises(DiskFull, match=r"dest: less than 5 .* 2026-08-02T.*Z in it is as whole"):
        make(data, dest, Disk(), clock, room=no_room)
    assert tree(dest) == before


def test_what_an_interrupted_backup_has_copied_is_not_copied_again(
    data: Path, dest: Path, clock: FakeClock
) -> None:
    filled(data, clock)
    calls = iter(range(1000))

    def stop_late() -> None:
        if next(calls) == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(data, dest, Disk(), clock, room=stop_late)
    there = len(list(dest.glob("archive/*/*/*/*")))
    assert 0 < there < 8
    told = report(backup(data, dest))
    assert told["copied"] == told["files"] - there
