"""The process killed between each two lines of a submission: nothing is paid for twice unasked."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from healthlog.transcriber import attempts, events
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import Ambiguous
from healthlog.transcriber.providers.base import Job, NotYet, Parameters
from healthlog.transcriber.providers.command import Command
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.settings import Settings
from healthlog.transcriber.transcript import Transcript
from tests.support.clock import FakeClock
from tests.support.dying import died_before
from tests.support.studio import SPOKEN, Studio, open_studio

OURS = {"recognising.py", "submit.py", "poll.py", "attempts.py", "outcomes.py", "turn.py",
        "pipeline.py", "claims.py"}  # fmt: skip
LINES_MOST = 1000
QUICK_STRIDE = 23


class Ledger:
    """A recogniser far away that writes each operation it begins, to be paid for, into a file."""

    name, paid, timeout_s, ask_timeout_s, bounded_by = "ledger", True, 10.0, 10.0, ""

    def __init__(self, file: Path, *, tells: bool) -> None:
        self._file = file
        self._tells = tells

    def begun(self) -> list[str]:
        return self._file.read_text().split() if self._file.exists() else []

    def parameters(self) -> Parameters:
        return {}

    def missing(self) -> tuple[str, ...]:
        return ()

    def submit(self, job: Job, cancel: Cancel) -> str:
        with self._file.open("a") as file:
            file.write(f"{job.key}\n")
            file.flush()
            os.fsync(file.fileno())
        return job.key

    def find(self, key: str) -> str | None:
        if not self._tells:
            raise Ambiguous("it keeps no list")
        return key if key in self.begun() else None

    def poll(self, operation: str, parameters: Parameters, cancel: Cancel) -> NotYet | Transcript:
        return Transcript(SPOKEN)

    def forget(self, operation: str) -> None:
        """It forgets nothing."""

    def stop(self, budget_s: float) -> None:
        """Nothing of it is on this machine."""


def prepared(data: Path, clock: FakeClock, ledger: Ledger) -> Recording:
    """One recording that is to be submitted next, in a log that nobody has open."""
    with open_studio(data, clock, providers={"ledger": ledger}) as lab:
        return lab.normalised(lab.message())


def carried_on(lab: Studio, one: Recording) -> None:
    """What the next process does of itself."""
    lab.recordings.workers.start()  # which gives back what the dead one held
    for _ in range(20):
        row = lab.row(one)
        if row.stage == "done" or row.stopped_at_us is not None:
            return
        lab.later()
    raise AssertionError("it neither ended nor was stopped")


def killed_at_each_line(data: Path, *, tells: bool, stride: int) -> tuple[int, int]:
    """How many lines there were at which it was killed, how often a person had to be asked."""
    asked, line, wal = 0, 1, data.with_name("prepared")
    clock = FakeClock()
    one = prepared(data, clock, Ledger(data / "ledger", tells=tells))
    shutil.copytree(data, wal)
    for line in range(1, LINES_MOST, stride):
        shutil.rmtree(data)
        shutil.copytree(wal, data)
        ledger, clock = Ledger(data / "ledger", tells=tells), FakeClock(clock.wall_us)

        def work(ledger: Ledger = ledger, clock: FakeClock = clock) -> None:
            with open_studio(data, clock, providers={"ledger": ledger}) as lab:
                lab.step()
                lab.step()

        if not died_before(line, OURS | {Path(__file__).name}, work):
            break
        asked += survived(data, clock, ledger, one)
    return line, asked


def survived(data: Path, clock: FakeClock, ledger: Ledger, one: Recording) -> bool:
    """The next process after a kill, and, where it has to be, a person; whether it had to."""
    settings = Settings(workers=0)
    with open_studio(data, clock, settings=settings, providers={"ledger": ledger}) as lab:
        carried_on(lab, one)
        assert len(ledger.begun()) <= 1, "paid for twice, and nobody was asked"
        row = lab.row(one)
        if row.stopped_at_us is None:
            assert (row.stage, row.text) == ("done", SPOKEN)
            assert len(ledger.begun()) == 1
            return False
        assert (row.stop_reason, row.stop_error) == ("verdict", "payment_unknown")
        lab.recordings.resumption.one(one.recording_id)
        noted = [event.detail for event in lab.events(one) if event.outcome == events.RESUMED]
        assert noted == [events.COST_ACCEPTED]
        carried_on(lab, one)
        assert lab.row(one).stage == "done"
        assert len(ledger.begun()) in {1, 2}
        open_ones = lab.journal.read(lambda c: attempts.under_way(c, one.recording_id))
        assert open_ones is None
        return True


@pytest.mark.scenario("recordings", "Process is killed at any line of a submission")
def test_the_process_is_killed_at_some_lines(data: Path) -> None:
    lines, _ = killed_at_each_line(data, tells=False, stride=QUICK_STRIDE)
    assert QUICK_STRIDE < lines < LINES_MOST - 1


@pytest.mark.slow
@pytest.mark.parametrize(("tells", "stride"), [(False, 1), (True, 3)])
def test_the_process_is_killed_at_each_line(data: Path, tells: bool, stride: int) -> None:
    lines, asked = killed_at_each_line(data, tells=tells, stride=stride)
    assert 50 < lines < LINES_MOST - 1
    # Who can tell what a crash left needs no person.
    assert (asked > 0) is not tells
    print(f"killed before each of {lines} lines, a person asked {asked} times")


# The same with a program of this machine, which lives on when the service is killed.

SPOOL = {"recognising.py", "submit.py", "command.py", "spool.py", "attempts.py", "outcomes.py"}
PROGRAM = ("sh", "-c", 'echo "$1" >> "$0.runs"; echo quick brown fox', "{out}", "{wav}")


@pytest.mark.slow
@pytest.mark.scenario("recordings", "Program goes on when the service is killed")
def test_a_program_is_run_once_wherever_the_service_is_killed(data: Path) -> None:
    settings, kept = Settings(workers=0, command=Command(argv=PROGRAM)), data.with_name("kept")
    clock = FakeClock()
    with open_studio(data, clock, settings=settings, acts={}) as lab:
        one = lab.normalised(lab.message())
    shutil.copytree(data, kept)
    line = 0
    for line in range(1, LINES_MOST, 2):
        shutil.rmtree(data)
        shutil.copytree(kept, data)
        clock = FakeClock(clock.wall_us)

        def work(clock: FakeClock = clock) -> None:
            with open_studio(data, clock, settings=settings, acts={}) as lab:
                lab.step()
                os._exit(0)  # without an orderly stop, which would end the program

        if not died_before(line, SPOOL, work):
            break
        with open_studio(data, clock, settings=settings, acts={}) as lab:
            run_to_its_end(lab, one)
    assert 50 < line < LINES_MOST - 1
    print(f"killed before each of {line} lines")


def run_to_its_end(lab: Studio, one: Recording) -> None:
    lab.recordings.workers.start()
    runs: set[str] = set()
    while lab.row(one).stage != "done":
        assert lab.row(one).stopped_at_us is None
        lab.later()
        for file in lab.recordings.places.operations.glob("*/out.runs"):
            ran = file.read_text().splitlines()  # none yet where it has only been opened
            runs |= {file.parent.name for _ in ran}
            assert len(ran) <= 1, "the program ran twice"
    assert runs == {f"{one.recording_id}.1"}
    assert lab.row(one).text == "quick brown fox"
