"""The program with an accident on order at its n-th step, run as `-m tests.support.hooked`.

A step is whatever the interpreter is about to do to a file of one folder: open, rename, remove or
make one, or connect to a database there.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from itertools import count
from pathlib import Path
from typing import Any

from healthlog import cli
from tests.support.process import Program

STEPS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "sqlite3.connect"}
KILL, TERM, TERMS, DIE = "kill", "term", "terms", "die"
"""SIGKILL; SIGTERM; SIGTERM at this step and each that follows; the end of the worker's thread."""


def hooked(folder: Path, deed: str, step: int) -> Program:
    """A program to which that happens at a step in a folder; 0 for at none."""
    order = {"folder": str(folder), "deed": deed, "step": step}
    return Program(module=("tests.support.hooked", json.dumps(order)))


def steps_file(folder: Path) -> Path:
    """As many bytes as there were steps."""
    return folder.with_name(f"{folder.name}.steps")


class Accident:
    """What happens at the step."""

    def __init__(self, folder: str, deed: str, step: int) -> None:
        self._folder = folder
        self._deed = deed
        self._step = step
        self._numbers = count(1)
        self._noted = os.open(steps_file(Path(folder)), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Asked by the interpreter before everything it does."""
        if event not in STEPS or not any(self._folder in str(one) for one in arguments[:2]):
            return
        if self._deed == DIE and threading.current_thread().name != "worker":
            return
        number = next(self._numbers)
        os.write(self._noted, b".")
        if number == self._step or (self._deed == TERMS and number > self._step > 0):
            self._happen()

    def _happen(self) -> None:
        if self._deed == DIE:
            raise SystemExit("an accident")
        os.kill(os.getpid(), signal.SIGKILL if self._deed == KILL else signal.SIGTERM)


if __name__ == "__main__":
    sys.addaudithook(Accident(**json.loads(sys.argv[1])).hear)
    sys.exit(cli.main(sys.argv[2:]))
