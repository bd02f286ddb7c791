"""The thread that looks whether anything is wrong, then tells the owner, once."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from functools import partial

from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.errors import Circumstance, Damaged
from healthlog.base.log import Log
from healthlog.base.notify import Channel, Notice, NotSent
from healthlog.journal import notices
from healthlog.notices.causes import judged
from healthlog.notices.ledger import Step, step
from healthlog.notices.looking import Looking
from healthlog.notices.refusals import LastRefusals
from healthlog.notices.rhythm import WINDOW_US
from healthlog.notices.words import notice

LOOK_S = 300.0
"""Time between two looks."""

_LISTENED_EVERY_US = 15 * 60_000_000
_DEAF_US = 30 * 60_000_000
_OUTAGES_KEPT_US = 2 * WINDOW_US
_LONGEST_WAIT_S = 3_600.0


class Watch:
    """Looks, tells, keeps what was told in the journal, so that a restart repeats nothing. Nothing
    else ever waits for it.

    `free` gives the free bytes of the disk; below `low` of them they are few. What could not be
    told is told at a later look, after longer and longer pauses.
    """

    def __init__(
        self,
        journal: Database,
        channels: Sequence[Channel],
        refusals: LastRefusals,
        *,
        free: Callable[[], int],
        low: int,
        log: Log,
        clock: Clock,
    ) -> None:
        self._journal = journal
        self._channels = channels
        self._free = free
        self._low = low
        self._log = log
        self._clock = clock
        self._looking = Looking(journal, clock.now_us())
        self._refusals = refusals
        self._failures = 0
        self._not_before_s = clock.monotonic()
        self._stopping = threading.Event()

    def run(self) -> None:
        """Look after look until asked to stop."""
        while not self._stopping.is_set():
            self.look_safely()
            self._stopping.wait(LOOK_S)

    def stop(self) -> None:
        """Ask the loop to end; a notice that is on its way is not cut. For any thread."""
        self._stopping.set()

    def look_safely(self) -> None:
        """One look; whatever goes wrong, there is another."""
        try:
            self.look()
        except (Circumstance, Damaged) as error:
            # Of a damaged journal the alarm has told, with what to do.
            self._log.debug("look put off", reason=str(error))
        except Exception as error:  # noqa: BLE001 - a look may fail, the loop goes on
            self._log.exception("look failed", error)

    def look(self) -> None:
        """Find out what is wrong, keep it, tell of it."""
        now_us = self._clock.now_us()
        self._listen(now_us)
        known = {one.key: one for one in self._journal.read(notices.kept)}
        since = {key: one.since_us for key, one in known.items()}
        facts = self._looking.facts(now_us, self._refusals.last_us(), self._measured(), self._low)
        found = step(known, judged(facts, since))
        if not self._channels:
            # Nobody is to be told: what is over is over.
            found = Step(found.keep, (*found.forget, *(one.key for one in found.over)), (), ())
        if found.keep or found.forget:
            self._journal.write(partial(_change, found=found))
        if found.tell or found.over:
            self._tell(found, now_us)

    def _listen(self, now_us: int) -> None:
        last_us = self._journal.read(notices.listened_at_us)
        if last_us is None or not 0 <= now_us - last_us < _LISTENED_EVERY_US:
            self._journal.write(
                partial(notices.listen, now_us=now_us, deaf_us=_DEAF_US, kept_us=_OUTAGES_KEPT_US)
            )

    def _measured(self) -> int | None:
        try:
            return self._free()
        except (OSError, Circumstance):
            return None

    def _tell(self, found: Step, now_us: int) -> None:
        if self._clock.monotonic() < self._not_before_s:
            return
        taken_by = self._sent(notice(found.tell, found.over, now_us))
        if not taken_by:
            wait_s = min(LOOK_S * 2**self._failures, _LONGEST_WAIT_S)
            self._failures = min(self._failures + 1, 10)
            self._not_before_s = self._clock.monotonic() + wait_s
            return
        self._failures = 0
        try:
            self._journal.write(partial(_note, found=found, now_us=now_us))
        finally:
            kinds = [*(one.kind for one in found.tell), *(one.kind for one in found.over)]
            for name in taken_by:
                self._log.info("notice sent", channel=name, kinds=kinds)

    def _sent(self, said: Notice) -> list[str]:
        """Names of the channels that took it."""
        taken_by = []
        for channel in self._channels:
            if self._stopping.is_set():
                break
            try:
                channel.send(said)
                taken_by.append(channel.name)
            except NotSent as error:
                self._log.warn("notice not sent", channel=channel.name, reason=str(error))
        return taken_by


def _change(connection: sqlite3.Connection, found: Step) -> None:
    notices.keep(connection, found.keep)
    notices.forget(connection, found.forget)


def _note(connection: sqlite3.Connection, found: Step, now_us: int) -> None:
    notices.forget(connection, [one.key for one in found.over])
    notices.told(connection, [one.key for one in found.tell], now_us)
