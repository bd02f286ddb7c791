"""A second count of a body's elements, by a plain walk that knows nothing of how they are read."""

from __future__ import annotations

import json
from typing import Any

RECORDS = (
    "workouts", "stateOfMind", "medications", "symptoms", "cycleTracking", "ecg",
    "heartRateNotifications",
)  # fmt: skip


def elements(content: bytes) -> int:
    """Elements of the sections of a body that are read: of each metric's `data`, of each list of
    records, and what stands in a place of theirs without being one."""
    top = json.loads(content)
    places = (top.get("data") or {}, top)
    return sum(_metrics(place.get("metrics")) + _records(place) for place in places)


def _records(place: Any) -> int:
    return sum(_length(place.get(name)) for name in RECORDS)


def _metrics(section: Any) -> int:
    if _is_nothing(section):
        return 0
    return sum(map(_metric, section)) if isinstance(section, list) else 1


def _metric(metric: Any) -> int:
    if not isinstance(metric, dict):
        return 1
    data, name = metric.get("data"), metric.get("name")
    if not isinstance(name, str) or not name.strip():
        return len(data) if isinstance(data, list) else 1
    return _length(data)


def _length(value: Any) -> int:
    if _is_nothing(value):
        return 0
    return len(value) if isinstance(value, list) else 1


def _is_nothing(value: Any) -> bool:
    return value is None or value in ([], {}) or (isinstance(value, str) and not value.strip())
