"""`import` killed by SIGKILL at random moments, then run again."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.apple import write
from tests.support.patience import PATIENCE_S
from tests.support.process import environment
from tests.support.shell import run
from tests.support.sources import ROOT

pytestmark = pytest.mark.slow

SEED = 20_261_130
BYTES = 24 * 1024 * 1024


def killed(data: Path, file: Path, after: int) -> None:
    """An import that is killed once its progress has been seen so often on its terminal."""
    seen_by, terminal = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "healthlog", "import", "--data", str(data), str(file)],
        cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, stderr=terminal,
    ) as child:  # fmt: skip
        os.close(terminal)
        seen = b""
        while seen.count(b"MiB of") < after:
            try:
                seen += os.read(seen_by, 1)
            except OSError:  # it ended before
                break
        child.kill()
        child.wait(PATIENCE_S)
    os.close(seen_by)


def counted(data: Path) -> tuple[int, int]:
    """Points and records of the log, folded anew."""
    assert run("reindex", "--data", data).status == 0
    found = json.loads(run("digest", "--data", data).out)
    return found["points"], found["records"]


def bodies(data: Path) -> list[str]:
    """Checksums of all bodies."""
    return sorted(json.loads(path.read_text())["sha256"] for path in data.rglob("*.meta.json"))


@pytest.mark.scenario("import", "Import goes on where it was cut short")
def test_an_import_killed_again_and_again_ends_as_one_that_was_not(
    data: Path, tmp_path: Path, rounds: int
) -> None:
    file = tmp_path / "export.xml"
    with file.open("wb") as target:
        write(target, BYTES, SEED)
    dice = random.Random(SEED)
    for _ in range(rounds):
        killed(data, file, dice.randint(1, 8))
    ran = run("import", "--data", data, file)
    assert ran.status == 0, ran.err
    report = json.loads(ran.out)
    assert report["skipped"] > 0
    whole = tmp_path / "whole"
    once = json.loads(run("import", "--data", whole, file).out)
    assert report["deliveries"] + report["skipped"] == once["deliveries"]
    assert bodies(data) == bodies(whole)
    assert counted(data) == counted(whole)
    assert run("check", "--data", data).status == 0
