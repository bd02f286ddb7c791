"""The loop that asks for updates, one question after the other (long polling)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from healthlog.base.errors import Circumstance
from healthlog.base.log import Log
from healthlog.base.metrics import Counter
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import Cancelled
from healthlog.transcriber.said import said
from healthlog.transcriber.telegram.api import Api, Call
from healthlog.transcriber.telegram.desk import REPEATED, Desk
from healthlog.transcriber.telegram.download import Gone
from healthlog.transcriber.telegram.faults import Denied, Fault, NoFolder, NotTheApi, Overloaded
from healthlog.transcriber.telegram.standing import Standing, growing_s
from healthlog.transcriber.telegram.updates import Update, update_of

FAILED = "failed"

MOST_TRIES = 10
"""With the pauses between them about nine minutes; until then everything behind has to wait."""

_LONG_POLL_S = 50
"""The longest for which the Bot API keeps a question open."""
_MARGIN_S = 15.0
_UPDATES_AT_A_TIME = 100
_PATIENCE_S = 5.0
_FIRST_S, _LONGEST_S = 1.0, 300.0


@dataclass
class _Failing:
    """The update with which it came to nothing last: so many times, of which so many may be its
    own fault."""

    update_id: int
    times: int = 0
    tries: int = 0


class Poller:
    """One thread's work. `wait(seconds)` waits that long, or until our stop is asked for; `updates`
    counts by `outcome`."""

    def __init__(
        self,
        api: Api,
        desk: Desk,
        standing: Standing,
        *,
        cancel: Cancel,
        log: Log,
        updates: Counter,
        wait: Callable[[float], object],
    ) -> None:
        self._api = api
        self._desk = desk
        self._standing = standing
        self._cancel = cancel
        self._log = log
        self._updates = updates
        self._wait = wait
        self._failing = _Failing(-1)

    def run(self) -> None:
        """Until our stop is asked for."""
        self._standing.begin()
        try:
            while not self._cancel.asked:
                pause_s = self._pass()
                if pause_s > 0:
                    self._wait(pause_s)
        finally:
            self._standing.end()

    def _pass(self) -> float:
        try:
            return self.poll_once()
        except Exception as error:  # noqa: BLE001 - a pass may fail, the loop goes on
            self._log.exception("pass failed", error, worker="telegram")
            return _PATIENCE_S

    def poll_once(self) -> float:
        """Asks once, deals with what comes; seconds to wait before the next time."""
        try:
            updates = self._asked()
        except Cancelled:
            return 0.0
        except Fault as fault:
            return self._standing.ill(fault)
        if not updates:
            self._standing.well()
        news = not updates
        for update in updates:
            if self._cancel.asked:
                break
            outcome, pause_s = self._one(update)
            if pause_s > 0:
                # In their order or not at all: to confirm one is to confirm all before it.
                return pause_s
            news = news or outcome != REPEATED
        # A server that forgets what was confirmed is not to be asked without end.
        return 0.0 if news else _FIRST_S

    def _asked(self) -> Sequence[Update]:
        parameters: dict[str, object] = {
            "timeout": _LONG_POLL_S,
            "limit": _UPDATES_AT_A_TIME,
            "allowed_updates": ["message"],
        }
        first = self._desk.next_update()
        if first is not None:
            parameters["offset"] = first
        told = self._api.call(Call("getUpdates", parameters, _LONG_POLL_S + _MARGIN_S))
        updates = [update_of(one) for one in told] if isinstance(told, list) else [None]
        known = [update for update in updates if update is not None]
        if len(known) < len(updates):
            raise NotTheApi(200)
        return known

    # ---- one update

    def _one(self, update: Update) -> tuple[str, float]:
        """What became of it; seconds to wait before the next question, if that is necessary."""
        try:
            outcome = self._desk.deal_with(update)
        except Cancelled:
            return FAILED, 0.0
        except Exception as error:  # noqa: BLE001 - whatever it is, the update is asked for again
            return FAILED, self._failed(update, error)
        self._standing.well()
        self._updates.add(outcome=outcome)
        return outcome, 0.0

    def _failed(self, update: Update, error: Exception) -> float:
        self._updates.add(outcome=FAILED)
        if isinstance(error, Denied | NoFolder | NotTheApi):
            return self._standing.ill(error)
        self._standing.well()
        if self._failing.update_id != update.update_id:
            self._failing = _Failing(update.update_id)
        failing = self._failing
        failing.times += 1
        failing.tries += _its_own(error)
        self._tell(error, failing.times)
        if failing.tries >= MOST_TRIES:
            self._updates.add(outcome=self._desk.give_up(update))
            return 0.0
        if isinstance(error, Overloaded):
            return error.retry_after_s
        return growing_s(failing.times, _FIRST_S, _LONGEST_S)

    def _tell(self, error: Exception, times: int) -> None:
        if isinstance(error, Circumstance | Gone):
            self._log.warn("telegram update failed", error=said(error), tries=times)
        else:
            # A mistake in the program: without its traceback nobody could find it.
            self._log.exception("telegram update failed", error, tries=times)


def _its_own(error: Exception) -> bool:
    """Whether the failure may be the update's own, so that it may not go on for ever; a full disk,
    for one, says nothing about it."""
    if isinstance(error, Overloaded):
        return False
    return isinstance(error, Fault) or not isinstance(error, Circumstance)
