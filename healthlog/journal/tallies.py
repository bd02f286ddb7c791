"""Numbers over the whole journal, kept by triggers so that asking for them never scans."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

# Ages are counted from the clock as read, which only the delivery's row has.
_LAST = """
SELECT automation.automation_id, automation.name, automation.delivery_id,
       automation.received_at_us, delivery.clock_at_us
FROM automation JOIN delivery USING (delivery_id)
ORDER BY automation.automation_id
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


def last_deliveries(connection: sqlite3.Connection) -> list[LastDelivery]:
    """The last delivery of each automation, in the order of their ids."""
    return [LastDelivery(*row) for row in connection.execute(_LAST)]
