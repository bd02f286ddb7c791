"""The step from a transcript that is safe to a recording that is done."""

from __future__ import annotations

from contextlib import suppress

from healthlog.transcriber import attempts
from healthlog.transcriber.normalised import Normaliser
from healthlog.transcriber.outcomes import Reached
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.stages import DONE
from healthlog.transcriber.steps.base import Hold, Moved, Result
from healthlog.transcriber.steps.recognising import Recognising

NOTHING_SAID = "No speech was found in this recording."


class Finish:
    """Removes what is needed no more, here and at the recogniser, and has the sender answered."""

    def __init__(self, normaliser: Normaliser, recognising: Recognising) -> None:
        self._normaliser = normaliser
        self._recognising = recognising

    @property
    def timeout_s(self) -> float:
        return self._recognising.ask_timeout_s

    @property
    def bounded_by(self) -> str:
        return self._recognising.bounded_by

    def run(self, recording: Recording, hold: Hold) -> Result:
        hold.require()
        self._forget(recording, hold)
        self._normaliser.remove(recording.recording_id)
        text = (recording.text or "").strip()
        return Moved(Reached(DONE), reply=text or NOTHING_SAID)

    def _forget(self, recording: Recording, hold: Hold) -> None:
        for attempt in hold.store.read(lambda c: attempts.of(c, recording.recording_id)):
            if attempt.operation is None:
                continue
            # What others keep of a person's voice is asked back; no transcript waits for it.
            with suppress(Exception):
                self._recognising.provider(attempt.provider).forget(attempt.operation)
