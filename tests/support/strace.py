"""A process killed just before its n-th call of one kind, by strace(1)."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from tests.support.lease import leased
from tests.support.patience import PATIENCE_S
from tests.support.process import environment
from tests.support.sources import ROOT

MUTATING = ("mkdir", "openat", "write", "pwrite64", "fsync", "fdatasync", "rename", "unlink",
            "ftruncate")  # fmt: skip
"""Calls that change what a disk holds; between two of them a kill leaves the same."""

Trace = Callable[[int], AbstractContextManager[None]]
"""What is done to the calls of a process."""

INSTALLED = shutil.which("strace") is not None


@contextmanager
def attached(pid: int, *options: str | Path) -> Iterator[None]:
    """strace on all threads of a process, those to come included."""
    tracer = subprocess.Popen(
        ["strace", "-f", "-p", str(pid), *map(str, options)], stderr=subprocess.PIPE, text=True
    )
    watchdog = threading.Timer(PATIENCE_S, tracer.kill)
    watchdog.start()
    try:
        assert tracer.stderr is not None
        assert "attached" in tracer.stderr.readline()
        yield
    finally:
        tracer.terminate()
        tracer.communicate()
        watchdog.cancel()


@contextmanager
def killing(pid: int, call: str, number: int) -> Iterator[None]:
    """Each thread of the process is good for `number` - 1 calls."""
    inject = f"inject={call}:signal=SIGKILL:when={number}"
    with attached(pid, "-e", f"trace={call}", "-e", inject, "-o", "/dev/null"):
        yield


@contextmanager
def noting(pid: int, file: Path) -> Iterator[None]:
    """Notes the mutating calls, for `counted`."""
    with attached(pid, "-e", f"trace={','.join(MUTATING)}", "-o", file):
        yield


def counted(file: Path) -> Sequence[tuple[str, int]]:
    """Every call that was noted with its number among those of its kind, by thread, once each."""
    by_thread: Counter[tuple[str, str]] = Counter()
    for line in file.read_text().splitlines():
        found = re.match(r"(\d+) +(\w+)\(", line)
        if found is not None:
            by_thread[found[1], found[2]] += 1
    most: dict[str, int] = {}
    for (_, call), count in by_thread.items():
        most[call] = max(most.get(call, 0), count)
    return [(call, number) for call, count in most.items() for number in range(1, count + 1)]


def traced(file: Path, trace: Trace, *words: str | Path) -> int:
    """The exit status of a command whose calls are traced from when it opens that file."""
    command = [sys.executable, "-m", "healthlog", *map(str, words)]
    with (
        leased(file) as lease,
        subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as child,
    ):
        lease.wait()
        with trace(child.pid):
            lease.release()
            return child.wait(PATIENCE_S)
