"""The section `metrics` of a body: by the day or by the minute."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from tests.demo.life import Day, Life
from tests.demo.measures import CUFF, STATES, Level, amounts, levels, pressure
from tests.demo.nights import WATCH, nights, summary
from tests.demo.pulse import beats
from tests.demo.wall import Wall

Point = dict[str, Any]
_LAST_MINUTE = 1_440


@dataclass(frozen=True, slots=True)
class Reading:
    """One point of a metric with the minute of its day, up to which it has to wait."""

    name: str
    unit: str
    minute: int
    point: Point


class Diary:
    """What the phone has to tell of the days of a life; each is worked out once."""

    def __init__(self, life: Life, wall: Callable[[date], Wall]) -> None:
        self._life = life
        self._wall = wall
        self.by_day = cache(self._by_day)
        self.by_minute = cache(self._by_minute)

    def _by_day(self, date_: date) -> list[Reading]:
        """A point a metric, at midnight."""
        seed, day = self._life.seed, self._life.day(date_)
        at = self._wall(date_).text(0)
        found = [
            Reading(one.name, one.unit, 0, {"date": at, "qty": one.total, "source": one.source})
            for one in amounts(seed, day)
        ]
        for level in levels(seed, day):
            values = [value for _, value in level.samples]
            told = _told(level, min(values), sum(values) / len(values), max(values))
            found.append(Reading(level.name, level.unit, 0, {"date": at, **told}))
        beaten = beats(seed, day)
        if beaten:
            found.append(Reading("heart_rate", "count/min", 0, {
                "date": at, "Min": min(beat[1] for beat in beaten),
                "Avg": sum(beat[2] for beat in beaten) / len(beaten),
                "Max": max(beat[3] for beat in beaten), "source": WATCH,
            }))  # fmt: skip
        return [*found, *self._cuff(day), *self._slept(day)]

    def _by_minute(self, date_: date) -> list[Reading]:
        """A point for every minute that has something."""
        seed, day = self._life.seed, self._life.day(date_)
        texts = [self._wall(date_).text(60 * minute) for minute in range(_LAST_MINUTE)]
        found = [
            Reading(one.name, one.unit, minute,
                    {"date": texts[minute], "qty": qty, "source": one.source})
            for one in amounts(seed, day) for minute, qty in one.spread()
        ]  # fmt: skip
        found += [
            Reading(one.name, one.unit, minute,
                    {"date": texts[minute], **_told(one, value, value, value)})
            for one in levels(seed, day) for minute, value in one.samples
        ]  # fmt: skip
        found += [
            Reading("heart_rate", "count/min", minute,
                    {"date": texts[minute], "Min": low, "Avg": average, "Max": high,
                     "source": WATCH})
            for minute, low, average, high in beats(seed, day)
        ]  # fmt: skip
        return [*found, *self._cuff(day), *self._slept(day)]

    def _cuff(self, day: Day) -> Iterator[Reading]:
        wall = self._wall(day.date)
        for minute, high, low in pressure(self._life.seed, day):
            point = {"date": wall.text(60 * minute), "systolic": high, "diastolic": low}
            yield Reading("blood_pressure", "mmHg", minute, {**point, "source": CUFF})

    def _slept(self, day: Day) -> Iterator[Reading]:
        for night in nights(self._life.seed, day):
            point = summary(night, self._wall(day.date))
            yield Reading("sleep_analysis", "hr", -(-night.end // 60), point)


def _told(level: Level, least: float, average: float, greatest: float) -> Point:
    if level.name in STATES:
        return {"qty": average, "source": level.source}
    return {"Min": least, "Avg": average, "Max": greatest, "source": level.source}


def section(readings: list[Reading]) -> list[dict[str, Any]]:
    """The list of metrics of a body, each with its points in the order given."""
    found: dict[str, dict[str, Any]] = {}
    for one in readings:
        metric = found.setdefault(one.name, {"name": one.name, "units": one.unit, "data": []})
        metric["data"].append(one.point)
    return list(found.values())
