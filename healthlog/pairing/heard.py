"""What has come of a pairing since an instant, told from the journal."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from healthlog.base.db import Database
from healthlog.model import FAILED, Failure
from healthlog.pairing.links import DataType, type_of

MOST = 100
"""So many deliveries are told of, the first ones: a phone has fewer automations."""

# Files that somebody imports meanwhile say nothing of the phone.
_SINCE = """
SELECT delivery_id, received_at_us, automation_name, parse_status, failure_kind, failure_message
FROM delivery WHERE received_at_us > ? AND imported = 0
ORDER BY received_at_us, delivery_id LIMIT ?
"""

_ADVICE = {
    400: "The body was cut on its way, or is no JSON: choose JSON as the export format.",
    401: "The token is missing or is not the ingest token: the header is called Authorization, its"
    " value is Bearer, a blank, the token.",
    404: "The address ends in something else than /ingest.",
    405: "Something else than a POST came: choose REST API as the type of the automation.",
    408: "The body didn't come in time: set the automation's timeout to 60 seconds and batch"
    " its requests.",
    413: "The body is larger than max_body: batch the automation's requests.",
    415: "The automation sends CSV: choose JSON as the export format.",
    503: "The service was busy or stopping: the next run of the automation tries again.",
    507: "The disk of the service is full.",
}
_OTHERWISE = "The request was refused: the automation's activity log shows why."


@dataclass(frozen=True, slots=True)
class Word:
    """One delivery. `data_type` is None where its owner named the automation; `failure` is set
    when it came well but could not be read."""

    delivery_id: str
    received_at_us: int
    automation_name: str | None
    data_type: DataType | None
    parse_status: str
    failure: Failure | None


@dataclass(frozen=True, slots=True)
class Refused:
    """One request that was turned away at the door, by the status it was answered."""

    at_us: int
    status: int

    @property
    def advice(self) -> str:
        """What to change, in a sentence for the owner."""
        return _ADVICE.get(self.status, _OTHERWISE)


Refusals = Callable[[int], Sequence[Refused]]
"""Requests to the door that were refused after an instant (microseconds UTC), oldest first."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Deliveries, oldest first, with requests that were refused."""

    words: tuple[Word, ...]
    refused: tuple[Refused, ...]

    @property
    def paired(self) -> bool:
        """Whether the phone has got through with something that can be read, as far as known."""
        return any(word.parse_status != FAILED for word in self.words)

    @property
    def wrong(self) -> Refused | None:
        """The last refusal, unless a delivery has come after it."""
        if not self.refused:
            return None
        last = self.refused[-1]
        came = any(word.received_at_us > last.at_us for word in self.words)
        return None if came else last


def _nothing_kept(_since_us: int) -> Sequence[Refused]:
    return ()


def heard(journal: Database, since_us: int, refusals: Refusals = _nothing_kept) -> Heard:
    """What came after an instant: the stamp of the journal's last delivery when the wait began
    (`rows.last_stamp`), or the time on the clock where there was none."""
    return Heard(journal.read(lambda c: words(c, since_us)), tuple(refusals(since_us)))


def words(connection: sqlite3.Connection, since_us: int) -> tuple[Word, ...]:
    """The first deliveries after an instant, in the journal's order."""
    return tuple(
        Word(
            delivery_id=delivery_id,
            received_at_us=received_at_us,
            automation_name=name,
            data_type=type_of(name),
            parse_status=status,
            failure=None if kind is None else Failure(kind, message),
        )
        for delivery_id, received_at_us, name, status, kind, message in connection.execute(
            _SINCE, (since_us, MOST)
        )
    )
