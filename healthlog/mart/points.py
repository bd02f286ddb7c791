"""Winners of the coordinates: the candidates of one delivery against what stands."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from healthlog import layer as layers
from healthlog import merge
from healthlog.candidates import CLOSING, Candidates, Lines, translated
from healthlog.mart.dictionary import Dictionary
from healthlog.mart.folded import Ranks
from healthlog.model import Delivery
from healthlog.moment import DAY_MS, HOUR_MS

# Few enough that a stretch is mostly either all new or all known, which is quick, even where
# a delivery repeats a day and adds an hour to it.
_STRETCH = 256
_AT_ONCE = 16
# Room for about sixty rows: reading these costs no more than looking up one more stretch.
_WIDEST_GAP_MS = {
    **dict.fromkeys((*layers.UNGROUPED, layers.MINUTE), HOUR_MS),
    layers.HOUR: 60 * HOUR_MS,
    **dict.fromkeys(layers.DATED, 60 * DAY_MS),
}

_NEVER_BARE = CLOSING | layers.DATED

Key = tuple[int, int, int]
"""Coordinate in its series as rows have it: at_ms, sub, origin."""

Row = tuple[Any, ...]
"""What a reading is in its series, the columns of `_SAID` in this order."""

_SAID = "at_ms, sub, origin, n, qty, min, avg, max, tag, detail, offset_min"
_ROW = f"{_SAID}, said_by, closed_by, series"
_WIDTH = len(_SAID.split(","))
_key = itemgetter(0, 1, 2)
_value = itemgetter(4, 5, 6, 7, 8, 9)  # content, offset aside

_STANDING = (
    f"SELECT {_SAID}, said_by, closed_by FROM point"
    " WHERE series = ? AND at_ms BETWEEN ? AND ? ORDER BY at_ms, sub, origin, n"
)
_INTO = f"INSERT INTO point ({_ROW})"
_WHOLE = f"({', '.join('?' * 14)})"
# Most rows have nothing else, and each value bound costs as much as reading one.
_INTO_BARE = "INSERT INTO point (at_ms, origin, qty, min, avg, max, tag, said_by, series, sub, n)"
_BARE = "(?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)"
_PUT = (
    f"{_INTO} VALUES {_WHOLE} ON CONFLICT DO UPDATE SET qty = excluded.qty, min = excluded.min,"
    " avg = excluded.avg, max = excluded.max, tag = excluded.tag, detail = excluded.detail,"
    " offset_min = excluded.offset_min, said_by = excluded.said_by,"
    " closed_by = excluded.closed_by"
)
_CUT = "DELETE FROM point WHERE series = ? AND at_ms = ? AND sub = ? AND origin = ? AND n >= ?"
_RAISE = "UPDATE point SET said_by = ? WHERE series = ? AND at_ms BETWEEN ? AND ? AND said_by = ?"


@dataclass(frozen=True, slots=True)
class Speaker:
    """The delivery whose word is merged: its number in this mart, the ranks of all, and `check`,
    which is called now and then and may raise to end a fold that takes too long."""

    number: int
    delivery: Delivery
    ranks: Ranks
    check: Callable[[], None]


@dataclass(slots=True)
class Merged:
    """What merging one series did: fates of elements, and the change in readings kept."""

    fates: Counter[str] = field(default_factory=Counter)
    incomparable: int = 0
    readings: int = 0


class SeriesMerge:
    """Merges the candidates of one delivery into one series, inside the caller's write
    transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        names: Dictionary,
        speaker: Speaker,
        metric: str,
        layer: str,
    ) -> None:
        self._connection = connection
        self._names = names
        self._speaker = speaker
        self._rank = speaker.delivery.rank
        self._layer = layer
        self._series = names.series(metric, layer)
        self._closing: frozenset[Key] = frozenset()
        self._merged = Merged()

    def run(self, said: Candidates) -> Merged:
        lines = said.lines
        columns = self._numbered(lines)
        self._closing = self._closed(columns, lines.over_ms)
        self._merged.fates[merge.SAME] += said.doubles
        for begin, end in _stretches(lines.at_ms, self._layer):
            self._speaker.check()
            self._stretch([column[begin:end] for column in columns])
        self._summarise(lines.at_ms)
        return self._merged

    def _numbered(self, lines: Lines) -> list[Sequence[Any]]:
        """The columns of `_SAID`."""
        return [
            lines.at_ms,
            lines.sub,
            translated(lines.origin, self._names.origin),
            lines.n,
            lines.qty,
            lines.min,
            lines.avg,
            lines.max,
            translated(lines.tag, self._names.tag),
            lines.detail,
            lines.offset_min,
        ]

    def _closed(
        self, columns: Sequence[Sequence[Any]], over_ms: Sequence[int | None]
    ) -> frozenset[Key]:
        """Coordinates whose hour or day was over when this delivery spoke."""
        if self._layer not in CLOSING:
            return frozenset()
        spoke_at_us = self._speaker.delivery.spoke_at_us
        keys = zip(*columns[:3], over_ms, strict=True)
        return frozenset(key[:3] for key in keys if spoke_at_us >= key[3] * 1000)

    def _stretch(self, columns: Sequence[Sequence[Any]]) -> None:
        standing = self._standing(columns[0][0], columns[0][-1])
        if not standing:
            self._add(columns)
            return
        mine = sorted(zip(*columns, strict=True))
        known = self._known(mine, standing)
        if known:
            self._merged.fates[merge.SAME] += known
            self._raise(standing[:known])
        self._meet_each(mine[known:], standing[known:])

    def _standing(self, first_ms: int, last_ms: int) -> list[Row]:
        """Rows of the coordinates in a stretch of time: `_SAID`, said_by, closed_by."""
        return self._connection.execute(_STANDING, (self._series, first_ms, last_ms)).fetchall()

    def _add(self, columns: Sequence[Sequence[Any]]) -> None:
        """Write what nothing stands in the way of."""
        count = len(columns[0])
        self._merged.fates[merge.NEW] += count
        self._merged.readings += count
        at_ms, sub, origin, n, *content, detail, _ = columns
        number, series = [self._speaker.number] * count, [self._series] * count
        if self._layer in _NEVER_BARE or any(map(any, (sub, n, detail))):
            keys = zip(at_ms, sub, origin, strict=True)
            closed_by = [self._first_closed(key, None) for key in keys]
            rows = zip(*columns, number, closed_by, series, strict=True)
            _insert(self._connection, _INTO, _WHOLE, list(rows))
        else:
            rows = zip(at_ms, origin, *content, number, series, strict=True)
            _insert(self._connection, _INTO_BARE, _BARE, list(rows))

    def _known(self, mine: list[Row], standing: list[Row]) -> int:
        """How many rows from the first on stand as they are said, so that only the rank is left
        to be raised. Of one instant all do or none."""
        known = 0
        if not self._closing and [row[:_WIDTH] for row in standing] == mine:
            return len(mine)
        for row, there in zip(mine, standing, strict=False):
            if row != there[:_WIDTH] or self._first_closed(row[:3], there[-1]) != there[-1]:
                break
            known += 1
        cut = {rows[known][0] for rows in (mine, standing) if known < len(rows)}
        while known and mine[known - 1][0] in cut:
            known -= 1
        return known

    def _raise(self, standing: list[Row]) -> None:
        """Let this delivery be the one that says what stands, where it ranks higher."""
        first_ms, last_ms = standing[0][0], standing[-1][0]
        for number in {row[-2] for row in standing}:
            if self._speaker.ranks.of(number) < self._rank:
                self._connection.execute(
                    _RAISE, (self._speaker.number, self._series, first_ms, last_ms, number)
                )

    def _meet_each(self, mine: list[Row], standing: list[Row]) -> None:
        there = {key: list(rows) for key, rows in groupby(standing, _key)}
        put: list[Row] = []
        for key, rows in groupby(mine, _key):
            put += self._met(key, list(rows), there.get(key))
        self._connection.executemany(_PUT, put)

    def _met(self, key: Key, mine: list[Row], theirs: list[Row] | None) -> list[Row]:
        """The rows of a coordinate that are to be written."""
        fates = self._merged.fates
        if theirs is None:
            fates[merge.NEW] += len(mine)
            self._merged.readings += len(mine)
            return self._said(mine, self._speaker.number, self._first_closed(key, None))
        *_, said_by, stood_closed_by = theirs[0]
        closed_by = self._first_closed(key, stood_closed_by)
        meeting = merge.met(
            self._layer,
            list(map(_value, mine)),
            self._rank,
            list(map(_value, theirs)),
            self._speaker.ranks.of(said_by),
        )
        fates[meeting.fate] += len(mine)
        if meeting.incomparable:
            self._merged.incomparable += len(mine)
        if meeting.wins:
            self._merged.readings += len(mine) - len(theirs)
            if len(mine) < len(theirs):
                self._connection.execute(_CUT, (self._series, *key, len(mine)))
            return self._said(mine, self._speaker.number, closed_by)
        return [] if closed_by == stood_closed_by else self._said(theirs, said_by, closed_by)

    def _said(self, rows: list[Row], said_by: int, closed_by: int | None) -> list[Row]:
        return [(*row[:_WIDTH], said_by, closed_by, self._series) for row in rows]

    def _first_closed(self, key: Key, closed_by: int | None) -> int | None:
        """Who of all that spoke after the bucket's end ranks least."""
        if key not in self._closing:
            return closed_by
        if closed_by is None or self._rank < self._speaker.ranks.of(closed_by):
            return self._speaker.number
        return closed_by

    def _summarise(self, at_ms: Sequence[int]) -> None:
        first_ms, last_ms = at_ms[0], at_ms[-1]
        self._connection.execute(
            "UPDATE series SET points = points + ?, first_at_ms = min(coalesce(first_at_ms, ?), ?),"
            " last_at_ms = max(coalesce(last_at_ms, ?), ?) WHERE series = ?",
            (self._merged.readings, first_ms, first_ms, last_ms, last_ms, self._series),
        )
        self._connection.execute(
            "INSERT OR REPLACE INTO spoke VALUES (?, ?, ?, ?, ?)",
            (self._speaker.number, self._series, first_ms, last_ms, len(at_ms)),
        )


def _stretches(at_ms: Sequence[int], layer: str) -> Iterator[tuple[int, int]]:
    """Begins and ends of stretches without wide gaps, so that reading one reads little that isn't
    spoken of. One instant is never cut in two."""
    widest_ms = _WIDEST_GAP_MS[layer]
    begin = 0
    while begin < len(at_ms):
        end = min(begin + _STRETCH, len(at_ms))
        if at_ms[end - 1] - at_ms[begin] > widest_ms:
            gaps = (at for at in range(begin + 1, end) if at_ms[at] - at_ms[at - 1] > widest_ms)
            end = next(gaps, end)
        while end < len(at_ms) and at_ms[end] == at_ms[end - 1]:
            end += 1
        yield begin, end
        begin = end


def _insert(connection: sqlite3.Connection, into: str, row: str, rows: list[Row]) -> None:
    """Insert many rows, several by one statement: to begin one costs as much as to write a row."""
    several = len(rows) - len(rows) % _AT_ONCE
    values = list(chain.from_iterable(rows[:several]))
    width = len(rows[0]) * _AT_ONCE
    connection.executemany(
        f"{into} VALUES {', '.join([row] * _AT_ONCE)}",
        [values[begin : begin + width] for begin in range(0, len(values), width)],
    )
    connection.executemany(f"{into} VALUES {row}", rows[several:])
