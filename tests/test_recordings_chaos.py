"""Eight threads, many recordings, accidents at random: the law holds whatever happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from healthlog.transcriber.settings import Settings
from healthlog.transcriber.stages import WORKING
from healthlog.transcriber.steps.base import Step
from tests.support.chaos import (
    Chaotic,
    Dice,
    Toned,
    Unreliable,
    assert_lawful,
    carried_through,
    edited_meanwhile,
    posted_to,
    resumed_to_the_end,
)
from tests.support.clock import FakeClock
from tests.support.studio import open_studio

# Leases are lost by letting much time pass: the limits of time are to stay out of it.
PATIENT = Settings(own_limit=10**9, foreign_limit=10**9)
SEED = 20_261_130


@pytest.mark.scenario("recordings", "Eight threads, random accidents, one law")
@pytest.mark.scenario("recordings", "Owner's edits outlive running steps every time")
@pytest.mark.parametrize("count", [30, pytest.param(1_000, marks=pytest.mark.slow)])
def test_the_law_holds_whatever_happens(data: Path, clock: FakeClock, count: int) -> None:
    dice, steps_from = Dice(SEED, clock), [stage.name for stage in WORKING]
    far = Unreliable(dice)
    with open_studio(data, clock, settings=PATIENT, providers={"far": far}) as studio:
        usual: dict[str, Step] = {**studio.recordings.chain.steps, "normalise": Toned()}
        steps = {name: Chaotic(step, dice) for name, step in usual.items()}
        object.__setattr__(studio.recordings.chain, "steps", steps)
        posted = posted_to(studio, count)
        edited_meanwhile(studio, posted, lambda: carried_through(studio))
        stopped = resumed_to_the_end(studio, dice)
        assert_lawful(studio, far, posted)
        assert all(dice.rolled[kind] > 0 for kind in ("killed", "failed", "mistake", "lease lost"))
        assert sum(len(studio.events(one)) for one in posted) >= 4 * count
        lost = sum(studio.steps_counted(stage, "lost") for stage in steps_from)
        assert lost > 0 or count < 100
        print(f"{count}: {dict(dice.rolled)}, {lost:.0f} lost, {stopped} stopped, all done")
