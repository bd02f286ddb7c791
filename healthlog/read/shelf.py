"""The readings of one metric, read from the mart as far as a series asks for them."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from healthlog.layer import DATED, DAY, SAMPLE, UNGROUPED
from healthlog.mart.dictionary import DATE_ALONE
from healthlog.mart.offsets import Offsets
from healthlog.moment import DAY_MS, HOUR_MS, MINUTE_MS
from healthlog.read.clock import zones
from healthlog.read.told import on_waking, told_once
from healthlog.read.view import tag_of
from healthlog.read.zones import is_elsewhere, silent
from healthlog.reading import Sources
from healthlog.series.buckets import FAR_MS, Stretch, Zones
from healthlog.series.catalogue import AVG, SUM, Entry
from healthlog.series.line import Figure, Line, Word
from healthlog.series.resolve import LONGEST_MS
from healthlog.values import NotFinite, number

# In an offset, the row of a date begins up to half a day before its midnight (the nearest one
# counts), or within it.
_BEFORE_DATE_MS = FAR_MS + 12 * HOUR_MS
_LAST_ZONE_MIN = -12 * 60

_COLUMNS = "at_ms, sub, origin, qty, min, avg, max, tag, said_by, closed_by, offset_min, detail"
_WITHIN = (
    f"SELECT {_COLUMNS} FROM point WHERE series = ? AND at_ms >= ? AND at_ms < ?"
    " ORDER BY at_ms, sub, origin, n"
)
_NEXT = "SELECT at_ms FROM point WHERE series = ? AND at_ms >= ? ORDER BY at_ms LIMIT 1"
_LATEST = (
    f"SELECT {_COLUMNS} FROM point WHERE series = ?"
    " AND at_ms = (SELECT last_at_ms FROM series WHERE series = ?)"
)
_WORD = "SELECT said_at_us, received_at_us, delivery_id, spoke_at_us FROM folded WHERE delivery = ?"
_TAG = "SELECT label FROM tag WHERE tag = ?"

Row = tuple[Any, ...]
"""The columns of a point in the order of `_COLUMNS`."""


class MartShelf:
    """The series of a metric by their layers, within one read transaction. Words that rows repeat
    are read once."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        entry: Entry,
        series: Mapping[str, int],
        offsets: Offsets,
    ) -> None:
        self.layers = frozenset(series)
        self._connection = connection
        self._entry = entry
        self._series = series
        self._offsets = offsets
        self._words = _Words(connection)
        self._tags = _Tags(connection)

    @cached_property
    def heard_at_us(self) -> int:
        """When the word was spoken that says the latest reading of any layer; 0 without any."""
        rows = (row for layer in self.layers for row in self._last(layer))
        return max((self._words[row[8]].spoke_at_us for row in rows), default=0)

    def latest(self) -> list[tuple[str, Line]]:
        """The latest readings of each layer, those that begin together."""
        return [(layer, line) for layer in self._series for line in self._latest(layer)]

    def dated(self, layer: str, first: int, last: int) -> list[Line]:
        """Rows with a local date from `first` to before `last`."""
        first_ms, last_ms = first * DAY_MS, last * DAY_MS
        if layer == DAY:
            first_ms, last_ms = first_ms - _BEFORE_DATE_MS, last_ms + FAR_MS
        rows = self._rows(layer, Stretch(first_ms, last_ms))
        if layer == DAY and self._entry.ahead_min:
            rows = on_waking(rows, self._offsets, self._entry.ahead_min, self._words)
        rows = [row for row in rows if first <= row[1] < last]
        unheard = self._unheard(rows) if layer == DAY else set()
        rows = [row for row in rows if row[:2] not in unheard]
        lines = self._lines(layer, rows)
        return told_once(rows, lines) if layer == DAY else lines

    def timed(self, layer: str, stretch: Stretch) -> list[Line]:
        """Readings that begin within a stretch; those of one instant by their sources, so that
        nothing depends on the order of folding."""
        lines = self._lines(layer, self._rows(layer, stretch))
        if layer in UNGROUPED:
            lines.sort(key=lambda line: (line.at_ms, line.length_ms, line.sources))
        return lines

    def zones(self, stretch: Stretch) -> Zones:
        """The clock of a stretch, where it changes."""
        return zones(self._connection, self._offsets, stretch)

    def next_date(self, layers: frozenset[str], date: int) -> int | None:
        """A date, not before `date`, with no reading of these layers between the two."""
        found = []
        for layer in layers:
            reach_ms = _reach_ms(layer) + self._entry.ahead_min * MINUTE_MS
            at_ms = self._next(layer, date * DAY_MS - reach_ms)
            if at_ms is not None:
                found.append(at_ms // DAY_MS - (layer not in DATED or layer == DAY))
        return max(date, min(found)) if found else None

    def next_ms(self, layers: frozenset[str], at_ms: int) -> int | None:
        """The start of the first reading of these layers that isn't before an instant, or may
        reach behind it."""
        begin_ms = {layer: at_ms - (LONGEST_MS if layer == SAMPLE else 0) for layer in layers}
        found = [self._next(layer, begin_ms[layer]) for layer in layers]
        return min((max(at_ms, one) for one in found if one is not None), default=None)

    def _next(self, layer: str, at_ms: int) -> int | None:
        row = self._connection.execute(_NEXT, (self._series[layer], at_ms)).fetchone()
        return None if row is None else int(row[0])

    def _latest(self, layer: str) -> list[Line]:
        rows = self._last(layer)
        if layer != DAY or not rows:
            return self._lines(layer, rows)
        # Of a date told several times only what answers in a series.
        dates = [row[1] for row in rows]
        lines = self.dated(DAY, min(dates), max(dates) + 1 + bool(self._entry.ahead_min))
        last_ms = max(line.at_ms for line in lines)
        return [line for line in lines if line.at_ms == last_ms]

    def _last(self, layer: str) -> list[Row]:
        series = self._series[layer]
        return self._connection.execute(_LATEST, (series, series)).fetchall()

    def _rows(self, layer: str, stretch: Stretch) -> list[Row]:
        return self._connection.execute(_WITHIN, (self._series[layer], *stretch)).fetchall()

    def _unheard(self, rows: Sequence[Row]) -> set[tuple[int, int]]:
        """Starts of days that don't answer for their date, as another one does."""
        starts: defaultdict[int, set[int]] = defaultdict(set)
        for at_ms, date, origin, *_ in rows:
            if origin != DATE_ALONE:
                starts[date].add(at_ms)
        several = [at_ms for found in starts.values() if len(found) > 1 for at_ms in found]
        if not several:
            return set()
        within_ms = (min(several), max(several))
        return silent(self._connection, self._offsets, self._series[DAY], within_ms)

    def _lines(self, layer: str, rows: Sequence[Row]) -> list[Line]:
        if layer in DATED:
            return [self._dated(layer, row) for row in rows]
        is_sample, figures = layer == SAMPLE, self._figures
        tags, words = self._tags, self._words
        return [
            Line(
                row[0],
                row[1] if is_sample else 0,
                0,
                0,
                figures(row),
                *tags[row[7]],
                words[row[8]],
                None if row[9] is None else words[row[9]].rank,
            )
            for row in rows
        ]

    def _dated(self, layer: str, row: Row) -> Line:
        at_ms, date, origin, *_, offset_min, detail = row
        start_ms = at_ms
        if layer != DAY:
            start_ms = _start_ms(detail)
        elif origin == DATE_ALONE:
            start_ms = None
        if offset_min is None:
            offset_min = self._offset_min(date if start_ms is None else None, at_ms)
        if start_ms is None:
            start_ms = date * DAY_MS - offset_min * 60_000
        elsewhere = (
            layer == DAY
            and origin != DATE_ALONE
            and not self._entry.ahead_min
            and is_elsewhere(self._entry.metric, at_ms, date, self._offsets)
        )
        word, figures = self._words[row[8]], self._figures(row)
        return Line(
            start_ms, 0, date, offset_min, figures, *self._tags[row[7]], word, None, elsewhere
        )

    def _offset_min(self, date_alone: int | None, at_ms: int) -> int:
        """Offset of a row that was sent without: the clock's. Where nobody named that, a date is
        over when it is over everywhere on earth."""
        if date_alone is not None and not self._offsets.named:
            return _LAST_ZONE_MIN
        return self._offsets.offset_min(at_ms)

    @cached_property
    def _figures(self) -> Callable[[Row], tuple[Figure, ...]]:
        return figures_of(self._entry)


class _Words(dict[int, Word]):
    """Deliveries by their numbers, each read when it is first named."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__()
        self._connection = connection

    def __missing__(self, delivery: int) -> Word:
        *rank, spoke_at_us = self._connection.execute(_WORD, (delivery,)).fetchone()
        word = self[delivery] = Word((rank[0], rank[1], rank[2]), spoke_at_us)
        return word


class _Tags(dict[int, tuple[str | None, Sources]]):
    """Unit and sources by their numbers, each read when it is first named."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__()
        self._connection = connection

    def __missing__(self, tag: int) -> tuple[str | None, Sources]:
        (label,) = self._connection.execute(_TAG, (tag,)).fetchone()
        unit, sources = tag_of(label)
        found = self[tag] = (unit, tuple(sources))
        return found


def figures_of(entry: Entry) -> Callable[[Row], tuple[Figure, ...]]:
    """How the numbers of a metric stand in a row. An average takes avg, else qty, and the range
    where there is one; a sum or state takes qty, else avg."""
    if entry.fields:
        return lambda row: _of_fields(entry, row)
    return _of_level if entry.aggregate == AVG else _of_amount


def _of_level(row: Row) -> tuple[Figure, ...]:
    qty, low, mean, high = row[3:7]
    value = qty if mean is None else mean
    return (Figure(value, value if low is None else low, value if high is None else high),)


def _of_amount(row: Row) -> tuple[Figure, ...]:
    return (Figure(row[5] if row[3] is None else row[3]),)


def _of_fields(entry: Entry, row: Row) -> tuple[Figure, ...]:
    extra = json.loads(row[11]).get("extra", {}) if row[11] else {}
    values = [_number(extra.get(name)) for name in entry.fields]
    if entry.aggregate != SUM:
        return tuple(Figure(value, value, value) for value in values)
    there = [value for value in values if value is not None]
    return (Figure(sum(there)),) if there else _of_amount(row)


def _number(value: object) -> float | None:
    try:
        return number(value)
    except NotFinite:
        return None


def _start_ms(detail: str | None) -> int | None:
    found = None if detail is None else json.loads(detail).get("start")
    return found if isinstance(found, int) else None


def _reach_ms(layer: str) -> int:
    """How long before midnight in UTC a reading may begin that counts for a date."""
    if layer == DAY:
        return _BEFORE_DATE_MS
    if layer in DATED:
        return 0
    return FAR_MS + (LONGEST_MS if layer == SAMPLE else 0)
