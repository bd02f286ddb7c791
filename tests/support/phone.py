"""A phone with its automations: bodies in the shapes that Health Auto Export sends.

What it says of a minute, a night or a workout is a function of that alone, so that bodies repeat
each other as the phone's do; only the minute that is still growing changes its mind.
"""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

Element = dict[str, Any]

_ZONE = timezone(timedelta(hours=2))
_FIRST = datetime(2026, 5, 1, tzinfo=_ZONE)
_WATCH, _PHONE = "Uhr\u00a0\u2014 links", "iPhone"
_BOTH = f"{_WATCH}|{_PHONE}"
_DAY = 24 * 60
_STAGES = ("Core", "Deep", "REM", "Awake")


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of the phone: how it measures, and in how many of a hundred minutes."""

    name: str
    unit: str
    most: float
    source: str
    often: int
    ranged: bool = False


METRICS = (
    Metric("heart_rate", "count/min", 170, _WATCH, 90, ranged=True),
    Metric("step_count", "count", 120, _BOTH, 50),
    Metric("active_energy", "kJ", 40, _WATCH, 90),
    Metric("basal_energy_burned", "kJ", 6, _WATCH, 90),
    Metric("walking_running_distance", "km", 0.1, _BOTH, 50),
    Metric("apple_exercise_time", "min", 1, _WATCH, 10),
    Metric("respiratory_rate", "count/min", 22, _WATCH, 8),
    Metric("blood_oxygen_saturation", "%", 100, _WATCH, 4),
    Metric("environmental_audio_exposure", "dBASPL", 95, _WATCH, 10),
    Metric("flights_climbed", "count", 3, _PHONE, 2),
)


@dataclass(frozen=True, slots=True)
class Push:
    """One body with the headers that its automation sends."""

    body: bytes
    headers: Mapping[str, str]


class Automation:
    """One of a phone's automations. Each push is some minutes later than the one before."""

    def __init__(self, number: int, seed: int) -> None:
        self._seed = seed
        self._dice = random.Random(f"{seed}/{number}")
        self._name, self._says, self._make = KINDS[number % len(KINDS)]
        self._id = str(uuid.UUID(int=self._dice.getrandbits(128), version=4)).upper()
        self._now = self._dice.randrange(_DAY, 20 * _DAY)

    def push(self) -> Push:
        self._now += self._dice.choice((1, 5, 5, 15, 60))
        said = {"data": self._make(self)}
        text = json.dumps(said, ensure_ascii=False, separators=(",", ":")).replace("/", "\\/")
        headers = {
            "automation-id": self._id,
            "automation-name": self._name,
            "automation-period": "Since Last Sync",
            "session-id": f"{self._dice.getrandbits(64):016x}",
            "content-type": "application/json",
        }
        if self._says is not None:
            headers["automation-aggregation"] = self._says
        return Push(text.encode(), headers)

    # What there is to say

    def minutes(self) -> Element:
        """The last hours, minute by minute."""
        span = range(self._now - self._dice.choice((30, 60, 180)), self._now + 1)
        return self._metrics(lambda metric: [one for at in span if (one := self._at(metric, at))])

    def days(self) -> Element:
        """Totals of the last days, that of today still growing."""
        today = self._now // _DAY

        def told(metric: Metric) -> list[Element]:
            return [
                self._reading(metric, day * _DAY, self._grown(metric, day, today))
                for day in range(today - 6, today + 1)
            ]

        return self._metrics(told)

    def seconds(self) -> Element:
        """Single measurements, some of one second."""
        dice = random.Random(f"{self._seed}/seconds/{self._now}")
        begin = _FIRST + timedelta(minutes=self._now)
        data = [
            {"date": _text(begin + timedelta(seconds=dice.randrange(3600))), "qty": dice.random(),
             "source": dice.choice((_WATCH, _PHONE))}
            for _ in range(200)
        ]  # fmt: skip
        return {"metrics": [{"name": "physical_effort", "units": "kcal/hr·kg", "data": data}]}

    def nights(self) -> Element:
        """The stages of the last nights."""
        today = self._now // _DAY
        data = [one for day in range(today - 2, today + 1) for one in self._night(day)]
        return {"metrics": [{"name": "sleep_analysis", "units": "hr", "data": data}]}

    def workouts(self) -> Element:
        """The workouts of the last days, with heart rate and route."""
        today = self._now // _DAY
        return {"workouts": [self._workout(day) for day in range(today - 2, today + 1)]}

    # How it is said

    def _metrics(self, told: Callable[[Metric], list[Element]]) -> Element:
        found = [(metric, told(metric)) for metric in METRICS]
        self._dice.shuffle(found)
        return {
            "metrics": [
                {"name": metric.name, "units": metric.unit, "data": data}
                for metric, data in found
                if data
            ]
        }

    def _at(self, metric: Metric, minute: int) -> Element | None:
        dice = random.Random(f"{self._seed}/{metric.name}/{minute}")
        if dice.randrange(100) >= metric.often:
            return None
        share = self._dice.random() if minute == self._now else 1.0
        return self._reading(metric, minute, dice.random() * metric.most * share)

    def _grown(self, metric: Metric, day: int, today: int) -> float:
        total = random.Random(f"{self._seed}/{metric.name}/day {day}").random() * metric.most * 500
        return total * (self._now % _DAY + 1) / _DAY if day == today else total

    def _reading(self, metric: Metric, minute: int, value: float) -> Element:
        said: Element = {"qty": value}
        if metric.ranged:
            said = {"Min": int(value), "Avg": value, "Max": int(value) + 9}
        said |= {"date": _text(_FIRST + timedelta(minutes=minute)), "source": metric.source}
        names = list(said)
        self._dice.shuffle(names)  # the phone's dictionaries have no order
        return {name: said[name] for name in names}

    def _night(self, day: int) -> list[Element]:
        dice = random.Random(f"{self._seed}/night/{day}")
        at = _FIRST + timedelta(days=day, minutes=-dice.randrange(90))
        data = []
        for _ in range(dice.randint(8, 25)):
            length = timedelta(minutes=dice.randint(4, 45), seconds=dice.choice((0, 30)))
            data.append(
                {"startDate": _text(at), "endDate": _text(at + length), "date": _text(at),
                 "qty": length / timedelta(hours=1), "value": dice.choice(_STAGES),
                 "source": _WATCH}
            )  # fmt: skip
            at += length
        return data

    def _workout(self, day: int) -> Element:
        dice = random.Random(f"{self._seed}/workout/{day}")
        begin = _FIRST + timedelta(days=day, hours=17, minutes=dice.randrange(60))
        beats = [
            {"date": _text(begin + timedelta(minutes=at)), "Min": 90, "Avg": dice.uniform(110, 150),
             "Max": 160, "units": "bpm", "source": _WATCH}
            for at in range(40)
        ]  # fmt: skip
        route = [
            {"latitude": dice.uniform(50, 51), "longitude": dice.uniform(8, 9), "altitude": 120.5,
             "speed": dice.uniform(0, 5), "course": 7.25, "horizontalAccuracy": 3.0,
             "timestamp": _text(begin + timedelta(seconds=20 * at))}
            for at in range(120)
        ]  # fmt: skip
        return {
            "id": str(uuid.UUID(int=dice.getrandbits(128), version=4)).upper(),
            "name": "Outdoor Run", "start": _text(begin), "duration": 2400.0,
            "end": _text(begin + timedelta(minutes=40)), "location": "Outdoor",
            "activeEnergyBurned": {"qty": dice.uniform(800, 2500), "units": "kJ"},
            "distance": {"qty": dice.uniform(4, 10), "units": "km"},
            "heartRateData": beats, "route": route, "metadata": {},
        }  # fmt: skip


KINDS: tuple[tuple[str, str | None, Callable[[Automation], Element]], ...] = (
    ("Minuten", "Minutes", Automation.minutes),
    ("Tage", "Days", Automation.days),
    ("Messungen", None, Automation.seconds),
    ("Schlaf", "Default", Automation.nights),
    ("Läufe", None, Automation.workouts),
    ("Minuten, kurz", None, Automation.minutes),
)


def _text(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S %z}"
