"""The file of the mart: opened, set aside when damaged, swapped for a new one."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from healthlog.base import files
from healthlog.base.clock import Clock
from healthlog.base.db import Closed, Database
from healthlog.base.errors import Busy, Damaged, Inaccessible, IOFault
from healthlog.databases import open_up_to_date

T = TypeVar("T")
Identity = tuple[int, int]
"""Device and inode of a file."""

FILE = "mart.db"
# Left beside another file of that name, each of them would put old pages into it.
SIDECARS = ("-wal", "-shm", "-journal")
NEW = ".new"
"""What a mart that is being made has behind the name of the one it will replace."""

EXCHANGED = "mart.db was deleted or replaced while it was open"
_CACHE_KIB = 64 * 1024


class Spoiled(Damaged):
    """The mart in place can't be read, or is another one: it is made anew with the next pass."""


class Mart(Protocol):
    """What reads and writes a mart: one file, or the one in place whichever that is."""

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T: ...

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T: ...


def identity(path: Path) -> Identity | None:
    """Which file stands at a path; None where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return (found.st_dev, found.st_ino)


def open_mart(
    path: Path,
    clock: Clock,
    journal_mode: str,
    *,
    durable: bool = True,
    pause: Callable[[float], object] | None = None,
    tell: Callable[[Exception], object] | None = None,
) -> Database:
    """The mart in `path`, its schema brought up to date. Damaged when it can't be read. Not
    `durable` while it is only being made: it is worth something once it is whole."""
    database = open_up_to_date(
        path,
        "mart",
        clock,
        journal_mode,
        cache_kib=_CACHE_KIB,
        durable=durable,
        pause=pause,
        tell=tell,
    )
    try:
        database.read(lambda c: c.execute("SELECT count(*) FROM series").fetchone())
    except BaseException:
        database.close()
        raise
    return database


class MartStore:
    """The mart of a data directory, whichever file is in place. Readers and the one writer go
    through it, so that the file can be exchanged under them.

    Whoever meets a damaged page leaves word of it in `damage`; the mart is then to be set aside.
    So is one whose file was deleted or replaced from outside.
    """

    def __init__(
        self,
        data: Path,
        clock: Clock,
        journal_mode: str,
        *,
        pause: Callable[[float], object] | None = None,
        tell: Callable[[Exception], object] | None = None,
    ) -> None:
        self.path = data / FILE
        self._clock = clock
        self._journal_mode = journal_mode
        self._pause = pause
        self._tell = tell
        self._exchange = threading.Lock()
        self._database: Database | None = None
        self._identity: Identity | None = None
        self._damage: str | None = None

    @property
    def damage(self) -> str | None:
        """Why the mart in place can't be used; None as far as anybody knows."""
        return self._damage

    def suspect(self, reason: str) -> None:
        """Leave word that the mart in place can't be used."""
        self._damage = reason

    def notice(self) -> bool:
        """Whether the file that is open was deleted or replaced, which counts as damage."""
        exchanged = self._database is not None and identity(self.path) != self._identity
        if exchanged:
            self.suspect(EXCHANGED)
        return exchanged

    def open(self) -> None:
        """Open the mart in place, if it isn't. A damaged one stays closed, with the reason in
        `damage`."""
        with self._exchange:
            self._open()

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return self._on_current(lambda database: database.read(work))

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return self._on_current(lambda database: database.write(work))

    def close(self) -> None:
        with self._exchange:
            self._shut()

    def set_aside(self) -> Path | None:
        """Close a damaged mart, move it out of the way as `mart.db.bad-TIME`; its new name, None
        where there was no file."""
        with self._exchange:
            self._shut()
            moved = move_aside(self.path, self._clock)
            self._damage = None
            return moved

    def swap(self, new: Path) -> None:
        """Put a mart that was built beside, in a closed plain file, in the place of this one; who
        reads meanwhile waits. On any error before the rename, Busy when another process is reading
        it, the old one goes on; after the rename `new` is gone, whatever is raised."""
        with self._exchange:
            self._shut()
            try:
                swap_in(new, self.path, self._clock, self._journal_mode)
                self._damage = None
            finally:
                self._open()

    def _open(self) -> None:
        if self._database is not None:
            return
        try:
            opened = open_mart(
                self.path, self._clock, self._journal_mode, pause=self._pause, tell=self._tell
            )
            # Known before the database is, or `damage` would compare it with the one before.
            self._identity = identity(self.path)
            self._database = opened
        except Damaged as error:
            self.suspect(str(error))

    def _shut(self) -> None:
        # Taken away first, so that whoever comes now waits for the one that follows.
        database, self._database = self._database, None
        if database is not None:
            try:
                database.close()
            except BaseException:
                self._database = database
                raise

    def _on_current(self, work: Callable[[Database], T]) -> T:
        try:
            return self._whichever(work)
        except Damaged as error:
            self.suspect(str(error))
            raise Spoiled(str(error)) from error
        except (sqlite3.Error, IOFault, Inaccessible) as error:
            # A connection made after the file was deleted finds none, or another.
            if not self.notice():
                raise
            raise Spoiled(EXCHANGED) from error

    def _whichever(self, work: Callable[[Database], T]) -> T:
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
    """Rename a mart that can't be read, what SQLite keeps beside it too, and say its new name."""
    if not path.exists():
        for suffix in SIDECARS:
            files.remove(path.with_name(path.name + suffix))
        return None
    seconds = clock.now_us() // 1_000_000
    target = path.with_name(f"{path.name}.bad-{seconds}")
    number = 1
    while target.exists():
        number += 1
        target = path.with_name(f"{path.name}.bad-{seconds}-{number}")
    # The file itself last: as long as it is there, the next attempt moves what is left.
    for suffix in (*SIDECARS, ""):
        part = path.with_name(path.name + suffix)
        if part.exists():
            files.rename(part, target.with_name(target.name + suffix))
    files.sync_folder(path.parent)
    return target


def swap_in(new: Path, path: Path, clock: Clock, journal_mode: str) -> None:
    """Put a mart that was built beside in the place of the old one, by one rename.

    Both are closed in this process. The old one's log is emptied into it first and removed: left
    there, it would show the old tables in the new file. Busy when another process is reading it.
    """
    if path.exists():
        try:
            old = Database(path, clock=clock, journal_mode=journal_mode)
            try:
                if not old.checkpoint():
                    raise Busy(f"{path} is being read by another process")
            finally:
                old.close()
        except Damaged:
            move_aside(path, clock)
    for suffix in SIDECARS:
        files.remove(path.with_name(path.name + suffix))
    files.rename(new, path)
    files.sync_folder(path.parent)


def sweep(mart: Path) -> None:
    """Remove what a replay that was killed has left beside the mart; under the lock."""
    for path in sorted(mart.parent.glob(f"{mart.name}{NEW}*")):
        files.remove(path)
