"""What the handlers of all routes work with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from healthlog.archive.store import Archive
from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.held import Turns
from healthlog.base.notify import Channel
from healthlog.base.web import RETRY_AFTER, Problem, Request, Response
from healthlog.config import Settings
from healthlog.imports.door import closed
from healthlog.journal.refusals import Refused
from healthlog.mart.store import Mart, Spoiled
from healthlog.rebuild import RebuildState
from healthlog.spoken import Silent, Spoken
from healthlog.worker import WorkerState

T = TypeVar("T")

AT_ONCE = 4
"""So many questions are answered at a time: more would not be faster, and each needs memory."""

_PATIENCE_S = 15.0


def _no_rebuild() -> RebuildState | None:
    """Where none can be under way."""
    return None


def _no_refusals() -> Sequence[Refused]:
    """Where nobody notes them."""
    return ()


@dataclass(frozen=True, slots=True)
class Parts:
    """What the handlers work with. The states are asked anew for each answer."""

    mart: Mart
    journal: Database
    archive: Archive
    clock: Clock
    settings: Settings
    worker_state: Callable[[], WorkerState | None]
    rebuild_state: Callable[[], RebuildState | None] = _no_rebuild
    imports: Callable[[Request], Response] = closed
    metrics: Callable[[], str] = str
    recordings_state: Callable[[], Mapping[str, object]] = dict
    login: Callable[[Request], Response] = closed
    logout: Callable[[Request], Response] = closed
    ingest_token: Callable[[], str] = str
    spoken: Spoken = field(default_factory=Silent)
    refusals: Callable[[], Sequence[Refused]] = _no_refusals
    channels: Sequence[Channel] = ()
    turns: Turns = field(default_factory=lambda: Turns(AT_ONCE, _PATIENCE_S))


def of_mart(ask: Callable[[], T]) -> T:
    """A damaged mart is made anew by the worker when it meets the damage."""
    try:
        return ask()
    except Spoiled:
        raise Problem(503, "The mart is damaged and has to be made anew.", RETRY_AFTER) from None
