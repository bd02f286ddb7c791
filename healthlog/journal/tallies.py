"""Numbers over the whole journal, kept by triggers so that asking for them never scans."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

LISTED_AUTOMATIONS = 100
"""So many of the automations heard last are told of: whoever may deliver can invent others."""

# Ages are counted from the clock as read, which only the delivery's row has.
_LAST = """
SELECT automation.automation_id, automation.name, automation.delivery_id,
       automation.received_at_us, delivery.clock_at_us
FROM automation CROSS JOIN delivery USING (delivery_id)
ORDER BY automation.received_at_us DESC LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class LastDelivery:
    """The last word of one automation; the id is "" for senders that give none."""

    automation_id: str
    name: str | None
    delivery_id: str
    received_at_us: int
    clock_at_us: int


def by_status(connection: sqlite3.Connection) -> dict[str, int]:
    """Deliveries of each of the four statuses."""
    return dict(connection.execute("SELECT parse_status, deliveries FROM tally").fetchall())


def archived(connection: sqlite3.Connection) -> tuple[int, int]:
    """Bodies that have a row, with the sum of their uncompressed bytes."""
    bodies, size = connection.execute("SELECT sum(deliveries), sum(bytes) FROM tally").fetchone()
    return bodies, size


def recordings(connection: sqlite3.Connection) -> dict[str, int]:
    """Recordings by the stage they have reached, those that were stopped under `stopped`; what has
    none is left out."""
    query = (
        "SELECT CASE WHEN stopped_at_us IS NULL THEN stage ELSE 'stopped' END, count(*)"
        " FROM recording GROUP BY 1"
    )
    return dict(connection.execute(query).fetchall())


def last_deliveries(connection: sqlite3.Connection) -> list[LastDelivery]:
    """The last delivery of each of the automations heard last, newest first."""
    return [LastDelivery(*row) for row in connection.execute(_LAST, (LISTED_AUTOMATIONS,))]
