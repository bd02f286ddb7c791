"""Programs of others that read the log, run by an interpreter that has them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.sources import ROOT

_HINT = "`make programs` installs them in an environment of their own"


@pytest.fixture(scope="session")
def programs(pytestconfig: pytest.Config) -> Path:
    """The interpreter that has the packages of the group `programs`."""
    given = pytestconfig.getoption("--programs")
    python = Path(given) if given else ROOT / ".venv" / "programs" / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{python} is not there: {_HINT}")
    return python


def ran(python: Path, *arguments: str | Path, patience_s: float = 60.0) -> str:
    """What a program of others prints, once it has ended well."""
    done = subprocess.run(
        [str(python), *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=patience_s,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout
