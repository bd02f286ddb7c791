"""The threads: their number is a setting, they outlive failures, they stop in time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from healthlog.base.clock import SystemClock
from healthlog.base.errors import DiskFull
from healthlog.base.runtime import Deadline
from healthlog.transcriber.claims import Claim
from healthlog.transcriber.failures import Cancelled
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.settings import Settings
from healthlog.transcriber.stages import STAGES
from healthlog.transcriber.steps.base import Hold
from tests.support.clock import FakeClock
from tests.support.patience import PATIENCE_S
from tests.support.studio import Studio, on, open_studio


class Done:
    """Waits until so many recordings have gone through the last step."""

    def __init__(self, count: int) -> None:
        self._left = count
        self._changed = threading.Condition()

    def __call__(self, _recording: Recording, _hold: Hold) -> None:
        with self._changed:
            self._left -= 1
            self._changed.notify_all()

    def wait(self) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self._left <= 0, PATIENCE_S)


def acts(**more: Callable[[Recording, Hold], None]) -> dict[str, Callable[[Recording, Hold], None]]:
    return {**{stage.step: on for stage in STAGES if stage.step is not None}, **more}


def ended(studio: Studio) -> list[str]:
    """Stop the workers: the names of those that didn't."""
    return studio.recordings.stop(Deadline.after(SystemClock(), PATIENCE_S))


@pytest.mark.scenario("recordings", "Recording arrives with one thread as with several")
@pytest.mark.parametrize("count", [1, 4])
def test_a_recording_arrives(data: Path, clock: FakeClock, count: int) -> None:
    done = Done(6)
    settings = Settings(workers=count)
    with open_studio(data, clock, settings=settings, acts=acts(finish=done)) as studio:
        early = [studio.message() for _ in range(3)]
        studio.recordings.start()
        assert studio.recordings.workers.state.wanted == count
        late = [studio.message() for _ in range(3)]
        done.wait()
        assert ended(studio) == []
        assert [studio.row(one).stage for one in early + late] == ["done"] * 6
        assert [len(studio.events(one)) for one in early + late] == [4] * 6
        assert len(studio.sender.told) == 6
        assert studio.recordings.workers.state.alive == 0


@pytest.mark.scenario("recordings", "No threads at all")
def test_no_threads_at_all(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock, settings=Settings(workers=0), acts=acts()) as studio:
        studio.recordings.start()
        posted = studio.post()
        assert studio.row(posted).stage == "uploaded"
        assert studio.recordings.places.original(posted.recording_id, "m4a").exists()
        assert studio.recordings.workers.state.wanted == 0
        assert ended(studio) == []


@pytest.mark.scenario("recordings", "Worker whose pass throws goes on")
def test_a_worker_whose_pass_throws_goes_on(data: Path, clock: FakeClock) -> None:
    done = Done(1)
    with open_studio(data, clock, acts=acts(finish=done)) as studio:
        failures = [DiskFull("no room"), ValueError("a mistake")]

        def take() -> Claim:
            if failures:
                studio.recordings.workers.wake()
                raise failures.pop()
            return studio.recordings.pipeline.claim()

        studio.recordings.pipeline._take = take
        studio.post()
        studio.recordings.start()
        done.wait()
        assert ended(studio) == []
        assert len(studio.lines("pass failed")) == 2
        assert studio.recordings.workers.state.last_pass_at_us is not None


@pytest.mark.scenario("recordings", "Stop ends a step that waits")
def test_a_stop_ends_a_step_that_waits(data: Path, clock: FakeClock) -> None:
    begun = threading.Event()

    def wait(_recording: Recording, hold: Hold) -> None:
        begun.set()
        assert hold.cancel.wait(PATIENCE_S)
        hold.cancel.check()

    with open_studio(data, clock, acts=acts(normalise=wait)) as studio:
        posted = studio.post()
        studio.recordings.start()
        assert begun.wait(PATIENCE_S)
        assert ended(studio) == []
        row = studio.row(posted)
        assert (row.attempts, row.claim_until_us, row.last_outcome) == (0, None, "interrupted")


@pytest.mark.scenario("recordings", "Paid call is awaited until the budget is nearly over")
def test_a_paid_call_is_awaited(data: Path, clock: FakeClock) -> None:
    begun, order = threading.Event(), []

    def call(_recording: Recording, hold: Hold) -> None:
        cut = threading.Event()
        with hold.cancel.ending(cut.set, patient=True):
            begun.set()
            assert hold.cancel.wait(PATIENCE_S)
            order.append("asked")
            assert cut.wait(PATIENCE_S)
            order.append("cut")
        raise Cancelled("cut")

    with open_studio(data, clock, acts=acts(normalise=call)) as studio:
        posted = studio.post()
        studio.recordings.start()
        assert begun.wait(PATIENCE_S)
        budget = Deadline.after(SystemClock(), 0.4)
        assert studio.recordings.workers.stop(budget) == []
        assert order == ["asked", "cut"]
        assert studio.row(posted).attempts == 0


def test_a_step_that_doesn_t_end_is_named(data: Path, clock: FakeClock) -> None:
    begun, release = threading.Event(), threading.Event()

    def hang(_recording: Recording, _hold: Hold) -> None:
        begun.set()
        assert release.wait(PATIENCE_S)

    with open_studio(data, clock, acts=acts(normalise=hang)) as studio:
        studio.post()
        studio.recordings.start()
        assert begun.wait(PATIENCE_S)
        assert studio.recordings.stop(Deadline.after(SystemClock(), 0.05)) == ["recordings-1"]
        release.set()
        assert ended(studio) == []


def test_a_dead_process_s_claims_are_given_back_at_the_start(data: Path, clock: FakeClock) -> None:
    done = Done(1)
    with open_studio(data, clock, acts=acts(finish=done)) as studio:
        posted = studio.post()
        studio.recordings.pipeline.claim()
        studio.recordings.start()
        assert studio.row(posted).claim_until_us is None
        clock.advance(13)
        studio.recordings.workers.wake()
        done.wait()
        assert ended(studio) == []


@pytest.mark.scenario("recordings", "Idle worker waits until something is due")
def test_an_idle_worker_waits_until_something_is_due(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock) as studio:
        workers = studio.recordings.workers
        assert workers._idle_s() == 5.0
        posted = studio.post()
        studio.at(posted, "uploaded", due_at_us=clock.wall_us + 2_000_000)
        assert workers._idle_s() == 2.0
        studio.at(posted, "uploaded", due_at_us=clock.wall_us + 3600_000_000)
        assert workers._idle_s() == 5.0
        studio.at(posted, "uploaded", due_at_us=0)
        assert workers._idle_s() == 0.05


# How things stand


@pytest.mark.scenario("recordings", "Numbers tell how recordings stand")
def test_numbers_tell_how_recordings_stand(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock) as studio:
        old = studio.post()
        studio.at(studio.post(), "submitted")
        studio.at(studio.post(), "done")
        studio.recordings.stopper.stop_by_person(studio.post().recording_id)
        studio.recordings.pipeline.claim()
        clock.advance(1800 + 60)
        told = studio.recordings.numbers()
        assert told.by_stage == {
            "uploaded": 1, "normalized": 0, "submitted": 1, "transcribed": 0, "done": 1,
        }  # fmt: skip
        assert told.stopped == 1
        assert told.longest_s.keys() == {"uploaded", "submitted"}
        assert told.longest_s["uploaded"] == (clock.wall_us - old.stage_since_us) / 1e6
        assert told.overdue_s == 60.0
        assert studio.counted("healthlog_recordings", stage="submitted") == 1
        assert studio.counted("healthlog_recordings", stage="stopped") == 1
        assert studio.counted("healthlog_recording_claim_overdue_seconds") == 60
        assert studio.counted("healthlog_recording_stage_seconds", stage="uploaded") > 1860
