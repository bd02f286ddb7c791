"""Errors of a database: under their names, with their file, told to whoever wants to know."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from healthlog.base import errors
from healthlog.base.db import Database
from tests.support.accepting import outsider
from tests.support.clock import FakeClock
from tests.support.damage import flip_pages
from tests.support.mounts import sealed_folder


class Heard(list[Exception]):
    """What a database has told."""

    def kinds(self) -> list[type[Exception]]:
        return [type(error) for error in self]


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def db(data: Path, clock: FakeClock, heard: Heard) -> Iterator[Database]:
    with closing(
        Database(
            data / "a.db",
            clock=clock,
            readers=1,
            pause=clock.advance,
            remedy="; do this",
            tell=heard.append,
        )
    ) as opened:
        opened.write(lambda c: c.execute("CREATE TABLE t (a)").close())
        yield opened


def raising(error: Exception) -> Callable[[sqlite3.Connection], None]:
    def work(_: sqlite3.Connection) -> None:
        raise error

    return work


def fill(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA max_page_count = 3")
    connection.execute("INSERT INTO t VALUES (zeroblob(100000))")


def test_a_full_database_names_its_file(db: Database, heard: Heard) -> None:
    with pytest.raises(errors.DiskFull, match=r"a\.db: database or disk is full") as caught:
        db.write(fill)
    assert heard == [caught.value]
    assert isinstance(caught.value.__cause__, sqlite3.Error)


def test_a_lock_is_named_and_told_to_nobody_because_it_passes(db: Database, heard: Heard) -> None:
    with outsider(db.path), pytest.raises(errors.Busy, match=r"a\.db: database is locked"):
        db.write(lambda c: c.execute("INSERT INTO t VALUES (1)").close())
    assert heard == []


def test_what_the_work_itself_raises_passes_as_it_is(db: Database, heard: Heard) -> None:
    for error in (errors.Circumstance("mine"), errors.Refusal("mine"), ValueError("mine")):
        with pytest.raises(type(error)) as caught:
            db.read(raising(error))
        assert caught.value is error
    assert heard == []


def test_damage_ends_with_its_remedy(data: Path, db: Database, heard: Heard) -> None:
    db.close()
    flip_pages(data / "a.db", first=2)
    with (
        closing(
            Database(data / "a.db", clock=FakeClock(), remedy="; do this", tell=heard.append)
        ) as damaged,
        pytest.raises(errors.Damaged, match=r"a\.db is damaged: .*; do this$"),
    ):
        damaged.read(lambda c: c.execute("SELECT * FROM t").fetchall())
    assert heard.kinds() == [errors.Damaged]


def test_a_file_that_is_gone_is_inaccessible_to_a_new_connection(
    db: Database, heard: Heard
) -> None:
    for path in db.path.parent.glob("a.db*"):
        path.unlink()
    with pytest.raises(errors.Inaccessible, match=r"a\.db: No such file"):
        db.read(lambda c: c.execute("SELECT 1").fetchall())
    assert heard.kinds() == [errors.Inaccessible]


def test_a_folder_that_takes_nothing_is_named(data: Path, clock: FakeClock) -> None:
    Database(data / "a.db", clock=clock).close()
    with (
        sealed_folder(data),
        pytest.raises(errors.Inaccessible, match=f"{data}: nothing can be written there"),
    ):
        Database(data / "a.db", clock=clock)
