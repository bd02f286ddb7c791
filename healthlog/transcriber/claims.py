"""Claims: who works on a recording, how long, by which token it is known.

A claim is one statement, and its condition looks at stage, stop flag, time and other claims alone:
never at the owner, the age, the attempts. What is over a limit is taken like anything else, so that
whoever took it can stop it visibly.
"""

from __future__ import annotations

import secrets
import sqlite3
from dataclasses import dataclass

from healthlog.transcriber.empty import NoWork
from healthlog.transcriber.failures import LostClaim
from healthlog.transcriber.pauses import pause_us
from healthlog.transcriber.stages import lease_case_us, working_list

_TOKEN_BYTES = 16

_FIT = f"stopped_at_us IS NULL AND stage IN ({working_list()})"

# By its index or not at all: a stage that is missing there is an error, and not a recording that is
# never taken. Fetched to the end: an UPDATE … RETURNING that isn't keeps the write lock.
_CLAIM = f"""
UPDATE recording SET
    claim = :token, claim_until_us = :now + {lease_case_us()}, attempts = attempts + 1,
    first_of_run = (run IS NOT :run), run = :run
WHERE recording_id = (
    SELECT recording_id FROM recording INDEXED BY recording_due
    WHERE {_FIT} AND due_at_us <= :now AND (claim IS NULL OR claim_until_us <= :now)
    ORDER BY due_at_us, recording_id LIMIT 1)
RETURNING recording_id
"""
_TAKE_OVER = f"""
UPDATE recording SET claim = ?, claim_until_us = ? + {lease_case_us()}
WHERE recording_id = ? AND {_FIT}
RETURNING recording_id
"""
_NEXT = (
    "SELECT min(max(due_at_us, coalesce(claim_until_us, 0)))"
    f" FROM recording INDEXED BY recording_due WHERE {_FIT}"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A recording in somebody's hands. `token` is of this claim alone and can't be guessed."""

    recording_id: str
    token: str


def new_run() -> str:
    """A name for one run of the workers, never given before."""
    return secrets.token_hex(_TOKEN_BYTES)


def claim(connection: sqlite3.Connection, now_us: int, run: str) -> Claim:
    """Takes the recording that has been due longest; NoWork when none is fit for work.

    `run` names this run of the workers: the row notes whether this is the first claim of it.
    """
    token = secrets.token_hex(_TOKEN_BYTES)
    taken = connection.execute(_CLAIM, {"token": token, "now": now_us, "run": run}).fetchall()
    if not taken:
        raise NoWork("no recording is due")
    [(recording_id,)] = taken
    return Claim(recording_id, token)


def take_over(connection: sqlite3.Connection, recording_id: str, now_us: int) -> Claim | None:
    """Takes this recording from whoever holds it; None when it is stopped, done or not there."""
    token = secrets.token_hex(_TOKEN_BYTES)
    taken = connection.execute(_TAKE_OVER, (token, now_us, recording_id)).fetchall()
    return Claim(recording_id, token) if taken else None


def require(connection: sqlite3.Connection, held: Claim) -> None:
    """LostClaim unless the recording is still held by this claim."""
    query = "SELECT 1 FROM recording WHERE recording_id = ? AND claim = ?"
    if connection.execute(query, (held.recording_id, held.token)).fetchone() is None:
        raise LostClaim(f"recording {held.recording_id} is held by this claim no more")


def next_due_us(connection: sqlite3.Connection) -> int | None:
    """When the next recording becomes fit for work, None when none ever does by itself."""
    found: int | None = connection.execute(_NEXT).fetchone()[0]
    return found


def release_dead(connection: sqlite3.Connection, now_us: int) -> int:
    """Gives back what an earlier process held: each after the pause that its attempts have earned,
    for its step didn't live to tell how it went. How many there were.

    Only before the workers start, by the one process that may write. Without it the same happens
    when the leases end.
    """
    query = "SELECT recording_id, attempts FROM recording WHERE claim IS NOT NULL"
    dead = connection.execute(query).fetchall()
    connection.executemany(
        "UPDATE recording SET claim = NULL, claim_until_us = NULL, due_at_us = ?"
        " WHERE recording_id = ?",
        [(now_us + pause_us(one, attempts), one) for one, attempts in dead],
    )
    return len(dead)
