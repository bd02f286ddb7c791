"""Single deliveries played, with accidents in the places of a stage."""

from __future__ import annotations

import sqlite3
from typing import Any

from healthlog.fold import Folder
from healthlog.model import Account, Delivery
from healthlog.planning import Plan
from healthlog.replay import Outcome
from tests.support.engine import Engine


def play(engine: Engine, one: Delivery, **options: Any) -> Outcome:
    return engine.player(**options).play(one.delivery_id)


def raising(error: BaseException) -> Any:
    """Any callable of a stage, which ends in that error."""

    def call(*_: object) -> None:
        raise error

    return call


class Breaking(Folder):
    """Ends in an error once everything of the plan has been merged and noted."""

    def __init__(self, engine: Engine, error: BaseException) -> None:
        super().__init__(engine.mart, engine.clock)
        self._error = error

    def _account(self, planned: Plan, *_: object) -> Account:
        raise self._error


def sqlite_error(code: int) -> sqlite3.OperationalError:
    """As sqlite3 raises it."""
    error = sqlite3.OperationalError("scripted")
    error.sqlite_errorcode = code
    return error


def points(engine: Engine) -> int:
    return engine.digest().points


def kind(engine: Engine, one: Delivery) -> str | None:
    failure = engine.entry(one).failure
    return None if failure is None else failure.kind
