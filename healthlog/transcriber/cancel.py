"""The service's own stop, as the steps see it.

It comes in two parts. Once it is *asked* for, work that costs nothing to repeat is ended at once; a
call that costs money goes on until the rest is *cut*, when the budget of the stop is nearly over.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from healthlog.transcriber.failures import Cancelled

_PATIENT = "patient"
_AT_ONCE = "at once"


class Cancel:
    """One per process; used by all threads. What it calls must not block or raise."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked = threading.Event()
        self._cut = threading.Event()
        self._calls: dict[int, tuple[str, Callable[[], None]]] = {}
        self._next = 0

    def ask(self) -> None:
        """Ask for the stop."""
        self._set(self._asked, {_AT_ONCE})

    def cut(self) -> None:
        """End also what was allowed to go on."""
        self._set(self._asked, {_AT_ONCE})
        self._set(self._cut, {_PATIENT})

    @property
    def asked(self) -> bool:
        return self._asked.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for the stop to be asked for, so long at most; whether it was."""
        return self._asked.wait(seconds)

    def check(self) -> None:
        """Cancelled once the stop is asked for: for places where nothing is under way."""
        if self._asked.is_set():
            raise Cancelled("the service is stopping")

    @contextmanager
    def ending(self, end: Callable[[], None], *, patient: bool = False) -> Iterator[None]:
        """Inside the block `end` is called when the stop is asked for, or, when `patient`, when the
        rest is cut; at once if that has been already. It is called once at most."""
        kind, event = (_PATIENT, self._cut) if patient else (_AT_ONCE, self._asked)
        with self._lock:
            number, self._next = self._next, self._next + 1
            late = event.is_set()
            if not late:
                self._calls[number] = (kind, end)
        if late:
            end()
        try:
            yield
        finally:
            with self._lock:
                self._calls.pop(number, None)

    def _set(self, event: threading.Event, kinds: set[str]) -> None:
        with self._lock:
            event.set()
            due = [number for number, (kind, _) in self._calls.items() if kind in kinds]
            calls = [self._calls.pop(number)[1] for number in due]
        for call in calls:
            call()
