"""Workouts at the same time as another one: an hour that two apps have recorded."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from healthlog.moment import DAY_MS, MINUTE_MS
from healthlog.records.record import WORKOUT

_SHARED_MS = MINUTE_MS
"""Two that follow each other may share so much."""

_LONGEST_MS = 2 * DAY_MS
"""Of a workout that lasts longer only so much is looked at."""

OVERLAPPING = (
    f"kind = '{WORKOUT}' AND at_ms > :first - {_LONGEST_MS} AND at_ms < :last"
    " AND start_ms IS NOT NULL"
    f" AND min(end_ms, at_ms + {_LONGEST_MS}, :last) - max(at_ms, :first) > {_SHARED_MS}"
)
"""Condition on records: workouts that share more than a minute with a `Time`."""

_CHANGED = f"UPDATE record SET changed_by = :fold WHERE {OVERLAPPING}"


class Time(NamedTuple):
    """From when to when a workout was, as far as it is looked at (ms)."""

    first: int
    last: int


def time_of(kind: str, start_ms: int | None, end_ms: int | None) -> Time | None:
    """None for what is no workout, or whose time isn't known."""
    if kind != WORKOUT or start_ms is None or end_ms is None:
        return None
    return Time(start_ms, min(end_ms, start_ms + _LONGEST_MS))


def note(connection: sqlite3.Connection, time: Time | None, fold: int) -> None:
    """Let a fold have changed every workout that overlaps a time: how each is shown depends on
    whether there is another."""
    if time is not None:
        connection.execute(_CHANGED, {**time._asdict(), "fold": fold})
