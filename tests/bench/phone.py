"""Bodies in the shapes of a phone, synthetic, the same at every run.

Fifteen metrics, of which some have a point each minute and others a few a day; the keys of every
object in an order of their own; names of devices with blanks that are none of ASCII; slashes
escaped; a night of segments; workouts with routes.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple

ZONE = timezone(timedelta(hours=3))
END = datetime(2026, 8, 1, 17, 40, tzinfo=UTC)
_BYTES_A_WORKOUT = 140_000
_WATCH, _PHONE = "Часы\u00a0— проба", "iPhone (проба)"
_PLAIN = {_WATCH: "Watch", _PHONE: "iPhone"}


class Kind(NamedTuple):
    """One metric: of a hundred minutes `share` have a point. `ranged`: Min, Avg and Max."""

    name: str
    units: str
    least: float
    most: float
    sources: tuple[str, ...]
    share: int
    ranged: bool = False
    whole: bool = False


KINDS = (
    Kind("heart_rate", "count/min", 48, 170, (_WATCH,), 100, ranged=True),
    Kind("step_count", "count", 0.2, 120, (_WATCH, _PHONE), 55),
    Kind("active_energy", "kJ", 0.05, 45, (_WATCH,), 100),
    Kind("basal_energy_burned", "kJ", 4, 6, (_WATCH,), 100),
    Kind("walking_running_distance", "km", 0.0004, 0.11, (_WATCH, _PHONE), 55),
    Kind("apple_exercise_time", "min", 1, 1, (_WATCH,), 12, whole=True),
    Kind("apple_stand_time", "min", 1, 4, (_WATCH,), 20, whole=True),
    Kind("respiratory_rate", "count/min", 11, 22, (_WATCH,), 8),
    Kind("blood_oxygen_saturation", "%", 92, 100, (_WATCH,), 4, whole=True),
    Kind("heart_rate_variability", "ms", 15, 120, (_WATCH,), 2),
    Kind("environmental_audio_exposure", "dBASPL", 30, 95, (_WATCH,), 10),
    Kind("walking_speed", "km/hr", 2, 7, (_PHONE,), 6),
    Kind("walking_step_length", "cm", 50, 90, (_PHONE,), 6),
    Kind("physical_effort", "kcal/hr\u00b7kg", 0.8, 12, (_WATCH,), 60),
    Kind("flights_climbed", "count", 1, 3, (_PHONE,), 2, whole=True),
)


class Phone:
    """Makes the bodies of one phone, each up to the same minute. `plain`: names of devices in
    ASCII alone."""

    def __init__(self, seed: int = 1, *, plain: bool = False, end: datetime = END) -> None:
        self._chance = random.Random(seed)
        self._plain = plain
        self._end = end

    def body(self, points: int, *, workouts: int = 0, segments: int | None = None) -> bytes:
        """A body of `points` elements of metrics, the newest last; 30 of them, or as many as
        `segments` says, are segments of a night."""
        asleep = min(30, points // 30) if segments is None else segments
        data: dict[str, list[bytes]] = {kind.name: [] for kind in KINDS}
        left, at = points - asleep, self._end
        while left > 0:
            for kind in KINDS:
                if left and self._chance.randrange(100) < kind.share:
                    data[kind.name].append(self._point(kind, at))
                    left -= 1
            at -= timedelta(minutes=1)
        metrics = [
            self._metric(kind.name, kind.units, reversed(data[kind.name]))
            for kind in KINDS
            if data[kind.name]
        ]
        if asleep:
            metrics.append(self._metric("sleep_analysis", "hr", self._segments(asleep, self._end)))
        return _body(metrics, [self._workout(number) for number in range(workouts)])

    def of_bytes(self, size: int, *, workouts: int = 0) -> tuple[bytes, int]:
        """A body of nearly `size` bytes and never more, and how many points it has."""
        probe = len(self.body(1_000)) / 1_000
        points = int((size - workouts * _BYTES_A_WORKOUT) / probe * 0.97)
        while len(made := self.body(points, workouts=workouts)) > size:
            points = points * 9 // 10
        return made, points

    def day(self, bodies: int) -> Iterator[bytes]:
        """A push every five minutes from eight in the morning on, each of all that day so far; the
        last minute of each was still growing."""
        begin = datetime(2026, 8, 1, 5, 0, tzinfo=UTC)
        night = list(self._segments(24, begin))
        told: dict[str, list[bytes]] = {kind.name: [] for kind in KINDS[:7]}
        for number in range(bodies):
            for one in told.values():
                del one[-1:]  # it is told anew, now that it is over
            for minute in range(number * 5, number * 5 + 6):
                at = begin + timedelta(minutes=minute)
                for kind in KINDS[:7]:
                    # The first and the last minute of a push have a point of each.
                    if minute % 5 == 0 or self._chance.randrange(200) < kind.share:
                        told[kind.name].append(self._point(kind, at))
            metrics = [self._metric(kind.name, kind.units, told[kind.name]) for kind in KINDS[:7]]
            metrics.append(self._metric("sleep_analysis", "hr", night))
            yield _body(metrics, [self._workout(number)] if number % 40 == 39 else [])

    def _metric(self, name: str, units: str, data: Any) -> bytes:
        members = {
            b'"name"': _text(name),
            b'"units"': _text(units.replace("·", ".") if self._plain else units),
            b'"data"': b"[" + b",".join(data) + b"]",
        }
        return self._object(members)

    def _point(self, kind: Kind, at: datetime) -> bytes:
        value = self._chance.uniform(kind.least, kind.most)
        spread = self._chance.uniform(0, 9)
        number = str(round(value)) if kind.whole else repr(value)
        members = {b'"date"': _date(at), b'"source"': self._source(kind.sources)}
        if kind.ranged:
            members[b'"Min"'] = b"%d" % int(value - spread)
            members[b'"Avg"'] = number.encode()
            members[b'"Max"'] = b"%d" % int(value + spread)
        else:
            members[b'"qty"'] = number.encode()
        return self._object(members)

    def _segments(self, count: int, day: datetime) -> Iterator[bytes]:
        at = day.replace(hour=20, minute=12) - timedelta(days=1)
        for _ in range(count):
            lasts = timedelta(minutes=self._chance.randint(4, 45))
            yield self._object(
                {
                    b'"startDate"': _date(at),
                    b'"endDate"': _date(at + lasts),
                    b'"date"': _date(at),
                    b'"qty"': repr(lasts.total_seconds() / 3600).encode(),
                    b'"value"': _text(self._chance.choice(("Core", "Deep", "REM", "Awake"))),
                    b'"source"': self._source((_WATCH,)),
                }
            )
            at += lasts

    def _source(self, sources: tuple[str, ...]) -> bytes:
        names = [_PLAIN[name] if self._plain else name for name in sources]
        return _text("|".join(self._chance.sample(names, len(names))))

    def _workout(self, number: int) -> dict[str, object]:
        chance, end = self._chance, self._end - timedelta(hours=6 * number)
        start = end - timedelta(minutes=45)
        beats = [
            {"date": _words(start + timedelta(minutes=n)), "Min": 99, "Avg": 120.5, "Max": 151,
             "units": "bpm", "source": "Watch"}
            for n in range(45)
        ]  # fmt: skip
        route = [
            {"latitude": 10 + chance.random(), "longitude": 20 + chance.random(),
             "altitude": chance.uniform(120, 180), "speed": chance.uniform(0, 5),
             "course": chance.uniform(0, 360), "horizontalAccuracy": chance.uniform(1, 9),
             "timestamp": _words(start + timedelta(seconds=4 * n))}
            for n in range(600)
        ]  # fmt: skip
        return {
            "id": f"{chance.getrandbits(32):08X}-0000-4000-8000-{number:012X}",
            "name": "Outdoor Run",
            "start": _words(start),
            "end": _words(end),
            "duration": 2700.5,
            "activeEnergyBurned": {"qty": chance.uniform(800, 2500), "units": "kJ"},
            "distance": {"qty": chance.uniform(4, 10), "units": "km"},
            "heartRateData": beats,
            "route": route,
            "metadata": {},
        }

    def _object(self, members: dict[bytes, bytes]) -> bytes:
        keys = self._chance.sample(list(members), len(members))
        return b"{" + b",".join(key + b":" + members[key] for key in keys) + b"}"


def _body(metrics: list[bytes], workouts: list[dict[str, object]]) -> bytes:
    sections = b'"metrics":[' + b",".join(metrics) + b"]"
    if workouts:
        sections += b',"workouts":' + json.dumps(workouts, separators=(",", ":")).encode()
    return b'{"data":{' + sections + b"}}"


def _text(value: str) -> bytes:
    return json.dumps(value, ensure_ascii=False).replace("/", "\\/").encode()


def _words(at: datetime) -> str:
    return f"{at.astimezone(ZONE):%Y-%m-%d %H:%M:%S} +0300"


def _date(at: datetime) -> bytes:
    return f'"{_words(at)}"'.encode()
