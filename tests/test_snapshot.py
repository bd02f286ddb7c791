"""Copies of a database that others are writing: one instant of it, nobody kept waiting."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from healthlog.base import snapshot
from healthlog.base.db import Database
from healthlog.base.errors import Busy, Circumstance
from tests.support.accepting import outsider
from tests.support.clock import FakeClock
from tests.support.limits import files_limited_to

PAGES = 4 * snapshot.STEP_PAGES


@pytest.fixture
def tmp_path(memory_path: Path) -> Path:
    return memory_path


@pytest.fixture(params=["wal", "delete"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def source(tmp_path: Path, clock: FakeClock, mode: str) -> Iterator[Database]:
    """A database of a few steps, open for writing."""
    with closing(Database(tmp_path / "source.db", clock=clock, journal_mode=mode)) as opened:
        opened.write(lambda c: c.execute("CREATE TABLE t (n INTEGER, x BLOB) STRICT").close())
        opened.write(_fill)
        yield opened


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "copy.db"


def _fill(connection: sqlite3.Connection) -> None:
    rows = ((n, bytes(4000)) for n in range(PAGES))
    connection.executemany("INSERT INTO t VALUES (?, ?)", rows).close()


def _add(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO t VALUES (-1, NULL)").close()


def take(
    source: Database, target: Path, clock: FakeClock, told: snapshot.Told = lambda *_: None
) -> None:
    """A copy as another process takes it."""
    with closing(Database(source.path, clock=clock, readonly=True)) as reading:
        reading.read(partial(snapshot.take, target=target, told=told))


def added(target: Path) -> int:
    """How many rows came in beside; the copy is sound and alone."""
    assert [path.name for path in target.parent.iterdir() if "copy" in path.name] == ["copy.db"]
    assert target.read_bytes()[18:20] == b"\x01\x01"  # no write-ahead log, by its head
    with closing(snapshot.look(target)) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert copy.execute("SELECT count(*) FROM t WHERE n >= 0").fetchone() == (PAGES,)
        return int(copy.execute("SELECT count(*) FROM t WHERE n = -1").fetchone()[0])


def test_a_copy_is_one_plain_file(source: Database, target: Path, clock: FakeClock) -> None:
    take(source, target, clock)
    assert added(target) == 0
    assert target.stat().st_mode & 0o777 == 0o600


@pytest.mark.scenario("backup", "Writers are not kept waiting")
def test_who_writes_beside_is_not_kept_waiting(
    source: Database, target: Path, clock: FakeClock, mode: str
) -> None:
    steps = 0

    def write_twice(_done: int, _total: int) -> None:
        nonlocal steps
        steps += 1
        if steps in {2, 5}:
            source.write(_add)

    take(source, target, clock, write_twice)
    # A snapshot of the beginning, or of when it was first left in peace.
    assert added(target) == (0 if mode == "wal" else 2)
    assert source.read(lambda c: c.execute("SELECT count(*) FROM t").fetchone()) == (PAGES + 2,)


@pytest.mark.parametrize("mode", ["delete"], indirect=True)
def test_a_database_never_left_in_peace_is_copied_at_once(
    source: Database, target: Path, clock: FakeClock
) -> None:
    kept_off = 0

    def write_always(_done: int, _total: int) -> None:
        nonlocal kept_off
        try:
            source.write(_add, budget_s=0.0)
        except Busy:
            kept_off += 1

    take(source, target, clock, write_always)
    assert added(target) >= snapshot.MOST_RESTARTS
    assert kept_off > 0  # by the one piece it was copied in


@pytest.mark.parametrize("mode", ["delete"], indirect=True)
def test_a_lock_of_somebody_else_is_not_waited_for_for_ever(
    source: Database, target: Path, clock: FakeClock
) -> None:
    with closing(Database(source.path, clock=clock, readonly=True)) as reading:
        reading.read(lambda c: c.execute("SELECT 1 FROM t LIMIT 1").fetchone())
        with outsider(source.path) as connection:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE").fetchall()
            connection.execute("DELETE FROM t WHERE n = 0")
            connection.execute("PRAGMA cache_spill=1").fetchall()
            connection.execute("COMMIT")
            connection.execute("BEGIN EXCLUSIVE")
            with pytest.raises(Busy):
                reading.read(partial(snapshot.take, target=target, told=lambda *_: None, waits=2))


def test_progress_counts_pages(source: Database, target: Path, clock: FakeClock) -> None:
    told: list[tuple[int, int]] = []
    take(source, target, clock, lambda done, total: told.append((done, total)))
    assert len(told) > 3
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1] > PAGES


def test_whoever_is_told_may_end_it(source: Database, target: Path, clock: FakeClock) -> None:
    def enough(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        take(source, target, clock, enough)
    source.write(_add)


def test_a_target_that_takes_no_more_is_named(
    source: Database, target: Path, clock: FakeClock
) -> None:
    with files_limited_to(1_000_000), pytest.raises(Circumstance, match=r"copy\.db: "):
        take(source, target, clock)
    source.write(_add)
