"""The end of a process of somebody else, waited for without a clock."""

from __future__ import annotations

import os
import select
from contextlib import suppress
from pathlib import Path

from tests.support.patience import PATIENCE_S


class Watched:
    """A process by its number, so that its end can be waited for."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._descriptor = os.pidfd_open(pid)

    def has_ended(self) -> bool:
        """Whether it has ended or does so in time."""
        ready, _, _ = select.select([self._descriptor], [], [], PATIENCE_S)
        os.close(self._descriptor)
        return bool(ready)


def number_told(fifo: Path) -> int:
    """The number that a process writes into a FIFO, if it does so in time."""
    # Opened for both, for then it waits for nobody, and its end is not seen before it has begun.
    descriptor = os.open(fifo, os.O_RDWR)
    try:
        ready, _, _ = select.select([descriptor], [], [], PATIENCE_S)
        assert ready, "nobody has told a number"
        return int(os.read(descriptor, 64))
    finally:
        os.close(descriptor)


def children(pid: int) -> list[int]:
    """The processes that a process has started and that are still there."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            found += map(int, (task / "children").read_text().split())
    return found
