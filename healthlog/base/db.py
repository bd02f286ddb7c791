"""One SQLite file: snapshots for readers, one writer at a time.

Writers take a lock of this object before SQLite's own, because SQLite 3.7.0 to 3.51.2 can lose
committed pages when one connection checkpoints while another commits. Checkpoints run inside
COMMIT, in `checkpoint` and when the last connection closes: all three happen under that lock.
Other processes must open read-only.

A failed COMMIT may still be in the file after a restart, so work must be idempotent.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import SystemRandom
from typing import TypeVar

from healthlog.base import errors, troubles
from healthlog.base.clock import Clock
from healthlog.base.connection import Connection, How, created, drop, opened, opened_to_look

T = TypeVar("T")

ATTEMPTS = 5
_FIRST_PAUSE_S = 0.05


class Closed(errors.Circumstance):
    """The database was closed by this process; says nothing about what was to be done."""


def wal_reset_affected(version: tuple[int, int, int]) -> bool:
    """Whether this SQLite can lose commits when connections checkpoint beside a commit."""
    return (3, 7, 0) <= version <= (3, 51, 2)


class Database:
    """The connections of this process to one file.

    `read` and `write` run `work(connection)` inside a transaction, possibly several times, so
    work must be idempotent within itself and return values, never a cursor or other iterator.
    Errors come out under their names in `errors`, the file in front: Busy, DiskFull, IOFault,
    NoDescriptors, Inaccessible, Damaged; after `close`, Closed. Other SQLite errors (constraints,
    bad SQL) come out as they are.

    `busy_timeout_s` is SQLite's own wait for a lock, short because SQLite leaves it out in some
    cases; `pause(seconds)` waits between the attempts, by default until `close` cuts it short;
    `durable` False is for a file that nobody misses after a power cut; `remedy` ends the message
    of Damaged; `tell` hears of each error in `troubles.Trouble`.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock,
        readonly: bool = False,
        cache_kib: int = 8192,
        journal_mode: str = "wal",
        readers: int = 8,
        durable: bool = True,
        open_budget_s: float = 2.0,
        busy_timeout_s: float = 0.1,
        pause: Callable[[float], object] | None = None,
        remedy: str = "",
        tell: Callable[[Exception], object] | None = None,
    ) -> None:
        self.path = path
        self.readonly = readonly
        self._clock = clock
        self._remedy = remedy
        self._tell = tell
        self._how = How(path, readonly, cache_kib, journal_mode, busy_timeout_s, durable=durable)
        self._reader_limit = readers
        self._closing = threading.Event()
        self._pause = self._closing.wait if pause is None else pause
        self._jitter = SystemRandom()
        self._pool = threading.Condition()
        self._idle: list[Connection] = []
        self._borrowed = 0
        self._write_lock = threading.Lock()
        self._write_thread: int | None = None
        self._writer: Connection | None = None
        self._open_first(clock.monotonic() + open_budget_s)

    def read(self, work: Callable[[sqlite3.Connection], T], *, budget_s: float = 5.0) -> T:
        """What `work` returns from one snapshot; waits at most `budget_s` for a connection."""
        deadline = self._clock.monotonic() + budget_s
        self._borrow(budget_s)
        try:
            with self._naming():
                return self._retried(deadline, lambda: self._read_once(work))
        finally:
            self._give_back()

    def write(self, work: Callable[[sqlite3.Connection], T], *, budget_s: float = 2.0) -> T:
        """What `work` returns, once committed; waits for locks at most `budget_s`, else Busy.

        The budget doesn't limit the work itself. A write inside a write is a RuntimeError.
        """
        deadline = self._clock.monotonic() + budget_s
        with self._writing(budget_s), self._naming():
            return self._retried(deadline, lambda: self._write_once(work))

    def checkpoint(self, *, budget_s: float = 2.0) -> bool:
        """Move the write-ahead log into the file and empty it; False when somebody is reading."""
        try:
            with self._writing(budget_s), self._naming():
                pragma = "PRAGMA wal_checkpoint(TRUNCATE)"
                [(busy, _, _)] = self._writer_connection().execute(pragma).fetchall()
        except errors.Busy:
            return False
        return bool(busy == 0)

    def close(self, *, budget_s: float = 10.0) -> None:
        """Wait for work in progress, close all connections; a second time does nothing.

        Busy when work takes longer than `budget_s`: then the database stays open.
        """
        deadline = self._clock.monotonic() + budget_s
        self._closing.set()
        try:
            self._await_readers(deadline)
            with self._write_turn(deadline - self._clock.monotonic()):
                self._close_connections()
        except BaseException:
            self._closing.clear()
            raise

    # Transactions

    def _read_once(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._pool:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = opened(self._how, query_only=True)
        try:
            connection.execute("BEGIN DEFERRED")
            return _value(work(connection))
        finally:
            if connection.undo():
                with self._pool:
                    self._idle.append(connection)
            else:
                drop(connection)

    def _write_once(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._writer_connection()
        try:
            connection.execute("BEGIN IMMEDIATE")
            result = _value(work(connection))
            connection.end_work()
            connection.execute("COMMIT")
        except BaseException:
            if not connection.undo():
                self._writer = None
                drop(connection)
            raise
        return result

    def _retried(self, deadline: float, once: Callable[[], T]) -> T:
        attempt = 1
        while True:
            try:
                return once()
            except sqlite3.OperationalError as error:
                if not isinstance(errors.named(error), errors.Busy):
                    raise
                pause_s = _FIRST_PAUSE_S * 2 ** (attempt - 1) * self._jitter.uniform(0.5, 1.5)
                late = self._clock.monotonic() + pause_s > deadline
                if late or attempt == ATTEMPTS:
                    raise
            self._pause(pause_s)
            attempt += 1

    # Turns

    @contextmanager
    def _writing(self, budget_s: float) -> Iterator[None]:
        if self.readonly:
            raise RuntimeError(f"{self.path} is open read-only")
        if self._write_thread == threading.get_ident():
            raise RuntimeError("a write inside a write would wait for itself")
        with self._write_turn(budget_s):
            if self._closing.is_set():
                raise Closed(f"{self.path} is closed")
            yield

    @contextmanager
    def _write_turn(self, budget_s: float) -> Iterator[None]:
        if not self._write_lock.acquire(timeout=max(0.0, budget_s)):
            raise errors.Busy(f"another write to {self.path} is taking too long")
        self._write_thread = threading.get_ident()
        try:
            yield
        finally:
            self._write_thread = None
            self._write_lock.release()

    def _borrow(self, budget_s: float) -> None:
        with self._pool:
            free = self._pool.wait_for(
                lambda: self._closing.is_set() or self._borrowed < self._reader_limit,
                timeout=max(0.0, budget_s),
            )
            if self._closing.is_set():
                raise Closed(f"{self.path} is closed")
            if not free:
                raise errors.Busy(f"all readers of {self.path} are taken")
            self._borrowed += 1

    def _give_back(self) -> None:
        with self._pool:
            self._borrowed -= 1
            self._pool.notify_all()

    def _await_readers(self, deadline: float) -> None:
        with self._pool:
            self._pool.notify_all()
            timeout = max(0.0, deadline - self._clock.monotonic())
            if not self._pool.wait_for(lambda: self._borrowed == 0, timeout=timeout):
                raise errors.Busy(f"{self.path} is still being read")

    # Connections

    def _open_first(self, deadline: float) -> None:
        with self._naming():
            if self.readonly:
                reader, self._how = self._retried(deadline, lambda: opened_to_look(self._how))
                self._idle.append(reader)
            else:
                created(self.path)
                self._retried(deadline, self._writer_connection)

    def _writer_connection(self) -> Connection:
        if self._writer is None:
            self._writer = opened(self._how, query_only=False)
        return self._writer

    def _close_connections(self) -> None:
        with self._pool:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
        # Last, so that the checkpoint of the last connection to close is the writer's.
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    @contextmanager
    def _naming(self) -> Iterator[None]:
        try:
            with troubles.naming(self.path, self._remedy):
                yield
        except troubles.Trouble as error:
            if self._tell is not None:
                self._tell(error)
            raise


def _value(result: T) -> T:
    if isinstance(result, Iterator):
        raise TypeError("work must return values: an iterator would outlive its transaction")
    return result
