"""The swap: a new mart in the place of the old one, and nothing of that left."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from healthlog.base.db import Database
from healthlog.base.errors import Busy
from healthlog.mart.store import MartStore, open_mart, swap_in
from tests.support.clock import FakeClock
from tests.support.damage import garble_head
from tests.support.marts import BAD, beside, build, names, put
from tests.support.patience import PATIENCE_S

# The swap


@pytest.fixture
def path(data: Path) -> Path:
    return data / "mart.db"


def test_a_new_mart_takes_the_place_of_the_old_one(path: Path, clock: FakeClock) -> None:
    build(path, clock, "old")
    new = build(path.with_name("mart.db.new"), clock, "new")
    swap_in(new, path, clock, "wal")
    assert not new.exists()
    with closing(open_mart(path, clock, "wal")) as mart:
        assert mart.read(names) == ["new"]


def test_a_new_mart_takes_a_place_that_is_free(path: Path, clock: FakeClock) -> None:
    swap_in(build(path.with_name("mart.db.new"), clock, "new"), path, clock, "wal")
    with closing(open_mart(path, clock, "wal")) as mart:
        assert mart.read(names) == ["new"]


@pytest.mark.scenario("reindex", "Old write-ahead log does not survive the swap")
def test_an_old_log_does_not_survive_the_swap(path: Path, clock: FakeClock) -> None:
    new = build(path.with_name("mart.db.new"), clock, "new")
    log = killed_with_a_log(path, clock)
    assert log
    swap_in(new, path, clock, "wal")
    assert beside(path) == []
    with closing(open_mart(path, clock, "wal")) as mart:
        assert mart.read(names) == ["new"]


def killed_with_a_log(path: Path, clock: FakeClock) -> bytes:
    """A mart whose writer was killed with everything still in the log, as a copy of its files
    under way shows."""
    with closing(open_mart(path.with_name("live.db"), clock, "wal")) as mart:
        mart.write(lambda c: put(c, "old"))
        copies = {one: (path.parent / f"live.db{one}").read_bytes() for one in ("", "-wal")}
    for suffix, contents in copies.items():
        path.with_name(path.name + suffix).write_bytes(contents)
    return copies["-wal"]


def test_a_hot_rollback_journal_does_not_survive_the_swap(path: Path, clock: FakeClock) -> None:
    build(path, clock, "old", "delete")
    new = build(path.with_name("mart.db.new"), clock, "new")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size=1")
        connection.execute("BEGIN IMMEDIATE")
        for at in range(1000):
            put(connection, f"spoiled {at}")
        hot = path.with_name(path.name + "-journal").read_bytes()
    path.with_name(path.name + "-journal").write_bytes(hot)
    garble_head(path)
    swap_in(new, path, clock, "delete")
    assert beside(path) == []
    with closing(open_mart(path, clock, "delete")) as mart:
        assert mart.read(names) == ["new"]


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_what_is_left_of_a_mart_thrown_away_does_not_survive_the_swap(
    path: Path, clock: FakeClock, suffix: str
) -> None:
    new = build(path.with_name("mart.db.new"), clock, "new")
    path.with_name(path.name + suffix).write_bytes(killed_with_a_log(path, clock))
    path.unlink()
    swap_in(new, path, clock, "wal")
    assert beside(path) == []
    with closing(open_mart(path, clock, "wal")) as mart:
        assert mart.read(names) == ["new"]


def test_a_damaged_old_mart_is_set_aside_at_the_swap(path: Path, clock: FakeClock) -> None:
    build(path, clock, "old")
    garble_head(path)
    swap_in(build(path.with_name("mart.db.new"), clock, "new"), path, clock, "wal")
    assert path.with_name(BAD).exists()
    with closing(open_mart(path, clock, "wal")) as mart:
        assert mart.read(names) == ["new"]


def test_a_mart_that_another_process_reads_is_not_swapped(path: Path, clock: FakeClock) -> None:
    new = build(path.with_name("mart.db.new"), clock, "new")
    with closing(open_mart(path, clock, "wal")) as mart:
        mart.write(lambda c: put(c, "old"))
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        names(reader)
        writer = Database(path, clock=clock)
        writer.write(lambda c: put(c, "older"))
        with pytest.raises(Busy, match=r"mart\.db"):
            swap_in(new, path, clock, "wal")
        writer.close()
    assert new.exists()
    with closing(open_mart(path, clock, "wal")) as mart:
        assert mart.read(names) == ["old", "older"]


def test_the_swap_keeps_to_the_journal_mode_that_is_set(path: Path, clock: FakeClock) -> None:
    build(path, clock, "old", "delete")
    new = build(path.with_name("mart.db.new"), clock, "new", "delete")
    swap_in(new, path, clock, "delete")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchall() == [("delete",)]


# Under whoever reads it


@pytest.fixture
def store(data: Path, clock: FakeClock) -> Iterator[MartStore]:
    with closing(MartStore(data, clock, "wal", pause=clock.advance)) as store:
        store.open()
        store.write(lambda c: put(c, "old"))
        yield store


@pytest.fixture
def new(path: Path, clock: FakeClock) -> Path:
    return build(path.with_name("mart.db.new"), clock, "new")


def test_an_open_mart_is_swapped_under_its_readers(store: MartStore, new: Path) -> None:
    assert store.read(names) == ["old"]
    store.swap(new)
    assert store.read(names) == ["new"]
    store.write(lambda c: put(c, "newer"))
    assert store.read(names) == ["new", "newer"]
    assert not new.exists()


def test_the_swap_waits_for_who_is_reading(store: MartStore, new: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()
    found: list[list[str]] = []

    def slow(connection: sqlite3.Connection) -> list[str]:
        first = names(connection)
        begun.set()
        assert go_on.wait(PATIENCE_S)
        return [*first, *names(connection)]

    reader = threading.Thread(target=lambda: found.append(store.read(slow)))
    reader.start()
    assert begun.wait(PATIENCE_S)
    swap = threading.Thread(target=store.swap, args=(new,))
    swap.start()
    assert new.exists()
    go_on.set()
    reader.join(PATIENCE_S)
    swap.join(PATIENCE_S)
    assert found == [["old", "old"]]
    assert store.read(names) == ["new"]


def test_readers_of_all_the_while_see_the_one_or_the_other(
    store: MartStore, path: Path, clock: FakeClock
) -> None:
    seen: set[tuple[str, ...]] = set()
    over = threading.Event()

    def read_on() -> None:
        while not over.is_set():
            seen.add(tuple(store.read(names)))

    readers = [threading.Thread(target=read_on) for _ in range(4)]
    for reader in readers:
        reader.start()
    for number in range(20):
        store.swap(build(path.with_name("mart.db.new"), clock, f"new {number}"))
    over.set()
    for reader in readers:
        reader.join(PATIENCE_S)
        assert not reader.is_alive()
    assert seen <= {("old",), *((f"new {number}",) for number in range(20))}


def test_a_swap_that_must_wait_leaves_the_old_mart_open(store: MartStore, new: Path) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN")
        names(other)
        store.write(lambda c: put(c, "older"))
        with pytest.raises(Busy):
            store.swap(new)
        assert store.read(names) == ["old", "older"]
        assert new.exists()
    store.swap(new)
    assert store.read(names) == ["new"]


def test_what_was_suspected_of_the_old_mart_is_forgotten(store: MartStore, new: Path) -> None:
    store.suspect("scripted")
    store.swap(new)
    assert store.damage is None


def test_a_new_mart_that_is_damaged_is_remembered_as_such(store: MartStore, new: Path) -> None:
    garble_head(new)
    store.swap(new)
    assert store.damage is not None
