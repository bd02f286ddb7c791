"""How fast a client sends: the bytes of the last ten seconds."""

from __future__ import annotations

from healthlog.base.clock import Clock
from healthlog.base.stream import Source

WINDOW_S = 10


class Pace:
    """A source that counts what it passes on.

    One thread receives, others may ask: they see numbers that may be a piece behind.
    """

    def __init__(self, source: Source, clock: Clock) -> None:
        self._source = source
        self._clock = clock
        self._begun = clock.monotonic()
        self._counts = [0] * WINDOW_S
        self._seconds = [-1] * WINDOW_S

    def begin(self) -> None:
        """Forget what came before: another body begins."""
        self._begun = self._clock.monotonic()
        self._seconds = [-1] * WINDOW_S

    def receive(self, size: int, /) -> bytes:
        """As the source gives it."""
        data = self._source.receive(size)
        second = int(self._clock.monotonic())
        place = second % WINDOW_S
        if self._seconds[place] != second:
            self._counts[place] = 0
            self._seconds[place] = second
        self._counts[place] += len(data)
        return data

    def rate(self) -> float:
        """Bytes a second since `begin`, of the last ten seconds at most."""
        now = self._clock.monotonic()
        first = int(now) - WINDOW_S
        seconds, counts = self._seconds, self._counts
        recent = sum(n for at, n in zip(seconds, counts, strict=True) if at > first)
        return recent / min(WINDOW_S, max(1.0, now - self._begun))
