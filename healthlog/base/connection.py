"""A connection to one SQLite file: how it is opened, what it forgets at the end of its work."""

from __future__ import annotations

import os
import sqlite3
import weakref
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from healthlog.base import errors, files

JOURNAL_MODES = ("wal", "delete")
_CURSORS_BEFORE_PRUNING = 256
_WAL_KEPT_BYTES = 64 * 1024 * 1024


class ModeRefused(errors.Refusal):
    """The file cannot be kept in the journal mode asked for."""


class Unsettled(errors.Refusal):
    """The last commits stand beside the file, where nothing can be written to take them up."""


@dataclass(frozen=True, slots=True)
class How:
    """The file, the way to open it; `immutable` where nothing can be written beside it, `durable`
    where a commit has to survive a power cut."""

    path: Path
    readonly: bool
    cache_kib: int
    journal_mode: str
    busy_timeout_s: float
    immutable: bool = False
    durable: bool = True

    def __post_init__(self) -> None:
        if self.journal_mode not in JOURNAL_MODES:
            raise ValueError(f"no such journal mode: {self.journal_mode!r}")


class Connection(sqlite3.Connection):
    """Remembers the cursors it gave out, so that none outlives its transaction.

    A living cursor keeps locks, an old snapshot and, after `close`, the file itself.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._given: list[weakref.ref[sqlite3.Cursor]] = []
        self._pruned_at = _CURSORS_BEFORE_PRUNING

    def cursor(self, factory: Any = sqlite3.Cursor) -> Any:
        """As in the base class, remembered."""
        cursor = super().cursor(factory)
        self._given.append(weakref.ref(cursor))
        if len(self._given) > self._pruned_at:
            self._given = [given for given in self._given if given() is not None]
            self._pruned_at = 2 * len(self._given) + _CURSORS_BEFORE_PRUNING
        return cursor

    # The base class makes its cursor without asking `cursor`. So it does in `executemany`, which
    # leaves nothing to be read.

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """As in the base class, with a cursor that is remembered."""
        cursor: sqlite3.Cursor = self.cursor()
        return cursor.execute(sql, parameters)

    def end_cursors(self) -> None:
        """Close every cursor still alive; using one later is a ProgrammingError."""
        given, self._given = self._given, []
        for reference in given:
            cursor = reference()
            if cursor is not None:
                cursor.close()

    def end_work(self) -> None:
        """Make ready to commit; RuntimeError when the transaction isn't open any more."""
        self.end_cursors()
        if not self.in_transaction:
            # By a COMMIT of its own, or by going on after SQLite's rollback: not all or nothing.
            raise RuntimeError("the work ended the transaction it runs in")

    def undo(self) -> bool:
        """Roll back what is open; False when the connection is of no use any more."""
        try:
            self.end_cursors()
            # SQLITE_FULL and others have rolled back already; a second ROLLBACK would fail.
            if self.in_transaction:
                self.execute("ROLLBACK")
        except sqlite3.Error:
            return False
        return True


def created(path: Path) -> None:
    """An empty private file where there is none; SQLite gives its side files the same mode."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    # Never open an existing database file here: closing it would drop the locks of all
    # connections of this process to it.
    with suppress(FileExistsError):
        os.close(os.open(path, flags, 0o600))
        files.sync_folder(path.parent)


def opened(how: How, *, query_only: bool) -> Connection:
    """A connection ready for explicit transactions; raises SQLite's errors or ModeRefused."""
    mode = "ro" if how.readonly else "rw"
    connection = sqlite3.connect(
        f"{how.path.absolute().as_uri()}?mode={mode}&immutable={int(how.immutable)}",
        uri=True,
        timeout=how.busy_timeout_s,
        isolation_level=None,
        check_same_thread=False,
        factory=Connection,
    )
    try:
        if not query_only:
            set_journal_mode(connection, how)
        for pragma in _pragmas(how, query_only):
            connection.execute("PRAGMA " + pragma).fetchall()
    except BaseException:
        drop(connection)
        raise
    return connection


def opened_to_look(how: How) -> tuple[Connection, How]:
    """A connection that only reads, and how others are opened after it.

    SQLite wants to write beside a file in WAL mode even to read it. On a read-only medium it is
    told that nothing changes there; Unsettled when that would leave commits out.
    """
    try:
        return opened(how, query_only=True), how
    except sqlite3.OperationalError as error:
        if not _is_sealed(how.path, error):
            raise
        for suffix in ("-wal", "-journal"):
            beside = how.path.with_name(how.path.name + suffix)
            if beside.exists() and beside.stat().st_size > 0:
                raise Unsettled(
                    f"{how.path} can't be read where nothing can be written:"
                    f" {beside.name} is not empty; copy both to another folder"
                ) from error
    how = replace(how, immutable=True)
    return opened(how, query_only=True), how


def _is_sealed(path: Path, error: sqlite3.Error) -> bool:
    denied = errors.sqlite_kind(error) in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}
    return denied and path.exists() and not os.access(path.parent, os.W_OK)


def drop(connection: Connection) -> None:
    """Close a connection that may be of no use any more."""
    with suppress(sqlite3.Error):
        connection.close()


def set_journal_mode(connection: Connection, how: How) -> None:
    """Switch to the mode asked for, or ModeRefused when SQLite keeps another (as without shared
    memory on a network drive)."""
    [(mode,)] = connection.execute(f"PRAGMA journal_mode={how.journal_mode}").fetchall()
    if mode != how.journal_mode:
        raise ModeRefused(f"{how.path} stays in journal mode {mode}, not {how.journal_mode}")


def _pragmas(how: How, query_only: bool) -> tuple[str, ...]:
    return (
        f"synchronous={'FULL' if how.durable else 'OFF'}",
        "foreign_keys=ON",
        "trusted_schema=OFF",
        # Nothing is written outside the data directory.
        "temp_store=MEMORY",
        f"cache_size=-{how.cache_kib}",
        f"journal_size_limit={_WAL_KEPT_BYTES}",
        f"query_only={int(query_only)}",
        # Reads the header: a file that is no database is found out here.
        "schema_version",
    )
