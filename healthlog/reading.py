"""What a body says of a metric, element by element, before anything is decided about it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress
from typing import NamedTuple

from healthlog.moment import Moment, instant_text
from healthlog.values import shortest

Sources = tuple[str, ...]
"""The devices of a reading: sorted, without doubles."""


class Reading(NamedTuple):
    """One element of a metric's `data`, as sent: numbers in the metric's unit, `end_ms` where an
    end was sent, `extra` the canonical JSON of every other field or ""."""

    moment: Moment
    qty: float | None
    min: float | None
    avg: float | None
    max: float | None
    sources: Sources
    end_ms: int | None
    extra: str


class Columns(NamedTuple):
    """Readings side by side, one column for each field of `Reading`: what is done to thousands
    of them is done to a column at once."""

    moments: Sequence[Moment]
    qty: Sequence[float | None]
    min: Sequence[float | None]
    avg: Sequence[float | None]
    max: Sequence[float | None]
    sources: Sequence[Sources]
    end_ms: Sequence[int | None]
    extra: Sequence[str]

    def reading(self, index: int) -> Reading:
        return Reading._make(column[index] for column in self)


NONE = Columns([], [], [], [], [], [], [], [])


def columns(readings: Iterable[Reading]) -> Columns:
    """The same readings as columns."""
    rows = list(readings)
    return Columns._make(map(list, zip(*rows, strict=True))) if rows else NONE


def joined(parts: Sequence[Columns]) -> Columns:
    """The columns of several parts, one below the other."""
    if len(parts) == 1:
        return parts[0]
    return Columns._make(list(chain.from_iterable(column)) for column in zip(*parts, strict=True))


@dataclass(frozen=True, slots=True)
class Block:
    """One metric object of a body, as far as it could be read: `ordinal` orders the blocks of a
    body, `places` says where each reading stands in the metric's data."""

    ordinal: int
    sent_as: str
    unit: str | None
    places: Sequence[int]
    readings: Columns

    def __len__(self) -> int:
        return len(self.places)

    def only(self, stays: Sequence[bool]) -> Block:
        """The block without the readings that don't stay."""
        kept = Columns._make(list(compress(column, stays)) for column in self.readings)
        places = list(compress(self.places, stays))
        return Block(self.ordinal, self.sent_as, self.unit, places, kept)


@dataclass(slots=True)
class Metric:
    """All that one body says of one metric, under its canonical name."""

    name: str
    blocks: list[Block] = field(default_factory=list)
    elements: int = 0

    def moments(self) -> list[Moment]:
        return [moment for block in self.blocks for moment in block.readings.moments]


def reading_text(reading: Reading, unit: str | None) -> str:
    """Canonical text of a reading: JSON, sorted keys, no blanks, nothing absent. The offset is
    left out: spelled in another zone the same reading stays the same."""
    members = (
        ("avg", _number_text(reading.avg)),
        ("end", _instant(reading.end_ms)),
        ("extra", reading.extra),
        ("instant", _instant(reading.moment.at_ms)),
        ("max", _number_text(reading.max)),
        ("min", _number_text(reading.min)),
        ("qty", _number_text(reading.qty)),
        ("sources", _json(list(reading.sources)) if reading.sources else ""),
        ("unit", _json(unit) if unit else ""),
    )
    return "{" + ",".join(f'"{key}":{text}' for key, text in members if text) + "}"


def _instant(at_ms: int | None) -> str:
    return "" if at_ms is None else f'"{instant_text(at_ms)}"'


def _number_text(value: float | None) -> str:
    return "" if value is None else _json(shortest(value))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
