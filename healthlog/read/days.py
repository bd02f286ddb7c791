"""What the mart knows of one day, of its nights."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from healthlog import days
from healthlog.days import Item, Told
from healthlog.layer import DAY
from healthlog.mart.offsets import Offsets
from healthlog.model import Rank
from healthlog.moment import DAY_MS, HOUR_MS
from healthlog.nights.nights import Night, nights
from healthlog.nights.words import said
from healthlog.read.records import Views, records
from healthlog.read.series import Question, of_date
from healthlog.records.record import SLEEP, WORKOUT
from healthlog.series.buckets import FAR_MS
from healthlog.series.source_order import SourceOrder
from healthlog.span import Edge, Span

# A day's readings begin no earlier than a whole day before its earliest midnight on earth: then
# the longest sample began that reaches into it.
_BEFORE_MS = FAR_MS + 36 * HOUR_MS
_SLEEP_BEFORE_MS = FAR_MS + 2 * DAY_MS
"""Sleep that began so long before a date may still belong to its night, or overlap one of it."""

_METRICS = (
    "SELECT DISTINCT metric FROM series"
    " WHERE points > 0 AND first_at_ms < ? AND last_at_ms >= ? ORDER BY metric"
)
_RANK = "SELECT said_at_us, received_at_us, delivery_id FROM folded WHERE delivery_id = ?"


def day(
    connection: sqlite3.Connection,
    date: int,
    order: SourceOrder,
    *,
    routes: bool = True,
    notes: Sequence[Item] = (),
) -> dict[str, object]:
    """The day object of a date (days since 1970), with the notes that were spoken on it; without
    `routes` without the places of its workouts."""
    first_ms, last_ms = date * DAY_MS, (date + 1) * DAY_MS
    metrics = connection.execute(_METRICS, (last_ms + FAR_MS, first_ms - _BEFORE_MS)).fetchall()
    told = [
        Told(*of_date(connection, Question(metric, DAY, order=order), date))
        for (metric,) in metrics
    ]
    workouts = records(connection, WORKOUT, _span(first_ms - FAR_MS, last_ms + FAR_MS))
    return days.day(
        date,
        told,
        slept(connection, date, date + 1, order),
        workouts,
        view=Views(connection, routes=routes).view,
        offsets=Offsets(connection),
        notes=notes,
    )


def slept(connection: sqlite3.Connection, first: int, last: int, order: SourceOrder) -> list[Night]:
    """The nights and naps that ended on dates from `first` to before `last`, in their order."""
    offsets, ranks = Offsets(connection), _Ranks(connection)
    span = _span(first * DAY_MS - _SLEEP_BEFORE_MS, last * DAY_MS + FAR_MS)
    told = (
        said(record, max(ranks[one] for one in record.delivery_ids), offsets)
        for record in records(connection, SLEEP, span)
    )
    words = [word for word in told if word is not None]
    return [one for one in nights(words, order, offsets) if first <= one.day < last]


class _Ranks(dict[str, Rank]):
    """Ranks of deliveries by their ids, each read when it is first named."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__()
        self._connection = connection

    def __missing__(self, delivery_id: str) -> Rank:
        said_at_us, received_at_us, _ = self._connection.execute(_RANK, (delivery_id,)).fetchone()
        rank = self[delivery_id] = (said_at_us, received_at_us, delivery_id)
        return rank


def _span(first_ms: int, last_ms: int) -> Span:
    return Span(Edge(first_ms * 1000, first_ms // DAY_MS), Edge(last_ms * 1000, last_ms // DAY_MS))
