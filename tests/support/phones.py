"""Ordinary phones: when their automations are heard, over weeks of nights, flights, dead spots."""

from __future__ import annotations

import random
from dataclasses import dataclass

HOUR_US = 3_600_000_000
DAY_US = 24 * HOUR_US
MINUTE_US = 60_000_000


@dataclass(frozen=True, slots=True)
class Habit:
    """How a phone lives: the time between two beats of its automation, how many in a hundred iOS
    leaves out, whether it is switched off at night, how often its owner flies (days between)."""

    every_us: int
    skipped: int = 5
    off_at_night: bool = False
    flies_every: int | None = None


def arrivals(habit: Habit, seed: int, days: int = 60) -> list[int]:
    """When the automation is heard, in their order; a locked phone sends nothing at night."""
    chance = random.Random(seed)
    deaf = sorted(_deaf(habit, chance, days))
    found = []
    at_us = chance.randrange(habit.every_us) + 8 * HOUR_US
    while at_us < days * DAY_US:
        late_us = chance.randrange(0, min(habit.every_us, 2 * HOUR_US) // 2)
        sent_us = _free(at_us + late_us, deaf)
        if chance.randrange(100) >= habit.skipped:
            found.append(sent_us)
        at_us += habit.every_us
    return sorted(set(found))


def _free(at_us: int, deaf: list[tuple[int, int]]) -> int:
    """A beat inside a deaf time is made up for when that is over."""
    for first_us, last_us in deaf:
        if first_us <= at_us < last_us:
            at_us = last_us
    return at_us


def _deaf(habit: Habit, chance: random.Random, days: int) -> list[tuple[int, int]]:
    """Nights, flights with the nights around them, days of bad reception."""
    found = []
    shift_us = 0
    for day in range(-1, days + 1):
        if habit.flies_every and day > 0 and day % habit.flies_every == 0:
            # From the evening at home to the hotel's network, with no night between.
            begin_us = day * DAY_US + shift_us + chance.randrange(14, 22) * HOUR_US
            found.append((begin_us, begin_us + chance.randrange(6, 19) * HOUR_US))
            shift_us += chance.choice((-9, -6, -1, 1, 6, 9)) * HOUR_US
        asleep_us = day * DAY_US + shift_us + chance.randrange(22 * 60, 26 * 60) * MINUTE_US
        hours = chance.randrange(6, 10) + (2 if day % 7 >= 5 else 0)
        awake_us = asleep_us + hours * HOUR_US + chance.randrange(60) * MINUTE_US
        if habit.off_at_night:
            awake_us += chance.randrange(0, 90) * MINUTE_US
        found.append((asleep_us, awake_us))
        if chance.randrange(10) == 0:
            begin_us = day * DAY_US + shift_us + chance.randrange(8, 14) * HOUR_US
            found.append((begin_us, begin_us + chance.randrange(2, 9) * HOUR_US))
    return found
