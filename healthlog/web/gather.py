"""What pages ask the read side for."""

from __future__ import annotations

import sqlite3
from typing import Any

from healthlog.mart.offsets import Offsets
from healthlog.moment import DAY_MS, MINUTE_MS
from healthlog.read import records as read_records
from healthlog.read import series as read_series
from healthlog.read.series import Question
from healthlog.records.record import SLEEP, WORKOUT
from healthlog.series.buckets import midnight_ms
from healthlog.series.source_order import SourceOrder
from healthlog.span import Edge, Span
from healthlog.web.view import View

MOST = 10_000
"""Items in one page; no span has more buckets."""

_FIRST = "SELECT min(first_at_ms) FROM series WHERE metric = ? AND points > 0"


def local_day(connection: sqlite3.Connection, at_ms: int) -> int:
    """The date on the phone at an instant (days since 1970)."""
    return (at_ms + Offsets(connection).offset_min(at_ms) * MINUTE_MS) // DAY_MS


def first_day(connection: sqlite3.Connection, metric: str) -> int | None:
    """The date of a metric's first reading; None without any."""
    (at_ms,) = connection.execute(_FIRST, (metric,)).fetchone()
    return None if at_ms is None else local_day(connection, at_ms)


def series(connection: sqlite3.Connection, seen: View, order: SourceOrder) -> dict[str, Any]:
    """The series object of what is looked at."""
    question = Question(
        seen.metric, seen.bucket, dates(connection, seen.first, seen.until), order=order
    )
    page = read_series.page(connection, question, limit=MOST)
    return {**page.head, "items": page.items}


def dates(connection: sqlite3.Connection, first: int, until: int) -> Span:
    """The stretch from the midnight of one date to that of another, as the phone had them."""
    offsets = Offsets(connection)

    def edge(day: int) -> Edge:
        near_ms = midnight_ms(day, offsets.offset_min(day * DAY_MS))
        return Edge(midnight_ms(day, offsets.offset_min(near_ms)) * 1000, day, dated=True)

    return Span(edge(first), edge(until))


def records(
    connection: sqlite3.Connection, kind: str | None, first: int, until: int
) -> list[dict[str, Any]]:
    """All records of a kind that begin on the dates, oldest first; of every kind but workouts and
    sleep, which have pages of their own, where none is named. No list shows where somebody was."""
    span = dates(connection, first, until)
    found: list[dict[str, Any]] = []
    behind = None
    while True:
        page = read_records.page(connection, kind, span, behind=behind, limit=MOST, routes=False)
        found += page.items
        behind = page.following
        if behind is None or len(found) >= MOST:
            break
    return found if kind else [one for one in found if one["kind"] not in {WORKOUT, SLEEP}]
