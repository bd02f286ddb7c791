"""A process that kills itself before the n-th line it executes in some files."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from types import FrameType
from typing import Any

SURVIVED = 0
_FAILED = 3


def died_before(line: int, files: Collection[str], work: Callable[[], object]) -> bool:
    """Runs `work` in a copy of this process that is killed by SIGKILL before the `line`-th line
    (from 1) of code in files of these names; whether it came so far.

    The copy shares open files with this process: there should be none that matter.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        _die(line, files, work)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == SURVIVED, "the copy failed by itself"
    return False


def _die(line: int, files: Collection[str], work: Callable[[], object]) -> None:
    left = [line]

    def on_line(_frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "line":
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return on_line

    def on_call(frame: FrameType, _event: str, _argument: Any) -> Any:
        return on_line if Path(frame.f_code.co_filename).name in files else None

    try:
        sys.settrace(on_call)
        work()
    except BaseException as error:  # noqa: BLE001 - whatever it is, this copy must not go on
        print(f"the copy failed: {error!r}", file=sys.stderr, flush=True)
        os._exit(_FAILED)
    os._exit(SURVIVED)
