"""Days of a metric as the summaries have them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from healthlog.base.stored import items
from healthlog.moment import DAY_MS
from healthlog.series.answer import Answer
from healthlog.series.catalogue import Entry
from healthlog.series.counted import answer_of
from healthlog.series.shelf import Dates, Piece
from healthlog.summaries.dates import pieces
from healthlog.values import shortest

Item = dict[str, object]

_ITEMS = (
    "SELECT day_ms, day, field, value, min, max, unit, layer, open, sources FROM day"
    " WHERE metric = ? AND day_ms >= ? AND day_ms < ? ORDER BY day_ms, place"
)
_ANSWERS = (
    "SELECT day_ms, counted, layer, sources FROM day"
    " WHERE metric = ? AND day_ms >= ? AND day_ms < ? AND place = 0 ORDER BY day_ms"
)
_PLACES = ("value", "min", "max")


class MartDays:
    """The days of a metric within one read transaction. `stale` dates, in their order, are those
    that the summaries don't know."""

    def __init__(
        self, connection: sqlite3.Connection, entry: Entry, stale: Sequence[Dates]
    ) -> None:
        self._connection = connection
        self._entry = entry
        self._stale = stale

    def pieces(self, dates: Dates) -> Iterator[Piece]:
        """The dates as stretches in their order, fresh or not."""
        return pieces(dates, self._stale)

    def answers(self, dates: Dates) -> Iterator[Answer]:
        """What the summaries have of these dates, in their order."""
        names = lru_cache(maxsize=None)(items)
        layers = lru_cache(maxsize=None)(lambda layer: frozenset(layer.split("+")))
        rows = self._connection.execute(_ANSWERS, (self._entry.metric, *_ms(dates)))
        for day_ms, counted, layer, sources in rows.fetchall():
            yield answer_of(counted, day_ms // DAY_MS, layers(layer), names(sources))

    def items(self, dates: Dates) -> Iterator[tuple[int, list[Item]]]:
        """The items of each of these dates, in the canonical unit of the metric."""
        found = self._connection.execute(_ITEMS, (self._entry.metric, *_ms(dates))).fetchall()
        make = self._of_fields if self._entry.by_field else self._of_values
        names = lru_cache(maxsize=None)(items)
        for day_ms, rows in groupby(found, key=lambda row: row[0]):
            yield day_ms // DAY_MS, make(list(rows), names)

    def _of_values(self, rows: Sequence[Any], names: Any) -> list[Item]:
        made = []
        for _, start, _, value, low, high, unit, layer, is_open, sources in rows:
            item: Item = {"start": start}
            if value is not None:
                item["value"] = shortest(value)
            if low is not None:
                item["min"] = shortest(low)
            if high is not None:
                item["max"] = shortest(high)
            if unit != self._entry.unit:
                item["unit"] = unit
            item["layer"] = layer
            item["open"] = bool(is_open)
            item["sources"] = names(sources)[:]
            made.append(item)
        return made

    def _of_fields(self, rows: Sequence[Any], names: Any) -> list[Item]:
        """Of a metric that is measured by field one item of as many rows as it has fields."""
        width = len(self._entry.by_field)
        made = []
        for number in range(0, len(rows), width):
            of_item = rows[number : number + width]
            _, start, _, _, _, _, unit, layer, is_open, sources = of_item[0]
            item: Item = {"start": start}
            for place, name in enumerate(_PLACES, 3):
                there = {row[2]: shortest(row[place]) for row in of_item if row[place] is not None}
                item |= {name: there} if there else {}
            item |= {} if unit == self._entry.unit else {"unit": unit}
            made.append(
                item | {"layer": layer, "open": bool(is_open), "sources": names(sources)[:]}
            )
        return made


def _ms(dates: Dates) -> tuple[int, int]:
    return dates.first * DAY_MS, dates.last * DAY_MS
