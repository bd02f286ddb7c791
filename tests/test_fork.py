"""Copies of a process: in one of its own, for whoever runs the tests has threads."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from healthlog.base import fork
from tests.support.patience import PATIENCE_S
from tests.support.sources import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nowhere else is it done")

ECHO = """
import fcntl, os, sys, tempfile
from pathlib import Path
from healthlog.base import fork

def echo(asked, answers):
    while piece := asked.read(64):
        answers.write(piece.upper())

assert fork.is_safe()
held = tempfile.TemporaryFile()
fcntl.flock(held, fcntl.LOCK_EX)
child = fork.forked(echo)
child.asked.write(b"spoken")
assert child.answers.read(64) == b"SPOKEN"
"""
ENDINGS = {
    "asked no more": "child.asked.close(); assert os.waitpid(child.pid, 0)[1] == 0",
    "ended": "child.end(); assert child.answers.read(1) == b''",
    "nothing is shared": (
        "assert os.listdir(f'/proc/{child.pid}/fd') == ['0', '1', '2']; child.end()"
    ),
    "in a session of its own": "assert os.getsid(child.pid) == child.pid; child.end()",
}
BROKEN = """
import os
from healthlog.base import fork
child = fork.forked(lambda asked, answers: 1 / 0)
assert child.answers.read(1) == b""
assert os.waitpid(child.pid, 0)[1] != 0
print("once")
"""


def run(script: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error::DeprecationWarning", "-c", script]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_copy_does_what_it_is_for_and_ends(ending: str) -> None:
    done = run(f"{ECHO}\n{ENDINGS[ending]}")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_copy_that_breaks_goes_on_with_nothing_else() -> None:
    done = run(BROKEN)
    assert (done.returncode, done.stdout, done.stderr) == (0, "once\n", "")


def test_a_process_with_threads_is_not_copied() -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        assert not fork.is_safe()
    finally:
        stop.set()
        thread.join()
