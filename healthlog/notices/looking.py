"""What a look finds out: in the journal, on the disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import partial

from healthlog.base.db import Database
from healthlog.journal import heard, notices, queue, tallies
from healthlog.journal.tallies import LastDelivery
from healthlog.notices.causes import Facts, Sender, Waiting
from healthlog.notices.rhythm import DAY_US, LEAST_US, WINDOW_US, Outage, rhythm, silence_us

_FAILURES_US = 14 * DAY_US


class Looking:
    """Remembers from look to look what only time can tell: how long the oldest delivery waits."""

    def __init__(self, journal: Database, begun_us: int) -> None:
        self._journal = journal
        self._begun_us = begun_us
        self._oldest: str | None = None
        self._seen_us = 0

    def facts(
        self, now_us: int, refused_us: Mapping[int, int], free: int | None, low: int
    ) -> Facts:
        """What is there at this look."""
        oldest = self._journal.read(queue.oldest_pending)
        if oldest is None or oldest.delivery_id != self._oldest:
            self._oldest = None if oldest is None else oldest.delivery_id
            self._seen_us = now_us
        return Facts(
            now_us=now_us,
            senders=self._journal.read(partial(_senders, now_us=now_us)),
            waiting=None if oldest is None else Waiting(oldest.clock_at_us, self._seen_us),
            refused_us=refused_us,
            listening_since_us=self._begun_us,
            free=free,
            low=low,
        )


def _senders(connection: sqlite3.Connection, now_us: int) -> list[Sender]:
    outages = [Outage(*one) for one in notices.outages(connection)]
    return [
        _sender(connection, one, outages, now_us) for one in tallies.last_deliveries(connection)
    ]


def _sender(
    connection: sqlite3.Connection, last: LastDelivery, outages: list[Outage], now_us: int
) -> Sender:
    silent_us = silence_us(last.clock_at_us, now_us, outages)
    found = None
    if silent_us > LEAST_US:  # before that no rhythm makes it worth a notice
        begin_us = last.received_at_us - WINDOW_US
        arrivals = heard.arrivals(connection, last.automation_id, begin_us)
        found = rhythm(arrivals, outages, named=bool(last.automation_id))
    failures = heard.failures(connection, last.automation_id, last.received_at_us - _FAILURES_US)
    failed, failed_since_us, failure = failures or (0, 0, "")
    return Sender(
        last.automation_id,
        last.name,
        last.clock_at_us,
        silent_us,
        found,
        failed,
        failed_since_us,
        failure,
    )
