"""Opening a database: its modes, its files, what is told when it can't be opened or used."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from healthlog.base import connection as connections
from healthlog.base import errors
from healthlog.base.connection import Connection, How, ModeRefused
from healthlog.base.db import Database, wal_reset_affected
from tests.support.clock import FakeClock
from tests.support.sources import ROOT
from tests.support.table import make, numbers, open_files, open_table, pragma


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


@pytest.fixture
def db(path: Path, clock: FakeClock) -> Iterator[Database]:
    with open_table(path, clock) as database:
        yield database


def test_commits_are_durable_with_foreign_keys_kept(db: Database) -> None:
    names = ("journal_mode", "synchronous", "foreign_keys", "query_only", "temp_store")
    assert db.write(lambda c: [pragma(c, n) for n in names]) == ["wal", 2, 1, 0, 2]
    assert db.read(lambda c: [pragma(c, n) for n in names]) == ["wal", 2, 1, 1, 2]


def test_the_cache_is_as_large_as_asked(path: Path, clock: FakeClock) -> None:
    with closing(Database(path, clock=clock, cache_kib=123)) as db:
        assert db.read(lambda c: pragma(c, "cache_size")) == -123


def test_all_files_of_a_database_are_private(tmp_path: Path, db: Database) -> None:
    modes = {p.name: p.stat().st_mode & 0o777 for p in tmp_path.iterdir()}
    assert modes == {"a.db": 0o600, "a.db-wal": 0o600, "a.db-shm": 0o600}


def test_a_name_with_signs_of_a_uri_is_that_of_the_file(tmp_path: Path, clock: FakeClock) -> None:
    with closing(Database(tmp_path / "a?mode=ro#%41 ü.db", clock=clock)) as db:
        db.write(make)
    assert os.listdir(tmp_path) == ["a?mode=ro#%41 ü.db"]


def test_a_database_changes_its_journal_mode(path: Path, db: Database, clock: FakeClock) -> None:
    db.close()
    with closing(Database(path, clock=clock, journal_mode="delete")) as plain:
        assert plain.write(lambda c: pragma(c, "journal_mode")) == "delete"
        assert plain.read(numbers) == [1, 2, 3]
        assert plain.checkpoint()


def test_a_database_in_use_elsewhere_keeps_its_journal_mode(
    path: Path, db: Database, clock: FakeClock
) -> None:
    with pytest.raises(errors.Busy):
        Database(path, clock=clock, journal_mode="delete", pause=lambda _: None, busy_timeout_s=0)


def test_an_unknown_journal_mode_is_refused(path: Path, clock: FakeClock) -> None:
    with pytest.raises(ValueError, match="truncate"):
        Database(path, clock=clock, journal_mode="truncate")
    assert not path.exists()


def test_a_journal_mode_that_sqlite_declines_is_refused(path: Path) -> None:
    how = How(path, readonly=False, cache_kib=100, journal_mode="wal", busy_timeout_s=0)
    with (
        closing(sqlite3.connect(":memory:", factory=Connection)) as connection,
        pytest.raises(ModeRefused, match="stays in journal mode memory"),
    ):
        connections.set_journal_mode(connection, how)


def test_a_read_only_database_works_beside_the_writer(
    path: Path, db: Database, clock: FakeClock
) -> None:
    with closing(Database(path, clock=clock, readonly=True)) as beside:
        assert beside.read(numbers) == [1, 2, 3]
        db.write(lambda c: c.execute("DELETE FROM t").close())
        assert beside.read(numbers) == []
        for ask in (lambda: beside.write(numbers), beside.checkpoint):
            with pytest.raises(RuntimeError, match="read-only"):
                ask()


def test_a_read_only_database_is_not_made(path: Path, clock: FakeClock) -> None:
    with pytest.raises(errors.Inaccessible, match=r"a\.db: No such file"):
        Database(path, clock=clock, readonly=True)
    assert not path.exists()


def test_a_missing_folder_is_told_as_such(tmp_path: Path, clock: FakeClock) -> None:
    with pytest.raises(FileNotFoundError):
        Database(tmp_path / "missing" / "a.db", clock=clock)


@pytest.mark.parametrize("readonly", [False, True])
def test_a_file_that_is_no_database_is_damaged(
    path: Path, clock: FakeClock, readonly: bool
) -> None:
    path.write_bytes(b"not a database at all " * 100)
    with pytest.raises(errors.Damaged):
        Database(path, clock=clock, readonly=readonly)
    assert open_files(path.parent) == []


def test_torn_pages_are_found_damaged_when_read(path: Path, db: Database, clock: FakeClock) -> None:
    db.close()
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    with closing(Database(path, clock=clock)) as torn, pytest.raises(errors.Damaged):
        torn.read(numbers)


@pytest.mark.parametrize(
    ("version", "affected"),
    [
        ((3, 6, 23), False),
        ((3, 7, 0), True),
        ((3, 40, 1), True),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 53, 0), False),
        ((4, 0, 0), False),
    ],
)
def test_versions_with_the_wal_reset_fault_are_known(
    version: tuple[int, int, int], affected: bool
) -> None:
    assert wal_reset_affected(version) is affected


# Limits of a process of its own

CHILD = """
import resource, sys
from pathlib import Path
from healthlog.base import errors
from healthlog.base.clock import SystemClock
from healthlog.base.db import Database

def numbers(connection):
    return connection.execute("SELECT count(*) FROM t").fetchone()

def more(connection):
    connection.execute("INSERT INTO t SELECT a FROM t")

db = Database(Path(sys.argv[1]), clock=SystemClock(), readers=100)
"""


def child(path: Path, script: str) -> list[str]:
    """The lines that a Python of its own prints, for limits that would hit the tests themselves."""
    command = [sys.executable, "-c", CHILD + script, str(path)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stderr == ""
    return run.stdout.splitlines()


def test_no_descriptor_for_a_reader_has_its_name(path: Path, db: Database) -> None:
    script = (
        "resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))\n"
        "def nest(connection): db.read(nest)\n"
        "try: db.read(nest)\n"
        "except errors.NoDescriptors as error: print('none left')\n"
        "print(db.read(numbers))\n"
    )
    assert child(path, script) == ["none left", "(3,)"]


def test_a_failing_device_has_its_name(path: Path, db: Database) -> None:
    # SQLite takes a file size limit for an I/O error.
    script = (
        "resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))\n"
        "try:\n"
        "    for _ in range(30): db.write(more)\n"
        "except errors.IOFault: print('fault')\n"
        "count = db.read(numbers)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)\n"
        "db.write(more)\n"
        "print(db.read(numbers)[0] == 2 * count[0] > 0)\n"
    )
    assert child(path, script) == ["fault", "True"]
