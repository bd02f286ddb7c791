"""When the phone was refused last: noted at the door, looked at by the watch."""

from __future__ import annotations

from healthlog.base.clock import Clock


class LastRefusals:
    """When a delivery was last refused, by status. For any thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last_us: dict[int, int] = {}

    def note(self, status: int) -> None:
        """A delivery was refused now."""
        self._last_us[status] = self._clock.now_us()

    def last_us(self) -> dict[int, int]:
        """Microseconds UTC by status."""
        return dict(self._last_us)
