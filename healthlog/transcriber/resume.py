"""Taking the stop flag off: the recording goes on from the stage that it had reached."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.transcriber import attempts, events
from healthlog.transcriber.events import Event
from healthlog.transcriber.stages import stage_of

_SLICE = 100

# All watchdogs begin anew: one that kept its count would stop the recording again at once.
_RESUME = """
UPDATE recording SET stopped_at_us = NULL, stop_reason = NULL, stop_error = NULL,
    claim = NULL, claim_until_us = NULL, attempts = 0, polls = 0,
    due_at_us = :now, stage_since_us = :now
WHERE recording_id = :id AND stopped_at_us IS NOT NULL
RETURNING stage
"""


class Resumption:
    """What a person does to bring recordings back. `wake` tells the workers."""

    def __init__(self, store: Database, *, clock: Clock, wake: Callable[[], None]) -> None:
        self._store = store
        self._clock = clock
        self._wake = wake

    def one(self, recording_id: str) -> bool:
        """Takes the flag off this recording; False when it isn't stopped, or not there."""
        resumed = self._store.write(lambda c: _resume(c, recording_id, self._clock.now_us()))
        if resumed:
            self._wake()
        return resumed

    def all_of(self, reason: str) -> int:
        """Takes the flag off all that were stopped for this reason; how many."""
        done = 0
        while ids := self._store.write(lambda c: self._slice(c, reason)):
            done += len(ids)
            self._wake()
        return done

    def _slice(self, connection: sqlite3.Connection, reason: str) -> list[str]:
        query = (
            "SELECT recording_id FROM recording WHERE stopped_at_us IS NOT NULL"
            " AND stop_reason = ? ORDER BY recording_id LIMIT ?"
        )
        found = [row[0] for row in connection.execute(query, (reason, _SLICE)).fetchall()]
        now_us = self._clock.now_us()
        return [one for one in found if _resume(connection, one, now_us)]


def _resume(connection: sqlite3.Connection, recording_id: str, now_us: int) -> bool:
    stopped = connection.execute(
        "SELECT stop_error FROM recording WHERE recording_id = ? AND stopped_at_us IS NOT NULL",
        (recording_id,),
    ).fetchone()
    if stopped is None:
        return False
    found = connection.execute(_RESUME, {"now": now_us, "id": recording_id}).fetchall()
    [(stage,)] = found
    # Whoever goes on now may pay a second time, and knew it: the reason was there to read.
    unknown = attempts.accept_cost(connection, recording_id, now_us)
    accepted = unknown or stopped[0] == events.PAYMENT_UNKNOWN
    step = stage_of(stage).step or ""
    detail = events.COST_ACCEPTED if accepted else None
    event = Event(now_us, events.PERSON, step, stage, events.RESUMED, detail=detail)
    events.note(connection, recording_id, event)
    return True
