"""One reading of the mart as an answer shows it."""

from __future__ import annotations

from typing import Any, NamedTuple

from healthlog.base.stored import members, pair
from healthlog.layer import DATED, DAY, SAMPLE
from healthlog.mart.dictionary import DATE_ALONE
from healthlog.mart.offsets import Offsets
from healthlog.moment import DAY_MS, MINUTE_MS, day_text, instant_text
from healthlog.values import shortest

OTHER_ZONE, AMBIGUOUS_SECOND = "other_zone", "ambiguous_second"


class Row(NamedTuple):
    """A reading with its words resolved; `place` is the number of its layer, so that rows of
    several layers sort by instant, then layer, then coordinate."""

    at_ms: int
    place: int
    sub: int
    origin: int
    n: int
    qty: float | None
    min: float | None
    avg: float | None
    max: float | None
    label: str
    delivery_id: str | None
    offset_min: int | None
    detail: str | None

    @property
    def coordinate(self) -> tuple[int, int, int, int]:
        return self[:4]


class Start(NamedTuple):
    """When a reading begins, and the offset its times are written in."""

    at_ms: int
    offset_min: int


class Views:
    """Makes the objects of one page. What rows repeat is read once."""

    def __init__(self, metric: str, offsets: Offsets) -> None:
        self._metric = metric
        self._offsets = offsets
        self._tags: dict[str, tuple[str | None, list[str]]] = {}

    def view(self, row: Row, layer: str, flags: list[str]) -> dict[str, object]:
        """The point object of a row. Absent values are left out, `sources` alone is always
        there."""
        detail = members(row.detail)
        start = start_of(row, layer, detail, self._offsets)
        unit, sources = self._tag(row.label)
        shown: list[tuple[str, object]] = [
            ("metric", self._metric),
            ("layer", layer),
            ("at", None if start is None else instant_text(*start)),
            ("end", None if start is None else self._end(row, layer, detail, start)),
            ("day", day_text(self._day(row, layer, start))),
            ("qty", _number(row.qty)),
            ("min", _number(row.min)),
            ("avg", _number(row.avg)),
            ("max", _number(row.max)),
            ("unit", unit),
            ("sources", sources),
            ("delivery_id", row.delivery_id),
            ("extra", detail.get("extra")),
            ("flags", flags or None),
        ]
        return {name: value for name, value in shown if value is not None}

    def _tag(self, label: str) -> tuple[str | None, list[str]]:
        found = self._tags.get(label)
        if found is None:
            found = self._tags[label] = tag_of(label)
        return found

    def _day(self, row: Row, layer: str, start: Start | None) -> int:
        if layer in DATED or start is None:
            return row.sub
        return (start.at_ms + start.offset_min * MINUTE_MS) // DAY_MS

    def _end(self, row: Row, layer: str, detail: dict[str, Any], start: Start) -> str | None:
        end_ms = row.at_ms + row.sub if layer == SAMPLE else detail.get("end")
        if end_ms is None:
            return None
        of_its_own = layer in DATED
        offset_min = start.offset_min if of_its_own else self._offsets.offset_min(end_ms)
        return instant_text(end_ms, offset_min)


def start_of(row: Row, layer: str, detail: dict[str, Any], offsets: Offsets) -> Start | None:
    """When a row begins: finer layers have their offset from the clock, days and coarser ones as
    sent. None where a date was sent without a time."""
    if row.origin == DATE_ALONE:
        return None
    at_ms = row.at_ms if layer not in DATED or layer == DAY else detail.get("start")
    if at_ms is None:
        return None
    as_sent = row.offset_min if layer in DATED else None
    return Start(at_ms, offsets.offset_min(at_ms) if as_sent is None else as_sent)


def midnight_of(row: Row, offsets: Offsets) -> Start:
    """The midnight of a row's date by the clock, for what only has a date."""
    offset_min = offsets.offset_min(row.sub * DAY_MS)
    return Start(row.sub * DAY_MS - offset_min * MINUTE_MS, offset_min)


def tag_of(label: str) -> tuple[str | None, list[str]]:
    """Unit and sources from the text they are kept in."""
    return pair(label)


def _number(value: float | None) -> int | float | None:
    return None if value is None else shortest(value)
