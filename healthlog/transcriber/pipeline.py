"""One pass of a worker: a claim, the watchdogs, the step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.errors import Busy
from healthlog.base.log import Log
from healthlog.base.metrics import Counter
from healthlog.transcriber import claims, outcomes, rows, stop
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.claims import Claim
from healthlog.transcriber.empty import is_empty
from healthlog.transcriber.failures import LostClaim
from healthlog.transcriber.limits import Limits
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.stages import Stage, stage_of
from healthlog.transcriber.stop import Stopper
from healthlog.transcriber.turn import Turns

STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Counts:
    """`steps` by `stage` (from which the recording was taken), `outcome`; `busy` are passes that
    found the database locked."""

    steps: Counter
    busy: Counter


@dataclass(frozen=True, slots=True)
class Ran:
    """What a pass did: `outcome` is one of `outcomes.OUTCOMES`, or STOPPED where a watchdog kept
    the step from running."""

    recording_id: str
    stage: str
    outcome: str


class Pipeline:
    """Passes over recordings. Used by all workers at once.

    `run` names this run of the workers; `take` is how a claim is come by, by default from the store
    itself.
    """

    def __init__(
        self,
        store: Database,
        turns: Turns,
        stopper: Stopper,
        *,
        limits: Limits,
        counts: Counts,
        clock: Clock,
        log: Log,
        run: str,
        take: Callable[[], Claim] | None = None,
    ) -> None:
        self._store = store
        self._turns = turns
        self._stopper = stopper
        self._limits = limits
        self._counts = counts
        self._clock = clock
        self._log = log
        self._run = run
        self._take = take or self.claim

    def claim(self) -> Claim:
        """The next recording from the store; NoWork when none is fit for work."""
        return self._store.write(lambda c: claims.claim(c, self._clock.now_us(), self._run))

    def run_once(self, cancel: Cancel) -> Ran | None:
        """One claim carried to its outcome; None when there was nothing to do, which is neither
        counted nor told. Raises only what kept it from claiming or from keeping an outcome."""
        try:
            held = self._take()
        except Busy:
            self._counts.busy.add()
            return None
        except Exception as error:
            # Only the answer to this very question counts: what a step raises is never asked.
            if is_empty(error):
                return None
            raise
        recording = self._store.read(lambda c: rows.get(c, held.recording_id))
        if recording is None:
            return None  # a person has removed it meanwhile
        stage = stage_of(recording.stage)
        outcome = self._carried(held, recording, stage, cancel)
        if outcome != STOPPED:
            self._counts.steps.add(stage=stage.name, outcome=outcome)
        return Ran(held.recording_id, stage.name, outcome)

    def _carried(self, held: Claim, recording: Recording, stage: Stage, cancel: Cancel) -> str:
        try:
            if self._over_a_limit(held, recording, stage):
                return STOPPED
            return self._turns.take(held, recording, stage, cancel)
        except LostClaim:
            self._log.debug("claim lost", recording_id=held.recording_id, stage=stage.name)
            return outcomes.LOST

    def _over_a_limit(self, held: Claim, recording: Recording, stage: Stage) -> bool:
        """The two watchdogs, asked by whoever has just claimed: what is over a limit is stopped and
        not worked on."""
        error = recording.last_error
        if recording.attempts > self._limits.max_attempts:
            self._stopper.stop(held, stop.ATTEMPTS, error or "the step ended with its process")
            return True
        stood_s = (self._clock.now_us() - recording.stage_since_us) / 1_000_000
        # Nobody could have worked on it while no worker was there: the first claim after a start
        # is for the step, however long that was.
        if stood_s > self._limits.stage_s(stage) and not recording.first_of_run:
            self._stopper.stop(held, stop.STUCK, error or f"{stood_s:.0f} s at stage {stage.name}")
            return True
        return False
