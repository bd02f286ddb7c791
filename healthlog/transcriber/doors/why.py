"""Why a recording isn't moving, in one sentence: for whoever wonders whether it lives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from healthlog.transcriber import outcomes, stop
from healthlog.transcriber.events import PAYMENT_UNKNOWN
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.stages import SUBMITTED, stage_of
from healthlog.transcriber.times import moment_text

_AGAIN = "resume it to try again"
_STOPPED: Mapping[str, str] = {
    stop.ATTEMPTS: f"Stopped, for it failed too often in a row: {_AGAIN}.",
    stop.STUCK: f"Stopped, for it stood too long at one stage: {_AGAIN}.",
    stop.VERDICT: f"Stopped, for it can't be turned into text as it is: {_AGAIN} all the same.",
    stop.PERSON: f"Stopped by a person: {_AGAIN}.",
}
_UNPAID = (
    "Stopped, for a call may have cost money without giving a text: if it is resumed,"
    " it may have to be paid for a second time."
)
_DOING: Mapping[str, str] = {
    "normalise": "is made into audio for the recogniser",
    "submit": "is handed to the recogniser",
    "poll": "is asked for at the recogniser",
    "finish": "is brought to its end",
}


@dataclass(frozen=True, slots=True)
class Now:
    """What the sentence depends on besides the recording: the instant, how many workers there are
    to be, what they lack (a sentence each)."""

    at_us: int
    workers: int
    missing: Sequence[str] = ()


def why(recording: Recording, now: Now) -> str | None:
    """The sentence; None for a recording that is done."""
    stage = stage_of(recording.stage)
    if stage.step is None:
        return None
    if recording.stop_reason is not None:
        return (
            _UNPAID if recording.stop_error == PAYMENT_UNKNOWN else _STOPPED[recording.stop_reason]
        )
    if recording.claim_until_us is not None:
        until = moment_text(recording.claim_until_us)
        if recording.claim_until_us > now.at_us:
            return f"A worker is at it: it {_DOING[stage.step]}, until {until} at the latest."
        return f"The worker that was at it is gone since {until}: another takes it up."
    if now.workers == 0:
        return "No workers are set: recordings_workers is 0."
    if recording.due_at_us > now.at_us:
        return _paused(recording, moment_text(recording.due_at_us))
    lacking = f" {now.missing[0]}" if now.missing else ""
    return f"It waits for a worker.{lacking}"


def _paused(recording: Recording, due: str) -> str:
    if recording.last_outcome == outcomes.CONFIGURATION:
        return f"A setting has to be put right ({recording.last_error}): tried again at {due}."
    if recording.last_outcome == outcomes.RETRY:
        failed = f"attempt {recording.attempts} failed ({recording.last_error})"
        return f"The last step didn't work, {failed}: tried again at {due}."
    if recording.stage == SUBMITTED:
        return f"The recogniser is at work on it: asked again at {due}."
    return f"It waits until {due}."
