"""A year as somebody might live it: what the phone would have to tell of each day."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from datetime import date

HOUR = 60
"""Times within a day are minutes since its midnight; sleep begins before it, below 0."""


def drawn(seed: int, day: date | None, what: str) -> random.Random:
    """Chance for one matter of one day: no other draw, and no other day, changes it."""
    return random.Random(f"{seed}/{day}/{what}")


@dataclass(frozen=True, slots=True)
class Outing:
    """A workout: when, how long (minutes), how far (km), how hard (average heart rate)."""

    name: str
    start: int
    minutes: int
    km: float
    kcal: float
    heart_rate: float
    outdoors: bool

    @property
    def end(self) -> int:
        return self.start + self.minutes

    @property
    def on_foot(self) -> bool:
        """Whether it is counted in steps."""
        return self.name in {"Outdoor Run", "Outdoor Walk"}


@dataclass(frozen=True, slots=True)
class Day:
    """What was lived. `bursts` are the times on foot as (start, minutes, weight); a watch that
    lies on the table (`worn` False) measures neither heart nor sleep."""

    date: date
    progress: float
    summer: float
    ill: bool
    worn: bool
    asleep: int
    awake: int
    nap: int | None
    outing: Outing | None
    bursts: tuple[tuple[int, int, float], ...]
    steps: float
    flights: int

    @property
    def is_weekend(self) -> bool:
        return self.date.weekday() >= 5

    @property
    def km(self) -> float:
        """On foot."""
        return self.steps * 0.00071

    @property
    def active_kcal(self) -> float:
        return 95 + self.steps * 0.031 + (self.outing.kcal if self.outing else 0)


@dataclass(frozen=True, slots=True)
class Life:
    """A stretch of days, both ends included. The same seed lives the same days."""

    seed: int
    first: date
    last: date

    def day(self, day: date) -> Day:
        chance = drawn(self.seed, day, "day")
        ill = self._ill(day)
        asleep, awake = self._sleep(day, ill=ill)
        outing = None if ill else self._outing(day)
        walked = chance.gauss(9_200 if day.weekday() >= 5 else 7_600, 1_900)
        if ill:
            walked = chance.gauss(2_300, 500)
        if outing is not None and outing.on_foot:
            walked += outing.km * 1_270
        return Day(
            date=day,
            progress=(day - self.first).days / max((self.last - self.first).days, 1),
            summer=math.cos(2 * math.pi * (day.timetuple().tm_yday - 172) / 365),
            ill=ill,
            worn=not self._forgotten(day),
            asleep=asleep,
            awake=awake,
            nap=chance.randrange(13 * HOUR, 15 * HOUR)
            if day.weekday() == 6 and chance.random() < 0.35
            else None,
            outing=outing,
            bursts=_bursts(chance, awake, outing),
            steps=round(max(walked, 900.0), 2),
            flights=chance.randint(0, 3) if ill else chance.randint(4, 19),
        )

    def _ill(self, day: date) -> bool:
        """Four to six days in every quarter of a year."""
        quarter, n = divmod(day.toordinal(), 91)
        chance = drawn(self.seed, None, f"ill {quarter}")
        begin = chance.randrange(80)
        return begin <= n < begin + chance.randint(4, 6)

    def _forgotten(self, day: date) -> bool:
        """Three days of every half year without the watch."""
        half, n = divmod(day.toordinal(), 182)
        begin = drawn(self.seed, None, f"forgotten {half}").randrange(150)
        return begin <= n < begin + 3

    def _sleep(self, day: date, *, ill: bool) -> tuple[int, int]:
        """From falling asleep to waking."""
        chance = drawn(self.seed, day, "sleep")
        # Who need not get up on the day that follows stays up longer on the evening before.
        free = day.weekday() >= 5
        asleep = chance.gauss(-15 if free else -62, 21)
        awake = chance.gauss(8 * HOUR + 5 if free else 6 * HOUR + 40, 24 if free else 9)
        return round(asleep - 25 * ill), round(awake + 70 * ill)

    def _outing(self, day: date) -> Outing | None:
        chance = drawn(self.seed, day, "outing")
        if chance.random() > 0.84:
            return None
        warm = 4 <= day.month <= 10
        match day.weekday():
            case 1:
                return _run(chance, 18 * HOUR + 10, chance.randint(31, 44))
            case 2 if not warm:
                return _swim(chance)
            case 3:
                return _strength(chance)
            case 5:
                return _run(chance, 9 * HOUR + 35, chance.randint(48, 76))
            case 6:
                return _ride(chance) if warm else _walk(chance)
            case _:
                return None


def _run(chance: random.Random, start: int, minutes: int) -> Outing:
    km = minutes / chance.gauss(6.05, 0.2)
    return Outing(
        "Outdoor Run", start + chance.randint(0, 25), minutes, km, km * 63,
        chance.gauss(151, 4), True,
    )  # fmt: skip


def _walk(chance: random.Random) -> Outing:
    minutes = chance.randint(55, 95)
    km = minutes / 11.4
    return Outing(
        "Outdoor Walk", 11 * HOUR + chance.randint(0, 60), minutes, km, km * 47,
        chance.gauss(104, 4), True,
    )  # fmt: skip


def _ride(chance: random.Random) -> Outing:
    minutes = chance.randint(65, 130)
    km = minutes / 60 * chance.gauss(20.5, 1.2)
    return Outing(
        "Outdoor Cycling", 10 * HOUR + chance.randint(0, 70), minutes, km, minutes * 6.4,
        chance.gauss(129, 5), True,
    )  # fmt: skip


def _swim(chance: random.Random) -> Outing:
    minutes = chance.randint(32, 46)
    return Outing(
        "Pool Swim", 19 * HOUR + chance.randint(0, 20), minutes, minutes * 0.036, minutes * 8.1,
        chance.gauss(137, 4), False,
    )  # fmt: skip


def _strength(chance: random.Random) -> Outing:
    minutes = chance.randint(38, 57)
    return Outing(
        "Traditional Strength Training", 18 * HOUR + chance.randint(20, 50), minutes, 0.0,
        minutes * 4.9, chance.gauss(112, 5), False,
    )  # fmt: skip


def _bursts(
    chance: random.Random, awake: int, outing: Outing | None
) -> tuple[tuple[int, int, float], ...]:
    found = [
        (chance.randrange(awake, 22 * HOUR + 30), chance.randint(2, 16), chance.uniform(0.2, 1.0))
        for _ in range(26)
    ]
    if outing is not None and outing.on_foot:
        found.append((outing.start, outing.minutes, 1.6))
    return tuple(sorted(found))
