"""The queue of the worker: which deliveries wait to be folded, in the journal's order.

The queue is the table itself. A delivery waits as long as its status is `pending`; nothing has to
be kept in memory, and a crash loses nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import islice

from healthlog.base.db import Database
from healthlog.journal import rows

ZERO = (-1, "")
"""The cursor before the first delivery."""

# One row-value comparison: spelled out with OR it scans the index from its start.
_PAGE = """
SELECT received_at_us, delivery_id FROM delivery
WHERE parse_status = 'pending' AND (received_at_us, delivery_id) > (?, ?)
ORDER BY received_at_us, delivery_id LIMIT ?
"""
_OLDEST = """
SELECT delivery_id, received_at_us, clock_at_us FROM delivery
WHERE parse_status = 'pending' ORDER BY received_at_us, delivery_id LIMIT 1
"""
# A failure belongs to an outcome that no longer holds; the account stays until the next fold.
_REQUEUE = """
UPDATE delivery SET parse_status = 'pending', failure_kind = NULL, failure_message = NULL
WHERE delivery_id = ? AND parse_status <> 'pending'
"""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A delivery in the queue; its age is counted from `clock_at_us`, the clock as it was read."""

    delivery_id: str
    received_at_us: int
    clock_at_us: int


def pending_page(
    connection: sqlite3.Connection, after: tuple[int, str], limit: int
) -> list[tuple[int, str]]:
    """At most `limit` positions `(received_at_us, delivery_id)` of pending deliveries strictly
    behind `after`, oldest first. Begin with ZERO."""
    return connection.execute(_PAGE, (*after, limit)).fetchall()


def pending_count(connection: sqlite3.Connection) -> int:
    """How many deliveries wait."""
    query = "SELECT deliveries FROM tally WHERE parse_status = 'pending'"
    count: int = connection.execute(query).fetchone()[0]
    return count


def oldest_pending(connection: sqlite3.Connection) -> Waiting | None:
    """The delivery that will be folded next, None while nothing waits."""
    row = connection.execute(_OLDEST).fetchone()
    return Waiting(*row) if row else None


def requeue(db: Database, delivery_ids: Iterable[str]) -> int:
    """Makes these deliveries `pending` again, a slice per transaction; how many were not before.

    Their counts, `uncovered` and points stay until they are folded again. Unknown ids are passed
    over. Raises what `Database.write` raises; the slices before are then done.
    """
    moved = 0
    ids = iter(delivery_ids)
    while batch := list(islice(ids, rows.SLICE)):
        moved += db.write(partial(put_back, delivery_ids=batch))
    return moved


def put_back(connection: sqlite3.Connection, delivery_ids: Iterable[str]) -> int:
    """`requeue` inside the caller's transaction; no more than a slice."""
    return connection.executemany(_REQUEUE, [(one,) for one in delivery_ids]).rowcount


def requeue_matching(db: Database, predicate: Callable[[rows.Entry], bool]) -> int:
    """`requeue` for every entry of the journal that `predicate` holds for; how many moved."""
    moved = 0
    cursor: tuple[int, str] | None = None
    while entries := db.read(partial(_page, after=cursor)):
        cursor = entries[-1].delivery.position
        moved += requeue(db, [one.delivery.delivery_id for one in entries if predicate(one)])
    return moved


def _page(connection: sqlite3.Connection, after: tuple[int, str] | None) -> list[rows.Entry]:
    return rows.page(connection, None, None, None, after, rows.SLICE)
