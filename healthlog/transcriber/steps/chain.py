"""The steps by their names: the one place that says which step a stage leads to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from healthlog.transcriber.normalised import Normaliser
from healthlog.transcriber.stages import WORKING, Stage
from healthlog.transcriber.steps.base import Step
from healthlog.transcriber.steps.finish import Finish
from healthlog.transcriber.steps.normalise import Normalise
from healthlog.transcriber.steps.poll import Poll
from healthlog.transcriber.steps.recognising import Recognising
from healthlog.transcriber.steps.submit import Submit


@dataclass(frozen=True, slots=True)
class Chain:
    """A step for each stage that waits for one, by the step's name. ValueError when one is missing
    or belongs to no stage."""

    steps: Mapping[str, Step]

    def __post_init__(self) -> None:
        needed = {stage.step for stage in WORKING}
        if needed != self.steps.keys():
            raise ValueError(f"steps without a stage, or the reverse: {needed ^ set(self.steps)}")

    def step_from(self, stage: Stage) -> Step:
        """The step that leads on from there. KeyError for a stage with nothing left to do."""
        return self.steps[stage.step or ""]


def chain(normaliser: Normaliser, recognising: Recognising, poll_delay_s: float) -> Chain:
    """The steps of this program."""
    return Chain(
        {
            "normalise": Normalise(normaliser),
            "submit": Submit(recognising),
            "poll": Poll(recognising, poll_delay_s),
            "finish": Finish(normaliser, recognising),
        }
    )
