"""The dates on which a metric has readings."""

from __future__ import annotations

import sqlite3

from healthlog.layer import DATED, DAY
from healthlog.mart.offsets import Offsets
from healthlog.moment import DAY_MS, HOUR_MS, MINUTE_MS
from healthlog.series.buckets import FAR_MS

_SERIES = "SELECT layer, series FROM series WHERE metric = ? AND points > 0"
_NEXT = (
    "SELECT at_ms FROM point WHERE series = ? AND at_ms >= ? AND at_ms < ? ORDER BY at_ms LIMIT 1"
)
_DATES = (
    "SELECT DISTINCT sub FROM point"
    " WHERE series = ? AND at_ms >= ? AND at_ms < ? AND sub >= ? AND sub < ?"
)
_BEFORE_DATE_MS = FAR_MS + 12 * HOUR_MS


def dates_with(
    connection: sqlite3.Connection, metric: str, first: int, last: int, offsets: Offsets
) -> set[int]:
    """The local dates (days since 1970) from `first` to before `last` on which a reading begins.
    What a week, month or year adds up to tells of none.

    One look-up for each date with readings, however many there are on it.
    """
    found: set[int] = set()
    for layer, series in connection.execute(_SERIES, (metric,)).fetchall():
        if layer == DAY:
            stretch = (first * DAY_MS - _BEFORE_DATE_MS, last * DAY_MS + FAR_MS)
            rows = connection.execute(_DATES, (series, *stretch, first, last))
            found.update(date for (date,) in rows.fetchall())
        elif layer not in DATED:
            found.update(_of_instants(connection, series, first, last, offsets))
    return found


def _of_instants(
    connection: sqlite3.Connection, series: int, first: int, last: int, offsets: Offsets
) -> set[int]:
    found = set()
    at_ms, end_ms = first * DAY_MS - FAR_MS, last * DAY_MS + FAR_MS
    while row := connection.execute(_NEXT, (series, at_ms, end_ms)).fetchone():
        ahead_ms = offsets.offset_min(row[0]) * MINUTE_MS
        date = (row[0] + ahead_ms) // DAY_MS
        if first <= date < last:
            found.add(date)
        at_ms = (date + 1) * DAY_MS - ahead_ms
    return found
