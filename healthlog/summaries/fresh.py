"""Which days of a metric the summaries can answer for."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from healthlog.moment import DAY_MS
from healthlog.series.catalogue import Entry
from healthlog.series.shelf import Dates
from healthlog.series.source_order import SourceOrder
from healthlog.summaries import signals
from healthlog.summaries.dates import DAYS, NIGHTS, merged
from healthlog.version import VERSION

RULES = 2
"""Number of the rules by which the program answers; raising it makes all summaries again, and so
does another version of the program."""

_STATE = (
    "SELECT delivery, fold, rules, coalesce((SELECT max(delivery) FROM folded), 0),"
    " (SELECT folds FROM mart) FROM summary"
)
_STALE = "SELECT first_ms, last_ms FROM stale WHERE kind = ? AND metric = ?"
_KNOWN = "SELECT known, live_ms FROM summarised WHERE metric = ?"


class Known(NamedTuple):
    """What the days of a metric depend on beside its readings: what is known of it, and the first
    reading of its live feed."""

    text: str
    live_ms: int | None


def rules(order: SourceOrder) -> str:
    """What summaries are made by, beside the mart."""
    return f"{VERSION} {RULES} {'|'.join(order.words)}"


def known(connection: sqlite3.Connection, of: Entry) -> Known:
    """What its days depend on now."""
    return Known(f"{of.aggregate} {of.unit}", signals.live_ms(connection, of.metric))


def learned(connection: sqlite3.Connection, metric: str, now: Known) -> list[Dates]:
    """Dates of a metric whose summaries differ because of what is known of it now."""
    row = connection.execute(_KNOWN, (metric,)).fetchone()
    before = None if row is None else Known._make(row)
    if before == now:
        return []
    if before is not None and before.text != now.text:
        return signals.days_of(connection, metric)
    begins = (now.live_ms, None if before is None else before.live_ms)
    return [signals.around(at_ms) for at_ms in begins if at_ms is not None]


def stale(connection: sqlite3.Connection, kind: str, metric: str) -> list[Dates]:
    """Dates that are noted as stale."""
    found = connection.execute(_STALE, (kind, metric)).fetchall()
    return [Dates(first_ms // DAY_MS, last_ms // DAY_MS) for first_ms, last_ms in found]


def stale_days(connection: sqlite3.Connection, of: Entry, order: SourceOrder) -> list[Dates] | None:
    """The dates of a metric, in their order, whose summaries don't say what its readings do, noted
    or not yet; None where no summary does, as they were made by another order or other rules."""
    looked = _looked(connection, order)
    if looked is None:
        return None
    found = stale(connection, DAYS, of.metric)
    if looked.is_behind:
        since = signals.days_since(connection, looked.delivery, looked.fold, of.metric)
        if since:
            found += [*since, *learned(connection, of.metric, known(connection, of))]
    return merged(found)


def stale_nights(connection: sqlite3.Connection, order: SourceOrder) -> list[Dates] | None:
    """The same of nights."""
    looked = _looked(connection, order)
    if looked is None:
        return None
    found = stale(connection, NIGHTS, "")
    if looked.is_behind:
        found += signals.nights_since(connection, looked.delivery, looked.fold)
    return merged(found)


class _Looked(NamedTuple):
    """How far the last look at the mart saw, and whether there is more by now."""

    delivery: int
    fold: int
    is_behind: bool


def _looked(connection: sqlite3.Connection, order: SourceOrder) -> _Looked | None:
    """None where the summaries were made by another order or other rules, or never."""
    state = connection.execute(_STATE).fetchone()
    if state is None or state[2] != rules(order):
        return None
    delivery, fold, _, *reached = state
    return _Looked(delivery, fold, [delivery, fold] != reached)
