"""Small marts in files: something put into them, and what SQLite keeps beside them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from healthlog.base.db import Database
from healthlog.mart.store import SIDECARS, open_mart
from tests.support.clock import MORNING_US, FakeClock

BAD = f"mart.db.bad-{MORNING_US // 1_000_000}"
"""Name of a mart that was set aside."""


def put(connection: sqlite3.Connection, name: str) -> None:
    connection.execute("INSERT INTO series (metric, layer) VALUES (?, 'day')", (name,))


def names(connection: sqlite3.Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT metric FROM series ORDER BY metric")]


def build(path: Path, clock: FakeClock, name: str, journal_mode: str = "wal") -> Path:
    """A mart in a file of its own, closed as a replay closes it."""
    with closing(open_mart(path, clock, journal_mode)) as mart:
        mart.write(lambda c: put(c, name))
    Database(path, clock=clock, journal_mode="delete").close()
    return path


def beside(path: Path) -> list[str]:
    """What SQLite keeps beside a file at the moment."""
    return [one for one in SIDECARS if path.with_name(path.name + one).exists()]
