"""What a body says of a metric, element by element, before anything is decided about it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import NamedTuple

from healthlog.moment import Moment, instant_text
from healthlog.values import shortest, words


class Reading(NamedTuple):
    """One element of a metric's `data`, as sent: numbers in `unit`, sources as a sorted set,
    `end_ms` where an end was sent, `extra` the canonical JSON of every other field or ""."""

    moment: Moment
    qty: float | None
    min: float | None
    avg: float | None
    max: float | None
    unit: str | None
    sources: tuple[str, ...]
    end_ms: int | None
    extra: str

    def reason(self) -> str | None:
        """Why a dose was given (`Bolus`, `Basal`), which belongs to its identity."""
        return words(json.loads(self.extra).get("reason")) if self.extra else None


@dataclass(slots=True)
class Block:
    """One metric object of a body: its readings, and the place of each in the metric's data."""

    ordinal: int
    readings: list[Reading] = field(default_factory=list)
    places: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Metric:
    """All that one body says of one metric. `sent_as` is its name as first sent."""

    name: str
    sent_as: str
    blocks: list[Block] = field(default_factory=list)
    elements: int = 0

    def moments(self) -> list[Moment]:
        return [reading.moment for block in self.blocks for reading in block.readings]


def reading_text(reading: Reading) -> str:
    """Canonical text of a reading: JSON, sorted keys, no blanks, nothing absent. The offset is
    left out: spelled in another zone the same reading stays the same."""
    at_ms = reading.moment.at_ms
    members = (
        ("avg", _number_text(reading.avg)),
        ("end", _instant(reading.end_ms)),
        ("extra", reading.extra),
        ("instant", _instant(at_ms)),
        ("max", _number_text(reading.max)),
        ("min", _number_text(reading.min)),
        ("qty", _number_text(reading.qty)),
        ("sources", _json(list(reading.sources)) if reading.sources else ""),
        ("unit", _json(reading.unit) if reading.unit else ""),
    )
    return "{" + ",".join(f'"{key}":{text}' for key, text in members if text) + "}"


def _instant(at_ms: int | None) -> str:
    return "" if at_ms is None else f'"{instant_text(at_ms)}"'


def _number_text(value: float | None) -> str:
    return "" if value is None else _json(shortest(value))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
