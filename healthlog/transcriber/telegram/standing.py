"""Whether updates come in: how long to wait when not, told once each time that it changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from healthlog.base.clock import Clock
from healthlog.base.log import Log
from healthlog.transcriber.telegram.faults import Conflict, Fault, Overloaded, WebhookSet

_FIRST_S, _LONGEST_S = 1.0, 300.0
_CONFLICT_FIRST_S = 4.0
_SETTING_FIRST_S, _SETTING_LONGEST_S = 60.0, 3600.0
"""The owner has to do something first; only then is there any use in asking."""
_MOST_DOUBLINGS = 20
_PATIENT_WITH = 2
"""A long poll that broke off once is what lines do; the next one that does is told of."""


@dataclass(frozen=True, slots=True)
class EntranceState:
    """What `/stats` tells: whether updates come, else why not; when they were last asked for
    without trouble (microseconds since 1970 UTC)."""

    alive: bool = False
    receiving: bool = False
    trouble: str | None = None
    error: str | None = None
    last_poll_at_us: int | None = None


class Standing:
    """Written by the polling thread alone. `spread()` gives numbers from 0 to 1."""

    def __init__(self, clock: Clock, log: Log, spread: Callable[[], float]) -> None:
        self._clock = clock
        self._log = log
        self._spread = spread
        self._failures = 0
        self._told: str | None = None
        self.state = EntranceState()

    def begin(self) -> None:
        """The thread is there."""
        self.state = replace(self.state, alive=True)

    def end(self) -> None:
        """The thread ends, or is dead."""
        self.state = replace(self.state, alive=False, receiving=False)

    def well(self) -> None:
        """The updates were asked for, and an answer came."""
        self._failures = 0
        if not self.state.receiving:
            self._log.info("telegram receiving")
        self._told = None
        self.state = EntranceState(True, True, last_poll_at_us=self._clock.now_us())

    def ill(self, fault: Fault) -> float:
        """It failed: seconds to wait before the next try."""
        self._failures += 1
        urgent = fault.setting is not None or isinstance(fault, Conflict | WebhookSet)
        if urgent or self._failures >= _PATIENT_WITH:
            self._tell(fault)
        return self._pause_s(fault)

    def _tell(self, fault: Fault) -> None:
        self.state = replace(self.state, receiving=False, trouble=fault.trouble, error=str(fault))
        if self._told == fault.trouble:
            return
        self._told = fault.trouble
        if fault.setting is None:
            self._log.warn("telegram not receiving", reason=fault.trouble, error=str(fault))
        else:
            self._log.error(
                "telegram not receiving",
                reason=fault.trouble,
                error=str(fault),
                setting=fault.setting,
            )

    def _pause_s(self, fault: Fault) -> float:
        first_s, longest_s = _FIRST_S, _LONGEST_S
        if fault.setting is not None:
            first_s, longest_s = _SETTING_FIRST_S, _SETTING_LONGEST_S
        elif isinstance(fault, Conflict | WebhookSet):
            first_s = _CONFLICT_FIRST_S
        pause_s = growing_s(self._failures, first_s, longest_s) * (1 + self._spread() / 4)
        least_s = fault.retry_after_s if isinstance(fault, Overloaded) else 0.0
        return max(pause_s, least_s)


def growing_s(failures: int, first_s: float, longest_s: float) -> float:
    """The pause after so many failures in a row: twice as long each time, up to the longest."""
    return float(min(first_s * 2 ** min(failures - 1, _MOST_DOUBLINGS), longest_s))
