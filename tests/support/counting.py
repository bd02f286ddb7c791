"""A second count of a body's elements, by a plain walk that knows nothing of how they are read."""

from __future__ import annotations

import json
from typing import Any


def elements(content: bytes) -> int:
    """Elements of the metrics of a body that are read: of each metric's `data`, and what stands
    in a metric's place without being one. Nights are left to another reader."""
    top = json.loads(content)
    return sum(_section(place.get("metrics")) for place in (top.get("data") or {}, top))


def _section(section: Any) -> int:
    if _is_nothing(section):
        return 0
    return sum(map(_metric, section)) if isinstance(section, list) else 1


def _metric(metric: Any) -> int:
    if not isinstance(metric, dict):
        return 1
    data, name = metric.get("data"), metric.get("name")
    if not isinstance(name, str) or not name.strip():
        return len(data) if isinstance(data, list) else 1
    if _is_nothing(data) or "".join(name.lower().split()) == "sleep_analysis":
        return 0
    return len(data) if isinstance(data, list) else 1


def _is_nothing(value: Any) -> bool:
    return value is None or value in ([], {}) or (isinstance(value, str) and not value.strip())
