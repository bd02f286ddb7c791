"""How long a recording may take, how often it may fail."""

from __future__ import annotations

from dataclasses import dataclass

from healthlog.transcriber.stages import Stage, Work


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds in one stage by whose work is waited for; failures in a row; seconds until a
    recording is tried again that the owner's settings kept from going on."""

    own_s: float
    foreign_s: float
    max_attempts: int
    configuration_delay_s: float

    def stage_s(self, stage: Stage) -> float:
        """The longest that a recording may stand there."""
        return self.own_s if stage.work is Work.OWN else self.foreign_s
