"""The mart's file: shared by readers and a writer, exchanged under them, never mixed up."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from healthlog.base.db import Closed, Database
from healthlog.base.errors import Circumstance, Damaged, Inaccessible
from healthlog.mart.store import EXCHANGED, SIDECARS, MartStore, move_aside, open_mart
from tests.support.clock import FakeClock
from tests.support.damage import flip_pages
from tests.support.limits import files_limited_to
from tests.support.marts import BAD, beside, build, names, put
from tests.support.patience import PATIENCE_S


@pytest.fixture
def store(data: Path, clock: FakeClock) -> Iterator[MartStore]:
    with closing(MartStore(data, clock, "wal", pause=clock.advance)) as store:
        store.open()
        yield store


def test_what_is_written_is_read(store: MartStore) -> None:
    store.write(lambda c: put(c, "a"))
    assert store.read(names) == ["a"]


def test_opening_twice_is_opening_once(store: MartStore) -> None:
    store.write(lambda c: put(c, "a"))
    store.open()
    assert store.read(names) == ["a"]


def test_a_closed_store_says_so(store: MartStore) -> None:
    store.close()
    with pytest.raises(Closed):
        store.read(names)
    store.close()


def test_a_closed_store_can_be_opened_again(store: MartStore) -> None:
    store.write(lambda c: put(c, "a"))
    store.close()
    store.open()
    assert store.read(names) == ["a"]


def test_a_file_that_is_no_mart_is_remembered_as_damaged(data: Path, clock: FakeClock) -> None:
    (data / "mart.db").write_bytes(b"no database at all" * 100)
    store = MartStore(data, clock, "wal")
    store.open()
    assert store.damage is not None
    assert "mart.db" in store.damage
    with pytest.raises(Closed):
        store.read(names)


def test_damage_is_remembered_by_whoever_meets_it(store: MartStore, clock: FakeClock) -> None:

    def fill(connection: sqlite3.Connection) -> None:
        for at in range(2000):
            put(connection, f"name {at:05}")

    store.write(fill)
    store.close()
    flip_pages(store.path, first=2)
    other = MartStore(store.path.parent, clock, "wal")
    other.open()
    if other.damage is None:
        with pytest.raises(Damaged):
            other.read(names)
    assert other.damage
    other.close()


def test_another_error_is_no_damage(store: MartStore) -> None:
    with pytest.raises(sqlite3.OperationalError):
        store.read(lambda c: c.execute("SELECT nothing FROM nowhere").fetchall())
    with pytest.raises(Circumstance), files_limited_to(1024):
        store.write(lambda c: put(c, "x" * 100_000))
    assert store.damage is None


# Exchanged from outside


def replaced(store: MartStore, clock: FakeClock) -> None:
    other = build(store.path.with_name("other.db"), clock, "other")
    other.replace(store.path)


def deleted(store: MartStore, _: FakeClock) -> None:
    store.path.unlink()


@pytest.mark.parametrize("exchange", [deleted, replaced])
def test_a_file_exchanged_from_outside_is_damage(
    store: MartStore, clock: FakeClock, exchange: Callable[[MartStore, FakeClock], None]
) -> None:
    store.write(lambda c: put(c, "a"))
    assert not store.notice()
    exchange(store, clock)
    assert store.notice()
    assert store.damage == EXCHANGED
    store.set_aside()
    assert beside(store.path) == []
    store.open()
    assert store.read(names) == []
    assert not store.notice()


def test_a_reader_that_finds_no_file_is_told_of_damage(store: MartStore) -> None:
    store.path.unlink()

    def another(_: sqlite3.Connection) -> list[str]:
        return store.read(names)  # while the one connection there is is lent

    with pytest.raises(Damaged, match="deleted or replaced"):
        store.read(another)
    assert EXCHANGED in str(store.damage)


# Set aside


def test_a_mart_is_set_aside_under_the_time(store: MartStore, data: Path) -> None:
    store.write(lambda c: put(c, "a"))
    store.suspect("scripted")
    assert store.set_aside() == data / BAD
    assert store.damage is None
    store.open()
    assert store.read(names) == []
    with closing(sqlite3.connect(data / BAD)) as old:
        assert names(old) == ["a"]


def test_where_there_is_no_mart_nothing_is_set_aside(data: Path, clock: FakeClock) -> None:
    store = MartStore(data, clock, "wal")
    assert store.set_aside() is None
    assert list(data.iterdir()) == []


def test_a_name_that_is_taken_gets_a_number(data: Path, clock: FakeClock) -> None:
    for expected in (BAD, f"{BAD}-2", f"{BAD}-3"):
        (data / "mart.db").write_bytes(b"bad")
        assert move_aside(data / "mart.db", clock) == data / expected


def test_all_that_sqlite_keeps_goes_with_it(data: Path, clock: FakeClock) -> None:
    path = data / "mart.db"
    for suffix in ("", *SIDECARS):
        path.with_name(path.name + suffix).write_bytes(b"bad")
    move_aside(path, clock)
    assert sorted(one.name for one in data.iterdir()) == [
        BAD, f"{BAD}-journal", f"{BAD}-shm", f"{BAD}-wal",
    ]  # fmt: skip


def test_a_reader_at_work_is_awaited_before_the_mart_is_set_aside(store: MartStore) -> None:
    store.write(lambda c: put(c, "a"))
    reading, go_on = threading.Event(), threading.Event()
    found: list[list[str]] = []

    def slow(connection: sqlite3.Connection) -> list[str]:
        reading.set()
        assert go_on.wait(PATIENCE_S)
        return names(connection)

    reader = threading.Thread(target=lambda: found.append(store.read(slow)))
    reader.start()
    assert reading.wait(PATIENCE_S)
    setter = threading.Thread(target=store.set_aside)
    setter.start()
    go_on.set()
    reader.join(PATIENCE_S)
    setter.join(PATIENCE_S)
    assert found == [["a"]]
    store.open()
    assert store.read(names) == []


def test_work_begun_on_a_mart_that_is_exchanged_is_done_on_the_next(store: MartStore) -> None:
    store.write(lambda c: put(c, "old"))
    asked: list[Database] = []

    def work(database: Database) -> list[str]:
        asked.append(database)
        if len(asked) == 1:
            store.set_aside()
            store.open()
        return database.read(names)

    assert store._on_current(work) == []
    assert len(asked) == 2


# Opening


def test_the_error_of_opening_names_the_file(data: Path, clock: FakeClock) -> None:
    path = data / "mart.db"
    path.mkdir()
    with pytest.raises(Inaccessible, match=r"mart\.db"):
        open_mart(path, clock, "wal")


def test_tables_of_another_program_are_damage(data: Path, clock: FakeClock) -> None:
    path = data / "mart.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE series (something TEXT)")
    with pytest.raises(Damaged, match=r"mart\.db"):
        open_mart(path, clock, "wal")
