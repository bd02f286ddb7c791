"""Attempts at recognising a recording: each call that may cost money has its row before it is made.

An attempt is open until something ends it, and a recording has one open attempt at most. One that
is open without an operation means that nobody lived to note what the call gave.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace

from healthlog.base.stored import members
from healthlog.transcriber.claims import Claim, require
from healthlog.transcriber.failures import LostClaim
from healthlog.transcriber.transcript import Transcript, segments_of, segments_text, words_of

COMPLETE, REFUSED, FAILED, LOST, CUT, ACCEPTED = (
    "done",
    "refused",
    "failed",
    "lost",
    "cut",
    "accepted",
)
"""How an attempt ended: with a transcript; the recogniser began nothing; it is over because of the
audio; it is over without a transcript, or unknown to the recogniser; our own stop cut it; a person
accepted that it may have cost money."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt; `number` counts from 1 within its recording."""

    recording_id: str
    number: int
    provider: str
    parameters: Mapping[str, str]
    called_at_us: int
    operation: str | None
    ending: str | None

    @property
    def key(self) -> str:
        """By which the recogniser knows it, fit for a file name."""
        return f"{self.recording_id}.{self.number}"


_FIELDS = "recording_id, attempt, provider, parameters, called_at_us, operation, ending"


def begin(
    connection: sqlite3.Connection,
    held: Claim,
    provider: str,
    parameters: Mapping[str, str],
    now_us: int,
) -> Attempt:
    """The row of a new attempt, to be committed before the recogniser is called. LostClaim."""
    require(connection, held)
    query = "SELECT coalesce(max(attempt), 0) + 1 FROM recognition WHERE recording_id = ?"
    (number,) = connection.execute(query, (held.recording_id,)).fetchone()
    connection.execute(
        "INSERT INTO recognition"
        " (recording_id, attempt, token, provider, parameters, called_at_us)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (held.recording_id, number, held.token, provider, json.dumps(dict(parameters)), now_us),
    )
    return Attempt(
        held.recording_id, number, provider, dict(parameters), now_us, operation=None, ending=None
    )


def note_operation(
    connection: sqlite3.Connection, held: Claim, attempt: Attempt, operation: str, now_us: int
) -> Attempt | None:
    """The attempt with what its call gave; None when it has ended, or an operation, by now.

    It may be written by the holder of the recording, and by the claim that began the attempt also
    when that was lost during the call: what was paid for must not be lost with it.
    """
    written = connection.execute(
        "UPDATE recognition SET operation = :operation, submitted_at_us = :now"
        " WHERE recording_id = :id AND attempt = :number"
        " AND operation IS NULL AND ended_at_us IS NULL"
        " AND (token = :token OR EXISTS"
        " (SELECT 1 FROM recording WHERE recording_id = :id AND claim = :token))",
        {
            "operation": operation,
            "now": now_us,
            "id": attempt.recording_id,
            "number": attempt.number,
            "token": held.token,
        },
    ).rowcount
    return replace(attempt, operation=operation) if written == 1 else None


def end(
    connection: sqlite3.Connection, held: Claim, attempt: Attempt, ending: str, now_us: int
) -> None:
    """Ends an open attempt without a transcript. LostClaim."""
    require(connection, held)
    connection.execute(
        "UPDATE recognition SET ending = ?, ended_at_us = ? WHERE recording_id = ? AND attempt = ?"
        " AND ended_at_us IS NULL",
        (ending, now_us, attempt.recording_id, attempt.number),
    )


def withdraw(connection: sqlite3.Connection, held: Claim, attempt: Attempt, now_us: int) -> None:
    """Ends an attempt for which certainly nobody was called; by the claim that began it, also when
    that is lost by now."""
    connection.execute(
        "UPDATE recognition SET ending = ?, ended_at_us = ? WHERE recording_id = ? AND attempt = ?"
        " AND token = ? AND operation IS NULL AND ended_at_us IS NULL",
        (REFUSED, now_us, attempt.recording_id, attempt.number, held.token),
    )


def complete(
    connection: sqlite3.Connection, attempt: Attempt, transcript: Transcript, now_us: int
) -> None:
    """Ends an attempt with what was heard: kept for good, whatever comes after. In the transaction
    that moves the recording on, which checks the claim. LostClaim when it has ended already."""
    segments, words = segments_text(transcript)
    written = connection.execute(
        "UPDATE recognition SET ending = ?, ended_at_us = ?, text = ?, language = ?,"
        " confidence = ?, segments = ?, words = ?"
        " WHERE recording_id = ? AND attempt = ? AND ended_at_us IS NULL",
        (
            *(COMPLETE, now_us, transcript.text, transcript.language, transcript.confidence),
            *(segments, words, attempt.recording_id, attempt.number),
        ),
    ).rowcount
    if written != 1:
        raise LostClaim(f"attempt {attempt.key} has ended already")


def under_way(connection: sqlite3.Connection, recording_id: str) -> Attempt | None:
    """The open attempt of a recording."""
    query = f"SELECT {_FIELDS} FROM recognition WHERE recording_id = ? AND ended_at_us IS NULL"
    row = connection.execute(query, (recording_id,)).fetchone()
    return None if row is None else _attempt(row)


def of(connection: sqlite3.Connection, recording_id: str) -> list[Attempt]:
    """All attempts of a recording, oldest first."""
    query = f"SELECT {_FIELDS} FROM recognition WHERE recording_id = ? ORDER BY attempt"
    return [_attempt(row) for row in connection.execute(query, (recording_id,))]


def heard(connection: sqlite3.Connection, recording_id: str) -> Transcript | None:
    """The newest transcript of a recording, as the recogniser gave it; None when it never did."""
    row = connection.execute(
        "SELECT text, segments, words, confidence, language FROM recognition"
        f" WHERE recording_id = ? AND ending = '{COMPLETE}' ORDER BY attempt DESC LIMIT 1",
        (recording_id,),
    ).fetchone()
    if row is None:
        return None
    text, segments, words, confidence, language = row
    return Transcript(text, segments_of(segments), words_of(words), confidence, language)


def lost_since(connection: sqlite3.Connection, recording_id: str, since_us: int) -> int:
    """How many attempts came to nothing since then, through no verdict on the audio."""
    query = (
        "SELECT count(*) FROM recognition"
        f" WHERE recording_id = ? AND ending = '{LOST}' AND ended_at_us >= ?"
    )
    count: int = connection.execute(query, (recording_id, since_us)).fetchone()[0]
    return count


def accept_cost(connection: sqlite3.Connection, recording_id: str, now_us: int) -> bool:
    """Ends the attempt of which nobody knows whether it cost money; whether there was one. Only a
    person's resumption does this."""
    written = connection.execute(
        "UPDATE recognition SET ending = ?, ended_at_us = ? WHERE recording_id = ?"
        " AND ended_at_us IS NULL AND operation IS NULL",
        (ACCEPTED, now_us, recording_id),
    ).rowcount
    return written == 1


def _attempt(row: tuple[str, int, str, str, int, str | None, str | None]) -> Attempt:
    recording_id, number, provider, parameters, called_at_us, operation, ending = row
    return Attempt(
        recording_id, number, provider, members(parameters), called_at_us, operation, ending
    )
