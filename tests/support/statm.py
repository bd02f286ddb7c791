"""What the kernel says of another process."""

from __future__ import annotations

import threading
from pathlib import Path

_LOOKS = 2_000


def _line(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise LookupError(name)


def threads_of(pid: int) -> int:
    """How many threads it has."""
    return _line(pid, "Threads")


def peak_kib(pid: int) -> int:
    """The most memory it ever had resident."""
    return _line(pid, "VmHWM")


def threads_again(pid: int, count: int) -> bool:
    """Whether it comes back to at most so many threads, before long."""
    pause = threading.Event()
    return any(threads_of(pid) <= count or pause.wait(0.01) for _ in range(_LOOKS))
