"""Calls of the system that fail on demand inside another process, by a preloaded library."""

from __future__ import annotations

import errno
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.process import Program

SOURCE = Path(__file__).with_suffix(".c")


@dataclass(frozen=True, slots=True)
class Seen:
    """A call that a fault was meant for; `error` is "" where it went on."""

    call: str
    error: str
    path: str


class Faults:
    """What fails in a service that is started as `program`: nothing, until `begin`.

    Calls are `open` (to read), `create` (to write), `read`, `write`, `fsync`, `rename` (by the new
    name), `unlink`, `mkdir`, `truncate`.
    """

    def __init__(self, folder: Path) -> None:
        library = folder / "faults.so"
        _compile(library)
        self._plan = folder / "faults"
        self._seen = folder / "faults.seen"
        self.program = Program(env={"LD_PRELOAD": str(library), "FAULTS": str(self._plan)})

    def begin(self, *lines: str, skip: int = 0, times: int = 0) -> None:
        """From now on each `CALL ERROR PART` fails on paths with that part, in place of what
        failed before; after `skip` calls that go on, `times` times, or until `end`."""
        plan = []
        for line in lines:
            call, error, part = line.split(" ", 2)
            plan.append(f"{call} {getattr(errno, error, 0)} {skip} {times} {part}\n")
        # Whoever reads it in between finds the plan of before.
        new = self._plan.with_suffix(".new")
        new.write_text("".join(plan))
        new.replace(self._plan)

    def end(self) -> None:
        """Nothing fails any more."""
        self._plan.unlink()

    def failed(self) -> int:
        """How many calls were made to fail so far."""
        return sum(bool(one.error) for one in self.seen())

    def seen(self) -> list[Seen]:
        """The calls so far that any plan had a line for, in their order."""
        told = self._seen.read_text().splitlines() if self._seen.exists() else []
        found = []
        for line in told:
            call, error, path = line.split(" ", 2)
            found.append(Seen(call, errno.errorcode.get(int(error), ""), path))
        return found


def _compile(target: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    ran = subprocess.run(
        ["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", target, SOURCE, "-ldl"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
