"""What the mart answers about records: one of them, or all of a stretch page by page."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from healthlog.mart import overlaps, record_rows
from healthlog.mart.offsets import Offsets
from healthlog.mart.record_rows import COLUMNS, Row
from healthlog.moment import day_text, instant_text
from healthlog.records import derive
from healthlog.records.join import is_loose, mate, shown
from healthlog.records.places import without_places
from healthlog.records.record import WORKOUT, Record
from healthlog.span import LEAST, Span

OVERLAPS = "overlaps"

# As stored; as text it may be several times as much.
_HEAVY_BYTES = 4 * 1024 * 1024
_LISTED = (
    "NOT (loose AND EXISTS (SELECT 1 FROM record AS host WHERE host.kind = record.kind"
    " AND host.mate = record.mate AND NOT host.loose))"
)
_OF_ALL = (
    f"SELECT {COLUMNS} FROM record WHERE (at_ms, kind, key) > (?, ?, ?) AND at_ms < ?"
    f" AND {_LISTED} ORDER BY at_ms, kind, key LIMIT ?"
)
_OF_KIND = (
    f"SELECT {COLUMNS} FROM record WHERE kind = ? AND (at_ms, key) > (?, ?) AND at_ms < ?"
    f" AND {_LISTED} ORDER BY at_ms, key LIMIT ?"
)
_OVERLAPPED = (
    f"SELECT 1 FROM record WHERE {overlaps.OVERLAPPING} AND {_LISTED}"
    " AND key <> :key AND NOT (:loose AND mate IS :mate) LIMIT 1"
)
_MATES = f"SELECT {COLUMNS} FROM record WHERE kind = ? AND mate = ?"


class Position(NamedTuple):
    """Place of a record among all, oldest first, by which a page ends."""

    at_ms: int
    kind: str
    key: str


@dataclass(frozen=True, slots=True)
class Page:
    """Records as the contract's objects, and the position that the next page begins behind, None
    at the end."""

    items: list[dict[str, object]]
    following: Position | None


def page(
    connection: sqlite3.Connection,
    kind: str | None,
    span: Span,
    *,
    behind: Position | None = None,
    limit: int,
    routes: bool = True,
) -> Page:
    """At most `limit` records that begin within `span`, of one kind or of all, behind a position,
    oldest first; those of one instant by kind, then key. A record whose time is not known stands
    before all others, and in no span. Without `routes` the places of workouts are left out.

    What only fills the gaps of another record is not listed by itself. A page of heavy records,
    such as electrocardiograms, ends sooner.
    """
    rows = _rows(connection, kind, span, behind=behind, limit=limit + 1)
    views = Views(connection, routes=routes)
    items: list[dict[str, object]] = []
    weight = 0
    for row in rows[:limit]:
        if weight > _HEAVY_BYTES:
            break
        weight += record_rows.weight(connection, row.record)
        items.append(views.view(_joined(connection, row)))
    if len(items) == len(rows):
        return Page(items, None)
    last = rows[len(items) - 1]
    return Page(items, Position(last.at_ms, last.kind, last.key))


def one(
    connection: sqlite3.Connection, kind: str, key: str, *, routes: bool = True
) -> dict[str, object] | None:
    """The record of this kind and key, its gaps filled; None if there is none. One that fills the
    gaps of another can still be asked for."""
    row = record_rows.find(connection, kind, key)
    if row is None:
        return None
    return Views(connection, routes=routes).view(_joined(connection, row))


def records(connection: sqlite3.Connection, kind: str, span: Span) -> Iterator[Record]:
    """All records of a kind that begin within `span`, as they are listed, oldest first."""
    for row in _rows(connection, kind, span, behind=None, limit=-1):
        yield _joined(connection, row)


class Views:
    """Makes the objects of one answer: times in the clock's offset, days as the clock has them,
    without the places of workouts where no `routes` are wanted."""

    def __init__(self, connection: sqlite3.Connection, *, routes: bool = True) -> None:
        self._connection = connection
        self._offsets = Offsets(connection)
        self._routes = routes

    def view(self, record: Record) -> dict[str, object]:
        """The contract's object of a record; a start, end or day that isn't known is left out."""
        kind, offset_min = record.kind, self._offsets.offset_min
        edges = record.start_ms, record.end_ms
        day = derive.day(kind, *edges, offset_min)
        members: list[tuple[str, object]] = [
            ("kind", kind),
            ("key", record.key),
            ("start", self._text(record.start_ms)),
            ("end", self._text(record.end_ms)),
            ("day", None if day is None else day_text(day)),
            ("data", self._data(record)),
            ("derived", record.derived | derive.by_clock(kind, record.data, *edges, offset_min)),
            ("flags", sorted({*record.flags, *self._overlaps(record)})),
            ("delivery_ids", list(record.delivery_ids)),
        ]
        return {name: value for name, value in members if value is not None}

    def _data(self, record: Record) -> dict[str, Any]:
        if self._routes or record.kind != WORKOUT:
            return record.data
        return without_places(record.data)

    def _overlaps(self, record: Record) -> tuple[str, ...]:
        """The flag of a workout that was at the time of another one."""
        time = overlaps.time_of(record.kind, record.start_ms, record.end_ms)
        if time is None:
            return ()
        own = {
            "key": record.key,
            "loose": is_loose(record.kind, record.data),
            "mate": mate(record.kind, record.data),
        }
        found = self._connection.execute(_OVERLAPPED, {**time._asdict(), **own}).fetchone()
        return () if found is None else (OVERLAPS,)

    def _text(self, at_ms: int | None) -> str | None:
        return None if at_ms is None else instant_text(at_ms, self._offsets.offset_min(at_ms))


def _rows(
    connection: sqlite3.Connection,
    kind: str | None,
    span: Span,
    *,
    behind: Position | None,
    limit: int,
) -> list[Row]:
    first_ms, last_ms = span.instants_ms
    if span.last is not None:
        first_ms = max(first_ms, LEAST + 1)  # what has no time stands at LEAST
    begin = max(Position(first_ms, "", ""), behind or Position(LEAST, "", ""))
    if kind is None:
        found = connection.execute(_OF_ALL, (*begin, last_ms, limit))
    else:
        found = connection.execute(_OF_KIND, (kind, *_place(kind, begin), last_ms, limit))
    return list(map(Row._make, found))


def _place(kind: str, begin: Position) -> tuple[int, str]:
    """Where to begin among those of one kind."""
    if kind == begin.kind:
        return begin.at_ms, begin.key
    return (begin.at_ms + 1, "") if kind < begin.kind else (begin.at_ms, "")


def _joined(connection: sqlite3.Connection, row: Row) -> Record:
    """The record of a row with what it is shown with."""
    record = record_rows.record_of(connection, row)
    if row.mate is None or row.loose:
        return record
    rows = map(Row._make, connection.execute(_MATES, (row.kind, row.mate)).fetchall())
    same = [record_rows.record_of(connection, mate) for mate in rows]
    if len(same) == 1:
        return record
    return next(one for one in shown(same) if one.key == row.key)
