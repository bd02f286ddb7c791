"""A process of its own that carries one operation of the spool to its result.

It is started with the operation's folder and the number of a descriptor that holds the lock of the
folder: as long as any copy of it is open, the operation lives. It notes that it has begun before it
does anything that may cost money, and its result is whole or absent.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from healthlog.base import files
from healthlog.base.runtime import unblock_stop_signals

REQUEST, STARTED, RESULT, PRINTED = "request.json", "started", "result.json", "printed"

DONE, RETRY, VERDICT, CONFIGURATION = "done", "retry", "verdict", "configuration"

Work = Callable[[Path, dict[str, Any]], dict[str, object]]
"""From the operation's folder with what was asked to its result, an object whose `outcome` is DONE,
or one of the other words with a `message`, `setting`, `retry_after_s`, `charged` beside it."""

_LARGEST_OUTPUT = 256 * 1024 * 1024
_NICE = 10
"""Whatever else the machine has to do comes first."""
_CUT = 1


def live(arguments: list[str], work: Work) -> int:
    """Carry out the operation whose folder is the first argument."""
    unblock_stop_signals()
    folder = Path(arguments[0])
    os.nice(_NICE)
    files.write_whole(folder / STARTED, str(os.getpid()).encode())
    request = json.loads((folder / REQUEST).read_bytes())
    result = work(folder, request)
    files.write_whole(folder / RESULT, json.dumps(result).encode())
    return 0


def run_program(folder: Path, request: dict[str, Any]) -> dict[str, object]:
    """Run the program `argv` for `timeout_s` at most; what it prints is kept in the folder."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_OUTPUT, _LARGEST_OUTPUT))
    leaving = _Leaving()
    signal.signal(signal.SIGTERM, leaving.asked)
    # Nothing it complains of is kept: that may quote what it heard.
    with (folder / PRINTED).open("wb") as printed:
        try:
            with leaving.held_up():
                process = subprocess.Popen(  # noqa: S603 - the owner's own setting
                    request["argv"],
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    stderr=subprocess.DEVNULL,
                    process_group=0,
                )
                leaving.group = process.pid
        except OSError as error:
            message = f"the program can't be started: {error.strerror}"
            return {"outcome": CONFIGURATION, "setting": request["setting"], "message": message}
    try:
        status = process.wait(request["timeout_s"])
    except subprocess.TimeoutExpired:
        _kill(process.pid)
        process.wait()
        message = f"the program took longer than {request['timeout_s']:g} s"
        return {"outcome": RETRY, "message": message}
    if status == 0:
        return {"outcome": DONE}
    return {"outcome": RETRY, "message": f"the program ended with status {status}"}


class _Leaving:
    """The end that the service asks for by SIGTERM: nothing is left behind, no result is written.

    While a program is being started the end is held up, for until its number is known it couldn't
    be ended. (To block the signal meanwhile would block it in the program, too.)
    """

    def __init__(self) -> None:
        self.group: int | None = None
        self._is_asked = self._is_held_up = False

    def asked(self, *_: object) -> None:
        """What to do with the signal."""
        self._is_asked = True
        if not self._is_held_up:
            self._leave()

    @contextmanager
    def held_up(self) -> Iterator[None]:
        """Not meanwhile, but then."""
        self._is_held_up = True
        try:
            yield
        finally:
            self._is_held_up = False
            if self._is_asked:
                self._leave()

    def _leave(self) -> None:
        if self.group is not None:
            _kill(self.group)
        os._exit(_CUT)


def _kill(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(live(sys.argv[1:], run_program))
