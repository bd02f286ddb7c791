"""Processes that begin as a copy of this one: nothing is loaded anew."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

_ENDING = (signal.SIGINT, signal.SIGTERM)

Run = Callable[[IO[bytes], IO[bytes]], object]


class Child(NamedTuple):
    """A process, the streams it is asked and answers by, which are not buffered, and what ends it
    at once."""

    pid: int
    asked: IO[bytes]
    answers: IO[bytes]
    end: Callable[[], object]


def is_safe() -> bool:
    """Whether a copy of this process is whole: no other thread may be in the midst of anything.
    Elsewhere than on Linux what the system brings along may have threads of its own."""
    return sys.platform == "linux" and threading.active_count() == 1


def forked(run: Run) -> Child:
    """Start a copy of this process that does nothing but `run(asked, answers)`. It shares no open
    file with this one but standard error: no lock, no database. OSError when that can't be done."""
    ends = [*os.pipe(), *os.pipe()]
    its_asked, asked, answers, its_answers = ends
    # A signal that met the copy at once would let it clean up after its origin.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        pid = os.fork()
        if pid == 0:
            _be(its_asked, its_answers, run)
    except OSError:
        for end in ends:
            os.close(end)
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    os.close(its_asked)
    os.close(its_answers)
    return Child(
        pid,
        os.fdopen(asked, "wb", buffering=0),
        os.fdopen(answers, "rb", buffering=0),
        partial(_end, pid),
    )


def _end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _be(asked: int, answers: int, run: Run) -> None:
    """Be the copy, and end with it. What it has of its origin is left alone: closing a database
    here would be a second hand in the file."""
    status = 1
    try:
        gc.freeze()
        os.setsid()
        for number in _ENDING:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        os.dup2(asked, 0)
        os.dup2(answers, 1)
        os.closerange(3, max(int(one.name) for one in Path("/proc/self/fd").iterdir()) + 1)
        run(os.fdopen(0, "rb", buffering=0), os.fdopen(1, "wb", buffering=0))
        status = 0
    finally:
        os._exit(status)
