"""The step from audio to an operation at the recogniser."""

from __future__ import annotations

from healthlog.transcriber import search
from healthlog.transcriber.outcomes import Reached
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.stages import SUBMITTED, TRANSCRIBED
from healthlog.transcriber.steps.base import Hold, Moved, Result
from healthlog.transcriber.steps.recognising import Recognising


class Submit:
    """A silent recording has its transcript already, an empty one: nobody is paid for it."""

    def __init__(self, recognising: Recognising) -> None:
        self._recognising = recognising

    @property
    def timeout_s(self) -> float:
        return self._recognising.timeout_s

    @property
    def bounded_by(self) -> str:
        return self._recognising.bounded_by

    def run(self, recording: Recording, hold: Hold) -> Result:
        if recording.silent:
            return Moved(
                Reached(TRANSCRIBED, {"text": "", "language": None}),
                lambda c, _: search.refresh(c, recording.recording_id),
            )
        self._recognising.ensure(recording, hold)
        return Moved(Reached(SUBMITTED))
