"""Which automation of a phone sends what at which time."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta, tzinfo
from functools import cache, partial
from typing import Any

from healthlog.accept import Facts
from healthlog.pairing.links import BY_NAME
from tests.demo import notes
from tests.demo.life import HOUR, Day, Life, drawn
from tests.demo.measures import STATES
from tests.demo.metrics import Diary, Reading, section
from tests.demo.nights import nights, segments
from tests.demo.trace import electrocardiogram
from tests.demo.wall import Wall
from tests.demo.workouts import workout

DETAILED_DAYS = 28
"""So many last days are also told by the minute, their nights stage by stage."""

Sections = dict[str, Any]

_WEEK, _STAGES, _NOON = 7 * HOUR + 45, 9 * HOUR + 9, 12 * HOUR + 15
_BY_THE_MINUTE = (9 * HOUR + 5, 15 * HOUR + 20, 22 * HOUR + 35)
_NOTED = 22 * HOUR + 40
_TRACED_EVERY, _HEARD_EVERY = 91, 120
_LATE, _HANDED_OVER = 0.3, frozenset(("step_count", "walking_running_distance"))
_NOTES: tuple[tuple[str, str, Callable[[int, Day, Wall], list[notes.Element]]], ...] = (
    ("state_of_mind", "stateOfMind", notes.moods),
    ("medications", "medications", notes.doses),
    ("symptoms", "symptoms", notes.symptoms),
    ("cycle", "cycleTracking", notes.cycle),
    ("heart_notifications", "heartRateNotifications", notes.warnings),
)
_NO_JSON = b'{"data": {"metrics": [}}'


@dataclass(frozen=True, slots=True)
class Push:
    """One body with what its head says, at an instant (microseconds UTC)."""

    at_us: int
    facts: Facts
    body: bytes


@dataclass(frozen=True, slots=True)
class _Due:
    """What an automation will send at a minute of a day; nothing where there are no sections."""

    minute: int
    automation: str
    sections: Callable[[], Sections]
    aggregation: str = "Default"
    period: str = "Default"


class Phone:
    """A phone with the automations that `pair` makes, and two that its owner made by hand."""

    def __init__(self, life: Life, zone: tzinfo) -> None:
        self._life = life
        self._wall = cache(partial(Wall, zone=zone))
        self._day = cache(life.day)
        self._diary = Diary(life, self._wall)
        self._detailed_from = life.last - timedelta(days=DETAILED_DAYS - 1)

    def pushes(self, until_us: int) -> Iterator[Push]:
        """Everything sent up to an instant, in its order; each body is made when it is taken."""
        yield Push(
            self._wall(self._life.first).us(HOUR * 7 * 60),
            Facts(content_type="application/json", remote="127.0.0.1"),
            _NO_JSON,
        )
        for n in range((self._life.last - self._life.first).days + 1):
            day = self._life.first + timedelta(days=n)
            for due in sorted(self._due(day), key=lambda one: one.minute):
                at_us = self._wall(day).us(due.minute * 60)
                sections = due.sections() if at_us <= until_us else {}
                if sections:
                    yield Push(at_us, self._facts(due, day), _json(sections))

    def _due(self, day: date) -> Iterator[_Due]:
        ago = (self._life.last - day).days
        yield _Due(
            _WEEK, BY_NAME["days"].automation, partial(self._week, day), "Days", "Previous 7 Days"
        )
        if day >= self._detailed_from:
            for minute in _BY_THE_MINUTE:
                made = partial(self._minutes, day, minute)
                yield _Due(minute, BY_NAME["metrics"].automation, made, "Minutes")
            yield _Due(_STAGES, "sleep stages", partial(self._stages, day))
        outing = self._day(day).outing
        if outing is not None:
            made = partial(self._workouts, day)
            yield _Due(outing.end + 25, BY_NAME["workouts"].automation, made, "Minutes")
        if ago % _TRACED_EVERY == 2:
            yield _Due(_NOON + 5, BY_NAME["ecg"].automation, partial(self._trace, day))
        if ago % _HEARD_EVERY == 1:
            yield _Due(_NOON, "hearing test", partial(self._hearing, day))
        for name, key, told in _NOTES:
            made = partial(self._noted, day, key, told)
            yield _Due(_NOTED, BY_NAME[name].automation, made)

    def _facts(self, due: _Due, day: date) -> Facts:
        seed = self._life.seed
        own = drawn(seed, None, due.automation)
        session = drawn(seed, day, f"{due.automation} {due.minute}")
        return Facts(
            content_type="application/json",
            remote="192.168.1.31",
            automation_id=_id(own.getrandbits(128)),
            automation_name=due.automation,
            aggregation=due.aggregation,
            period=due.period,
            session_id=_id(session.getrandbits(128)),
        )

    # What goes into the bodies; the window of most is yesterday with today.

    def _window(self, day: date) -> list[date]:
        yesterday = day - timedelta(days=1)
        return [yesterday, day] if yesterday >= self._life.first else [day]

    def _week(self, day: date) -> Sections:
        """The last seven days; of yesterday the watch may not have handed over everything yet."""
        days = [day - timedelta(days=n) for n in range(7, 0, -1) if day - timedelta(days=n) >=
                self._life.first]  # fmt: skip
        late = drawn(self._life.seed, day, "late").random() < _LATE
        return _metrics([
            _less(one, 0.97) if late and lived == days[-1] and one.name in _HANDED_OVER else one
            for lived in days for one in self._diary.by_day(lived)
        ])  # fmt: skip

    def _minutes(self, day: date, minute: int) -> Sections:
        """Today is told as far as it has come; its last minute is still running."""
        found = [one for lived in self._window(day)[:-1] for one in self._diary.by_minute(lived)]
        found += [
            _less(one, 0.6) if one.minute == minute else one
            for one in self._diary.by_minute(day)
            if one.minute <= minute
        ]
        return _metrics(found)

    def _stages(self, day: date) -> Sections:
        found = [
            segment
            for lived in self._window(day)
            for night in nights(self._life.seed, self._day(lived))
            if lived < day or night.end <= _STAGES * 60
            for segment in segments(night, self._wall(lived))
        ]
        return _metrics([Reading("sleep_analysis", "hr", 0, one) for one in found])

    def _workouts(self, day: date) -> Sections:
        found = [
            workout(self._life.seed, self._day(lived), self._wall(lived))
            for lived in self._window(day)
            if self._day(lived).outing is not None
        ]
        return {"workouts": found}

    def _trace(self, day: date) -> Sections:
        found = electrocardiogram(self._life.seed, self._day(day), _NOON, self._wall(day))
        return {"ecg": [found]}

    def _hearing(self, day: date) -> Sections:
        """A section that this program doesn't know: it keeps the body and says so."""
        at = self._wall(day).text(_NOON * 60)
        return {"audiograms": [{"start": at, "end": at, "leftEar": [15, 10], "rightEar": [10, 5]}]}

    def _noted(
        self, day: date, key: str, told: Callable[[int, Day, Wall], list[notes.Element]]
    ) -> Sections:
        found = [
            one
            for lived in self._window(day)
            for one in told(self._life.seed, self._day(lived), self._wall(lived))
        ]
        return {key: found} if found else {}


def _less(reading: Reading, share: float) -> Reading:
    """A part of an amount; a level stays what it is."""
    if "qty" not in reading.point or reading.name in STATES:
        return reading
    return replace(reading, point={**reading.point, "qty": reading.point["qty"] * share})


def _metrics(readings: list[Reading]) -> Sections:
    return {"metrics": section(readings)} if readings else {}


def _id(bits: int) -> str:
    return str(uuid.UUID(int=bits, version=4)).upper()


def _json(sections: Sections) -> bytes:
    """As the phone writes it: blanks around colons, slashes escaped, letters as they are."""
    text = json.dumps({"data": sections}, ensure_ascii=False, separators=(",", " : "))
    return text.replace("/", "\\/").encode()
