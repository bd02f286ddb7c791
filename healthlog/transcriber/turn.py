"""The step of a claimed recording: run, then its outcome written down by its holder."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.errors import Circumstance, Refusal
from healthlog.base.log import Log
from healthlog.transcriber import events, outcomes, rows, stop
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.claims import Claim
from healthlog.transcriber.events import Event
from healthlog.transcriber.failures import Cancelled, Configuration, LostClaim, Retry, Verdict
from healthlog.transcriber.limits import Limits
from healthlog.transcriber.outcomes import At
from healthlog.transcriber.pauses import pause_us
from healthlog.transcriber.reply import Replies
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.said import said
from healthlog.transcriber.stages import Stage
from healthlog.transcriber.steps.base import Deferred, Hold, Moved, Result
from healthlog.transcriber.steps.chain import Chain
from healthlog.transcriber.stop import Stopper


@dataclass(frozen=True, slots=True)
class Taken:
    """A recording in a worker's hands, as it was when it was taken."""

    claim: Claim
    recording: Recording
    stage: Stage
    begun_s: float


class Turns:
    """Runs steps. Used by all workers at once."""

    def __init__(
        self,
        store: Database,
        chain: Chain,
        *,
        stopper: Stopper,
        replies: Replies,
        limits: Limits,
        clock: Clock,
        log: Log,
    ) -> None:
        self._store = store
        self._chain = chain
        self._stopper = stopper
        self._replies = replies
        self._limits = limits
        self._clock = clock
        self._log = log

    def take(self, held: Claim, recording: Recording, stage: Stage, cancel: Cancel) -> str:
        """Run the step; the outcome, once it is kept. LostClaim: nothing is kept, nobody is told.
        Other errors: the outcome could not be kept, and the end of the lease brings it back."""
        taken = Taken(held, recording, stage, self._clock.monotonic())
        hold = Hold(held, self._store, self._clock, cancel)
        try:
            result = self._chain.step_from(stage).run(recording, hold)
        except LostClaim:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a step raises is its failure
            return self._failed(taken, error, hold)
        return self._kept(taken, result, hold)

    # A step that came to its end

    def _kept(self, taken: Taken, result: Result, hold: Hold) -> str:
        if isinstance(result, Deferred):
            hold.write(lambda c, now: outcomes.defer(c, taken.claim, result.delay_s, At(now)))
            return outcomes.DEFERRED
        duration_ms = self._duration_ms(taken)
        moved = hold.write(lambda c, now: _moved(c, now, taken, result, duration_ms))
        self._log.info(
            "recording moved",
            recording_id=taken.claim.recording_id,
            stage=moved.stage,
            outcome=outcomes.MOVED,
            duration_ms=duration_ms,
        )
        if result.reply is not None:
            # Committed by this claim and no other: so this answer is the only one.
            self._replies.tell(moved, result.reply)
        return outcomes.MOVED

    # A step that didn't

    def _failed(self, taken: Taken, error: Exception, hold: Hold) -> str:
        # Only a step that our own stop really ended is not to blame for it.
        if isinstance(error, Cancelled) and hold.cancel.asked:
            hold.write(lambda c, now: outcomes.release(c, taken.claim, At(now)))
            return outcomes.INTERRUPTED
        self._tell(taken, error)
        text = said(error)
        if isinstance(error, Verdict):
            self._stopper.stop(taken.claim, stop.VERDICT, text, self._duration_ms(taken))
            return outcomes.VERDICT
        if isinstance(error, Configuration):
            delay_s = self._limits.configuration_delay_s
            hold.write(
                lambda c, now: outcomes.defer(
                    c, taken.claim, delay_s, At(now, text), outcomes.CONFIGURATION
                )
            )
            return outcomes.CONFIGURATION
        self._again(taken, error, hold)
        return outcomes.RETRY

    def _again(self, taken: Taken, error: Exception, hold: Hold) -> None:
        text, spent, least_s = said(error), taken.recording.attempts, 0.0
        if isinstance(error, Retry):
            spent, least_s = max(spent, error.spent), error.retry_after_s
        if spent >= self._limits.max_attempts:
            self._stopper.stop(taken.claim, stop.ATTEMPTS, text, self._duration_ms(taken))
            return
        pause = pause_us(taken.claim.recording_id, spent, least_s)
        hold.write(lambda c, now: outcomes.retry(c, taken.claim, pause, At(now, text)))

    def _tell(self, taken: Taken, error: Exception) -> None:
        fields: dict[str, object] = {
            "recording_id": taken.claim.recording_id,
            "stage": taken.stage.name,
            "attempts": taken.recording.attempts,
        }
        if isinstance(error, Configuration):
            self._log.error("recording step failed", **fields, error=said(error))
        elif isinstance(error, Circumstance | Refusal):
            self._log.warn("recording step failed", **fields, error=said(error))
        else:
            # A mistake in the program: without its traceback nobody could find it.
            self._log.exception("recording step failed", error, **fields)

    def _duration_ms(self, taken: Taken) -> int:
        return round((self._clock.monotonic() - taken.begun_s) * 1000)


def _moved(
    connection: sqlite3.Connection, now_us: int, taken: Taken, result: Moved, duration_ms: int
) -> Recording:
    recording_id = taken.claim.recording_id
    outcomes.advance(connection, taken.claim, result.reached, At(now_us))
    result.beside(connection, now_us)
    event = Event(
        now_us,
        events.STEP,
        taken.stage.step or "",
        result.reached.stage,
        events.MOVED,
        duration_ms,
    )
    events.note(connection, recording_id, event)
    moved = rows.get(connection, recording_id)
    assert moved is not None
    return moved
