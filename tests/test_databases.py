"""Databases opened by their names in a data directory: every error says which file it is about."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from healthlog.base import migrate
from healthlog.base.db import ATTEMPTS, Database
from healthlog.base.errors import Busy, Damaged, Inaccessible
from healthlog.base.migrate import SchemaNewer
from healthlog.databases import Unusable, open_to_look, open_up_to_date
from tests.support.accepting import outsider
from tests.support.clock import FakeClock


@pytest.fixture
def path(data: Path) -> Path:
    return data / "journal.db"


def make(path: Path, clock: FakeClock) -> None:
    open_up_to_date(path, "journal", clock, "wal").close()


def test_an_empty_place_gets_a_database_with_its_schema(path: Path, clock: FakeClock) -> None:
    with closing(open_up_to_date(path, "journal", clock, "wal")) as database:
        assert all(at is not None for _, at in migrate.state(database, migrate.load("journal")))


def test_looking_makes_nothing(path: Path, clock: FakeClock) -> None:
    with pytest.raises(Unusable, match="is not there"):
        open_to_look(path, "journal", clock)
    assert not path.exists()


def test_looking_writes_nothing(path: Path, clock: FakeClock) -> None:
    make(path, clock)
    with (
        closing(open_to_look(path, "journal", clock)) as database,
        pytest.raises(RuntimeError, match="read-only"),
    ):
        database.write(lambda c: c.execute("DELETE FROM delivery").close())


def test_looking_at_an_older_schema_is_refused(path: Path, clock: FakeClock) -> None:
    Database(path, clock=clock).close()
    with pytest.raises(Unusable, match=r"journal\.db has an older schema"):
        open_to_look(path, "journal", clock)


def test_a_newer_schema_is_refused_by_both(path: Path, clock: FakeClock) -> None:
    make(path, clock)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO schema_migration VALUES (99, 'later', 'abc', 1)")
        connection.commit()
    with pytest.raises(SchemaNewer, match=r"journal\.db"):
        open_up_to_date(path, "journal", clock, "wal")
    with pytest.raises(SchemaNewer, match=r"journal\.db"):
        open_to_look(path, "journal", clock)


def test_garbage_is_damage_to_both(path: Path, clock: FakeClock) -> None:
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(Damaged, match=r"journal\.db"):
        open_up_to_date(path, "journal", clock, "wal")
    with pytest.raises(Damaged, match=r"journal\.db"):
        open_to_look(path, "journal", clock)


def test_tables_of_another_program_are_damage(path: Path, clock: FakeClock) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE delivery (something TEXT)")
    with pytest.raises(Damaged, match="no database of this program"):
        open_up_to_date(path, "journal", clock, "wal")


def test_a_folder_in_its_place_is_unusable(path: Path, clock: FakeClock) -> None:
    path.mkdir()
    with pytest.raises(Inaccessible, match=r"journal\.db"):
        open_up_to_date(path, "journal", clock, "wal")
    with pytest.raises(Unusable, match=r"journal\.db"):
        open_to_look(path, "journal", clock)


def test_a_circumstance_names_the_file_and_stays_one(path: Path, clock: FakeClock) -> None:
    Database(path, clock=clock).close()
    with outsider(path), pytest.raises(Busy, match=r"journal\.db"):
        open_up_to_date(path, "journal", clock, "wal", pause=clock.advance)


@pytest.mark.scenario("journal", "Five busy attempts end in Busy")
def test_five_busy_attempts_end_in_busy(path: Path, clock: FakeClock) -> None:
    make(path, clock)
    pauses: list[float] = []
    with closing(open_up_to_date(path, "journal", clock, "wal", pause=pauses.append)) as database:
        with outsider(path), pytest.raises(Busy):
            database.write(lambda c: c.execute("DELETE FROM delivery").close())
        # A pause after each attempt but the last. They grow by twice, give or take a half.
        assert len(pauses) == ATTEMPTS - 1 == 4
        assert pauses[0] < pauses[2] < pauses[3] * 1.5
        assert pauses[1] < pauses[3]
