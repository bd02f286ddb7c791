"""What somebody has to see to, told in the log without flooding it."""

from __future__ import annotations

import threading

from healthlog.base.clock import Clock
from healthlog.base.errors import Damaged
from healthlog.base.log import Log

AGAIN_S = 60.0
"""The same words are not said again before that."""


class Alarm:
    """Hears the errors of files from all threads, whoever they are raised to beside."""

    def __init__(self, log: Log, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._lock = threading.Lock()
        self._silent_until_s: dict[str, float] = {}

    def of_journal(self, error: Exception) -> None:
        """An error of the journal, which nobody but a person can mend."""
        if not isinstance(error, Damaged):
            self.of_files(error)
        elif self._is_news(str(error)):
            self._log.error("journal damaged", error=str(error))

    def of_files(self, error: Exception) -> None:
        """An error of any other file; a damaged mart is told of where it is set aside."""
        if not isinstance(error, Damaged) and self._is_news(str(error)):
            self._log.error("disk failed", error=str(error))

    def _is_news(self, said: str) -> bool:
        now_s = self._clock.monotonic()
        with self._lock:
            silent = {said: until for said, until in self._silent_until_s.items() if until > now_s}
            self._silent_until_s = {said: now_s + AGAIN_S, **silent}
            return said not in silent
