"""A clock that stands still until a test moves it."""

from __future__ import annotations

from dataclasses import dataclass

MORNING_US = 1_785_657_702_123_456
"""2026-08-02T08:01:42.123456Z, an instant without meaning of its own."""


@dataclass(slots=True)
class FakeClock:
    """Implements `healthlog.base.clock.Clock`; both hands can be set and advanced.

    `wall_us` is the wall clock in microseconds since 1970 UTC, `elapsed_s` the monotonic one in
    seconds. `step_us` is added to the wall clock after each reading, for code that needs it moving.
    """

    wall_us: int = MORNING_US
    elapsed_s: float = 1000.0
    step_us: int = 0

    def now_us(self) -> int:
        now = self.wall_us
        self.wall_us += self.step_us
        return now

    def monotonic(self) -> float:
        return self.elapsed_s

    def advance(self, seconds: float) -> None:
        """Time passes: both hands move."""
        self.wall_us += round(seconds * 1_000_000)
        self.elapsed_s += seconds

    def set(self, wall_us: int) -> None:
        """The wall clock is put right or wrong; the monotonic one doesn't notice."""
        self.wall_us = wall_us
