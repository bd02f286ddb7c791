"""The data directory: what lies where in it."""

from __future__ import annotations

from pathlib import Path

from healthlog.base import migrate
from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.errors import Refusal

JOURNAL, MART, LOCK, TOKENS = "journal.db", "mart.db", "lock", "tokens.json"


class NoData(Refusal):
    """The data directory doesn't hold what was asked for; the message names it."""


class Home:
    """Paths of a data directory. Nothing is ever written outside it."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.journal = data / JOURNAL
        self.mart = data / MART
        self.lock = data / LOCK
        self.tokens = data / TOKENS

    def prepare(self) -> None:
        """Make the directory, for its owner alone. NoData when that can't be done."""
        try:
            self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise NoData(f"data directory {self.data}: {error.strerror}") from error

    def require(self) -> None:
        """NoData when there is no such directory: a command that only looks makes none."""
        if not self.data.is_dir():
            raise NoData(f"data directory {self.data} is not there; name it with --data")


def open_up_to_date(path: Path, name: str, clock: Clock, journal_mode: str) -> Database:
    """A database with its schema brought up to date by the migrations called `name`."""
    database = Database(path, clock=clock, journal_mode=journal_mode)
    try:
        migrate.up(database, migrate.load(name), clock)
    except BaseException:
        database.close()
        raise
    return database


def open_to_look(path: Path, name: str, clock: Clock) -> Database:
    """A database opened read-only, beside a running service or without one. NoData when it isn't
    there or its schema is older than this program."""
    if not path.is_file():
        raise NoData(f"{path} is not there")
    database = Database(path, clock=clock, readonly=True)
    try:
        missing = [one.number for one, at in migrate.state(database, migrate.load(name)) if at is None]
        if missing:
            raise NoData(f"{path} has an older schema; `migrate up` or `serve` brings it up to date")
    except BaseException:
        database.close()
        raise
    return database
