"""A random history of records: bodies of one phone that repeat, fill up, contradict each other."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from healthlog.model import Delivery
from tests.support.folding import delivery

BODIES, ELEMENTS = 60, 900

_FIRST = datetime(2026, 10, 24, 20, 0, tzinfo=UTC)
_OFFSETS = (120, 120, 120, 60, -240, None)
_STAGES = ("Core", "Kern", "Deep", "Awake", "Halbschlaf", "In Bed")
_SOURCES = ("Watch", "iPhone|Watch", "Watch|iPhone", "", None)


@dataclass(frozen=True, slots=True)
class Told:
    """One delivery with its body."""

    delivery: Delivery
    body: bytes


def history(seed: int) -> list[Told]:
    """In the order of the journal; a quarter of the bodies are imported, and rank elsewhere."""
    chance = random.Random(seed)
    told = []
    for number in range(BODIES):
        body = _Body(chance).content(ELEMENTS // BODIES)
        facts: dict[str, Any] = {}
        if chance.random() < 0.25:
            said_at_us = delivery(chance.randint(-400, 60), b"", None).said_at_us
            facts = {"imported": True, "said_at_us": said_at_us}
        told.append(Told(delivery(number, body, "Minutes", **facts), body))
    return told


class _Body:
    """Makes one body. Everything is drawn from few values, so that bodies speak of the same."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        # A phone writes its whole window in the offset it is in, with exceptions.
        self._offset_min = chance.choice(_OFFSETS)

    def content(self, count: int) -> bytes:
        sections: dict[str, list[Any]] = {}
        nights: list[Any] = []
        steps = [self._step() for _ in range(self._chance.randint(0, 3))]
        for _ in range(count):
            name, make = self._chance.choice(_MAKERS)
            element: Any = make(self)
            if self._chance.random() < 0.04:
                element = self._chance.choice((None, 5, {}, {**element, **_NEVER}))
            elements = nights if name == "sleep_analysis" else sections.setdefault(name, [])
            elements += [element] * self._chance.choice((1, 1, 1, 2))
        metrics = [
            {"name": "step_count", "units": "count", "data": steps},
            {"name": "sleep_analysis", "units": "hr", "data": nights},
        ]
        self._chance.shuffle(metrics)
        order = [("metrics", metrics), *sections.items()]
        self._chance.shuffle(order)
        return json.dumps({"data": dict(order)}).encode()

    def _step(self) -> dict[str, Any]:
        return {"date": self._at(self._chance.randrange(40)), "qty": self._chance.randint(1, 3)}

    def _at(self, quarters: int) -> str:
        at = _FIRST + timedelta(minutes=15 * quarters)
        offset_min = self._offset_min
        if self._chance.random() < 0.1:
            offset_min = self._chance.choice(_OFFSETS)
        if offset_min is None:
            return at.replace(tzinfo=None).isoformat() + "Z"
        local = at.astimezone(timezone(timedelta(minutes=offset_min)))
        return f"{local:%Y-%m-%d %H:%M:%S %z}"

    def _pick(self, **fields: Callable[[], Any]) -> dict[str, Any]:
        """Some of these fields."""
        return {name: make() for name, make in fields.items() if self._chance.random() < 0.6}

    def _series(self, key: str) -> list[dict[str, Any]]:
        count = self._chance.randint(0, 4)
        return [{key: self._at(n), "qty": self._chance.randint(1, 2)} for n in range(count)]

    def _number(self) -> Any:
        return self._chance.choice((0, 0.5, 2, 2.0, None, float("nan"), "x"))

    def workout(self) -> dict[str, Any]:
        chance, begin = self._chance, self._chance.randrange(6)
        own = self._pick(id=lambda: chance.choice(("a-1", "A-1", "B-2", "")))
        return {
            "name": chance.choice(("Walking", "Gehen ")),
            "start": self._at(begin),
            "end": chance.choice((self._at(begin + 2), None, "soon")),
            **own,
            **self._pick(
                activeEnergy=lambda: chance.choice(({"qty": 1}, self._series("date"))),
                heartRateData=lambda: self._series("date"),
                route=lambda: self._series("timestamp"),
                labels=lambda: chance.choice((["a"], ["b", "c"], [])),
                speed=lambda: {
                    "qty": chance.randint(1, 3),
                    "units": chance.choice(("km", "km/hr")),
                },
                isIndoor=lambda: chance.choice((True, False)),
                news=lambda: {"a": {"b": chance.choice((None, 1))}},
            ),
        }

    def night(self) -> dict[str, Any]:
        begin, length = self._chance.choice(((8, 28), (8, 30), (60, 4)))
        totals = dict.fromkeys(("totalSleep", "asleep", "core", "deep", "rem"), self._number)
        if self._chance.random() < 0.3:
            totals = dict.fromkeys(totals, int)
        return {
            "sleepStart": self._at(begin),
            "sleepEnd": self._at(begin + length),
            "source": self._chance.choice(_SOURCES),
            **self._pick(**totals, awake=self._number, inBed=self._number),
            **self._pick(inBedStart=lambda: self._at(begin), inBedEnd=lambda: self._at(begin + 20)),
        }

    def segment(self) -> dict[str, Any]:
        begin = self._chance.randrange(3)
        return {
            "startDate": self._at(begin),
            "endDate": self._at(begin + 1),
            "value": self._chance.choice(_STAGES),
            "source": self._chance.choice(_SOURCES),
            **self._pick(qty=self._number),
        }

    def ecg(self) -> dict[str, Any]:
        return {
            "start": self._at(self._chance.randrange(3)),
            **self._pick(
                voltageMeasurements=lambda: [
                    {"date": 1_792_872_000 + n, "voltage": self._chance.random()}
                    for n in range(self._chance.randint(0, 3))
                ],
                numberOfVoltageMeasurements=lambda: 4,
                classification=lambda: self._chance.choice(("Sinus Rhythm", "Ritmo Sinusal")),
            ),
        }

    def mood(self) -> dict[str, Any]:
        return {
            "id": self._chance.choice(("m-1", "M-2")),
            "start": self._at(self._chance.randrange(80)),
            **self._pick(valenceClassification=lambda: self._chance.choice((1, 9, "neutral"))),
        }

    def dose(self) -> dict[str, Any]:
        begin = self._chance.randrange(3)
        return {
            "displayText": self._chance.choice(("Iron", "Iron ")),
            "start": self._at(begin),
            **self._pick(
                scheduledDate=lambda: self._at(begin),
                status=lambda: self._chance.choice(("Taken", "Tomado", "Weg", None)),
                dosage=self._number,
            ),
        }

    def symptom(self) -> dict[str, Any]:
        begin = self._chance.randrange(90)
        ends = {"end": self._at(begin + 1)} if self._chance.random() < 0.5 else {}
        return {
            "name": self._chance.choice(("Tos", "Fatiga")),
            "start": self._at(begin // 30 * 30),
            **ends,
            **self._pick(severity=lambda: self._chance.choice(("Leve", "Severe"))),
        }

    def warning(self) -> dict[str, Any]:
        return {
            **self._pick(heartNotification=lambda: "low_heart_rate_notification"),
            "start": self._at(self._chance.randrange(3)),
            **self._pick(
                source=lambda: {"name": self._chance.choice("AB")},
                threshold=self._number,
                heartRateData=lambda: [{"date": 814_566_000, "qty": self._number()}],
            ),
        }


_NEVER = {"start": "2099-01-01 00:00:00 +0000", "sleepStart": "2099-01-01 00:00:00 +0000"}
_MAKERS: tuple[tuple[str, Callable[[_Body], dict[str, Any]]], ...] = (
    ("workouts", _Body.workout),
    ("workouts", _Body.workout),
    ("sleep_analysis", _Body.night),
    ("sleep_analysis", _Body.night),
    ("sleep_analysis", _Body.segment),
    ("ecg", _Body.ecg),
    ("stateOfMind", _Body.mood),
    ("medications", _Body.dose),
    ("symptoms", _Body.symptom),
    ("cycleTracking", _Body.symptom),
    ("heartRateNotifications", _Body.warning),
)
