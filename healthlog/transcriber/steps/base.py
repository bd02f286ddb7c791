"""What a step is: it gets a recording that it holds, it gives back how far that came."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.transcriber import claims
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.claims import Claim
from healthlog.transcriber.outcomes import Reached
from healthlog.transcriber.rows import Recording

T = TypeVar("T")

WRITE_BUDGET_S = 10.0
"""Seconds that a step's write waits for its turn: what it has to tell took longer to find out."""


@dataclass(frozen=True, slots=True)
class Hold:
    """A recording in a step's hands."""

    claim: Claim
    store: Database
    clock: Clock
    cancel: Cancel

    def require(self) -> None:
        """LostClaim unless it still is: right before what can't be taken back."""
        self.store.read(lambda c: claims.require(c, self.claim))

    def write(self, work: Callable[[sqlite3.Connection, int], T]) -> T:
        """What `work(connection, now in microseconds)` returns, once committed; it has to name the
        claim by itself."""
        return self.store.write(lambda c: work(c, self.clock.now_us()), budget_s=WRITE_BUDGET_S)


def nothing(_connection: sqlite3.Connection, _now_us: int) -> None:
    """What is written beside a move by default."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A stage was reached. `beside` is written in the same transaction, `reply` told after it."""

    reached: Reached
    beside: Callable[[sqlite3.Connection, int], None] = nothing
    reply: str | None = None


@dataclass(frozen=True, slots=True)
class Deferred:
    """Nothing failed, but it isn't time yet."""

    delay_s: float


Result = Moved | Deferred


class Step(Protocol):
    """Leads on from a stage. `run` raises the errors of `failures`; it writes nothing into the
    recording's row itself."""

    @property
    def timeout_s(self) -> float:
        """The longest that `run` may take by its own timeouts."""
        ...

    @property
    def bounded_by(self) -> str:
        """The settings from which that follows."""
        ...

    def run(self, recording: Recording, hold: Hold) -> Result: ...
