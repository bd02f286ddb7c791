"""Nights with their stages, as the watch sees them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.demo.life import Day, drawn
from tests.demo.wall import Wall

CORE, DEEP, REM, AWAKE = "Core", "Deep", "REM", "Awake"
WATCH = "Apple\u00a0Watch"
_HALF_MINUTE = 30


@dataclass(frozen=True, slots=True)
class Night:
    """Stages as (stage, start, end), without gaps, in seconds since the midnight of the day of
    waking."""

    stages: tuple[tuple[str, int, int], ...]

    @property
    def start(self) -> int:
        return self.stages[0][1]

    @property
    def end(self) -> int:
        return self.stages[-1][2]

    def hours(self) -> Mapping[str, float]:
        """Hours in each stage."""
        found: Counter[str] = Counter()
        for stage, start, end in self.stages:
            found[stage] += end - start
        return {stage: seconds / 3600 for stage, seconds in found.items()}


def nights(seed: int, day: Day) -> list[Night]:
    """The night that a day woke from, then its nap if there was one; nothing unless the watch was
    worn."""
    if not day.worn:
        return []
    chance = drawn(seed, day.date, "stages")
    found = [Night(tuple(_stages(chance, day.asleep * 60, day.awake * 60)))]
    if day.nap is not None:
        begin = day.nap * 60
        found.append(Night(((CORE, begin, begin + chance.randrange(1_200, 2_700, 30)),)))
    return found


def _stages(chance: random.Random, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Rounds of about ninety minutes: deep sleep early in the night, dreams towards its end."""
    at, turn = start, 0
    while at < end:
        deep = max(0.0, chance.gauss(27 - 9 * turn, 5))
        dream = max(3.0, chance.gauss(min(9 + 8 * turn, 30), 4))
        for stage, minutes in (
            (CORE, chance.gauss(24, 5)), (DEEP, deep), (CORE, chance.gauss(21, 5)), (REM, dream),
            (AWAKE, chance.expovariate(1 / 3)),
        ):  # fmt: skip
            length = int(minutes * 60) // _HALF_MINUTE * _HALF_MINUTE
            until = min(at + length, end)
            # Nobody wakes up twice: the last stage is sleep.
            if until > at and (stage != AWAKE or until < end):
                yield stage, at, until
                at = until
        turn += 1


def summary(night: Night, wall: Wall) -> dict[str, Any]:
    """A night summed up, as current apps send it: `asleep` and `inBed` are 0."""
    hours = night.hours()
    start, end = wall.text(night.start), wall.text(night.end)
    return {
        "date": wall.text(0),
        "totalSleep": sum(hours.get(stage, 0.0) for stage in (CORE, DEEP, REM)),
        "core": hours.get(CORE, 0.0),
        "deep": hours.get(DEEP, 0.0),
        "rem": hours.get(REM, 0.0),
        "awake": hours.get(AWAKE, 0.0),
        "asleep": 0,
        "inBed": 0,
        "sleepStart": start,
        "sleepEnd": end,
        "inBedStart": start,
        "inBedEnd": end,
        "source": WATCH,
    }


def segments(night: Night, wall: Wall) -> list[dict[str, Any]]:
    """The same night stage by stage, as it comes when nothing is summed up."""
    return [
        {
            "startDate": wall.text(start),
            "endDate": wall.text(end),
            "qty": (end - start) / 3600,
            "value": stage,
            "source": WATCH,
        }
        for stage, start, end in night.stages
    ]
