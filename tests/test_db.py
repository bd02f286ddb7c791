"""Transactions of one SQLite file: what is committed, what is rolled back, who waits for whom."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from healthlog.base import errors
from healthlog.base.db import ATTEMPTS, Database
from tests.support.clock import FakeClock


class Pauses:
    """Takes note of the pauses a database asks for, acts in them, waits in none."""

    def __init__(self, act: Callable[[float], object] = lambda _: None) -> None:
        self.taken: list[float] = []
        self._act: Callable[[float], object] = act

    def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)
        self._act(seconds)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def db(path: Path, clock: FakeClock, pauses: Pauses) -> Iterator[Database]:
    """A database with a table `t` of one number `a` a row."""
    with closing(Database(path, clock=clock, pause=pauses, busy_timeout_s=0)) as database:
        database.write(lambda c: c.execute("CREATE TABLE t (a INTEGER NOT NULL) STRICT").close())
        yield database


@pytest.fixture
def other(path: Path, db: Database) -> Iterator[sqlite3.Connection]:
    """A connection as another program would have it."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as connection:
        yield connection


def insert(number: int) -> Callable[[sqlite3.Connection], None]:
    return lambda c: c.execute("INSERT INTO t VALUES (?)", (number,)).close()


def numbers(connection: sqlite3.Connection) -> list[int]:
    return [a for (a,) in connection.execute("SELECT a FROM t ORDER BY a")]


def test_what_is_written_is_read(db: Database) -> None:
    db.write(insert(1))
    assert db.read(numbers) == [1]


def test_a_write_returns_what_its_work_returns(db: Database) -> None:
    assert db.write(lambda c: c.execute("SELECT 5").fetchone()) == (5,)


def test_a_committed_write_is_seen_by_another_program(
    db: Database, other: sqlite3.Connection
) -> None:
    db.write(insert(1))
    assert numbers(other) == [1]


def test_work_that_raises_leaves_nothing(db: Database) -> None:
    def work(connection: sqlite3.Connection) -> None:
        insert(1)(connection)
        raise KeyError("late")

    with pytest.raises(KeyError):
        db.write(work)
    db.write(insert(2))
    assert db.read(numbers) == [2]


def test_a_broken_constraint_comes_out_as_it_is(db: Database) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        db.write(lambda c: c.execute("INSERT INTO t VALUES (NULL)").close())
    db.write(insert(1))
    assert db.read(numbers) == [1]


def test_a_read_cannot_write(db: Database) -> None:
    with pytest.raises(errors.Inaccessible, match="readonly"):
        db.read(insert(1))
    assert db.read(numbers) == []


def test_a_read_sees_one_snapshot(db: Database) -> None:
    def work(connection: sqlite3.Connection) -> tuple[list[int], list[int]]:
        before = numbers(connection)
        db.write(insert(1))
        return before, numbers(connection)

    assert db.read(work) == ([], [])
    assert db.read(numbers) == [1]


def test_a_write_inside_a_write_is_a_mistake(db: Database) -> None:
    with pytest.raises(RuntimeError, match="inside a write"):
        db.write(lambda c: db.write(insert(1)))


# Busy


def test_a_database_busy_through_all_attempts_is_busy(
    db: Database, other: sqlite3.Connection, pauses: Pauses
) -> None:
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(errors.Busy, match="locked"):
        db.write(insert(1))
    assert len(pauses.taken) == ATTEMPTS - 1


def test_pauses_grow_with_some_jitter(
    db: Database, other: sqlite3.Connection, pauses: Pauses
) -> None:
    other.execute("BEGIN IMMEDIATE")
    for _ in range(20):
        with pytest.raises(errors.Busy):
            db.write(insert(1))
    rounds = [pauses.taken[n : n + ATTEMPTS - 1] for n in range(0, len(pauses.taken), ATTEMPTS - 1)]
    for number, pause_s in ((n, p) for row in rounds for n, p in enumerate(row)):
        assert 0.025 * 2**number <= pause_s <= 0.075 * 2**number
    assert len({row[0] for row in rounds}) > 1


def test_a_lock_gone_during_a_pause_lets_the_write_through(
    path: Path, clock: FakeClock, db: Database, other: sqlite3.Connection
) -> None:
    pauses = Pauses(lambda _: other.execute("ROLLBACK").close())
    with closing(Database(path, clock=clock, pause=pauses, busy_timeout_s=0)) as patient:
        other.execute("BEGIN IMMEDIATE")
        patient.write(insert(1))
    assert (len(pauses.taken), db.read(numbers)) == (1, [1])


def test_no_pause_goes_beyond_the_budget(
    path: Path, clock: FakeClock, db: Database, other: sqlite3.Connection
) -> None:
    pauses = Pauses(clock.advance)
    with closing(Database(path, clock=clock, pause=pauses, busy_timeout_s=0)) as hurried:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(errors.Busy):
            hurried.write(insert(1), budget_s=0.2)
    assert 0 < sum(pauses.taken) <= 0.2


def test_a_budget_of_nothing_is_one_attempt(
    db: Database, other: sqlite3.Connection, pauses: Pauses
) -> None:
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(errors.Busy):
        db.write(insert(1), budget_s=0)
    assert pauses.taken == []


def test_a_table_locked_once_is_tried_again(db: Database, pauses: Pauses) -> None:
    db.write(insert(1))
    db.write(insert(2))
    runs = []

    def work(connection: sqlite3.Connection) -> None:
        runs.append("run")
        cursor = connection.execute("SELECT a FROM t") if len(runs) == 1 else None
        # SQLITE_LOCKED while the cursor lives.
        connection.execute("DROP TABLE t")
        del cursor

    db.write(work)
    assert (len(runs), len(pauses.taken)) == (2, 1)


def test_a_commit_that_was_busy_runs_the_work_again(path: Path, clock: FakeClock) -> None:
    # Without a write-ahead log, a reader stands in the way of the commit.
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        pauses = Pauses(lambda _: reader.execute("ROLLBACK").close())
        with closing(
            Database(path, clock=clock, journal_mode="delete", pause=pauses, busy_timeout_s=0)
        ) as db:
            db.write(lambda c: c.execute("CREATE TABLE t (a)").close())
            reader.execute("BEGIN DEFERRED")
            assert numbers(reader) == []
            db.write(insert(1))
            assert (db.read(numbers), len(pauses.taken)) == ([1], 1)


def test_the_work_of_one_thread_waits_for_that_of_another(db: Database) -> None:
    inside, leave = threading.Event(), threading.Event()

    def slow(connection: sqlite3.Connection) -> None:
        insert(1)(connection)
        inside.set()
        leave.wait()

    thread = threading.Thread(target=lambda: db.write(slow))
    thread.start()
    inside.wait()
    with pytest.raises(errors.Busy, match="another write"):
        db.write(insert(2), budget_s=0)
    assert not db.checkpoint(budget_s=0)
    leave.set()
    thread.join()
    db.write(insert(3))
    assert db.read(numbers) == [1, 3]


def test_no_update_of_many_threads_is_lost(db: Database) -> None:
    db.write(insert(0))

    def add(connection: sqlite3.Connection) -> None:
        [(a,)] = connection.execute("SELECT a FROM t").fetchall()
        connection.execute("UPDATE t SET a = ?", (a + 1,))

    def many() -> None:
        for _ in range(10):
            db.write(add, budget_s=60)

    threads = [threading.Thread(target=many) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert db.read(numbers) == [80]


# Disk full


def fill(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA max_page_count = 4")
    for number in range(10_000):
        connection.execute("INSERT INTO t VALUES (?)", (number,))


def test_a_full_database_is_told_as_such_although_sqlite_rolled_back(db: Database) -> None:
    with pytest.raises(errors.DiskFull):
        db.write(fill)
    db.write(lambda c: c.execute("PRAGMA max_page_count = 4000").close())
    db.write(insert(1))
    assert db.read(numbers) == [1]


def test_work_that_goes_on_after_the_rollback_of_sqlite_is_a_mistake(db: Database) -> None:
    def stubborn(connection: sqlite3.Connection) -> None:
        with pytest.raises(sqlite3.OperationalError, match="full"):
            fill(connection)

    with pytest.raises(RuntimeError, match="ended the transaction"):
        db.write(stubborn)


@pytest.mark.parametrize(
    "end",
    [
        lambda c: c.execute("COMMIT").close(),
        lambda c: c.commit(),
        lambda c: c.executescript("SELECT 1"),
    ],
)
def test_work_that_commits_is_a_mistake(
    db: Database, end: Callable[[sqlite3.Connection], object]
) -> None:
    def work(connection: sqlite3.Connection) -> None:
        end(connection)

    with pytest.raises(RuntimeError, match="ended the transaction"):
        db.write(work)
