"""Synthetic bodies of the phone's kind, the same at every run."""

from __future__ import annotations

import json
import random
from datetime import datetime, timedelta, timezone

_ZONE = timezone(timedelta(hours=2))
_END = datetime(2026, 7, 14, 18, 30, tzinfo=_ZONE)
_KINDS = (
    ("heart_rate", "count/min", 55.0, 160.0),
    ("step_count", "count", 0.2, 110.0),
    ("active_energy", "kJ", 0.1, 40.0),
    ("basal_energy_burned", "kJ", 4.0, 6.0),
    ("walking_running_distance", "km", 0.001, 0.1),
    ("physical_effort", "kcal/hr·kg", 1.0, 11.0),
)


def minutes(points: int, seed: int = 1) -> bytes:
    """A push of exactly `points` minute readings, spread over six metrics, newest last."""
    chance = random.Random(seed)
    each, more = divmod(points, len(_KINDS))
    metrics = [
        {
            "name": name,
            "units": units,
            "data": [
                _point(chance, name, low, high, _END - timedelta(minutes=back))
                for back in reversed(range(each + (place < more)))
            ],
        }
        for place, (name, units, low, high) in enumerate(_KINDS)
    ]
    return json.dumps({"data": {"metrics": metrics}}, ensure_ascii=False).encode()


def _point(
    chance: random.Random, name: str, low: float, high: float, at: datetime
) -> dict[str, object]:
    point: dict[str, object] = {"date": at.strftime("%Y-%m-%d %H:%M:%S %z"), "source": "Watch"}
    value = chance.uniform(low, high)
    if name == "heart_rate":
        spread = chance.uniform(0.0, 9.0)
        return point | {"Min": value - spread, "Avg": value, "Max": value + spread}
    return point | {"qty": value}


def nothing_to_fold(body: bytes) -> bytes:
    """Nearly the same bytes as `body`, but as a text beside an empty `data`, where nobody looks for
    sections."""
    return b'{"data":{},"beside":"' + body.replace(b'"', b"'").replace(b"\\", b"|") + b'"}'
