"""Processes that end with the one that started them."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys

import pytest

from healthlog.base.leash import Leashed
from tests.support.ending import Watched
from tests.support.patience import PATIENCE_S
from tests.support.process import environment
from tests.support.sources import ROOT

LEASHED = """
from healthlog.base.leash import end_with_starter
end_with_starter()
"""
STARTS_ONE = """
import os, sys
from healthlog.base.leash import Leashed
hear = lambda line: print(line, end="", flush=True)
child = Leashed([sys.executable, "-c", sys.argv[1]], os.environ, hear, print)
print(child.pid, flush=True)
sys.stdin.read()
"""
BUSY = LEASHED + "print('ready', flush=True)\nwhile True: pass"
ASLEEP = LEASHED + "print('ready', flush=True)\nimport signal\nsignal.pause()"


class Heard:
    """What a process said, and how it ended."""

    def __init__(self, program: str, *arguments: str) -> None:
        self.lines: queue.Queue[str] = queue.Queue()
        self.ends: queue.Queue[int] = queue.Queue()
        command = [sys.executable, "-c", program, *arguments]
        with_root = environment(PYTHONPATH=str(ROOT))
        self.process = Leashed(command, with_root, self.lines.put, self.ends.put)

    def line(self) -> str:
        return self.lines.get(timeout=PATIENCE_S)

    def end(self) -> int:
        return self.ends.get(timeout=PATIENCE_S)


def test_every_line_is_heard_before_the_end_is_told() -> None:
    heard = Heard("print('a'); print('b'); raise SystemExit(3)")
    assert heard.end() == 3
    assert [heard.lines.get_nowait() for _ in range(2)] == ["a\n", "b\n"]


def test_the_end_is_told_once() -> None:
    heard = Heard(ASLEEP)
    assert heard.line() == "ready\n"
    heard.process.stop()
    heard.process.stop()
    assert heard.end() == -signal.SIGKILL
    assert heard.ends.empty()


def test_bytes_that_are_no_text_do_no_harm() -> None:
    heard = Heard("import os; os.write(1, b'\\xff\\n')")
    assert heard.end() == 0
    assert heard.line() == "\ufffd\n"


def test_what_cannot_be_started_says_so() -> None:
    with pytest.raises(OSError, match="nowhere"):
        Leashed(["/nowhere/at/all"], {}, print, print)


def test_signals_of_the_terminal_do_not_reach_it() -> None:
    heard = Heard("import os; print(os.getsid(0) == os.getpid())")
    assert heard.line() == "True\n"
    heard.end()


@pytest.mark.scenario("reindex", "Builder ends with the service")
@pytest.mark.parametrize("program", [BUSY, ASLEEP], ids=["busy", "asleep"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_ends_with_the_process_that_started_it(program: str, number: int) -> None:
    command = [sys.executable, "-c", STARTS_ONE, program]
    with subprocess.Popen(
        command,
        env=environment(PYTHONPATH=str(ROOT)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as starter:
        assert starter.stdout is not None
        [pid] = {starter.stdout.readline().strip() for _ in range(2)} - {"ready"}
        child = Watched(int(pid))
        starter.send_signal(number)
        assert child.has_ended()


def test_it_ends_when_nobody_holds_its_standard_input() -> None:
    command = [sys.executable, "-c", ASLEEP]
    child = subprocess.Popen(
        command,
        env=environment(PYTHONPATH=str(ROOT)),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    assert child.stdin is not None
    os.close(os.dup(child.stdin.fileno()))
    child.stdin.close()
    assert child.wait(PATIENCE_S) == 1
