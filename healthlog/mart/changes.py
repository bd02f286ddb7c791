"""What changed from fold to fold: noted for whoever keeps a copy of the mart."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from healthlog.base.errors import Damaged
from healthlog.base.stored import DANGLING
from healthlog.mart.quarters import Stretch

FIRST_RECORD = 1 << 40
"""Records of a fold come after its series: this much is added to their numbers."""

UNNAMED = "its own name is gone"
_CLOCK = 0
_NEXT = "UPDATE mart SET folds = folds + 1 RETURNING folds"
_NOTE = "INSERT INTO change (fold, series, first_at_ms, last_at_ms) VALUES (?, ?, ?, ?)"
# One row-value comparison: spelled out with OR it would read the table from its start.
_PAGE = """
SELECT fold, series, metric, layer, change.first_at_ms, change.last_at_ms
FROM change LEFT JOIN series USING (series)
WHERE (fold, series) > (?, ?) ORDER BY fold, series LIMIT ?
"""
_RECORDS = """
SELECT changed_by, record, kind, key FROM record
WHERE (changed_by, record) > (?, ?) ORDER BY changed_by, record LIMIT ?
"""


class Changes:
    """Notes of one fold, inside its transaction. `fold` is its number among the folds of this
    mart; only what is to be `noted` is written down."""

    def __init__(self, connection: sqlite3.Connection, *, noted: bool) -> None:
        self._connection = connection
        self._noted = noted
        self.fold = _only(connection.execute(_NEXT).fetchall())[0]

    def points(self, series: int, first_ms: int, last_ms: int) -> None:
        """Readings between two places of a series are new or differ."""
        self._note(series, first_ms, last_ms)

    def clock(self, stretch: Stretch | None) -> None:
        """Instants of this stretch have another offset."""
        if stretch is not None:
            self._note(_CLOCK, *stretch)

    def _note(self, series: int, first_ms: int | None, last_ms: int | None) -> None:
        if self._noted:
            self._connection.execute(_NOTE, (self.fold, series, first_ms, last_ms))


class Place(NamedTuple):
    """Place of a change among all of a mart: the fold's number, then the series'."""

    fold: int
    series: int


class Change(NamedTuple):
    """One stretch of a series that one fold changed, by places of rows (`point.at_ms`), both
    included; of the clock, by instants, where metric and layer are None; or one record, by kind
    and key."""

    fold: int
    series: int
    metric: str | None
    layer: str | None
    first_ms: int | None
    last_ms: int | None
    record: tuple[str, str] | None = None


def generation(connection: sqlite3.Connection) -> tuple[str, int]:
    """The name of this mart, and the number of its last fold."""
    name, folds = _only(connection.execute("SELECT generation, folds FROM mart").fetchall())
    return name, folds


def page(connection: sqlite3.Connection, behind: Place, limit: int) -> list[Change]:
    """At most `limit` changes behind a place, in the order of the folds."""
    found = [Change(*row) for row in connection.execute(_PAGE, (*behind, limit))]
    if any(one.series != _CLOCK and one.metric is None for one in found):
        raise Damaged(DANGLING)
    records = connection.execute(_RECORDS, (behind.fold, behind.series - FIRST_RECORD, limit))
    found += [
        Change(fold, record + FIRST_RECORD, None, None, None, None, (kind, key))
        for fold, record, kind, key in records
    ]
    return sorted(found, key=itemgetter(0, 1))[:limit]


def _only(rows: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The one row of a mart about itself."""
    if len(rows) != 1:
        raise Damaged(UNNAMED)
    return rows[0]
