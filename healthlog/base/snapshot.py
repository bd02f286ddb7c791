"""A copy of a database as it stands at one instant, taken while others write to it.

SQLite's online backup does the copying. The copy is one plain file: no write-ahead log, nothing
beside it. It is written without SQLite's locks, which a network drive may not have and which nobody
needs who has the file to himself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from healthlog.base import errors, files
from healthlog.base.connection import created

Told = Callable[[int, int], object]
"""Is told how many pages are copied and how many there are; what it raises ends the copy."""

STEP_PAGES = 512
MOST_RESTARTS = 20
MOST_WAITS = 200
_WAIT_S = 0.05


class _Restless(Exception):
    """The database changed again and again under the copy."""


def take(
    connection: sqlite3.Connection, target: Path, told: Told, *, waits: int = MOST_WAITS
) -> None:
    """Copy what `connection` reads, which is inside BEGIN DEFERRED and has read nothing yet, into
    `target`, which must not be there; durable once it returns, its name once the folder is synced.

    With a write-ahead log one snapshot is read from the first page to the last and no writer
    waits. Without one, whoever reads keeps writers off: the copy then goes in short steps, from
    the beginning when somebody wrote in between, and in one piece only when that happens too often.
    Busy when somebody keeps the database locked for `waits` looks; circumstances name the target.
    """
    created(target)
    with _about(target):
        if _has_wal(connection):
            _pin(connection)
            _copy(connection, target, _Watch(told, waits))
        else:
            try:
                _copy(connection, target, _Watch(told, waits, MOST_RESTARTS))
            except _Restless:
                files.remove(target)
                created(target)
                _pin(connection)
                _copy(connection, target, _Watch(told, waits))
    files.sync_file(target)


def look(path: Path) -> sqlite3.Connection:
    """A connection to a copy that nobody changes."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def _copy(source: sqlite3.Connection, target: Path, watch: _Watch) -> None:
    with closing(_alone(target)) as copy:
        source.backup(copy, pages=STEP_PAGES, progress=watch, sleep=_WAIT_S)
        # Left in the copy by a source with a write-ahead log.
        copy.execute("PRAGMA journal_mode=DELETE").fetchall()


class _Watch:
    """What SQLite calls after each step."""

    def __init__(self, told: Told, most_waits: int, restarts: int | None = None) -> None:
        self._told = told
        self._most_waits = most_waits
        self._restarts = restarts
        self._waits = 0
        self._left: int | None = None

    def __call__(self, status: int, left: int, total: int) -> None:
        if status in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            self._waits += 1
            if self._waits == self._most_waits:
                raise errors.Busy("somebody else keeps it locked")
            return
        again = self._left is not None and left >= self._left
        self._waits, self._left = 0, left
        if again and self._restarts is not None:
            if self._restarts == 0:
                raise _Restless
            self._restarts -= 1
        self._told(total - left, total)


def _has_wal(connection: sqlite3.Connection) -> bool:
    [(mode,)] = connection.execute("PRAGMA journal_mode").fetchall()
    return bool(mode == "wal")


def _pin(connection: sqlite3.Connection) -> None:
    """The first read is what opens the transaction's snapshot."""
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()


def _alone(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw&vfs=unix-none", uri=True, isolation_level=None
    )
    try:
        # A half copy is worth nothing, so there is nothing to roll back to; one sync comes last.
        for pragma in ("locking_mode=EXCLUSIVE", "journal_mode=OFF", "synchronous=OFF"):
            connection.execute("PRAGMA " + pragma).fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _about(target: Path) -> Iterator[None]:
    """What goes wrong with a copy; errors of `told` go through as they are."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        better = errors.named(error)
        if not isinstance(better, errors.Circumstance):
            raise
        # Not from the error of SQLite: whose file it is about is said here.
        raise type(better)(f"{target.name}: {better}") from better
