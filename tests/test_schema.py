"""The rules that every table of both databases keeps."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass

import pytest

from tests.support.sources import ROOT

FILES = sorted((ROOT / "migrations").glob("*/*.sql"))
DATABASES = sorted({path.parent.name for path in FILES})

# Words by which a column says that it holds an instant. Local dates (`day`, `date`) are text.
INSTANT = re.compile(r"(^|_)(at|time|until|since|start|end|instant|due)(_|$)")
UNIT = re.compile(r"_(ms|us)$")


@dataclass(frozen=True, slots=True)
class Column:
    """One column as the database sees it."""

    table: str
    name: str
    type: str
    strict: bool


def section(text: str, name: str) -> str:
    """What stands in a migration after `-- up` or `-- down`, as far as the next of the two."""
    found = re.search(
        rf"^-- {name}[ \t]*$(.*?)(?=^-- (?:up|down)[ \t]*$|\Z)", text, re.MULTILINE | re.DOTALL
    )
    return found[1] if found else ""


def columns(scripts: list[str]) -> list[Column]:
    """All columns there are after the scripts have run one after the other on an empty database."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for script in scripts:
            connection.executescript(script)
        tables = connection.execute(
            "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
            " AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
        return [
            Column(table, name, kind, bool(strict))
            for table, strict in tables
            for name, kind in connection.execute(
                "SELECT name, type FROM pragma_table_info(?)", (table,)
            )
        ]


def unfit(column: Column) -> bool:
    """A time without its unit in the name, or one that isn't an integer."""
    if UNIT.search(column.name):
        return column.type != "INTEGER"
    return INSTANT.search(column.name) is not None


def _schema(database: str) -> list[Column]:
    return columns(
        [section(p.read_text("utf-8"), "up") for p in FILES if p.parent.name == database]
    )


@pytest.mark.parametrize("database", DATABASES)
def test_times_are_integers_whose_unit_is_in_the_name(database: str) -> None:
    assert [f"{c.table}.{c.name} {c.type}" for c in _schema(database) if unfit(c)] == []


@pytest.mark.parametrize("database", DATABASES)
def test_tables_are_strict(database: str) -> None:
    assert sorted({column.table for column in _schema(database) if not column.strict}) == []


@pytest.mark.parametrize("database", DATABASES)
def test_down_takes_back_what_up_made(database: str) -> None:
    texts = [path.read_text("utf-8") for path in FILES if path.parent.name == database]
    there_and_back = [section(t, "up") for t in texts] + [
        section(t, "down") for t in reversed(texts)
    ]
    assert columns(there_and_back) == []


def test_both_databases_have_migrations() -> None:
    assert DATABASES == ["journal", "mart"]


# The rest asks whether the tests above could fail at all.


def test_a_time_without_unit_is_seen() -> None:
    table = (
        "CREATE TABLE t"
        " (received_at INTEGER, end_ms TEXT, start_us INTEGER, day TEXT, state TEXT) STRICT;"
    )
    assert [column.name for column in columns([table]) if unfit(column)] == [
        "received_at",
        "end_ms",
    ]


def test_the_sections_of_a_migration_are_told_apart() -> None:
    text = "-- dated: 2026-01-01\n-- up\nCREATE TABLE t (a);\n-- a remark\n-- down\nDROP TABLE t;\n"
    assert section(text, "up").strip() == "CREATE TABLE t (a);\n-- a remark"
    assert section(text, "down").strip() == "DROP TABLE t;"
