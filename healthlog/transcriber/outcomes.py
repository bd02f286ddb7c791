"""How a claim ends: each of these writes names its token, is LostClaim when nobody holds it.

They give the recording back in the same statement. A step's columns go with `advance`; no other
column than those of the queue is touched here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field

from healthlog.transcriber.claims import Claim
from healthlog.transcriber.failures import LostClaim

MOVED, DEFERRED, RETRY, VERDICT = "moved", "deferred", "retry", "verdict"
CONFIGURATION, INTERRUPTED, LOST = "configuration", "interrupted", "lost"
OUTCOMES = (MOVED, DEFERRED, RETRY, VERDICT, CONFIGURATION, INTERRUPTED, LOST)
FAILURES = frozenset((RETRY, VERDICT, CONFIGURATION))

STEP_COLUMNS = frozenset(("duration_ms", "silent", "text", "language"))
"""The columns that belong to steps. What a person writes is not among them, ever."""

_GIVE_BACK = "claim = NULL, claim_until_us = NULL, last_outcome = ?, last_error = ?, last_at_us = ?"
_HELD = "WHERE recording_id = ? AND claim = ?"


@dataclass(frozen=True, slots=True)
class At:
    """The instant of a write, microseconds since 1970 UTC, read inside its transaction, with the
    error there was: a text of the program."""

    now_us: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Reached:
    """A stage with what the step found out on the way to it."""

    stage: str
    columns: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.columns.keys() <= STEP_COLUMNS:
            raise ValueError(f"no step may write {sorted(self.columns.keys() - STEP_COLUMNS)}")


def advance(connection: sqlite3.Connection, held: Claim, reached: Reached, at: At) -> None:
    """On to another stage: its time begins, failures are forgotten."""
    found = "".join(f"{name} = ?, " for name in reached.columns)
    _write(
        connection,
        f"UPDATE recording SET {found}stage = ?, stage_since_us = ?, due_at_us = ?,"
        f" attempts = 0, polls = 0, {_GIVE_BACK} {_HELD}",
        (*reached.columns.values(), reached.stage, at.now_us, at.now_us, MOVED, None, at.now_us),
        held,
    )


def defer(
    connection: sqlite3.Connection, held: Claim, delay_s: float, at: At, outcome: str = DEFERRED
) -> None:
    """Not a move: stage and its time stay, failures are forgotten, it comes again after the delay.
    `outcome` CONFIGURATION where the owner has to put something right first."""
    _write(
        connection,
        "UPDATE recording SET due_at_us = ?, attempts = 0, polls = polls + 1,"
        f" {_GIVE_BACK} {_HELD}",
        (at.now_us + round(delay_s * 1_000_000), outcome, at.error, at.now_us),
        held,
    )


def retry(connection: sqlite3.Connection, held: Claim, pause_us: int, at: At) -> None:
    """Failed: it comes again after the pause; the attempt was counted at the claim."""
    _write(
        connection,
        f"UPDATE recording SET due_at_us = ?, {_GIVE_BACK} {_HELD}",
        (at.now_us + pause_us, RETRY, at.error, at.now_us),
        held,
    )


def release(connection: sqlite3.Connection, held: Claim, at: At) -> None:
    """Cut by our own stop: the attempt is given back, and it keeps its place in the queue."""
    _write(
        connection,
        f"UPDATE recording SET attempts = max(attempts - 1, 0), {_GIVE_BACK} {_HELD}",
        (INTERRUPTED, at.error, at.now_us),
        held,
    )


def flag(connection: sqlite3.Connection, held: Claim, reason: str, at: At) -> None:
    """Sets the stop flag; the stage stays. Only `stop` calls this."""
    _write(
        connection,
        "UPDATE recording SET claim = NULL, claim_until_us = NULL, stopped_at_us = ?,"
        f" stop_reason = ?, stop_error = ? {_HELD}",
        (at.now_us, reason, at.error),
        held,
    )


def _write(
    connection: sqlite3.Connection, statement: str, values: tuple[object, ...], held: Claim
) -> None:
    # rowcount and not total_changes, which counts what came before as well.
    written = connection.execute(statement, (*values, held.recording_id, held.token)).rowcount
    if written != 1:
        raise LostClaim(f"recording {held.recording_id} is held by this claim no more")
