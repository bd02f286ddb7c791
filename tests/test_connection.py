"""The connections of a database: what their cursors leave behind, how they are shared, closed."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from healthlog.base import errors
from healthlog.base.db import Closed, Database
from tests.support.clock import FakeClock
from tests.support.table import make, numbers, open_files, open_table


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


@pytest.fixture
def db(path: Path, clock: FakeClock) -> Iterator[Database]:
    with open_table(path, clock) as database:
        yield database


# Cursors


@pytest.mark.parametrize("kind", ["cursor", "generator", "map"])
def test_work_that_returns_an_iterator_is_refused(db: Database, kind: str) -> None:
    def work(connection: sqlite3.Connection) -> Iterator[object]:
        connection.execute("SELECT 1").close()
        cursor = connection.execute("SELECT a FROM t")
        kinds = {"cursor": cursor, "generator": (row for row in cursor), "map": map(str, cursor)}
        return kinds[kind]

    for run in (db.read, db.write):
        with pytest.raises(TypeError, match="iterator"):
            run(work)


def test_a_cursor_kept_beyond_a_read_is_closed(db: Database) -> None:
    kept = []
    db.read(lambda c: kept.append(c.execute("SELECT a FROM t")))
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        kept[0].fetchone()


def test_a_cursor_kept_beyond_a_write_is_closed(db: Database) -> None:
    kept = []
    db.write(lambda c: kept.append(c.execute("INSERT INTO t VALUES (4), (5) RETURNING a")))
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        kept[0].fetchone()
    assert db.read(numbers) == [1, 2, 3, 4, 5]


def test_cursors_of_every_way_of_asking_are_closed(db: Database) -> None:
    kept: list[sqlite3.Cursor] = []

    def work(connection: sqlite3.Connection) -> None:
        kept.append(connection.cursor().execute("SELECT a FROM t"))
        # More than are remembered before the forgotten ones are looked through.
        kept.extend(connection.execute("SELECT a FROM t") for _ in range(600))

    db.write(work)
    for cursor in kept:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            cursor.fetchone()


def test_nothing_is_left_to_be_read_of_many_statements(db: Database) -> None:
    kept = []
    db.write(lambda c: kept.append(c.executemany("INSERT INTO t VALUES (?)", [(4,), (5,)])))
    assert kept[0].fetchall() == []
    assert db.checkpoint()


def test_a_forgotten_cursor_keeps_no_old_snapshot(db: Database) -> None:
    kept = []
    db.read(lambda c: kept.append(c.execute("SELECT a FROM t").fetchone()))
    db.read(lambda c: kept.append(c.execute("SELECT a FROM t")))
    db.write(lambda c: c.execute("DELETE FROM t").close())
    assert db.read(numbers) == []
    assert db.checkpoint()


def test_a_cursor_in_the_traceback_of_an_error_keeps_no_lock(path: Path, db: Database) -> None:
    def work(connection: sqlite3.Connection) -> None:
        for _ in connection.execute("UPDATE t SET a = a + 1 RETURNING a"):
            raise KeyError("in the middle")

    with pytest.raises(KeyError) as caught:
        db.write(work)
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert numbers(other) == [1, 2, 3]
    assert caught.value.__traceback__ is not None


def test_a_forgotten_cursor_keeps_no_file_open(
    tmp_path: Path, path: Path, clock: FakeClock
) -> None:
    db = Database(path, clock=clock)
    db.write(make)
    kept = []
    db.read(lambda c: kept.append(c.execute("SELECT a FROM t")))
    assert open_files(tmp_path) != []
    db.close()
    assert open_files(tmp_path) == []


# Closing


def test_a_closed_database_says_so_to_everyone(db: Database) -> None:
    db.close()
    for ask in (lambda: db.read(numbers), lambda: db.write(numbers), db.checkpoint):
        with pytest.raises(Closed) as caught:
            ask()
        assert errors.is_circumstance(caught.value)


def test_closing_twice_does_nothing_more(db: Database) -> None:
    db.close()
    db.close()


def test_closing_moves_the_log_into_the_file(tmp_path: Path, db: Database) -> None:
    db.read(numbers)
    assert sorted(os.listdir(tmp_path)) == ["a.db", "a.db-shm", "a.db-wal"]
    db.close()
    assert os.listdir(tmp_path) == ["a.db"]


@pytest.mark.parametrize("way", ["read", "write"])
def test_closing_waits_for_work_in_progress(db: Database, way: str) -> None:
    inside, leave = threading.Event(), threading.Event()
    order = []

    def slow(connection: sqlite3.Connection) -> None:
        inside.set()
        leave.wait()
        order.append(numbers(connection))

    run = db.read if way == "read" else db.write
    worker = threading.Thread(target=lambda: run(slow))
    worker.start()
    inside.wait()

    def close() -> None:
        db.close(budget_s=60)
        order.append([])

    closer = threading.Thread(target=close)
    closer.start()
    leave.set()
    worker.join()
    closer.join()
    assert order == [[1, 2, 3], []]


@pytest.mark.parametrize("way", ["read", "write"])
def test_a_database_in_use_beyond_the_budget_stays_open(db: Database, way: str) -> None:
    def work(connection: sqlite3.Connection) -> list[int]:
        with pytest.raises(errors.Busy):
            db.close(budget_s=0)
        return numbers(connection)

    run = db.read if way == "read" else db.write
    assert run(work) == [1, 2, 3]
    assert db.read(numbers) == [1, 2, 3]


# Checkpoints


def test_a_checkpoint_empties_the_log(tmp_path: Path, db: Database) -> None:
    assert (tmp_path / "a.db-wal").stat().st_size > 0
    assert db.checkpoint()
    assert (tmp_path / "a.db-wal").stat().st_size == 0


def test_a_checkpoint_beside_an_old_reader_does_not_succeed(path: Path, db: Database) -> None:
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as reader:
        reader.execute("BEGIN DEFERRED")
        assert numbers(reader) == [1, 2, 3]
        db.write(lambda c: c.execute("DELETE FROM t").close())
        assert not db.checkpoint()
    assert db.checkpoint()


# Readers


def test_readers_beyond_the_limit_are_busy(path: Path, db: Database, clock: FakeClock) -> None:
    with (
        closing(Database(path, clock=clock, readers=1)) as narrow,
        pytest.raises(errors.Busy, match="readers"),
    ):
        narrow.read(lambda c: narrow.read(numbers, budget_s=0))


def test_a_reader_waits_until_another_is_done(path: Path, db: Database, clock: FakeClock) -> None:
    with closing(Database(path, clock=clock, readers=1)) as narrow:
        results: list[list[int]] = []
        threads = [
            threading.Thread(target=lambda: results.append(narrow.read(numbers, budget_s=60)))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [[1, 2, 3]] * 8


def test_readers_one_after_another_share_a_connection(db: Database) -> None:
    assert db.read(id) == db.read(id)


def test_a_reader_is_given_back_after_an_error(path: Path, db: Database, clock: FakeClock) -> None:
    with closing(Database(path, clock=clock, readers=1)) as narrow:
        for _ in range(3):
            with pytest.raises(sqlite3.OperationalError, match="no such table"):
                narrow.read(lambda c: c.execute("SELECT * FROM missing").fetchall())
        assert narrow.read(numbers) == [1, 2, 3]
