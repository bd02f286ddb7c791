"""The process that builds a mart beside the service: how it is started, what it tells in lines."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from healthlog.base.errors import Circumstance
from healthlog.base.leash import Leashed
from healthlog.base.log import Log
from healthlog.config import Settings
from healthlog.model import Account, Failure, Verdict
from healthlog.program import environment
from healthlog.reindex import Report
from healthlog.replay import Outcome

COMMAND = "rebuild"
PATIENCE = 10
"""How many times longer than in the service a fold may take, for everything else comes first: what
was folded once must not fail because it is folded again."""

Position = tuple[int, str]


class BuildFailed(Circumstance):
    """The builder did not come to its end; the message says why."""


class Running(Protocol):
    """A builder at work."""

    def stop(self) -> None:
        """End it at once."""


class Build(Protocol):
    """Starts a builder of the mart `path`; `hear` gets its lines, `ended` its exit status."""

    def __call__(
        self, path: Path, hear: Callable[[str], object], ended: Callable[[int], object]
    ) -> Running: ...


@dataclass(frozen=True, slots=True)
class Built:
    """A mart that is ready: the position of the journal up to which all is in it, and how that
    went."""

    upto: Position
    report: Report


class Process:
    """Builds by a process of this program, with the settings of the service."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def __call__(
        self, path: Path, hear: Callable[[str], object], ended: Callable[[int], object]
    ) -> Running:
        given = self._settings
        # The settings of the service may come from anywhere: those that matter are named.
        command = [
            *(sys.executable, "-m", "healthlog", COMMAND, "--into", str(path)),
            *("--data", str(given.data), "--journal-mode", given.journal_mode),
            *("--fold-timeout", f"{given.fold_timeout:.3f}s"),
        ]
        return Leashed(command, environment(os.environ), hear, ended)


# The builder's side


def progress_line(done: int, total: int) -> str:
    return json.dumps({"done": done, "total": total})


def failed_line(delivery_id: str, verdict: Verdict) -> str:
    """The verdict of a delivery that failed: the mart knows nothing of it."""
    account, failure = verdict.account, verdict.failure
    assert failure is not None
    told = {
        "delivery_id": delivery_id,
        "kind": failure.kind,
        "message": failure.message,
        "folded_at_us": account.folded_at_us,
        "uncovered": account.uncovered,
    }
    return json.dumps({"failed": told})


def built_line(built: Built) -> str:
    return json.dumps({"built": {"upto": built.upto, "report": asdict(built.report)}})


def gave_up_line(reason: str) -> str:
    return json.dumps({"gave_up": reason})


# The service's side


class Telling:
    """What one builder has told so far. Its errors go on into the log of the service."""

    def __init__(self, log: Log, total: int) -> None:
        self._log = log
        self.progress = (0, total)
        self.failed: dict[str, Verdict] = {}
        self._built: Built | None = None
        self._gave_up = ""

    def hear(self, line: str) -> None:
        """Take in a line; one that isn't understood is passed over."""
        try:
            told = json.loads(line)
            if "msg" in told:
                self._pass_on(**told)
            elif "done" in told:
                self._go_on(told["done"], told["total"])
            elif "failed" in told:
                self._note_failed(**told["failed"])
            elif "built" in told:
                self._built = _built(told["built"])
            else:
                self._gave_up = str(told["gave_up"])
        except (ValueError, TypeError, KeyError):
            self._log.debug("line of the builder not understood")

    def built(self, status: int) -> Built:
        """The mart that is ready, once the builder has ended. BuildFailed."""
        if self._built is None or status != 0:
            raise BuildFailed(self._gave_up or f"the builder ended with status {status}")
        return self._built

    def _go_on(self, done: int, total: int) -> None:
        before, self.progress = self.progress[0], (done, total)
        if before * 10 // max(total, 1) < done * 10 // max(total, 1):
            self._log.info("rebuild progress", done=done, total=total)

    def _note_failed(
        self, delivery_id: str, kind: str, message: str, folded_at_us: int, uncovered: list[str]
    ) -> None:
        account = Account(folded_at_us, uncovered=tuple(uncovered))
        self.failed[delivery_id] = Verdict(account, Failure(kind, message))

    def _pass_on(self, level: str, msg: str, time: str, **fields: object) -> None:
        tell = {"WARN": self._log.warn, "ERROR": self._log.error}.get(level, self._log.debug)
        tell(msg, at=time, **fields)


def _built(told: dict[str, Any]) -> Built:
    at_us, delivery_id = told["upto"]
    report = Report(**{**told["report"], "outcome": Outcome(**told["report"]["outcome"])})
    return Built((int(at_us), str(delivery_id)), report)
