"""Workouts with their series and routes."""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterator
from typing import Any

from tests.demo.life import Day, Outing, drawn
from tests.demo.nights import WATCH
from tests.demo.pulse import outing_level
from tests.demo.wall import Wall

_EVERY_S = 4
_SEA = (55.2, 18.4)
"""Out in the Baltic: a route that nobody has ever run, past nobody's door."""
_DEGREE_KM = 111.2


def workout(seed: int, day: Day, wall: Wall) -> dict[str, Any]:
    """The workout of a day that has one, in the app's version 2."""
    outing = day.outing
    assert outing is not None
    chance = drawn(seed, day.date, "workout")
    beaten = [outing_level(day, minute) for minute in range(outing.start, outing.end)]
    found: dict[str, Any] = {
        "id": str(uuid.UUID(int=chance.getrandbits(128), version=4)).upper(),
        "name": outing.name,
        "start": wall.text(outing.start * 60),
        "end": wall.text(outing.end * 60),
        "duration": outing.minutes * 60 - chance.uniform(0, 45),
        "location": "Outdoor" if outing.outdoors else "Indoor",
        "isIndoor": not outing.outdoors,
        "activeEnergyBurned": {"qty": outing.kcal, "units": "kcal"},
        "intensity": {"qty": outing.kcal / 66 / outing.minutes * 60, "units": "kcal/hr·kg"},
        "heartRate": {
            "min": {"qty": min(beaten), "units": "bpm"},
            "avg": {"qty": sum(beaten) / len(beaten), "units": "bpm"},
            "max": {"qty": max(beaten), "units": "bpm"},
        },
        "heartRateData": [
            _beat(wall, outing.start + n, level, chance.uniform(1, 4))
            for n, level in enumerate(beaten)
        ],
        "heartRateRecovery": [
            _beat(wall, outing.end + n, beaten[-1] - 22 * (n + 1), 3) for n in range(2)
        ],
        "activeEnergy": [
            {"date": wall.text((outing.start + n) * 60), "qty": outing.kcal / outing.minutes,
             "units": "kcal", "source": WATCH}
            for n in range(outing.minutes)
        ],
        "metadata": {},
    }  # fmt: skip
    if outing.km:
        found["distance"] = {"qty": outing.km, "units": "km"}
        speed = outing.km / outing.minutes * 60
        found["speed"] = {"qty": speed, "units": "km/hr"}
    if outing.name == "Pool Swim":
        found |= {"location": "Pool", "lapLength": {"qty": 25, "units": "m"}}
    if outing.outdoors:
        climbed = chance.uniform(12, 60)
        found["elevationUp"] = {"qty": climbed, "units": "m"}
        found["temperature"] = {"qty": 11 + 9 * day.summer + chance.gauss(0, 3), "units": "degC"}
        found["route"] = list(_route(seed, day, outing, wall))
    return found


def _beat(wall: Wall, minute: int, level: float, spread: float) -> dict[str, Any]:
    return {
        "date": wall.text(minute * 60),
        "Min": round(level - spread),
        "Avg": level,
        "Max": round(level + spread),
        "units": "bpm",
        "source": WATCH,
    }


def _route(seed: int, day: Day, outing: Outing, wall: Wall) -> Iterator[dict[str, Any]]:
    """Once round, out of round, up and down; as long as the distance says, but for the wobble of
    the receiver."""
    chance = drawn(seed, day.date, "route")
    bulge, turn = chance.uniform(0.12, 0.3), chance.uniform(0, 2 * math.pi)
    radius = outing.km / (2 * math.pi) / (1 + bulge * bulge) / _DEGREE_KM
    shrink = math.cos(math.radians(_SEA[0]))
    metres_per_s = outing.km * 1_000 / outing.minutes / 60
    count = outing.minutes * 60 // _EVERY_S
    for n in range(count):
        angle = 2 * math.pi * n / count + turn
        away = radius * (1 + bulge * math.sin(3 * angle + turn))
        yield {
            "timestamp": wall.text(outing.start * 60 + n * _EVERY_S),
            "latitude": round(_SEA[0] + away * math.sin(angle) + chance.gauss(0, 8e-6), 7),
            "longitude": round(_SEA[1] + away * math.cos(angle) / shrink
                               + chance.gauss(0, 8e-6), 7),
            "altitude": round(24 + 14 * math.sin(2 * angle) + chance.gauss(0, 0.4), 2),
            "speed": round(max(0.0, metres_per_s + chance.gauss(0, 0.25)), 3),
            "speedAccuracy": 0.4,
            "course": round(math.degrees(-angle) % 360, 2),
            "courseAccuracy": round(chance.uniform(4, 30), 1),
            "horizontalAccuracy": round(chance.uniform(2, 7), 2),
            "verticalAccuracy": round(chance.uniform(1.5, 5), 2),
        }  # fmt: skip
