"""The way out for log lines: a descriptor whose reader may stop reading."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable

MOST_LINES = 10_000
"""Lines kept for a reader who has stopped; what comes after them is counted, not kept."""


class Outlet:
    """Lines in, bytes out on `descriptor`, by a thread of its own.

    A terminal stopped with Ctrl-S, a pager, a pipe nobody empties: none of them may hold up a
    delivery, so writing here never waits. `lost` makes the line that tells how many lines had to
    be left out. A reader who has gone takes nothing more, and that is no error.
    """

    def __init__(
        self, descriptor: int, lost: Callable[[int], str], *, most_lines: int = MOST_LINES
    ) -> None:
        self._descriptor = descriptor
        self._tell_lost = lost
        self._most_lines = most_lines
        self._changed = threading.Condition()
        self._lines: deque[str] = deque()
        self._lost = 0
        self._writing = False
        self._gone = False
        # A daemon: one that waits for a reader must not keep the process from ending.
        threading.Thread(target=self._run, name="outlet", daemon=True).start()

    def write(self, text: str) -> int:
        """Take a line, or count it where too many wait already."""
        with self._changed:
            if self._gone:
                return len(text)
            if len(self._lines) >= self._most_lines:
                self._lost += 1
            else:
                self._lines.append(text)
                self._changed.notify_all()
        return len(text)

    def flush(self) -> None:
        """Nothing is kept back on purpose; see `drain`."""

    def drain(self, timeout_s: float) -> bool:
        """Wait until all lines are out; False when the reader didn't take them in time."""
        with self._changed:
            return self._changed.wait_for(self._idle, timeout_s)

    def close(self, timeout_s: float) -> bool:
        """`drain`, after which nothing is taken any more."""
        drained = self.drain(timeout_s)
        self._leave()
        return drained

    def _idle(self) -> bool:
        return not self._lines and not self._writing

    def _run(self) -> None:
        while text := self._next():
            try:
                self._put(text.encode())
            except OSError:
                self._leave()

    def _next(self) -> str:
        """What waits to be written; "" when nothing will come any more."""
        with self._changed:
            self._writing = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._lines or self._gone)
            if self._gone:
                return ""
            batch = list(self._lines)
            self._lines.clear()
            if self._lost:
                batch.append(self._tell_lost(self._lost))
                self._lost = 0
            self._writing = True
        return "".join(batch)

    def _put(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._descriptor, data) :]

    def _leave(self) -> None:
        with self._changed:
            self._gone = True
            self._lines.clear()
            self._changed.notify_all()
