"""Winners of the coordinates: the candidates of one delivery against what stands."""

from __future__ import annotations

import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

from healthlog import merge
from healthlog.candidates import CLOSING, Candidates, Lines, translated
from healthlog.mart import point_rows
from healthlog.mart.dictionary import Dictionary
from healthlog.mart.merged import Merged, Spoken
from healthlog.mart.recent import Recent
from healthlog.mart.speaker import Speaker
from healthlog.mart.standing import COLUMNS, Row, Standing
from healthlog.mart.stretches import stretches

Key = tuple[int, int, int]
"""Coordinate in its series as rows have it: at_ms, sub, origin."""

_ROW = f"{', '.join(COLUMNS)}, series"
_WIDTH = len(point_rows.SAID)
_key = itemgetter(0, 1, 2)
_whole_key = itemgetter(0, 1, 2, 3)
_value = itemgetter(4, 5, 6, 7, 8, 9)  # content, offset aside

_SPARSE = 4
"""Where so many times more rows stand than are spoken of, only those are looked at."""

_PUT = (
    f"INSERT INTO point ({_ROW}) VALUES ({', '.join('?' * (_WIDTH + 3))})"
    " ON CONFLICT DO UPDATE SET qty = excluded.qty, min = excluded.min,"
    " avg = excluded.avg, max = excluded.max, tag = excluded.tag, detail = excluded.detail,"
    " offset_min = excluded.offset_min, said_by = excluded.said_by,"
    " closed_by = excluded.closed_by"
)
_CUT = "DELETE FROM point WHERE series = ? AND at_ms = ? AND sub = ? AND origin = ? AND n >= ?"


class SeriesMerge:
    """Merges the candidates of one delivery into one series, inside the caller's write
    transaction. `recent` holds what stands where phones speak; it is of no use for a `long`
    metric, of which it holds nothing."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        names: Dictionary,
        speaker: Speaker,
        metric: str,
        layer: str,
        *,
        recent: Recent,
        long: bool = False,
    ) -> None:
        self._connection = connection
        self._names = names
        self._recent = recent
        self._standing_at = recent.passing if long else recent.of
        self._speaker = speaker
        self._rank = speaker.delivery.rank
        self._layer = layer
        self._series = names.series(metric, layer)
        self._closing: frozenset[Key] = frozenset()
        self._merged = Merged()

    def run(self, said: Iterable[Candidates]) -> Merged:
        """Merge all candidates, some at a time; the next of them begin later than those before."""
        first_ms = last_ms = None
        count = 0
        for part in said:
            lines = part.lines
            columns = self._numbered(lines)
            self._closing = self._closed(columns, lines.over_ms)
            self._merged.fates[merge.SAME] += part.doubles
            if not part.apart:
                columns = _in_order(columns)
            for begin, end in self._stretches(lines.at_ms):
                self._speaker.check()
                self._stretch(columns, begin, end)
            first_ms = lines.at_ms[0] if first_ms is None else first_ms
            last_ms = lines.at_ms[-1]
            count += len(lines.at_ms)
        self._merged.spoken = Spoken(self._series, first_ms, last_ms, count)
        return self._merged

    def _numbered(self, lines: Lines) -> list[Sequence[Any]]:
        """The columns of `SAID`."""
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

    def _stretches(self, at_ms: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Begins and ends of stretches, none of which is only half held."""
        edges = self._recent.edges(self._series)
        cuts = [0, len(at_ms)]
        if edges is not None:
            cuts[1:1] = bisect_left(at_ms, edges[0]), bisect_right(at_ms, edges[1])
        for begin, end in pairwise(cuts):
            if begin < end:
                for first, after in stretches(at_ms[begin:end], self._layer):
                    yield begin + first, begin + after

    def _stretch(self, columns: Sequence[Sequence[Any]], begin: int, end: int) -> None:
        """Merge what is said from one place of the columns to another."""
        at_ms = columns[0]
        first_ms, last_ms = at_ms[begin], at_ms[end - 1]
        standing = self._standing_at(self._connection, self._series, first_ms, last_ms)
        place, after = standing.place(first_ms, last_ms)
        new = begin
        if place < after:
            # What is told once more ends with the minute that was still growing; then comes the
            # news.
            stands_ms = standing.columns[0][after - 1]
            growing = bisect_left(at_ms, stands_ms, begin, end)
            new = bisect_right(at_ms, stands_ms, growing, end)
            for first, behind in ((begin, growing), (growing, new)):
                if first < behind:
                    self._meet(standing, [column[first:behind] for column in columns])
        if new < end:
            place, _ = standing.place(at_ms[new], last_ms)
            self._add(standing, place, [column[new:end] for column in columns])

    def _add(self, standing: Standing, place: int, columns: Sequence[Sequence[Any]]) -> None:
        """Write what nothing stands in the way of."""
        count = len(columns[0])
        self._merged.fates[merge.NEW] += count
        self._merged.readings += count
        self._merged.change(columns[0][0], columns[0][-1])
        closed_by: Sequence[int | None] = [None] * count
        if self._closing:
            keys = zip(*columns[:3], strict=True)
            closed_by = [self._first_closed(key, None) for key in keys]
        whole = [*columns, [self._speaker.number] * count, closed_by]
        told = dict(zip(COLUMNS, whole, strict=True))
        point_rows.add(self._connection, told | {"series": [self._series] * count})
        standing.put_columns(place, place, whole)

    def _meet(self, standing: Standing, columns: Sequence[Sequence[Any]]) -> None:
        """Merge what may stand already."""
        begin, end = standing.place(columns[0][0], columns[0][-1])
        count = len(columns[0])
        if end - begin > _SPARSE * count and columns[0][0] < columns[0][-1]:
            for first, behind in _instants(columns[0]):
                self._meet(standing, [column[first:behind] for column in columns])
        elif end - begin == count and not self._closing and standing.says(begin, columns):
            self._merged.fates[merge.SAME] += count
            self._raise(standing, begin, end)
        else:
            self._compare(standing, begin, end, list(zip(*columns, strict=True)))

    def _compare(self, standing: Standing, begin: int, end: int, mine: list[Row]) -> None:
        """Merge what stands between two places reading by reading."""
        theirs = standing.rows(begin, end)
        odd = self._odd(mine, theirs)
        stays = [row for row in theirs if row[0] not in odd]
        if stays:
            self._merged.fates[merge.SAME] += len(stays)
            self._raise_all_but(standing, begin, theirs, odd)
        if odd:
            theirs = standing.rows(begin, end)
            now = self._meet_each(
                [row for row in mine if row[0] in odd], [row for row in theirs if row[0] in odd]
            )
            now += (row for row in theirs if row[0] not in odd)
            standing.put(begin, end, sorted(now, key=_whole_key))

    def _odd(self, mine: list[Row], standing: list[Row]) -> set[int]:
        """Instants at which not all stands as it is said, or was closed by another."""
        differing = {*mine}.symmetric_difference(row[:_WIDTH] for row in standing)
        odd = {row[0] for row in differing}
        if self._closing:
            odd |= {row[0] for row in standing if self._first_closed(row[:3], row[-1]) != row[-1]}
        return odd

    def _raise_all_but(
        self, standing: Standing, begin: int, rows: Sequence[Row], odd: set[int]
    ) -> None:
        """Raise the rows that stand from `begin` on, but those of some instants."""
        for is_odd, run in groupby(rows, lambda row: row[0] in odd):
            end = begin + sum(1 for _ in run)
            if not is_odd:
                self._raise(standing, begin, end)
            begin = end

    def _raise(self, standing: Standing, begin: int, end: int) -> None:
        """Let this delivery be the one that says what stands there, where it ranks higher."""
        ranks = self._speaker.ranks
        lower = {one for one in standing.said_by(begin, end) if ranks.of(one) < self._rank}
        if lower:
            standing.let_say(begin, end, self._speaker.number, lower)

    def _meet_each(self, mine: list[Row], theirs: list[Row]) -> list[Row]:
        """Merge coordinate by coordinate; the rows that stand there now."""
        there = {key: list(rows) for key, rows in groupby(theirs, _key)}
        put: list[Row] = []
        for key, rows in groupby(mine, _key):
            met = self._met(key, list(rows), there.get(key))
            if met:
                put += met
                there[key] = met
        self._connection.executemany(_PUT, [(*row, self._series) for row in put])
        return [row for rows in there.values() for row in rows]

    def _met(self, key: Key, mine: list[Row], theirs: list[Row] | None) -> list[Row]:
        """The rows of a coordinate that are to be written."""
        fates = self._merged.fates
        if theirs is None:
            fates[merge.NEW] += len(mine)
            self._merged.readings += len(mine)
            self._merged.change(key[0], key[0])
            return _said(mine, self._speaker.number, self._first_closed(key, None))
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
        # What is the same may be spelled with another offset.
        same = meeting.fate == merge.SAME and mine == [row[:_WIDTH] for row in theirs]
        if (meeting.wins and not same) or closed_by != stood_closed_by:
            self._merged.change(key[0], key[0])
        if meeting.wins:
            self._merged.readings += len(mine) - len(theirs)
            if len(mine) < len(theirs):
                self._connection.execute(_CUT, (self._series, *key, len(mine)))
            return _said(mine, self._speaker.number, closed_by)
        return [] if closed_by == stood_closed_by else _said(theirs, said_by, closed_by)

    def _first_closed(self, key: Key, closed_by: int | None) -> int | None:
        """Who of all that spoke after the bucket's end ranks least."""
        if key not in self._closing:
            return closed_by
        if closed_by is None or self._rank < self._speaker.ranks.of(closed_by):
            return self._speaker.number
        return closed_by


def _instants(at_ms: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Begin and end of what begins together."""
    begin = 0
    for _, together in groupby(at_ms):
        end = begin + sum(1 for _ in together)
        yield begin, end
        begin = end


def _said(rows: list[Row], said_by: int, closed_by: int | None) -> list[Row]:
    return [(*row[:_WIDTH], said_by, closed_by) for row in rows]


def _in_order(columns: list[Sequence[Any]]) -> list[Sequence[Any]]:
    """Columns of `SAID` by instant, in the order of the keys."""
    rows = sorted(zip(*columns, strict=True), key=_whole_key)
    return [list(column) for column in zip(*rows, strict=True)]
