"""What the mart answers: its metrics, their readings page by page."""

from __future__ import annotations

import heapq
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import NamedTuple

from healthlog.base.errors import Damaged
from healthlog.base.stored import DANGLING, members
from healthlog.layer import DATED, DAY, LAYERS, UNGROUPED
from healthlog.mart.dictionary import DATE_ALONE
from healthlog.mart.offsets import Offsets
from healthlog.moment import DAY_MS, instant_text
from healthlog.read.view import (
    AMBIGUOUS_SECOND,
    OTHER_ZONE,
    Row,
    Start,
    Views,
    midnight_of,
    start_of,
    tag_of,
)
from healthlog.read.zones import other_zone
from healthlog.span import LEAST, MOST, Span

_COLUMNS = (
    "at_ms, {place}, sub, origin, n, qty, min, avg, max, tag.label, folded.delivery_id,"
    " offset_min, detail FROM point"
    " LEFT JOIN tag ON tag.tag = point.tag LEFT JOIN folded ON folded.delivery = point.said_by"
)
# One row-value comparison: spelled out with OR it would read the series from its start.
_PAGE = (
    f"SELECT {_COLUMNS} WHERE series = ? AND (at_ms, sub, origin, n) > (?, ?, ?, ?)"
    " AND at_ms < ?{only} ORDER BY at_ms, sub, origin, n LIMIT ?"
)
# Days are stored by their instants. How far those lie from their dates' midnights in UTC at most:
# 18 hours of offset, and a day off the grid (a trap's) or half of one (before a midnight).
_OFF_DATE_MS = 2 * DAY_MS
_NAMES = "SELECT DISTINCT metric FROM series WHERE points > 0 ORDER BY metric"
_SUMMARIES = "SELECT series, metric, layer, points, first_at_ms, last_at_ms FROM series"
_END = f"SELECT {_COLUMNS} WHERE series = ? AND at_ms = ? ORDER BY sub {{o}}, origin {{o}}, n {{o}}"


class Position(NamedTuple):
    """Place of a reading among all of its metric, oldest first, by which a page ends."""

    at_ms: int
    layer: str
    sub: int
    origin: int
    n: int


@dataclass(frozen=True, slots=True)
class Page:
    """Readings as the contract's point objects, and the position that the next page begins
    behind, None at the end."""

    items: list[dict[str, object]]
    following: Position | None


def metrics(connection: sqlite3.Connection, now_us: int) -> list[dict[str, object]]:
    """Every metric in the order of their names: its unit, layers (finest first), first and last
    instant, number of readings, and the age of the last one in seconds.

    A date alone counts as its midnight by the clock.
    """
    by_metric: defaultdict[str, list[_Series]] = defaultdict(list)
    for series, metric, layer, *summary in connection.execute(f"{_SUMMARIES} WHERE points > 0"):
        by_metric[metric].append(_Series(series, layer, *summary))
    offsets = Offsets(connection)
    return [
        _metric(connection, offsets, name, by_metric[name], now_us) for name in sorted(by_metric)
    ]


def names(connection: sqlite3.Connection) -> list[str]:
    """The names of all metrics there are readings of."""
    return [name for (name,) in connection.execute(_NAMES)]


def metric(connection: sqlite3.Connection, name: str, now_us: int) -> dict[str, object] | None:
    """The same of one metric; None without a reading of it."""
    rows = connection.execute(f"{_SUMMARIES} WHERE metric = ? AND points > 0", (name,)).fetchall()
    of_metric = [_Series(series, layer, *summary) for series, _, layer, *summary in rows]
    return _metric(connection, Offsets(connection), name, of_metric, now_us) if rows else None


class _Series(NamedTuple):
    number: int
    layer: str
    points: int
    first_at_ms: int
    last_at_ms: int


def _metric(
    connection: sqlite3.Connection,
    offsets: Offsets,
    name: str,
    of_metric: Sequence[_Series],
    now_us: int,
) -> dict[str, object]:
    finest_first = sorted(of_metric, key=lambda one: LAYERS.index(one.layer))
    firsts = [_end(connection, offsets, one, "ASC") for one in finest_first]
    lasts = [_end(connection, offsets, one, "DESC") for one in finest_first]
    first, _ = min(firsts, key=lambda end: end[0].at_ms)
    last, unit = max(lasts, key=lambda end: end[0].at_ms)
    shown: dict[str, object] = {"name": name} if unit is None else {"name": name, "unit": unit}
    return shown | {
        "layers": [one.layer for one in finest_first],
        "first_at": instant_text(*first),
        "last_at": instant_text(*last),
        "points": sum(one.points for one in of_metric),
        "age_s": max(0, now_us // 1_000_000 - last.at_ms // 1_000),
    }


def _end(
    connection: sqlite3.Connection, offsets: Offsets, one: _Series, order: str
) -> tuple[Start, str | None]:
    """When the first (ASC) or last (DESC) reading of a series begins, and its unit."""
    at_ms = one.first_at_ms if order == "ASC" else one.last_at_ms
    sql = _END.format(place=LAYERS.index(one.layer), o=order)
    found = connection.execute(sql, (one.number, at_ms)).fetchone()
    if found is None:
        raise Damaged(DANGLING)
    row = Row._make(found)
    start = start_of(row, one.layer, members(row.detail), offsets) or midnight_of(row, offsets)
    return start, tag_of(row.label)[0]


def points(
    connection: sqlite3.Connection,
    metric: str,
    layer: str | None,
    span: Span,
    *,
    behind: Position | None = None,
    limit: int,
) -> Page:
    """At most `limit` readings of a metric that begin within `span`, behind a position, oldest
    first; of all layers where none is named, those of one instant finest layer first."""
    series = _series_of(connection, metric, layer)
    found = (
        _rows(connection, number, one, span, behind=behind, limit=limit + 1)
        for one, number in series.items()
    )
    rows = list(islice(heapq.merge(*found), limit + 1))
    offsets = Offsets(connection)
    flags = _flags(connection, offsets, metric, series.get(DAY), rows)
    views = Views(metric, offsets)
    items = [
        views.view(row, LAYERS[row.place], said)
        for row, said in islice(zip(rows, flags, strict=True), limit)
    ]
    if len(rows) <= limit:
        return Page(items, None)
    last = rows[limit - 1]
    return Page(items, Position(last.at_ms, LAYERS[last.place], last.sub, last.origin, last.n))


def _series_of(connection: sqlite3.Connection, metric: str, layer: str | None) -> dict[str, int]:
    """Numbers of a metric's series by layer, or of the one of that layer."""
    found: dict[str, int] = dict(
        connection.execute("SELECT layer, series FROM series WHERE metric = ?", (metric,))
    )
    return {one: found[one] for one in LAYERS if one in found and layer in {None, one}}


def _rows(
    connection: sqlite3.Connection,
    series: int,
    layer: str,
    span: Span,
    *,
    behind: Position | None,
    limit: int,
) -> Iterator[Row]:
    place = LAYERS.index(layer)
    first_ms, last_ms = span.dates_ms if layer in DATED else span.instants_ms
    only = ""
    bounds: tuple[int, ...] = ()
    if layer == DAY:
        first_ms = max(first_ms, LEAST + _OFF_DATE_MS) - _OFF_DATE_MS
        last_ms = min(last_ms, MOST - _OFF_DATE_MS) + _OFF_DATE_MS
        only, bounds = _only_days(span)
    sql = _PAGE.format(place=place, only=only)
    begin = _begin(place, first_ms, behind)
    yield from map(Row._make, connection.execute(sql, (series, *begin, last_ms, *bounds, limit)))


def _only_days(span: Span) -> tuple[str, tuple[int, ...]]:
    """The condition on rows of days, with its values: an edge named by a date is compared with
    their dates; one named by an instant with their instants, where they have one."""
    only = ""
    bounds: tuple[int, ...] = ()
    for edge, compared in ((span.first, ">="), (span.last, "<")):
        if edge is None:
            continue
        if edge.dated:
            only, bounds = f"{only} AND sub {compared} ?", (*bounds, edge.day)
        else:
            by_instant = f"CASE WHEN origin = {DATE_ALONE} THEN sub {compared} ? ELSE at_ms"
            only = f"{only} AND {by_instant} {compared} ? END"
            bounds = (*bounds, edge.day, edge.at_ms)
    return only, bounds


def _begin(place: int, first_ms: int, behind: Position | None) -> tuple[int, int, int, int]:
    """The key that the rows of a layer must be greater than."""
    begin = (first_ms, LEAST, LEAST, LEAST)
    if behind is None:
        return begin
    reached = LAYERS.index(behind.layer)
    if place == reached:
        return max(begin, (behind.at_ms, behind.sub, behind.origin, behind.n))
    edge = MOST if place < reached else LEAST
    return max(begin, (behind.at_ms, edge, edge, edge))


def _flags(
    connection: sqlite3.Connection,
    offsets: Offsets,
    metric: str,
    days: int | None,
    rows: Sequence[Row],
) -> list[list[str]]:
    """The flags of each row. A row more than the page has shows whether the last stands alone."""
    flags: list[list[str]] = [[] for _ in rows]
    for (one, row), (other, following) in pairwise(enumerate(rows)):
        if LAYERS[row.place] in UNGROUPED and row.coordinate == following.coordinate:
            flags[one], flags[other] = [AMBIGUOUS_SECOND], [AMBIGUOUS_SECOND]
    if rows and rows[0].n > 0 and LAYERS[rows[0].place] in UNGROUPED:
        flags[0] = [AMBIGUOUS_SECOND]  # its fellows stand on the page before
    timed = [row.at_ms for row in rows if _is_timed_day(row)]
    if days is not None and timed:
        strays = other_zone(connection, offsets, metric, days, (min(timed), max(timed)))
        for row, said in zip(rows, flags, strict=True):
            if _is_timed_day(row) and (row.at_ms, row.sub) in strays:
                said.append(OTHER_ZONE)
    return flags


def _is_timed_day(row: Row) -> bool:
    return LAYERS[row.place] == DAY and row.origin != DATE_ALONE
