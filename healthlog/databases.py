"""Database files opened with the schema of this program."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from healthlog.base import migrate
from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.errors import Circumstance, Damaged, Refusal, sqlite_kind, told

_CACHE_KIB = 8 * 1024
_REMEDIES = {
    "journal": "; stop the service, move it away, with -wal and -shm if they are there, and run"
    " `reindex`, which writes it again from the archive"
}
"""A damaged mart is made again by the service itself, where there is one."""
_MART_LOOKED_AT = "; stop the service and run `reindex`, which makes it again"


class Unusable(Refusal):
    """The file isn't there or can't be worked with; the message names it."""


def open_up_to_date(
    path: Path,
    name: str,
    clock: Clock,
    journal_mode: str,
    *,
    cache_kib: int = _CACHE_KIB,
    durable: bool = True,
    pause: Callable[[float], object] | None = None,
    tell: Callable[[Exception], object] | None = None,
) -> Database:
    """A database with its schema brought up to date by the migrations called `name`.

    Damaged when it can't be read, Unusable when it can't be worked with, SchemaNewer,
    SchemaChanged, circumstances: the message of each names the file. `durable`, `pause`, `tell` as
    in Database.
    """
    remedy = remedy_of(name)
    with naming(path, remedy):
        database = Database(
            path,
            clock=clock,
            cache_kib=cache_kib,
            journal_mode=journal_mode,
            durable=durable,
            pause=pause,
            remedy=remedy,
            tell=tell,
        )
        try:
            migrate.up(database, migrate.load(name), clock)
        except BaseException:
            database.close()
            raise
    return database


def open_to_look(path: Path, name: str, clock: Clock) -> Database:
    """A database opened read-only, beside a running service or without one. Unusable when it
    isn't there or its schema is older than this program; else as `open_up_to_date`."""
    if not path.is_file():
        raise Unusable(f"{path} is not there")
    remedy = remedy_of(name) or _MART_LOOKED_AT
    with naming(path, remedy):
        database = Database(path, clock=clock, readonly=True, remedy=remedy)
        try:
            state = migrate.state(database, migrate.load(name))
            if any(applied_at is None for _, applied_at in state):
                raise Unusable(f"{path} has an older schema: `serve` or `migrate up` renews it")
        except BaseException:
            database.close()
            raise
    return database


def remedy_of(name: str) -> str:
    """What a person can do about damage of a database, as the end of a sentence."""
    return _REMEDIES.get(name, "")


@contextmanager
def naming(path: Path, remedy: str = "") -> Iterator[None]:
    """Errors inside the block say which file they are about; those of SQLite without a name of
    their own become Damaged, followed by the remedy, or Unusable."""
    try:
        yield
    except Circumstance as error:
        if str(error).startswith(str(path)):
            raise
        raise type(error)(f"{path}: {error}") from error
    except sqlite3.Error as error:
        if sqlite_kind(error) == sqlite3.SQLITE_ERROR:
            # The statements of the migrations are right: the tables are somebody else's.
            foreign = f"{path} is no database of this program: {told(error)}"
            raise Damaged(foreign + remedy) from error
        raise Unusable(f"{path} can't be used: {told(error)}") from error
