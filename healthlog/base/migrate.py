"""Numbered SQL files that take a database's schema up or down."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from healthlog.base.clock import Clock
from healthlog.base.db import Database

_PACKAGE = "healthlog"
_CHECKOUT = Path(__file__).resolve().parents[2]
_FILE = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql", re.ASCII)
_DATED = re.compile(r"^-- dated: (\d{4}-\d\d-\d\d)\s*$", re.ASCII | re.MULTILINE)
_LEADING_COMMENTS = re.compile(r"(?:\s+|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*", re.DOTALL)
# Each migration runs inside one transaction together with its record.
_BANNED = frozenset(
    {"BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE", "VACUUM", "ATTACH", "DETACH"}
)
_BUDGET_S = 10.0
_LONG_AGO = "1970-01-01"


class SchemaNewer(Exception):
    """The database has a migration this program doesn't know."""


class SchemaChanged(Exception):
    """A migration's text isn't the one that was applied to the database."""


class BadMigration(Exception):
    """A migration file breaks the rules; the message names it."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step; `sha256` (hex) is that of the whole file, `dated` a day `YYYY-MM-DD`."""

    number: int
    name: str
    dated: str
    sha256: str
    up: tuple[str, ...]
    down: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Record:
    sha256: str
    applied_at_us: int


def load(database: str) -> tuple[Migration, ...]:
    """The migrations of `database` in order, from the installed package or the checkout."""
    inside = resources.files(_PACKAGE) / "migrations" / database
    return read(inside if inside.is_dir() else _CHECKOUT / "migrations" / database)


def read(folder: Traversable) -> tuple[Migration, ...]:
    """The migrations in `folder`, numbered 1, 2, 3 without a gap; else BadMigration."""
    entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    found = tuple(_migration(e) for e in entries if e.name.endswith(".sql"))
    for expected, migration in enumerate(found, start=1):
        if migration.number != expected:
            raise BadMigration(f"{folder}: migration {expected} is missing or there twice")
    if not found:
        raise BadMigration(f"{folder}: no migrations")
    return found


def up(
    db: Database, migrations: Sequence[Migration], clock: Clock, target: int | None = None
) -> list[Migration]:
    """Apply what is missing, up to number `target`; each in a transaction with its record."""
    if target is not None and target not in (0, *(m.number for m in migrations)):
        raise ValueError(f"no migration {target}")
    recorded = _checked(db, migrations)
    missing = [m for m in migrations if m.number not in recorded]
    due = [m for m in missing if target is None or m.number <= target]
    for migration in due:
        db.write(partial(_apply, migration, clock), budget_s=_BUDGET_S)
    return due


def down(db: Database, migrations: Sequence[Migration], target: int) -> list[Migration]:
    """Take back, newest first, what is recorded above number `target` (0: everything)."""
    if target not in (0, *(m.number for m in migrations)):
        raise ValueError(f"no migration {target}")
    recorded = _checked(db, migrations)
    due = [m for m in reversed(migrations) if m.number in recorded and m.number > target]
    for migration in due:
        db.write(partial(_take_back, migration), budget_s=_BUDGET_S)
    return due


def state(db: Database, migrations: Sequence[Migration]) -> list[tuple[Migration, int | None]]:
    """Each migration with the instant it was applied (microseconds), None if it wasn't.

    SchemaNewer, SchemaChanged as in `up`.
    """
    recorded = _checked(db, migrations)
    return [
        (m, recorded[m.number].applied_at_us if m.number in recorded else None) for m in migrations
    ]


def newest_date(migrations: Sequence[Migration]) -> str:
    """The latest day the migrations are dated, `1970-01-01` when there are none."""
    return max((m.dated for m in migrations), default=_LONG_AGO)


def _checked(db: Database, migrations: Sequence[Migration]) -> dict[int, _Record]:
    recorded = db.read(_records)
    known = {m.number: m for m in migrations}
    for number, record in sorted(recorded.items()):
        if number not in known:
            raise SchemaNewer(
                f"{db.path} has migration {number}, this program knows {len(known)}:"
                " use a newer program, or migrate down with it first"
            )
        if record.sha256 != known[number].sha256:
            raise SchemaChanged(
                f"{db.path} was made by another text of migration {number}"
                f" ({known[number].name}) than this program has"
            )
    return recorded


def _records(connection: sqlite3.Connection) -> dict[int, _Record]:
    there = connection.execute(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_migration'"
    ).fetchone()
    if there == (0,):
        return {}
    rows = connection.execute("SELECT number, sha256, applied_at_us FROM schema_migration")
    return {number: _Record(sha256, applied_at_us) for number, sha256, applied_at_us in rows}


def _apply(migration: Migration, clock: Clock, connection: sqlite3.Connection) -> None:
    connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_migration (number INTEGER PRIMARY KEY,"
        " name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at_us INTEGER NOT NULL) STRICT"
    )
    for statement in migration.up:
        connection.execute(statement)
    connection.execute(
        "INSERT INTO schema_migration (number, name, sha256, applied_at_us) VALUES (?, ?, ?, ?)",
        (migration.number, migration.name, migration.sha256, clock.now_us()),
    )


def _take_back(migration: Migration, connection: sqlite3.Connection) -> None:
    for statement in migration.down:
        connection.execute(statement)
    connection.execute("DELETE FROM schema_migration WHERE number = ?", (migration.number,))


def _migration(file: Traversable) -> Migration:
    match = _FILE.fullmatch(file.name)
    if match is None:
        raise BadMigration(f"{file.name}: the name must look like 0001_name.sql")
    data = file.read_bytes()
    header, up_text, down_text = _sections(data.decode(), file.name)
    return Migration(
        number=int(match[1]),
        name=match[2],
        dated=_dated(header, file.name),
        sha256=hashlib.sha256(data).hexdigest(),
        up=tuple(_statements(up_text, f"{file.name}, up")),
        down=tuple(_statements(down_text, f"{file.name}, down")),
    )


def _sections(text: str, name: str) -> tuple[str, str, str]:
    pieces = re.split(r"^-- (up|down)[ \t]*$", text, flags=re.MULTILINE)
    if pieces[1::2] != ["up", "down"]:
        raise BadMigration(f"{name}: a section '-- up' then a section '-- down' are needed")
    return pieces[0], pieces[2], pieces[4]


def _dated(header: str, name: str) -> str:
    found = _DATED.findall(header)
    try:
        [day] = found
        return date.fromisoformat(day).isoformat()
    except ValueError:
        raise BadMigration(f"{name}: the header needs one line '-- dated: YYYY-MM-DD'") from None


def _statements(section: str, where: str) -> Iterator[str]:
    """The statements of a section, without the comments before them; at least one."""
    count = 0
    statement = ""
    for piece in re.split(r"(?<=;)", section):
        statement += piece
        if sqlite3.complete_statement(statement):
            count += 1
            yield _allowed(statement, where)
            statement = ""
    if _bare(statement):
        raise BadMigration(f"{where}: the last statement has no end")
    if not count:
        raise BadMigration(f"{where}: no statement")


def _allowed(statement: str, where: str) -> str:
    bare = _bare(statement)
    words = re.findall(r"\w+", bare[:32])
    if words and words[0].upper() in _BANNED:
        raise BadMigration(f"{where}: {words[0].upper()} can't stand inside a migration")
    return bare


def _bare(statement: str) -> str:
    comments = _LEADING_COMMENTS.match(statement)
    return statement[comments.end() if comments else 0 :].strip()
