"""The threads that carry recordings on: none of them belongs to a step or to anybody."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.log import Log
from healthlog.base.runtime import Deadline, supervised
from healthlog.transcriber import claims
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.pipeline import Pipeline

TICK_S = 5.0
"""The longest that an idle worker waits, should the clock have been put or a signal been lost."""

_LEAST_S = 0.05
_PATIENCE_S = 1.0
_CUT_SHARE = 0.25
"""This share of a stop's budget is kept for what has to be cut."""


@dataclass(frozen=True, slots=True)
class WorkersState:
    """How many threads there should be, how many there are, when one of them last began a pass
    (microseconds since 1970 UTC)."""

    wanted: int
    alive: int
    last_pass_at_us: int | None


class Workers:
    """`count` threads over one pipeline; 0 is a mode: recordings are taken in and stay."""

    def __init__(
        self,
        pipeline: Pipeline,
        store: Database,
        *,
        count: int,
        clock: Clock,
        log: Log,
        tick_s: float = TICK_S,
    ) -> None:
        self._pipeline = pipeline
        self._store = store
        self._count = count
        self._clock = clock
        self._log = log
        self._tick_s = tick_s
        self._cancel = Cancel()
        self._signal = threading.Condition()
        self._wakes = 0
        self._alive = 0
        self._last_pass_at_us: int | None = None
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Give back what an earlier process held, then begin. Only under the lock of the data
        directory: nobody else may be at work."""
        self._store.write(lambda c: claims.release_dead(c, self._clock.now_us()))
        for number in range(1, self._count + 1):
            name = f"recordings-{number}"
            thread = supervised(name, self._run, self._log, lambda: None)
            self._threads.append(thread)
            with self._signal:
                self._alive += 1
            thread.start()

    def wake(self) -> None:
        """There may be work."""
        with self._signal:
            self._wakes += 1
            self._signal.notify_all()

    @property
    def state(self) -> WorkersState:
        return WorkersState(self._count, self._alive, self._last_pass_at_us)

    def ask_to_stop(self) -> None:
        """Begin to stop: no new claims; what costs nothing to repeat ends at once."""
        self._cancel.ask()
        self.wake()

    def stop(self, deadline: Deadline) -> list[str]:
        """Stop by then; the names of threads that are still at work."""
        self.ask_to_stop()
        left_s = deadline.left()
        self._join(Deadline.after(deadline.clock, left_s * (1 - _CUT_SHARE)))
        self._cancel.cut()
        self._join(deadline)
        return [thread.name for thread in self._threads if thread.is_alive()]

    def _join(self, deadline: Deadline) -> None:
        for thread in self._threads:
            thread.join(deadline.left())

    # ---- one thread

    def _run(self) -> None:
        try:
            while not self._cancel.asked:
                self._pass()
        finally:
            with self._signal:
                self._alive -= 1

    def _pass(self) -> None:
        seen = self._wakes
        self._last_pass_at_us = self._clock.now_us()
        try:
            ran = self._pipeline.run_once(self._cancel)
            wait_s = 0.0 if ran is not None else self._idle_s()
        except Exception as error:  # noqa: BLE001 - a pass may fail, the loop goes on
            self._log.exception("pass failed", error, worker="recordings")
            wait_s = _PATIENCE_S
        if wait_s > 0:
            with self._signal:
                self._signal.wait_for(
                    lambda: self._cancel.asked or self._wakes != seen, timeout=wait_s
                )

    def _idle_s(self) -> float:
        """Seconds until the next recording becomes fit for work, a tick at most."""
        due_us = self._store.read(claims.next_due_us)
        if due_us is None:
            return self._tick_s
        left_s = (due_us - self._clock.now_us()) / 1_000_000
        return min(max(left_s, _LEAST_S), self._tick_s)
