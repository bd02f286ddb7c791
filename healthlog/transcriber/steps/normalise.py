"""The step from a file as it came to audio that a recogniser takes."""

from __future__ import annotations

from healthlog.transcriber.normalised import Normaliser
from healthlog.transcriber.outcomes import Reached
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.stages import NORMALIZED
from healthlog.transcriber.steps.base import Hold, Moved, Result


class Normalise:
    """Finds out on the way how long the recording is, and whether it is silent."""

    def __init__(self, normaliser: Normaliser) -> None:
        self._normaliser = normaliser

    @property
    def timeout_s(self) -> float:
        return self._normaliser.timeout_s

    @property
    def bounded_by(self) -> str:
        return "recordings_normalise_timeout"

    def run(self, recording: Recording, hold: Hold) -> Result:
        made = self._normaliser.make(recording, hold.cancel)
        found = {"duration_ms": made.duration_ms, "silent": int(made.silent)}
        return Moved(Reached(NORMALIZED, found))
