"""Stopping a recording: one function for all reasons.

Whatever the reason, a stop sets the flag, writes an event, is an ERROR in the log, is counted, and
is told to the sender. The stage stays, so that the recording can go on from there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.log import Log
from healthlog.base.metrics import Counter
from healthlog.transcriber import claims, events, outcomes, rows
from healthlog.transcriber.claims import Claim
from healthlog.transcriber.events import Event
from healthlog.transcriber.failures import LostClaim
from healthlog.transcriber.outcomes import At
from healthlog.transcriber.reply import Replies
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.stages import stage_of

ATTEMPTS, STUCK, VERDICT, PERSON = "attempts", "stuck", "verdict", "person"
REASONS = (ATTEMPTS, STUCK, VERDICT, PERSON)

_KEPT = "The recording is kept and can be taken up again."
TOLD: Mapping[str, str] = {
    ATTEMPTS: f"This recording could not be turned into text: it failed several times. {_KEPT}",
    STUCK: f"This recording could not be turned into text in time. {_KEPT}",
    VERDICT: "This recording can't be turned into text as it is.",
    PERSON: f"The work on this recording was stopped. {_KEPT}",
}
"""What the sender is told."""


@dataclass(frozen=True, slots=True)
class _Why:
    reason: str
    error: str | None
    source: str
    duration_ms: int


class Stopper:
    """Stops recordings. `stopped` counts by `reason`."""

    def __init__(
        self, store: Database, *, clock: Clock, log: Log, stopped: Counter, replies: Replies
    ) -> None:
        self._store = store
        self._clock = clock
        self._log = log
        self._stopped = stopped
        self._replies = replies

    def stop(self, held: Claim, reason: str, error: str | None, duration_ms: int = 0) -> None:
        """By whoever holds the claim. LostClaim; then nothing was done and nobody is told."""
        why = _Why(reason, error, events.STEP, duration_ms)
        self.tell(self._store.write(lambda c: self._flag(c, held, why)))

    def stop_by_person(self, recording_id: str) -> bool:
        """Takes the recording from whoever holds it, then stops it. False when there is nothing to
        stop: it is stopped already, done, or not there."""
        why = _Why(PERSON, None, events.PERSON, 0)
        taken = self._store.write(lambda c: self._taken_over(c, recording_id, why))
        if taken is not None:
            self.tell(taken)
        return taken is not None

    def refused(self, connection: sqlite3.Connection, recording_id: str, error: str) -> Recording:
        """Stops a recording in the transaction that made its row: its file never came. To be told
        by `tell` once that is committed."""
        why = _Why(VERDICT, error, events.STEP, 0)
        taken = self._taken_over(connection, recording_id, why)
        assert taken is not None
        return taken

    def _taken_over(
        self, connection: sqlite3.Connection, recording_id: str, why: _Why
    ) -> Recording | None:
        held = claims.take_over(connection, recording_id, self._clock.now_us())
        return None if held is None else self._flag(connection, held, why)

    def _flag(self, connection: sqlite3.Connection, held: Claim, why: _Why) -> Recording:
        now_us = self._clock.now_us()
        outcomes.flag(connection, held, why.reason, At(now_us, why.error))
        taken = rows.get(connection, held.recording_id)
        if taken is None:
            raise LostClaim(f"recording {held.recording_id} is gone")
        step = stage_of(taken.stage).step or ""
        event = Event(
            now_us, why.source, step, taken.stage, events.STOPPED, why.duration_ms, why.reason
        )
        events.note(connection, held.recording_id, event)
        return taken

    def tell(self, taken: Recording, told: str | None = None) -> None:
        """What follows the commit of a stop: log, count, answer (with `told` instead of the usual
        words)."""
        assert taken.stop_reason is not None
        self._stopped.add(reason=taken.stop_reason)
        self._log.error(
            "recording stopped",
            recording_id=taken.recording_id,
            stage=taken.stage,
            reason=taken.stop_reason,
            error=taken.stop_error,
        )
        self._replies.tell(taken, told or TOLD[taken.stop_reason])
