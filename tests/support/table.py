"""A database with one small table, and what this process holds open of it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from healthlog.base.db import Database
from tests.support.clock import FakeClock


@contextmanager
def open_table(path: Path, clock: FakeClock) -> Iterator[Database]:
    """A database with a table `t` of three numbers."""
    with closing(Database(path, clock=clock, busy_timeout_s=0)) as database:
        database.write(make)
        yield database


def make(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE t (a INTEGER NOT NULL) STRICT")
    connection.execute("INSERT INTO t VALUES (1), (2), (3)")


def numbers(connection: sqlite3.Connection) -> list[int]:
    return [a for (a,) in connection.execute("SELECT a FROM t ORDER BY a")]


def pragma(connection: sqlite3.Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def open_files(folder: Path) -> list[str]:
    """Names of the files in `folder` that this process has open."""
    names = []
    for descriptor in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):
            target = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
            names += [target.name] if target.parent == folder else []
    return names
