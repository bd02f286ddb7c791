"""Which rows of days were cut in another zone than the one that answers for their date."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from healthlog.base.errors import Damaged
from healthlog.base.stored import DANGLING
from healthlog.layer import TRAPS
from healthlog.mart.dictionary import DATE_ALONE
from healthlog.mart.offsets import Offsets
from healthlog.model import Rank
from healthlog.moment import DAY_MS, HOUR_MS, MINUTE_MS

_NEIGHBOURS_MS = 2 * DAY_MS
_GRID_MS = (-HOUR_MS, 0, HOUR_MS)

Start = tuple[int, int]
"""A day row's start instant (ms) with its local date (days since 1970)."""

_ROWS = f"""
SELECT at_ms, sub, offset_min, said_by, closed_by FROM point
WHERE series = ? AND at_ms BETWEEN ? AND ? AND origin <> {DATE_ALONE} AND n = 0
ORDER BY at_ms, sub
"""
_RANK = "SELECT said_at_us, received_at_us, delivery_id FROM folded WHERE delivery = ?"


@dataclass(frozen=True, slots=True)
class _Day:
    at_ms: int
    date: int
    offset_min: int
    said_by: int
    closed_by: int | None

    @property
    def start(self) -> Start:
        return (self.at_ms, self.date)

    def begins_its_date(self) -> bool:
        """Whether it begins within an hour of its date's midnight, in the offset as sent."""
        return abs(_after_midnight_ms(self.at_ms, self.date, self.offset_min)) <= HOUR_MS


def other_zone(
    connection: sqlite3.Connection,
    offsets: Offsets,
    metric: str,
    series: int,
    within_ms: tuple[int, int],
) -> set[Start]:
    """The rows of a series of days, starting between two instants, that don't answer for their
    date: the clock puts them elsewhere, or another start of a date cut in several zones does."""
    days = _days(connection, offsets, series, within_ms)
    elsewhere = {day.start for day in days if is_elsewhere(metric, day.at_ms, day.date, offsets)}
    return elsewhere | _silent(connection, days)


def silent(
    connection: sqlite3.Connection, offsets: Offsets, series: int, within_ms: tuple[int, int]
) -> set[Start]:
    """The rows of a series of days, starting between two instants, of dates cut in several zones
    for which another start answers."""
    return _silent(connection, _days(connection, offsets, series, within_ms))


def _days(
    connection: sqlite3.Connection, offsets: Offsets, series: int, within_ms: tuple[int, int]
) -> list[_Day]:
    # Rows of one date may begin more than a day apart, so the neighbours are asked, too.
    first_ms, last_ms = within_ms[0] - _NEIGHBOURS_MS, within_ms[1] + _NEIGHBOURS_MS
    rows = connection.execute(_ROWS, (series, first_ms, last_ms)).fetchall()
    return [
        _Day(at_ms, date, _offset(offset_min, at_ms, offsets), said_by, closed_by)
        for at_ms, date, offset_min, said_by, closed_by in rows
    ]


def is_elsewhere(metric: str, at_ms: int, date: int, offsets: Offsets) -> bool:
    """Whether the clock puts the start of a day's row off the day's grid, or on another date.

    A clock that no one has named says nothing. The traps stand on grids of their own, so that of
    them the date alone can be compared.
    """
    if not offsets.named:
        return False
    after_ms = _after_midnight_ms(at_ms, date, offsets.offset_min(at_ms))
    return not 0 <= after_ms < DAY_MS if metric in TRAPS else after_ms not in _GRID_MS


def _silent(connection: sqlite3.Connection, days: Iterable[_Day]) -> set[Start]:
    """Starts that don't answer, among those of the dates that have several."""
    by_date: defaultdict[int, list[_Day]] = defaultdict(list)
    for day in days:
        if day.begins_its_date():
            by_date[day.date].append(day)
    silent: set[Start] = set()
    for together in by_date.values():
        if len(together) > 1:
            answering = _answering(connection, together)
            silent |= {day.start for day in together if day is not answering}
    return silent


def _answering(connection: sqlite3.Connection, together: Sequence[_Day]) -> _Day:
    """The start first closed, none closed: the one said last; of several alike, the earliest."""
    closed = [(_rank(connection, d.closed_by), d) for d in together if d.closed_by is not None]
    if closed:
        return min(closed, key=lambda pair: (pair[0], pair[1].at_ms))[1]
    said = [(_rank(connection, day.said_by), day) for day in together]
    return max(said, key=lambda pair: (pair[0], -pair[1].at_ms))[1]


def _rank(connection: sqlite3.Connection, delivery: int) -> Rank:
    found = connection.execute(_RANK, (delivery,)).fetchone()
    if found is None:
        raise Damaged(DANGLING)
    said_at_us, received_at_us, delivery_id = found
    return (said_at_us, received_at_us, delivery_id)


def _offset(offset_min: int | None, at_ms: int, offsets: Offsets) -> int:
    return offsets.offset_min(at_ms) if offset_min is None else offset_min


def _after_midnight_ms(at_ms: int, date: int, offset_min: int) -> int:
    return at_ms + offset_min * MINUTE_MS - date * DAY_MS
