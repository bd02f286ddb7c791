"""Foreign programs run to their end: in a group of their own, without input, within a time.

What a program prints may quote what it works on: nothing of it stands in an error made here.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import Cancelled, Configuration, Retry

_KEPT_BYTES = 256 * 1024
_CHUNK_BYTES = 16 * 1024
_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended: its exit status (negative: the signal that ended it) with the first
    256 KiB of what it printed."""

    status: int
    out: bytes
    errors: bytes


def run(argv: Sequence[str], *, timeout_s: float, cancel: Cancel) -> Finished:
    """Run a program. Configuration when it can't be started, Retry when it takes too long (it is
    killed), Cancelled when the service's stop ended it and not itself."""
    name = os.path.basename(argv[0])  # noqa: PTH119 - a word and not a path
    cancel.check()
    process = _started(argv, name)
    out, errors = _Drain(process.stdout), _Drain(process.stderr)
    killed = threading.Event()

    def end() -> None:
        if kill_group(process):
            killed.set()

    try:
        with cancel.ending(end):
            status = process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        kill_group(process)
        process.wait()
        raise Retry(f"{name} took longer than {timeout_s:g} s") from None
    finally:
        printed, complained = out.kept(), errors.kept()
    # A program that had failed by itself before the stop reached it has failed.
    if killed.is_set() and status == -signal.SIGKILL:
        raise Cancelled(f"{name} was ended by the stop of the service")
    return Finished(status, printed, complained)


def kill_group(process: subprocess.Popen[bytes]) -> bool:
    """End a program with all that it started, if it is still running; whether it was."""
    # SIGKILL, for SIGTERM may be blocked in it as it is here, and nothing it leaves is used.
    if process.poll() is not None:
        return False
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
        return True
    return False


def _started(argv: Sequence[str], name: str) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 - a program that the owner has installed or set
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (FileNotFoundError, PermissionError) as error:
        raise Configuration(name, f"the program can't be started: {error.strerror}") from None


class _Drain:
    """Reads a pipe to its end, so that the program never waits for us; keeps the beginning."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        assert pipe is not None
        self._pipe = pipe
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._read, name="drain", daemon=True)
        self._thread.start()

    def kept(self) -> bytes:
        """What was printed. Somebody the program left behind may hold the pipe open: that is not
        waited for."""
        self._thread.join(_PATIENCE_S)
        return bytes(self._kept)

    def _read(self) -> None:
        with self._pipe as pipe:
            while chunk := pipe.read(_CHUNK_BYTES):
                self._kept += chunk[: _KEPT_BYTES - len(self._kept)]
