"""The file of the mart: opened, set aside when damaged, swapped for a new one."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from healthlog.base import files, migrate
from healthlog.base.clock import Clock
from healthlog.base.db import Closed, Database
from healthlog.base.errors import Busy, Damaged

T = TypeVar("T")

FILE = "mart.db"
SIDECARS = ("-wal", "-shm")
_CACHE_KIB = 64 * 1024


def open_mart(path: Path, clock: Clock, journal_mode: str) -> Database:
    """The mart in `path`, its schema brought up to date. Damaged when it can't be read."""
    database = Database(path, clock=clock, cache_kib=_CACHE_KIB, journal_mode=journal_mode)
    try:
        migrate.up(database, migrate.load("mart"), clock)
        database.read(lambda c: c.execute("SELECT count(*) FROM series").fetchone())
    except BaseException:
        database.close()
        raise
    return database


class Mart(Protocol):
    """What reads and writes a mart: one file, or the one in place whichever that is."""

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T: ...

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T: ...


class MartStore:
    """The mart of a data directory, whichever file is in place. Readers and the one writer go
    through it, so that the file can be exchanged under them."""

    def __init__(self, data: Path, clock: Clock, journal_mode: str) -> None:
        self.path = data / FILE
        self._clock = clock
        self._journal_mode = journal_mode
        self._exchange = threading.Lock()
        self._database: Database | None = None

    def open(self) -> None:
        with self._exchange:
            self._database = open_mart(self.path, self._clock, self._journal_mode)

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return self._on_current(lambda database: database.read(work))

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return self._on_current(lambda database: database.write(work))

    def close(self) -> None:
        with self._exchange:
            if self._database is not None:
                self._database.close()
                self._database = None

    def set_aside(self) -> Path | None:
        """Move a damaged mart out of the way, as `mart.db.bad-TIME`, and open an empty one;
        the new name, None where there was no file."""
        with self._exchange:
            if self._database is not None:
                self._database.close()
                self._database = None
            moved = move_aside(self.path, self._clock)
            self._database = open_mart(self.path, self._clock, self._journal_mode)
            return moved

    def _on_current(self, work: Callable[[Database], T]) -> T:
        database = self._database
        try:
            if database is not None:
                return work(database)
        except Closed:
            if database is self._database:
                raise
        with self._exchange:  # while it is exchanged, wait for the one to come
            database = self._database
        if database is None:
            raise Closed(f"{self.path.name} is closed")
        return work(database)


def move_aside(path: Path, clock: Clock) -> Path | None:
    """Rename a mart that can't be read, its log beside it, and say its new name."""
    if not path.exists():
        return None
    seconds = clock.now_us() // 1_000_000
    target = path.with_name(f"{path.name}.bad-{seconds}")
    number = 1
    while target.exists():
        number += 1
        target = path.with_name(f"{path.name}.bad-{seconds}-{number}")
    for suffix in ("", *SIDECARS):
        part = path.with_name(path.name + suffix)
        if part.exists():
            files.rename(part, target.with_name(target.name + suffix))
    files.sync_folder(path.parent)
    return target


def swap_in(new: Path, path: Path, clock: Clock, journal_mode: str) -> None:
    """Put a mart that was built beside in the place of the old one, by one rename.

    Both are closed in this process. The old one's log is emptied into it first and removed: left
    there, it would show the old tables in the new file.
    """
    if path.exists():
        try:
            old = Database(path, clock=clock, journal_mode=journal_mode)
            try:
                if not old.checkpoint():
                    raise Busy(f"{path.name} is being read by another process")
            finally:
                old.close()
        except Damaged:
            move_aside(path, clock)
    for suffix in SIDECARS:
        files.remove(path.with_name(path.name + suffix))
    files.rename(new, path)
    files.sync_folder(path.parent)
