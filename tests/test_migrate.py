"""Migrations: how their files are read, what they do to a database."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from healthlog.base import migrate
from healthlog.base.db import Database
from healthlog.base.migrate import BadMigration, Migration, SchemaChanged, SchemaNewer
from tests.support.clock import MORNING_US, FakeClock

FIRST = """-- The first table.
-- dated: 2026-08-01

-- up
CREATE TABLE one (a INTEGER) STRICT;
INSERT INTO one VALUES (1);

-- down
DROP TABLE one;
"""
SECOND = """-- The second; it has a trigger.
-- dated: 2026-08-02
-- up
-- a comment; with a semicolon
CREATE TABLE two (b TEXT) STRICT; CREATE TRIGGER t AFTER INSERT ON two BEGIN
    DELETE FROM one; -- another; comment
    INSERT INTO one VALUES (length('a;b'));
END;
-- down
DROP TABLE two;
-- nothing more; really
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two migrations."""
    (tmp_path / "sql").mkdir()
    (tmp_path / "sql" / "0001_first.sql").write_text(FIRST)
    (tmp_path / "sql" / "0002_second.sql").write_text(SECOND)
    return tmp_path / "sql"


@pytest.fixture
def migrations(folder: Path) -> tuple[Migration, ...]:
    return migrate.read(folder)


@pytest.fixture
def db(tmp_path: Path, clock: FakeClock) -> Iterator[Database]:
    with closing(Database(tmp_path / "a.db", clock=clock)) as database:
        yield database


def schema(db: Database) -> list[tuple[str, str]]:
    """Name with text of everything in the schema."""
    query = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name"
    return db.read(lambda c: c.execute(query).fetchall())


def names(db: Database) -> list[str]:
    return [name for name, _ in schema(db)]


def numbers(migrations: list[Migration]) -> list[int]:
    return [migration.number for migration in migrations]


def bad(folder: Path, text: str) -> str:
    """What is said of a third migration with this text."""
    (folder / "0003_third.sql").write_text(text)
    with pytest.raises(BadMigration) as caught:
        migrate.read(folder)
    return str(caught.value)


# Files


def test_a_file_is_read_with_its_name_date_checksum(migrations: tuple[Migration, ...]) -> None:
    first = migrations[0]
    assert (first.number, first.name, first.dated) == (1, "first", "2026-08-01")
    assert first.sha256 == hashlib.sha256(FIRST.encode()).hexdigest()
    assert first.up == ("CREATE TABLE one (a INTEGER) STRICT;", "INSERT INTO one VALUES (1);")
    assert first.down == ("DROP TABLE one;",)


def test_statements_end_where_sqlite_says(migrations: tuple[Migration, ...]) -> None:
    table, trigger = migrations[1].up
    assert table == "CREATE TABLE two (b TEXT) STRICT;"
    assert trigger.startswith("CREATE TRIGGER")
    assert trigger.endswith("END;")
    assert migrations[1].down == ("DROP TABLE two;",)


def test_the_newest_date_is_that_of_any_migration(migrations: tuple[Migration, ...]) -> None:
    assert migrate.newest_date(migrations[::-1]) == "2026-08-02"
    assert migrate.newest_date(()) == "1970-01-01"


def test_a_gap_in_the_numbers_is_refused(folder: Path) -> None:
    (folder / "0002_second.sql").rename(folder / "0003_second.sql")
    with pytest.raises(BadMigration, match="migration 2 is missing"):
        migrate.read(folder)


def test_a_number_given_twice_is_refused(folder: Path) -> None:
    (folder / "0002_another.sql").write_text(SECOND)
    with pytest.raises(BadMigration, match="migration 3 is missing or there twice"):
        migrate.read(folder)


@pytest.mark.parametrize("name", ["1_short.sql", "0003-dash.sql", "0003_Upper.sql", "third.sql"])
def test_a_file_with_an_unfit_name_is_refused(folder: Path, name: str) -> None:
    (folder / name).write_text(SECOND)
    with pytest.raises(BadMigration, match=name):
        migrate.read(folder)


def test_other_files_are_no_migrations(folder: Path) -> None:
    (folder / "README").touch()
    (folder / "__pycache__").mkdir()
    assert len(migrate.read(folder)) == 2


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadMigration, match="no migrations"):
        migrate.read(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FIRST.replace("2026-08-01", "2026-02-30"), "dated"),
        (FIRST.replace("-- dated: 2026-08-01\n", ""), "dated"),
        (FIRST.replace("\n\n", "\n-- dated: 2026-08-03\n\n", 1), "dated"),
        (FIRST.replace("-- down\n", ""), "a section '-- up' then a section '-- down'"),
        (FIRST.replace("-- up", "-- down"), "a section '-- up' then a section '-- down'"),
        (FIRST + "-- up\nSELECT 1;\n", "a section '-- up' then a section '-- down'"),
        (FIRST.replace("DROP TABLE one;", "DROP TABLE one"), "down: the last statement has no end"),
        (FIRST.replace("DROP TABLE one;", "-- nothing"), "down: no statement"),
        (FIRST.replace("INSERT", "VACUUM; INSERT"), "up: VACUUM can't stand inside a migration"),
        (FIRST.replace("INSERT", "/* a */ commit; INSERT"), "COMMIT can't stand inside"),
        (FIRST.replace("INSERT", "-- a\nBegin; INSERT"), "BEGIN can't stand inside"),
    ],
)
def test_a_file_that_breaks_the_rules_is_named(folder: Path, text: str, said: str) -> None:
    message = bad(folder, text)
    assert message.startswith("0003_third.sql")
    assert said in message


@pytest.mark.parametrize("database", ["journal", "mart"])
def test_the_migrations_of_the_program_are_found(database: str) -> None:
    assert migrate.load(database)[0].number == 1


# Databases


def test_a_new_database_is_taken_all_the_way_up(
    db: Database, migrations: tuple[Migration, ...], clock: FakeClock
) -> None:
    assert numbers(migrate.up(db, migrations, clock)) == [1, 2]
    assert names(db) == ["one", "schema_migration", "t", "two"]
    assert migrate.state(db, migrations) == [(m, MORNING_US) for m in migrations]


def test_a_database_that_is_up_stays_as_it_is(
    db: Database, migrations: tuple[Migration, ...], clock: FakeClock
) -> None:
    migrate.up(db, migrations, clock)
    clock.advance(1)
    assert migrate.up(db, migrations, clock) == []
    assert migrate.state(db, migrations) == [(m, MORNING_US) for m in migrations]


def test_a_target_ends_the_way_up(
    db: Database, migrations: tuple[Migration, ...], clock: FakeClock
) -> None:
    assert numbers(migrate.up(db, migrations, clock, target=1)) == [1]
    assert migrate.state(db, migrations) == [(migrations[0], MORNING_US), (migrations[1], None)]
    assert numbers(migrate.up(db, migrations, clock)) == [2]


def test_down_takes_back_the_newest_first(
    db: Database, migrations: tuple[Migration, ...], clock: FakeClock
) -> None:
    migrate.up(db, migrations, clock)
    assert numbers(migrate.down(db, migrations, 0)) == [2, 1]
    assert names(db) == ["schema_migration"]
    assert migrate.state(db, migrations) == [(m, None) for m in migrations]


def test_down_stops_at_its_target(
    db: Database, migrations: tuple[Migration, ...], clock: FakeClock
) -> None:
    migrate.up(db, migrations, clock)
    assert numbers(migrate.down(db, migrations, 1)) == [2]
    assert numbers(migrate.down(db, migrations, 1)) == []
    assert names(db) == ["one", "schema_migration"]


@pytest.mark.scenario("operations", "Down and up end in the same schema")
@pytest.mark.parametrize("database", ["journal", "mart"])
def test_down_and_up_end_in_the_same_schema(db: Database, database: str, clock: FakeClock) -> None:
    migrations = migrate.load(database)
    migrate.up(db, migrations, clock)
    before = schema(db)
    for target in reversed(range(len(migrations))):
        migrate.down(db, migrations, target)
        migrate.up(db, migrations, clock)
        assert schema(db) == before
    migrate.down(db, migrations, 0)
    assert names(db) == ["schema_migration"]
    migrate.up(db, migrations, clock)
    assert schema(db) == before


@pytest.mark.scenario("operations", "Failing migration leaves nothing half")
def test_a_failing_migration_leaves_nothing_half(
    folder: Path, db: Database, clock: FakeClock
) -> None:
    (folder / "0002_second.sql").write_text(
        "-- dated: 2026-08-02\n-- up\nCREATE TABLE half (a);\nINSERT INTO missing VALUES (1);\n"
        "-- down\nDROP TABLE half;\n"
    )
    migrations = migrate.read(folder)
    with pytest.raises(sqlite3.OperationalError, match="missing"):
        migrate.up(db, migrations, clock)
    assert names(db) == ["one", "schema_migration"]
    assert migrate.state(db, migrations) == [(migrations[0], MORNING_US), (migrations[1], None)]


def test_a_failing_way_down_leaves_the_migration_applied(
    db: Database, migrations: tuple[Migration, ...], clock: FakeClock
) -> None:
    migrate.up(db, migrations, clock)
    db.write(lambda c: c.execute("DROP TABLE one").close())
    with pytest.raises(sqlite3.OperationalError, match="one"):
        migrate.down(db, migrations, 0)
    assert migrate.state(db, migrations) == [(migrations[0], MORNING_US), (migrations[1], None)]


def test_a_database_newer_than_the_program_is_left_alone(
    db: Database, migrations: tuple[Migration, ...], clock: FakeClock
) -> None:
    migrate.up(db, migrations, clock)
    before = schema(db)
    older = migrations[:1]
    for ask in (
        lambda: migrate.up(db, older, clock),
        lambda: migrate.down(db, older, 0),
        lambda: migrate.state(db, older),
    ):
        with pytest.raises(SchemaNewer, match=r"a\.db has migration 2"):
            ask()
    assert schema(db) == before


def test_a_changed_migration_is_named_before_anything_is_done(
    folder: Path, db: Database, migrations: tuple[Migration, ...], clock: FakeClock
) -> None:
    migrate.up(db, migrations, clock, target=1)
    (folder / "0001_first.sql").write_text(FIRST.replace("VALUES (1)", "VALUES (2)"))
    with pytest.raises(SchemaChanged, match=r"a\.db .* migration 1 \(first\)"):
        migrate.up(db, migrate.read(folder), clock)
    assert names(db) == ["one", "schema_migration"]


@pytest.mark.parametrize("target", [-1, 3])
def test_a_target_that_is_no_migration_is_refused(
    db: Database, migrations: tuple[Migration, ...], clock: FakeClock, target: int
) -> None:
    with pytest.raises(ValueError, match="no migration"):
        migrate.up(db, migrations, clock, target=target)
    with pytest.raises(ValueError, match="no migration"):
        migrate.down(db, migrations, target)
    assert names(db) == []


def test_the_state_is_read_from_a_read_only_database(
    tmp_path: Path, db: Database, migrations: tuple[Migration, ...], clock: FakeClock
) -> None:
    with closing(Database(tmp_path / "a.db", clock=clock, readonly=True)) as beside:
        assert migrate.state(beside, migrations) == [(m, None) for m in migrations]
