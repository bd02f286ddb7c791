"""A day of a heavy user, told over and over: its totals are plain sums of the last words."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from math import fsum
from pathlib import Path
from typing import Any

import pytest

from healthlog.model import PARSED, Delivery
from healthlog.read.series import Question, page
from healthlog.series.catalogue import AVG, KNOWN, SUM
from tests.support.clock import FakeClock
from tests.support.counting import elements
from tests.support.engine import Engine, open_engine

pytestmark = pytest.mark.slow

SEED = 20_260_504
PUSHES = 89
MEGABYTES = 53
DAY = "2026-05-04"
SUMS: tuple[tuple[str, float], ...] = (
    ("step_count", 120), ("active_energy", 9), ("basal_energy_burned", 1.3),
    ("walking_running_distance", 0.1), ("flights_climbed", 2), ("apple_exercise_time", 1),
    ("apple_stand_time", 1),
)  # fmt: skip
LEVELS: tuple[tuple[str, float], ...] = (
    ("heart_rate", 170), ("respiratory_rate", 20), ("physical_effort", 6), ("walking_speed", 6),
    ("environmental_audio_exposure", 80),
)  # fmt: skip

_MIDNIGHT = datetime(2026, 5, 4, tzinfo=timezone(timedelta(hours=2)))
_MINUTES = 24 * 60
_NAMES = ("Watch", "iPhone", "iPhone|Watch")

Minute = list[dict[str, Any]]
"""What is said of one minute; several readings where the phone had kept several."""

Words = dict[str, dict[str, Minute]]
"""Metric and minute to what was said last."""


@dataclass(slots=True)
class Phone:
    """Keeps the minutes of the day, and what it changed its mind about."""

    chance: random.Random
    kept: dict[str, dict[int, Minute]] = field(default_factory=dict)

    def push(self, until: int) -> bytes:
        """All that is known up to a minute, which is still growing."""
        metrics = []
        for name, most in (*SUMS, *LEVELS):
            minutes = self.kept.setdefault(name, {})
            self._correct(name, minutes, most)
            # The last minute of the push before was open then.
            for minute in range(max(minutes, default=0), until + 1):
                share = self.chance.random() if minute == until else 1.0
                minutes[minute] = self._minute(name, minute, most * share)
            data = [one for minute in sorted(minutes) for one in self._told(minutes[minute])]
            if self.chance.random() < 0.89:
                unit = KNOWN[name].unit
                metrics.append({"name": name, "units": unit, "data": data})
        self.chance.shuffle(metrics)
        return json.dumps({"data": {"metrics": metrics}}, separators=(",", ":")).encode()

    def _correct(self, name: str, minutes: dict[int, Minute], most: float) -> None:
        """Say some minutes anew, up or down; that some had several readings, or have one."""
        for minute in self.chance.sample(sorted(minutes), len(minutes) // 40):
            minutes[minute] = self._minute(name, minute, most)

    def _minute(self, name: str, minute: int, most: float) -> Minute:
        times = 2 if self.chance.random() < 0.02 else 1
        return [self._reading(name, minute, most) for _ in range(times)]

    def _reading(self, name: str, minute: int, most: float) -> dict[str, Any]:
        chance = self.chance
        value = round(chance.random() * most, 6)
        said: dict[str, Any] = {"qty": value}
        if name == "heart_rate":
            said = {"Min": value - 1.5, "Avg": value, "Max": value + 9.25}
        at = _MIDNIGHT + timedelta(minutes=minute)
        return {"date": f"{at:%Y-%m-%d %H:%M:%S %z}", **said, "source": chance.choice(_NAMES)}

    def _told(self, said: Minute) -> Minute:
        """Now and then a push leaves a minute out."""
        return [] if self.chance.random() < 0.001 else said


@pytest.fixture
def engine(data: Path) -> Iterator[Engine]:
    with open_engine(data, FakeClock()) as opened:
        yield opened


def test_the_totals_of_a_heavy_day_are_sums_of_last_words(engine: Engine) -> None:
    bodies = _bodies(random.Random(SEED))
    sent = [_post(engine, number, content) for number, content in enumerate(bodies)]
    engine.fold_all()
    said = sum(_closed(engine, *one) for one in zip(sent, bodies, strict=True))
    words, changed = _last_words(bodies)
    for name, by_minute in words.items():
        _is_the_plain_sum(engine, name, list(by_minute.values()))
    size = sum(map(len, bodies)) / 1e6
    minutes = sum(map(len, words.values()))
    print(
        f"\n{PUSHES} pushes, {size:.1f} MB, {said} elements, {len(words)} metrics,"
        f" {minutes} minutes, {changed} said anew: every total equal, every account closed"
    )
    assert abs(size - MEGABYTES) < MEGABYTES / 20
    assert minutes > len(words) * _MINUTES * 0.99
    assert changed > minutes


def _bodies(chance: random.Random) -> list[bytes]:
    phone = Phone(chance)
    return [phone.push(_until(number)) for number in range(PUSHES)]


def _until(number: int) -> int:
    """The minute that is open when a push is made; the last comes when the day is over."""
    return min((number + 1) * _MINUTES // (PUSHES - 1), _MINUTES - 1)


def _post(engine: Engine, number: int, content: bytes) -> Delivery:
    at = _MIDNIGHT + timedelta(minutes=(number + 1) * _MINUTES / (PUSHES - 1), seconds=30)
    engine.clock.set(round(at.astimezone(UTC).timestamp()) * 1_000_000)
    return engine.post(content, aggregation="Minutes", automation_id="A")


def _closed(engine: Engine, one: Delivery, content: bytes) -> int:
    """How many elements the account of a push speaks of, once it was found to close."""
    found = engine.entry(one)
    assert (found.parse_status, found.failure) == (PARSED, None)
    assert found.account is not None
    counts = found.account.counts
    assert found.account.layer == "minute"
    assert counts.received == counts.taken + counts.rejected == elements(content)
    assert (counts.rejected, counts.outdated, counts.incomparable) == (0, 0, 0)
    return counts.received


def _last_words(bodies: Sequence[bytes]) -> tuple[Words, int]:
    """What was said last of each minute, and how often that was not what had been said."""
    words: Words = {}
    changed = 0
    for content in bodies:
        for metric in json.loads(content)["data"]["metrics"]:
            mine: dict[str, Minute] = {}
            for element in metric["data"]:
                mine.setdefault(element["date"], []).append(element)
            stood = words.setdefault(metric["name"], {})
            changed += sum(stood.get(date, said) != said for date, said in mine.items())
            stood |= mine
    return words, changed


def _is_the_plain_sum(engine: Engine, name: str, minutes: Sequence[Minute]) -> None:
    known = KNOWN[name]
    readings = [one for said in minutes for one in said]
    values = [one["Avg"] if "Avg" in one else one["qty"] for one in readings]
    expected = {"value": fsum(values)}
    if known.aggregate == AVG:
        expected["value"] /= len(values)
        if name == "heart_rate":
            expected["min"] = min(one["Min"] for one in readings)
            expected["max"] = max(one["Max"] for one in readings)
    assert known.aggregate == (AVG if name in dict(LEVELS) else SUM)
    found = engine.mart.read(lambda c: page(c, Question(name, "day"), limit=10))
    [item] = found.items
    assert found.unit == known.unit
    assert (item["start"], item["layer"], item["open"]) == (DAY, "minute", False)
    assert {key: item[key] for key in expected} == expected, name
