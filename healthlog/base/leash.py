"""Processes on a leash: they end with the one that started them, however it ends."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

_PATIENCE_S = 2.0
_CUT = 1


class Leashed:
    """A process whose lines are heard, one by one, on a thread of their own.

    `hear(line)` is called for each line of its standard output, then `ended(status)` once (the
    status is negative where a signal ended it). Its standard input is the leash: the process has to
    call `end_with_starter`. It takes no part in signals from the terminal.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        hear: Callable[[str], object],
        ended: Callable[[int], object],
    ) -> None:
        """Start it. OSError when that can't be done."""
        self._process = subprocess.Popen(  # noqa: S603 - the command is this program's own
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        self._hear = hear
        self._ended = ended
        self._ear = threading.Thread(target=self._listen, name="leash", daemon=True)
        self._ear.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def stop(self) -> None:
        """End it at once; a second time does nothing."""
        self._process.kill()
        self._ear.join(_PATIENCE_S)

    def _listen(self) -> None:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with process.stdin, process.stdout:
            for line in process.stdout:
                self._hear(line.decode("utf-8", "replace"))
            status = process.wait()
        self._ended(status)


def end_with_starter(leash: int = 0) -> None:
    """From now on this process ends, wherever it is, as soon as nobody holds the other end of its
    standard input."""

    def watch() -> None:
        with suppress(OSError):
            while os.read(leash, 4096):
                pass
        os._exit(_CUT)

    threading.Thread(target=watch, name="leash", daemon=True).start()
