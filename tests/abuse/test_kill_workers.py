"""A process of eight workers killed by SIGKILL at random moments, again and again."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from healthlog.transcriber.settings import Settings
from tests.abuse.test_kill_submit import Ledger
from tests.support.chaos import PAID_TWICE, Toned, carried_through, posted_to, unfinished
from tests.support.clock import FakeClock
from tests.support.studio import SPOKEN, Studio, open_studio

pytestmark = pytest.mark.slow

# Whoever finds nothing to do lets time pass, so that a holder that has to wait for the processor
# loses its claim again and again.
PATIENT = Settings(own_limit=10**9, foreign_limit=10**9, max_attempts=10**6)
COUNT = 400
DAY_US = 86_400_000_000
SEED = 4_711
LONGEST_S = 0.3


def lived(data: Path, clock: FakeClock, after_s: float) -> bool:
    """A process at work until it is killed, or everything is done; whether it was killed."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            timer = threading.Timer(after_s, lambda: os.kill(os.getpid(), signal.SIGKILL))
            timer.start()
            with opened(data, clock) as lab:
                lab.recordings.workers.start()
                carried_through(lab)
            timer.cancel()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


@contextmanager
def opened(data: Path, clock: FakeClock) -> Iterator[Studio]:
    """The log with a recogniser that costs money; nobody works on it yet."""
    ledger = Ledger(data / "ledger", tells=False)
    settings = replace(PATIENT, workers=0)
    with open_studio(data, clock, settings=settings, providers={"ledger": ledger}) as lab:
        steps = {**lab.recordings.chain.steps, "normalise": Toned()}
        object.__setattr__(lab.recordings.chain, "steps", steps)
        yield lab


@pytest.mark.scenario("recordings", "Process of eight workers is killed again and again")
def test_a_process_of_eight_workers_is_killed(data: Path, rounds: int) -> None:
    dice, clock = random.Random(SEED), FakeClock()
    with opened(data, clock) as lab:
        posted = posted_to(lab, COUNT)
    killed = 0
    for _ in range(max(rounds, 12)):
        clock.set(clock.wall_us + DAY_US)
        killed += lived(data, FakeClock(clock.wall_us), dice.uniform(0.05, LONGEST_S))
    clock.set(clock.wall_us + DAY_US)
    with opened(data, clock) as lab:
        left = unfinished(lab)
        lab.recordings.workers.start()
        carried_through(lab)
        stopped = lab.rows("SELECT recording_id, stop_error FROM recording WHERE stage <> 'done'")
        assert {error for _, error in stopped} <= {"payment_unknown"}
        begun = Counter(
            key.rpartition(".")[0] for key in Ledger(data / "ledger", tells=False).begun()
        )
        assert max(begun.values()) == 1, "paid for twice, and nobody was asked"
        for recording_id, _ in stopped:
            assert lab.recordings.resumption.one(recording_id)
        carried_through(lab)
        for one in posted:
            row, events = lab.row(one), lab.events(one)
            assert row.stop_error is None
            assert (row.stage, row.text, row.owner) == ("done", SPOKEN, one.owner)
            moves = [event.stage for event in events if event.outcome == "moved"]
            assert moves == ["normalized", "submitted", "transcribed", "done"]
            assert sum(event.detail in PAID_TWICE for event in events) <= 1
    assert killed > 5
    print(f"killed {killed} times, {left} left to the last, {len(stopped)} to a person")
