"""When an automation was heard, how its deliveries ended."""

from __future__ import annotations

import sqlite3

from healthlog.model import FAILED

MOST = 20_000
"""So many arrivals tell a rhythm: two months of every five minutes."""

# Deliveries made of files have no automation; neither has a sender that gives none.
_SENT_BY = "automation_id = ?"
_SENT_BY_NOBODY = "automation_id IS NULL AND imported = 0 AND ? = ''"
_ARRIVALS = (
    "SELECT received_at_us FROM delivery WHERE {who} AND received_at_us >= ?"
    " ORDER BY received_at_us DESC LIMIT ?"
)
_ENDED = (
    "SELECT parse_status, failure_kind, received_at_us FROM delivery"
    " WHERE {who} AND received_at_us >= ? AND parse_status <> 'pending'"
    " ORDER BY received_at_us DESC LIMIT ?"
)
_LOOKED_AT = 20


def arrivals(connection: sqlite3.Connection, automation_id: str, from_us: int) -> list[int]:
    """When deliveries of an automation ("" for senders without one) came from an instant on, in
    their order."""
    rows = connection.execute(_of(_ARRIVALS, automation_id), (automation_id, from_us, MOST))
    return [at_us for (at_us,) in rows][::-1]


def failures(
    connection: sqlite3.Connection, automation_id: str, from_us: int
) -> tuple[int, int, str] | None:
    """How many of the last deliveries of an automation failed one after the other, since when, and
    how the last one did; None where the last one that was looked at did not fail."""
    rows = connection.execute(_of(_ENDED, automation_id), (automation_id, from_us, _LOOKED_AT))
    number, since_us, kind = 0, 0, ""
    for status, failure, at_us in rows:
        if status != FAILED:
            break
        number, since_us, kind = number + 1, at_us, kind or failure
    return (number, since_us, kind) if number else None


def _of(query: str, automation_id: str) -> str:
    return query.format(who=_SENT_BY if automation_id else _SENT_BY_NOBODY)
