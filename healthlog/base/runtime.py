"""The life of the process: stop signals, supervised threads, deadlines."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from healthlog.base.clock import Clock
from healthlog.base.log import Log

STOP_SIGNALS = frozenset({signal.SIGTERM, signal.SIGINT})


def block_stop_signals() -> frozenset[signal.Signals]:
    """Keep SIGTERM, SIGINT waiting for `wait_for_stop`; call before any thread is started.

    Threads and child processes inherit this: a child must call `unblock_stop_signals` itself
    or be ended by SIGKILL.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    return STOP_SIGNALS


def unblock_stop_signals() -> None:
    """Let SIGTERM, SIGINT act again: for a child process that doesn't wait for them."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)


def wait_for_stop(signals: Iterable[int]) -> int:
    """Sleep in the main thread until one of the blocked `signals` comes; its number.

    No handler runs: an Event set by a handler can hang on the event's own lock.
    """
    return int(signal.sigwait(signals))


def supervised(
    name: str, target: Callable[[], None], log: Log, on_death: Callable[[], None]
) -> threading.Thread:
    """A thread, not yet started, whose death by an exception is an ERROR and calls `on_death`.

    `target` returning is its proper end: neither logged nor reported.
    """

    def run() -> None:
        try:
            target()
        except BaseException as error:
            log.exception("thread died", error=error, thread=name)
            _report(name, log, on_death)

    return threading.Thread(target=run, name=name)


def _report(name: str, log: Log, on_death: Callable[[], None]) -> None:
    try:
        on_death()
    except BaseException as error:
        log.exception("death of thread not reported", error=error, thread=name)


@dataclass(frozen=True, slots=True)
class Deadline:
    """An instant of the monotonic clock that is never moved."""

    clock: Clock
    at_s: float

    @classmethod
    def after(cls, clock: Clock, seconds: float) -> Deadline:
        """The deadline `seconds` from now."""
        return cls(clock, clock.monotonic() + seconds)

    def left(self) -> float:
        """Seconds left, 0.0 once it has passed: fit for a timeout."""
        return max(0.0, self.at_s - self.clock.monotonic())

    def passed(self) -> bool:
        """Whether nothing is left."""
        return self.clock.monotonic() >= self.at_s
