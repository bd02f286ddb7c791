"""The event journal of a recording: what happened to it, for people.

No step reads it. A deferral writes nothing here, or an hour of polling would fill it.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

STEP, PERSON = "step", "person"

MOVED, STOPPED, RESUMED = "moved", "stopped", "resumed"
CUT, REPEATED = "cut", "repeated"

PAYMENT_UNKNOWN = "payment_unknown"
POSSIBLE_DOUBLE_PAYMENT = "possible_double_payment"
COST_ACCEPTED = "cost_accepted"


@dataclass(frozen=True, slots=True)
class Event:
    """`source` is STEP or PERSON, `step` the step that the recording's stage waits for or that was
    at work, `stage` the one reached; `detail` is a word of the program (a reason, a setting)."""

    happened_at_us: int
    source: str
    step: str
    stage: str
    outcome: str
    duration_ms: int = 0
    detail: str | None = None


_FIELDS = "happened_at_us, source, step, stage, outcome, duration_ms, detail"


def note(connection: sqlite3.Connection, recording_id: str, event: Event) -> None:
    """Writes an event, in the transaction of what it tells."""
    connection.execute(
        f"INSERT INTO recording_event (recording_id, {_FIELDS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            recording_id,
            event.happened_at_us,
            event.source,
            event.step,
            event.stage,
            event.outcome,
            event.duration_ms,
            event.detail,
        ),
    )


def of(connection: sqlite3.Connection, recording_id: str) -> list[Event]:
    """All events of a recording, oldest first."""
    found = connection.execute(
        f"SELECT {_FIELDS} FROM recording_event WHERE recording_id = ? ORDER BY number",
        (recording_id,),
    )
    return [Event(*row) for row in found]
