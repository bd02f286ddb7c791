"""A folder in which nothing can be written, not even by root."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.patience import PATIENCE_S
from tests.support.process import environment
from tests.support.shell import Ran
from tests.support.sources import ROOT

_PR_CAPBSET_DROP = 24
_CAPABILITIES = 64


@contextmanager
def sealed(folder: Path) -> Iterator[None]:
    """All files and folders below are as on a read-only medium, for who has no privileges."""
    modes = {path: path.stat().st_mode for path in (folder, *folder.rglob("*"))}
    try:
        for path, mode in modes.items():
            path.chmod(mode & 0o555)
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


def run_powerless(*arguments: str | Path, **env: str) -> Ran:
    """A command in a process without the privileges of root to write everywhere."""
    ran = subprocess.run(
        [sys.executable, "-m", "healthlog", *map(str, arguments)],
        cwd=ROOT,
        env=environment(**env),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        preexec_fn=drop_privileges,
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def drop_privileges() -> None:
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        for capability in range(_CAPABILITIES):
            libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
