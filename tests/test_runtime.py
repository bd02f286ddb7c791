"""Stop signals in a process of their own, supervised threads, deadlines."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys

import pytest

from healthlog.base.errors import Busy
from healthlog.base.log import Log
from healthlog.base.runtime import Deadline, supervised
from tests.support.clock import FakeClock
from tests.support.sources import ROOT

SERVICE = """
import sys, threading
from healthlog.base import runtime
signals = runtime.block_stop_signals()
# Threads that hear nothing of the signals, because they were started after the blocking.
for _ in range(3):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
print("ready", flush=True)
sys.stdin.readline()
print(runtime.wait_for_stop(signals), flush=True)
sys.stdin.readline()
"""
CHILD = """
import signal, sys
from healthlog.base import runtime
runtime.block_stop_signals()
runtime.unblock_stop_signals()
signal.signal(signal.SIGINT, signal.SIG_DFL)
print("ready", flush=True)
sys.stdin.readline()
"""
STOPS = [signal.SIGTERM, signal.SIGINT]


def started(script: str) -> subprocess.Popen[str]:
    """A process that has printed `ready`."""
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("stop", STOPS)
def test_a_stop_signal_is_given_to_whoever_waits(stop: signal.Signals) -> None:
    with started(SERVICE) as service:
        assert service.stdin is not None
        service.stdin.write("\n")
        service.stdin.flush()
        service.send_signal(stop)
        output, _ = service.communicate("\n")
    assert (output, service.returncode) == (f"{int(stop)}\n", 0)


@pytest.mark.parametrize("stop", STOPS)
def test_a_stop_signal_before_the_waiting_is_not_lost(stop: signal.Signals) -> None:
    with started(SERVICE) as service:
        service.send_signal(stop)
        output, _ = service.communicate("\n\n")
    assert (output, service.returncode) == (f"{int(stop)}\n", 0)


def test_a_second_stop_signal_ends_nothing_midway() -> None:
    with started(SERVICE) as service:
        assert service.stdin is not None
        assert service.stdout is not None
        service.send_signal(signal.SIGTERM)
        service.stdin.write("\n")
        service.stdin.flush()
        assert service.stdout.readline() == f"{int(signal.SIGTERM)}\n"
        service.send_signal(signal.SIGTERM)
        service.communicate("\n")
    assert service.returncode == 0


@pytest.mark.parametrize("stop", STOPS)
def test_a_child_that_unblocks_is_ended_by_the_signal(stop: signal.Signals) -> None:
    with started(CHILD) as child:
        child.send_signal(stop)
        child.communicate()
    assert child.returncode == -stop


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


def test_a_thread_that_ends_is_no_death(stream: io.StringIO, clock: FakeClock) -> None:
    done: list[str] = []
    thread = supervised(
        "worker", lambda: done.append("work"), Log(stream, clock), lambda: done.append("death")
    )
    assert not thread.is_alive()
    thread.start()
    thread.join()
    assert (done, stream.getvalue(), thread.name) == (["work"], "", "worker")


@pytest.mark.parametrize("error", [Busy("locked"), SystemExit(1), MemoryError()])
def test_a_death_is_logged_then_reported(
    stream: io.StringIO, clock: FakeClock, error: BaseException
) -> None:
    def die() -> None:
        raise error

    dead: list[str] = []
    thread = supervised(
        "worker", die, Log(stream, clock), lambda: dead.append(stream.getvalue() and "logged")
    )
    thread.start()
    thread.join()
    line = json.loads(stream.getvalue())
    assert (line["level"], line["msg"], line["thread"]) == ("ERROR", "thread died", "worker")
    assert "in die" in line["traceback"]
    assert dead == ["logged"]


def test_a_report_of_a_death_that_fails_is_logged(stream: io.StringIO, clock: FakeClock) -> None:
    def die() -> None:
        raise Busy("locked")

    thread = supervised("worker", die, Log(stream, clock), die)
    thread.start()
    thread.join()
    messages = [json.loads(line)["msg"] for line in stream.getvalue().splitlines()]
    assert messages == ["thread died", "death of thread not reported"]


def test_a_deadline_counts_down(clock: FakeClock) -> None:
    deadline = Deadline.after(clock, 10)
    assert (deadline.left(), deadline.passed()) == (10.0, False)
    clock.advance(4)
    assert (deadline.left(), deadline.passed()) == (6.0, False)


def test_a_deadline_passes_once_for_all(clock: FakeClock) -> None:
    deadline = Deadline.after(clock, 10)
    clock.advance(10)
    assert (deadline.left(), deadline.passed()) == (0.0, True)
    clock.advance(1000)
    assert (deadline.left(), deadline.passed()) == (0.0, True)


def test_a_deadline_does_not_look_at_the_wall_clock(clock: FakeClock) -> None:
    deadline = Deadline.after(clock, 10)
    clock.set(0)
    assert deadline.left() == 10.0
