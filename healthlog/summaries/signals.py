"""What was said since the last look, as dates that have to be made again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from healthlog.layer import MINUTE, RAW
from healthlog.mart.offsets import Offsets
from healthlog.mart.quarters import QUARTER_MS
from healthlog.moment import DAY_MS
from healthlog.records.record import SLEEP, WORKOUT
from healthlog.series.shelf import Dates
from healthlog.span import LEAST
from healthlog.summaries.dates import (
    DAYS,
    NIGHTS,
    WORKOUTS,
    of_instants,
    of_nights,
    of_readings,
    within,
)

_SERIES = "SELECT series, metric, layer FROM series WHERE points > 0"
_OF_METRIC = f"{_SERIES} AND metric = ?"
_SPOKE = "SELECT first_at_ms, last_at_ms FROM spoke WHERE series = ? AND delivery > ?"
_CHANGED = (
    "SELECT metric, layer, change.first_at_ms, change.last_at_ms"
    " FROM change JOIN series USING (series) WHERE fold > ?"
)
_CLOCK = "SELECT first_at_ms, last_at_ms FROM change WHERE fold > ? AND series = 0"
_TOLD = "SELECT first_at_ms, last_at_ms FROM told WHERE kind = ? AND delivery > ?"
_RECORDS = "SELECT kind, at_ms FROM record WHERE changed_by > ?"
_CHANGED_OF = "SELECT first_at_ms, last_at_ms FROM change WHERE fold > ? AND series = ?"
_EDGES = (
    "SELECT metric, layer, first_at_ms, last_at_ms FROM series WHERE points > 0"
    " AND layer NOT IN ('week', 'month', 'year')"
)
_RECORD_EDGES = "SELECT min(at_ms), max(at_ms) FROM record WHERE kind = ? AND start_ms IS NOT NULL"
_SPREAD = "SELECT min(offset_min), max(offset_min) FROM quarter WHERE quarter BETWEEN ? AND ?"
_LIVE = "SELECT min(first_at_ms) FROM series WHERE metric = ? AND layer IN (?, ?) AND points > 0"

Signal = tuple[str, str, Dates]
"""A kind of summary, the metric ("" for nights and workouts), dates."""

_OF_RECORDS = {SLEEP: NIGHTS, WORKOUT: WORKOUTS}


class _Clock:
    """The clock of the mart; what is asked again is remembered."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._offsets = Offsets(connection)
        self._known: dict[tuple[int, int], tuple[int, int]] = {}

    def spread(self, first_ms: int, last_ms: int) -> tuple[int, int]:
        """The least and the greatest offset of a stretch."""
        within = first_ms // QUARTER_MS, last_ms // QUARTER_MS
        if within not in self._known:
            named = self._connection.execute(_SPREAD, within).fetchone()
            found = [*(one for one in named if one is not None), self._offsets.offset_min(first_ms)]
            self._known[within] = min(found), max(found)
        return self._known[within]


def everything(connection: sqlite3.Connection) -> Iterator[Signal]:
    """All dates there may be something to say of."""
    yield from _all_days(connection, connection.execute(_EDGES).fetchall())
    yield from _all_records(connection, _OF_RECORDS)


def since(connection: sqlite3.Connection, delivery: int, fold: int) -> Iterator[Signal]:
    """What deliveries with greater numbers said, what later folds changed. More than differs: a
    word that is said again closes a day, too."""
    yield from _of_readings(connection, delivery, fold)
    yield from _of_records(connection, delivery, fold, _OF_RECORDS)
    yield from _moved(connection, fold, everything)


def days_of(connection: sqlite3.Connection, metric: str) -> list[Dates]:
    """All dates there may be something to say of by a metric."""
    edges = connection.execute(f"{_EDGES} AND metric = ?", (metric,)).fetchall()
    return [dates for _, _, dates in _all_days(connection, edges)]


def days_since(
    connection: sqlite3.Connection, delivery: int, fold: int, metric: str
) -> list[Dates]:
    """The same as `since` of the days of one metric."""
    clock = _Clock(connection)
    found: list[Signal] = []
    for series, _, layer in connection.execute(_OF_METRIC, (metric,)).fetchall():
        ends = [
            *connection.execute(_SPOKE, (series, delivery)),
            *connection.execute(_CHANGED_OF, (fold, series)),
        ]
        for stretch in _together(ends):
            found += _of_metric(metric, layer, stretch, clock)
    found += _moved(
        connection, fold, lambda c: ((DAYS, metric, dates) for dates in days_of(c, metric))
    )
    return [dates for _, _, dates in found]


def nights_since(connection: sqlite3.Connection, delivery: int, fold: int) -> list[Dates]:
    """The same of nights."""
    said = _of_records(connection, delivery, fold, (SLEEP,))
    moved = _moved(connection, fold, lambda c: _all_records(c, (SLEEP,)))
    return [dates for _, _, dates in (*said, *moved)]


def _all_records(connection: sqlite3.Connection, kinds: Iterable[str]) -> Iterator[Signal]:
    for kind in kinds:
        first_ms, last_ms = connection.execute(_RECORD_EDGES, (kind,)).fetchone()
        if first_ms is not None:
            yield _of_record(kind, first_ms, last_ms)


def _moved(
    connection: sqlite3.Connection,
    fold: int,
    signals: Callable[[sqlite3.Connection], Iterable[Signal]],
) -> Iterator[Signal]:
    """Of these what the clock has moved in later folds."""
    moved = [of_instants(*ends) for ends in connection.execute(_CLOCK, (fold,))]
    for kind, metric, dates in signals(connection) if moved else ():
        for ruled in moved:
            # By another offset something lay on a date beyond those that there are now.
            shared = within(Dates(dates.first - 2, dates.last + 2), ruled)
            if shared is not None:
                yield kind, metric, shared


def _all_days(connection: sqlite3.Connection, edges: Iterable[Sequence[Any]]) -> Iterator[Signal]:
    clock = _Clock(connection)
    for metric, layer, *ends in edges:
        yield from _of_metric(metric, layer, ends, clock)


def _of_readings(connection: sqlite3.Connection, delivery: int, fold: int) -> Iterator[Signal]:
    clock = _Clock(connection)
    for series, metric, layer in connection.execute(_SERIES).fetchall():
        for ends in _together(connection.execute(_SPOKE, (series, delivery))):
            yield from _of_metric(metric, layer, ends, clock)
    for metric, layer, *ends in connection.execute(_CHANGED, (fold,)).fetchall():
        yield from _of_metric(metric, layer, ends, clock)


def _together(ends: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Stretches of time as few that cover them: pushes speak of the same days again and again."""
    reached: tuple[int, int] | None = None
    for first_ms, last_ms in sorted(ends):
        if reached is not None and first_ms <= reached[1] + DAY_MS:
            reached = reached[0], max(reached[1], last_ms)
            continue
        if reached is not None:
            yield reached
        reached = first_ms, last_ms
    if reached is not None:
        yield reached


def _of_records(
    connection: sqlite3.Connection, delivery: int, fold: int, kinds: Collection[str]
) -> Iterator[Signal]:
    for kind in kinds:
        for ends in connection.execute(_TOLD, (kind, delivery)).fetchall():
            yield _of_record(kind, *ends)
    for kind, at_ms in connection.execute(_RECORDS, (fold,)).fetchall():
        if kind in kinds and at_ms != LEAST:
            yield _of_record(kind, at_ms, at_ms)


def live_ms(connection: sqlite3.Connection, metric: str) -> int | None:
    """When the live feed of a metric begins: the amounts imported for that hour count up to it."""
    found: int | None = connection.execute(_LIVE, (metric, MINUTE, RAW)).fetchone()[0]
    return found


def around(at_ms: int) -> Dates:
    """The dates that a begin of the live feed counts for."""
    return Dates(at_ms // DAY_MS - 2, at_ms // DAY_MS + 3)


def _of_metric(metric: str, layer: str, ends: Sequence[int], clock: _Clock) -> Iterator[Signal]:
    first_ms, last_ms = ends
    dates = of_readings(layer, first_ms, last_ms, clock)
    if dates is not None:
        yield DAYS, metric, dates


def _of_record(kind: str, first_ms: int, last_ms: int) -> Signal:
    if kind == SLEEP:
        return NIGHTS, "", of_nights(first_ms, last_ms)
    return WORKOUTS, "", of_instants(first_ms, last_ms)
