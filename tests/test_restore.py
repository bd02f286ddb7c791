"""Backups restored: into an empty directory, proven by the digest, or not at all."""

from __future__ import annotations

import io
import json
import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from healthlog.backup.copying import measured
from healthlog.backup.manifest import Writer
from healthlog.backup.place import Place
from healthlog.backup.restore import Restore, Unfinished, Watch
from healthlog.backup.revive import How
from healthlog.base import migrate
from healthlog.base.db import Database
from healthlog.base.errors import DiskFull
from healthlog.base.files import Part
from healthlog.base.lock import FileLock
from healthlog.base.log import Log
from healthlog.home import Home
from tests.support.backups import (
    Backed,
    FailingDisk,
    backed,
    backup,
    digest,
    filled,
    findings,
    manifest,
    more,
    report,
    restore,
    state,
    tree,
)
from tests.support.bodies import ONE_DAY, TWO_DAYS
from tests.support.clock import FakeClock
from tests.support.earlier import age
from tests.support.engine import open_engine
from tests.support.limits import files_limited_to
from tests.support.sealed import run_powerless, sealed
from tests.support.shell import run


@pytest.fixture
def tmp_path(memory_path: Path) -> Path:
    return memory_path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Backed:
    return backed(tmp_path_factory.mktemp("model"))


@pytest.fixture
def both(tmp_path: Path, model: Backed) -> Backed:
    return model.copy(tmp_path)


@pytest.fixture
def log(both: Backed) -> Path:
    """A log with a few deliveries."""
    return both.log


@pytest.fixture
def dest(both: Backed) -> Path:
    """Its backup."""
    return both.dest


@pytest.fixture
def new(tmp_path: Path) -> Path:
    """Where it is restored; not there yet."""
    return tmp_path / "new"


def assert_sound(data: Path) -> None:
    ran = run("check", "--rebuild", "--data", data)
    assert (ran.status, ran.err) == (0, ""), ran.out


@pytest.mark.scenario("backup", "Restored log has the digest of its archive")
def test_a_restored_log_is_the_log(log: Path, dest: Path, new: Path) -> None:
    ran = restore(dest, new)
    assert (ran.status, ran.err) == (0, "")
    told = report(ran)
    assert (told["deliveries"], told["files"], told["folded"]) == (4, 12, 0)
    assert told["mart_made_again"] is None
    assert {name: told[name] for name in ("points", "records", "sha256")} == json.loads(digest(log))
    assert digest(new) == digest(log)
    assert_sound(new)
    there, back = tree(log), tree(new)
    for path in there:
        if not path.endswith(".db"):
            assert back[path] == there[path], path
    assert back.keys() == {*there, "lock"}


def test_what_is_restored_is_for_its_owner_alone(dest: Path, new: Path) -> None:
    restore(dest, new)
    for path in (new, *new.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


def test_an_empty_log_is_restored(tmp_path: Path, new: Path, clock: FakeClock) -> None:
    (tmp_path / "empty").mkdir()
    more(tmp_path / "empty", clock)
    backup(tmp_path / "empty", tmp_path / "dest")
    assert restore(tmp_path / "dest", new).status == 0
    assert_sound(new)


@pytest.mark.scenario("backup", "Pending deliveries are folded by the restore")
def test_what_waits_is_folded(log: Path, tmp_path: Path, new: Path, clock: FakeClock) -> None:
    [one] = more(log, clock, ONE_DAY, fold=False)
    backup(log, tmp_path / "dest")
    told = report(restore(tmp_path / "dest", new))
    assert (told["folded"], told["mart_made_again"]) == (1, None)
    assert_sound(new)
    with closing(sqlite3.connect(new / "journal.db")) as journal:
        query = "SELECT parse_status FROM delivery WHERE delivery_id = ?"
        assert journal.execute(query, (one.delivery_id,)).fetchone() != ("pending",)


@pytest.mark.scenario("backup", "Backup on a read-only medium is restored")
def test_a_backup_on_a_read_only_medium_is_restored(dest: Path, new: Path) -> None:
    with sealed(dest):
        assert run_powerless("restore", dest, "--check").status == 0
        assert run_powerless("restore", dest, "--data", new).status == 0
    assert_sound(new)


# Where


@pytest.mark.scenario("backup", "Nothing is restored over something")
def test_nothing_is_restored_over_something(dest: Path, new: Path) -> None:
    new.mkdir()
    (new / "notes.txt").write_bytes(b"mine")
    assert restore(dest, new).refused(1, str(new), "not empty", "notes.txt")
    assert restore(dest, new, "--salvage").refused(1, str(new), "not empty", "notes.txt")
    assert tree(new) == {"notes.txt": b"mine"}


@pytest.mark.scenario("backup", "Nothing is restored over something")
def test_nothing_is_restored_over_a_log(log: Path, dest: Path) -> None:
    before = tree(log)
    assert restore(dest, log).refused(1, str(log), "not empty")
    assert tree(log) == before


@pytest.mark.parametrize("names", [(), ("lock",), ("lost+found",)])
def test_an_empty_directory_is_filled(dest: Path, new: Path, names: tuple[str, ...]) -> None:
    new.mkdir()
    for name in names:
        (new / name).mkdir() if name == "lost+found" else (new / name).touch()
    assert restore(dest, new).status == 0


def test_a_directory_in_use_is_refused(dest: Path, new: Path) -> None:
    new.mkdir()
    with FileLock(new / "lock"):
        assert restore(dest, new).refused(1, "lock", "another process")


def test_a_backup_under_way_is_not_restored(dest: Path, new: Path) -> None:
    with FileLock(dest / "healthlog-backup"):
        assert restore(dest, new).refused(1, "healthlog-backup", "another process")
    assert not new.exists()


def test_a_backup_is_not_restored_into_itself(dest: Path) -> None:
    assert restore(dest, dest / "new").refused(1, str(dest), "name another folder")


def test_what_is_no_folder_is_named(tmp_path: Path, new: Path) -> None:
    assert restore(tmp_path / "nowhere", new).refused(1, "nowhere", "is no folder")
    assert not new.exists()


def test_checking_and_salvaging_exclude_each_other(dest: Path) -> None:
    assert run("restore", dest, "--check", "--salvage").refused(2, "--check", "--salvage")


# What is no whole backup


@pytest.mark.scenario("backup", "Every file that differs is named and nothing is restored")
def test_every_file_that_differs_is_named(dest: Path, new: Path, log: Path) -> None:
    posted = [path.name.removesuffix(".json.gz") for path in sorted(log.glob("archive/*/*/*/*.gz"))]
    flipped, cut = (next(dest.glob(f"archive/*/*/*/{one}.json.gz")) for one in posted[:2])
    gone = next(dest.glob(f"archive/*/*/*/{posted[2]}.meta.json"))
    flipped.write_bytes(bytes([flipped.read_bytes()[0] ^ 1]) + flipped.read_bytes()[1:])
    cut.write_bytes(cut.read_bytes()[:-1])
    gone.unlink()
    (state(dest) / "tokens.json").write_bytes(b"{}")
    for flags in ((), ("--check",)):
        ran = restore(dest, new, *flags)
        assert ran.status == 1
        named = {line.partition(":")[0].rpartition("/")[2] for line in ran.out.splitlines()}
        assert named == {flipped.name, cut.name, gone.name, "tokens.json"}
        assert "4 of 12 files" in ran.err
        assert "--salvage" in ran.err
        assert not new.exists()


@pytest.mark.scenario("backup", "Every file that differs is named and nothing is restored")
def test_any_flipped_byte_in_any_file_is_named(dest: Path) -> None:
    for path in sorted(path for path in dest.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        for at in {0, len(whole) // 3, len(whole) - 1} if whole else ():
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
            ran = restore(dest, dest.with_name("new"), "--check")
            assert ran.status == 1
            assert path.name in ran.out + ran.err, (path, at)
        path.write_bytes(whole)
    assert restore(dest, dest.with_name("new"), "--check").status == 0


@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_without_a_whole_manifest_there_is_no_backup(dest: Path, new: Path, damage: str) -> None:
    path = dest / "manifest.ndjson"
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-5])
    assert restore(dest, new).refused(1, str(path), "no whole backup", "--salvage")
    assert not new.exists()


@pytest.mark.parametrize("database", ["journal", "mart"])
@pytest.mark.parametrize("flags", [(), ("--check",), ("--salvage",)])
def test_a_backup_of_a_newer_program_is_left_to_it(
    dest: Path, new: Path, database: str, flags: tuple[str, ...]
) -> None:
    found = manifest(dest)
    schema = {**found.head.schema, database: found.head.schema[database] + 1}
    writer = Writer(Part.create(dest), replace(found.head, schema=schema, version="9.9"))
    for entry in found.entries():
        writer.add(entry)
    writer.finish(dest / "manifest.ndjson")
    assert restore(dest, new, *flags).refused(1, "healthlog 9.9", "newer")
    assert not new.exists()


def test_a_backup_of_an_older_program_is_restored(
    dest: Path, new: Path, log: Path, clock: FakeClock
) -> None:
    found, state_of = manifest(dest), state(dest)
    with closing(Database(state_of / "journal.db", clock=clock, journal_mode="delete")) as journal:
        migrate.down(journal, migrate.load("journal"), 2)
    schema = {**found.head.schema, "journal": 2}
    writer = Writer(Part.create(dest), replace(found.head, schema=schema))
    for entry in found.entries():
        now = measured(dest / entry.path)
        writer.add(replace(entry, bytes=now.bytes, sha256=now.sha256))
    writer.finish(dest / "manifest.ndjson")
    assert restore(dest, new).status == 0
    assert digest(new) == digest(log)


# What is found on the way


@pytest.mark.scenario("backup", "Mart that differs from the replay is replaced by it")
def test_a_mart_that_differs_from_the_replay_is_replaced(
    log: Path, tmp_path: Path, new: Path
) -> None:
    right = digest(log)
    with closing(sqlite3.connect(log / "mart.db")) as mart:
        mart.execute("UPDATE point SET qty = qty + 1 WHERE at_ms = (SELECT min(at_ms) FROM point)")
        mart.commit()
    assert backup(log, tmp_path / "dest").status == 0
    ran = restore(tmp_path / "dest", new)
    assert ran.status == 1
    [finding] = findings(ran)
    assert finding == "mart.db: it differed from a replay of the archive, which took its place"
    assert digest(new) == right != digest(log)
    assert_sound(new)


@pytest.mark.scenario("backup", "Mart of earlier rules is made again")
def test_a_mart_of_earlier_rules_is_made_again(tmp_path: Path, new: Path, clock: FakeClock) -> None:
    log = tmp_path / "log"
    filled(log, clock, TWO_DAYS, ONE_DAY)
    with open_engine(log, clock) as engine:
        engine.restart()
        age(engine)
    assert backup(log, tmp_path / "dest").status == 0
    ran = restore(tmp_path / "dest", new)
    assert (ran.status, findings(ran)) == (0, [])
    assert "another parser" in report(ran)["mart_made_again"]
    assert_sound(new)


def test_without_a_mart_it_is_made(log: Path, tmp_path: Path, new: Path) -> None:
    right = digest(log)
    (log / "mart.db").unlink()
    backup(log, tmp_path / "dest")
    ran = restore(tmp_path / "dest", new)
    assert (ran.status, findings(ran)) == (0, [])
    assert digest(new) == right
    assert_sound(new)


# However it ends


def restored(dest: Path, new: Path, disk: FailingDisk, clock: FakeClock) -> None:
    """A restore in this process."""
    how = How(clock, Log(io.StringIO(), clock), 120.0, "wal", lambda _done, _total: None)
    watch = Watch(lambda _: None, lambda *_: None)
    Restore(Place(dest, disk), Home(new), disk, how, watch).whole()


@pytest.mark.scenario("backup", "Interrupted restore goes on")
def test_an_interrupted_restore_goes_on(log: Path, dest: Path, new: Path, clock: FakeClock) -> None:
    first, ended = 1, False
    said: list[str] = []
    again = f"; run the same command again to go on, or remove what is in {new}"
    while not ended:
        disk = FailingDisk(first, DiskFull("no room"))
        try:
            restored(dest, new, disk, clock)
            ended = True
        except Unfinished as error:
            said.append(str(error))
            assert (new / "restore.unfinished").exists()
            assert run("digest", "--data", new).refused(1, str(new), "unfinished restore")
        except DiskFull:
            said.append("")
        first += 1
    assert len(said) > 15
    assert {one[-len(again) :] for one in said} == {"", again}
    assert digest(new) == digest(log)
    assert_sound(new)
    assert tree(new).keys() == {*tree(log), "lock"}


UNFINISHED = pytest.mark.scenario("backup", "Unfinished restore is no log")


@pytest.fixture
def unfinished(dest: Path, new: Path, clock: FakeClock) -> Path:
    """A data directory in which a restore was interrupted."""
    with pytest.raises(Unfinished):
        restored(dest, new, FailingDisk(15, DiskFull("no room")), clock)
    assert (new / "restore.unfinished").exists()
    return new


@UNFINISHED
@pytest.mark.parametrize(
    "command", ["serve", "digest", "status", "check", "reindex", "token", "migrate", "backup"]
)
def test_an_unfinished_restore_is_no_log(unfinished: Path, command: str, tmp_path: Path) -> None:
    more_words = {"migrate": ("status",), "backup": (tmp_path / "elsewhere",)}.get(command, ())
    ran = run(command, *more_words, "--data", unfinished)
    assert ran.refused(1, str(unfinished), "unfinished restore", "run `restore` again")


@UNFINISHED
def test_an_unfinished_restore_is_not_mixed_with_another_backup(
    unfinished: Path, log: Path, tmp_path: Path, clock: FakeClock
) -> None:
    more(log, clock, ONE_DAY)
    assert backup(log, tmp_path / "other").status == 0
    assert restore(tmp_path / "other", unfinished).refused(1, str(unfinished), "another backup")


@UNFINISHED
def test_what_an_unfinished_restore_has_copied_stays(
    dest: Path, unfinished: Path, log: Path
) -> None:
    there = {path: path.stat().st_ino for path in unfinished.glob("archive/*/*/*/*")}
    assert there
    assert restore(dest, unfinished).status == 0
    assert {path: path.stat().st_ino for path in there} == there
    assert digest(unfinished) == digest(log)


def test_a_file_cut_by_an_interruption_is_copied_again(
    dest: Path, unfinished: Path, log: Path
) -> None:
    [body, *_] = sorted(unfinished.glob("archive/*/*/*/*.gz"))
    body.write_bytes(body.read_bytes()[:-1])
    assert restore(dest, unfinished).status == 0
    assert_sound(unfinished)
    assert tree(unfinished).keys() == {*tree(log), "lock"}


@pytest.mark.scenario("backup", "Interrupted restore goes on")
@pytest.mark.parametrize("limit", [2_000, 40_000, 90_000])
def test_a_restore_onto_a_disk_that_takes_no_more_goes_on(
    dest: Path, new: Path, log: Path, limit: int
) -> None:
    with files_limited_to(limit):
        ran = restore(dest, new)
    assert ran.refused(1, "run the same command again to go on", str(new))
    assert restore(dest, new).status == 0
    assert digest(new) == digest(log)
    assert tree(new).keys() == {*tree(log), "lock"}
