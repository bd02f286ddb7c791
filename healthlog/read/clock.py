"""The clock of a whole stretch of time, read at once."""

from __future__ import annotations

import sqlite3

from healthlog.mart.offsets import Offsets
from healthlog.mart.quarters import QUARTER_MS
from healthlog.series.buckets import Change, Stretch, Zones

_CHANGES = (
    "SELECT quarter, offset_min FROM (SELECT quarter, offset_min,"
    " lag(offset_min) OVER (ORDER BY quarter) AS before"
    " FROM quarter WHERE quarter BETWEEN ? AND ?) WHERE before IS NOT offset_min"
)


def zones(connection: sqlite3.Connection, offsets: Offsets, stretch: Stretch) -> Zones:
    """The clock of a stretch, where it changes."""
    first, last = stretch.first_ms // QUARTER_MS, stretch.last_ms // QUARTER_MS
    found = [
        Change(quarter * QUARTER_MS, offset_min)
        for quarter, offset_min in connection.execute(_CHANGES, (first, last))
    ]
    # What rules at the start was named before it, or is named next.
    at_start = offsets.offset_min(stretch.first_ms)
    return Zones([Change(first * QUARTER_MS, at_start), *found])
