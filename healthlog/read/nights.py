"""Nights as answers show them, of many dates at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

from healthlog.base.stored import items
from healthlog.days import night_view
from healthlog.mart.offsets import Offsets
from healthlog.moment import DAY_MS
from healthlog.read.days import slept
from healthlog.series.shelf import Dates
from healthlog.series.source_order import SourceOrder
from healthlog.summaries.dates import pieces
from healthlog.summaries.fresh import stale_nights

View = dict[str, object]

_MEMBERS = (
    "day, session, started, ended, lain_down, got_up, total_h, in_bed_h, deep_h, rem_h, core_h,"
    " awake_h, asleep_h, sources, keys, flags"
)
_NAMES = (
    *("day", "session", "start", "end", "bed_start", "bed_end", "total_h", "in_bed_h"),
    *("deep_h", "rem_h", "core_h", "awake_h", "asleep_h", "sources", "keys", "flags"),
)
_LISTS = frozenset(("sources", "keys", "flags"))
_KEPT = f"SELECT start_ms, end_ms, {_MEMBERS} FROM night WHERE day_ms >= ? AND day_ms < ?"

_Found = tuple[int, int, View]


def night_views(
    connection: sqlite3.Connection, first: int, last: int, order: SourceOrder
) -> list[View]:
    """The nights and naps that ended on dates (days since 1970) from `first` to before `last`, in
    their order: out of the summaries where these say what the records do."""
    dates, stale = Dates(first, last), stale_nights(connection, order)
    found: list[_Found] = []
    for piece in pieces(dates, [dates] if stale is None else stale):
        of_piece = Dates(piece.first, piece.last)
        if piece.fresh:
            found += _kept(connection, of_piece)
        else:
            found += _made(connection, of_piece, order)
    return [view for _, _, view in sorted(found, key=lambda one: one[:2])]


def _made(connection: sqlite3.Connection, dates: Dates, order: SourceOrder) -> Iterator[_Found]:
    offsets = Offsets(connection)
    for night in slept(connection, *dates, order):
        yield *night.slept, night_view(night, offsets)


def _kept(connection: sqlite3.Connection, dates: Dates) -> Iterator[_Found]:
    ends = dates.first * DAY_MS, dates.last * DAY_MS
    for start_ms, end_ms, *members in connection.execute(_KEPT, ends).fetchall():
        found: Iterator[tuple[str, Any]] = zip(_NAMES, members, strict=True)
        yield (
            start_ms,
            end_ms,
            {
                name: items(value) if name in _LISTS else value
                for name, value in found
                if value is not None
            },
        )
