"""The critical section: a finished body becomes a delivery, one at a time, in order.

Stamp, meta, body, folder and row of one delivery come before anything of the next, so that no row
ever becomes visible behind a later one. What takes long (reading, hashing, compressing, the sync
of the body) has happened before.
"""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from healthlog.archive.body import BodyWriter
from healthlog.archive.store import Archive
from healthlog.base.clock import Clock, parse_us, text_us
from healthlog.base.db import Database
from healthlog.base.errors import Busy, Circumstance, Damaged, is_circumstance, told
from healthlog.base.ids import make_id
from healthlog.base.log import Log
from healthlog.journal import rows
from healthlog.model import Delivery

BUDGET_S = 2.0
"""Time for one delivery in the section, waiting for its turn included."""

DOUBT_US = 3_600_000_000
"""A clock this far behind the last stamp is not believed."""

LEAP_US = 366 * 24 * 3_600_000_000
"""A clock this much ahead of the last stamp may be right after a long rest. If it isn't, all that
follows is stamped behind it until somebody takes notice."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What came with a body besides its bytes.

    `said_at_us` is for imported bodies alone: the latest instant their elements name, None if
    they name none.
    """

    content_type: str | None = None
    remote: str | None = None
    automation_id: str | None = None
    automation_name: str | None = None
    aggregation: str | None = None
    period: str | None = None
    session_id: str | None = None
    imported: bool = False
    said_at_us: int | None = None


@dataclass(frozen=True, slots=True)
class Stamp:
    """A place in the journal's order: its instant, the clock as read, the stamp before it; whether
    that clock is `doubtful` for being behind, or has made a leap ahead."""

    received_at_us: int
    clock_at_us: int
    last_us: int | None
    doubtful: bool
    leapt: bool = False


def random_tail() -> str:
    """Eight hexadecimal digits that tell ids of one instant apart."""
    return secrets.token_hex(4)


class Intake:
    """The section, shared by all threads that accept.

    `last_stamp_us` is the greatest stamp of journal and archive (None: there is none yet),
    `newest_migration` the day `YYYY-MM-DD` before which no clock of this program can stand.
    """

    def __init__(
        self,
        archive: Archive,
        journal: Database,
        *,
        clock: Clock,
        log: Log,
        last_stamp_us: int | None,
        newest_migration: str,
        budget_s: float = BUDGET_S,
        tail: Callable[[], str] = random_tail,
    ) -> None:
        self._archive = archive
        self._journal = journal
        self._clock = clock
        self._log = log
        self._budget_s = budget_s
        self._tail = tail
        self._program_us = parse_us(f"{newest_migration}T00:00:00Z")
        self._lock = threading.Lock()
        # Both under the lock. A stamp once given is never given again, whatever became of it.
        self._last_us = last_stamp_us
        self._owed: list[Delivery] = []

    @property
    def owed(self) -> int:
        """Bodies in the archive whose rows are still to be written."""
        return len(self._owed)

    def accept(self, writer: BodyWriter, facts: Facts) -> Delivery:
        """Makes a finished body a delivery; when it returns, all of it is durable.

        Busy when that takes too long, or when an owed row could not be written: then nothing of
        this body was renamed. Other errors as they come from archive and journal. After an error
        the body may be in the archive all the same; its row is then owed.
        """
        stamp: Stamp | None = None
        try:
            with self._section() as deadline:
                self._settle(deadline)
                self._check(deadline)
                stamp = self._stamp()
                delivery = self._delivery(writer, facts, stamp)
                self._place(writer, delivery)
                self._record(delivery, deadline)
                return delivery
        finally:
            # Outside the section, because nobody's turn may depend on who reads the log.
            if stamp is not None and (stamp.doubtful or stamp.leapt):
                self._tell(stamp)

    def settle_owed(self) -> int:
        """Writes the owed rows, oldest first; how many. Busy if one can't be written."""
        if not self._owed:
            return 0
        with self._section() as deadline:
            return self._settle(deadline)

    @contextmanager
    def _section(self) -> Iterator[float]:
        deadline = self._clock.monotonic() + self._budget_s
        if not self._lock.acquire(timeout=self._budget_s):
            raise Busy("other deliveries are taking too long")
        try:
            yield deadline
        finally:
            self._lock.release()

    def _left_s(self, deadline: float) -> float:
        return max(0.0, deadline - self._clock.monotonic())

    def _check(self, deadline: float) -> None:
        if self._left_s(deadline) == 0:
            raise Busy("the time for accepting a delivery was used up by waiting")

    def _settle(self, deadline: float) -> int:
        # Hardly ever more than one, since nobody comes past an owed row.
        owed = tuple(self._owed)
        if owed:
            try:
                work = partial(insert_all, deliveries=owed)
                self._journal.write(work, budget_s=self._left_s(deadline))
            except Exception as error:
                if isinstance(error, Damaged):
                    raise
                if not is_circumstance(error):
                    self._log.exception("owed row refused", error)
                raise Busy(
                    f"the row of an earlier delivery can't be written: {told(error)}"
                ) from error
            self._owed.clear()
        return len(owed)

    def _stamp(self) -> Stamp:
        clock_us, last_us = self._clock.now_us(), self._last_us
        behind = last_us is not None and last_us - clock_us >= DOUBT_US
        received_us = max(clock_us, 0 if last_us is None else last_us + 1)
        self._last_us = received_us
        doubtful = behind or clock_us < self._program_us
        leapt = (
            last_us is not None and clock_us - last_us >= LEAP_US and last_us >= self._program_us
        )
        return Stamp(received_us, clock_us, last_us, doubtful, leapt)

    def _delivery(self, writer: BodyWriter, facts: Facts, stamp: Stamp) -> Delivery:
        return Delivery(
            delivery_id=make_id(stamp.received_at_us, self._tail()),
            received_at_us=stamp.received_at_us,
            clock_at_us=stamp.clock_at_us,
            said_at_us=said_at_us(facts, stamp),
            bytes=writer.size,
            sha256=writer.sha256,
            clock_doubtful=stamp.doubtful,
            imported=facts.imported,
            content_type=facts.content_type,
            remote=facts.remote,
            automation_id=facts.automation_id,
            automation_name=facts.automation_name,
            aggregation=facts.aggregation,
            period=facts.period,
            session_id=facts.session_id,
            packed_sha256=writer.packed_sha256,
        )

    def _place(self, writer: BodyWriter, delivery: Delivery) -> None:
        try:
            self._archive.place(writer, delivery)
        except BaseException:
            # A body that could not be taken back would be adopted at the next start, behind rows
            # that are visible by then.
            with contextlib.suppress(OSError, Circumstance):
                if self._archive.holds(delivery.delivery_id):
                    self._owed.append(delivery)
            raise

    def _record(self, delivery: Delivery, deadline: float) -> None:
        try:
            work = partial(rows.insert, delivery=delivery)
            self._journal.write(work, budget_s=self._left_s(deadline))
        except BaseException:
            self._owed.append(delivery)
            raise

    def _tell(self, stamp: Stamp) -> None:
        last = None if stamp.last_us is None else text_us(stamp.last_us)
        self._log.error("clock doubtful", clock_at=text_us(stamp.clock_at_us), last_stamp=last)


def insert_all(connection: sqlite3.Connection, deliveries: Sequence[Delivery]) -> int:
    """Writes the rows of deliveries in their order; how many were not there yet."""
    return sum(rows.insert(connection, delivery) for delivery in deliveries)


def said_at_us(facts: Facts, stamp: Stamp) -> int:
    """What the word of a body is worth in time: an old file never overrules what was said later,
    a wrong date in it nothing."""
    if not facts.imported:
        return stamp.received_at_us
    said = facts.said_at_us
    return said if said is not None and said <= stamp.clock_at_us else stamp.clock_at_us
