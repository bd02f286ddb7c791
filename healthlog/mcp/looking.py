"""The mart that a service keeps, looked at from another process."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from healthlog.base.clock import Clock
from healthlog.base.errors import Busy, Damaged
from healthlog.databases import open_to_look
from healthlog.mart.store import identity

T = TypeVar("T")

_ATTEMPTS = 3


class LookedAt:
    """Opened anew for each look, so that what stands there now is seen, and nobody who puts
    another mart in its place has to wait for this process."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work` returns from one snapshot. Errors as of `open_to_look`."""
        for _ in range(_ATTEMPTS):
            before = identity(self._path)
            try:
                with closing(open_to_look(self._path, "mart", self._clock)) as mart:
                    found = mart.read(work)
            except Damaged:
                if identity(self._path) == before:
                    raise
                continue
            # Exchanged meanwhile, the file of one mart may have been read with the log of another.
            if identity(self._path) == before:
                return found
        raise Busy(f"{self._path} is being exchanged again and again")
