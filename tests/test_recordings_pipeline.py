"""One pass of a worker: the empty one, the step's outcomes, pauses, deferrals, both watchdogs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from healthlog.base.errors import Busy, DiskFull
from healthlog.transcriber import claims, edits, outcomes
from healthlog.transcriber.claims import Claim
from healthlog.transcriber.empty import NoWork, is_empty, remarked
from healthlog.transcriber.failures import Cancelled, Configuration, LostClaim, Retry, Verdict
from healthlog.transcriber.outcomes import Reached
from healthlog.transcriber.pauses import CEILING_S, pause_s
from healthlog.transcriber.pipeline import STOPPED, Ran
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.settings import Settings
from healthlog.transcriber.stages import STAGES
from healthlog.transcriber.steps.base import Deferred, Hold, Result
from tests.support.clock import FakeClock
from tests.support.sources import sources, uses
from tests.support.studio import Studio, on, open_studio, raising

Act = Callable[[Recording, Hold], Result | None]


@pytest.fixture
def failing(data: Path, clock: FakeClock) -> object:
    """A studio whose first step fails, each time."""
    with open_studio(data, clock, acts=first(raising(Retry("not this time")))) as made:
        yield made


def first(act: Act) -> dict[str, Act]:
    """The first step does this, the others go on."""
    return {**{stage.step: on for stage in STAGES if stage.step is not None}, "normalise": act}


def taking(studio: Studio, take: Callable[[], Claim]) -> None:
    """The pipeline comes by its claims in another way."""
    studio.recordings.pipeline._take = take


# The empty pass


@pytest.mark.scenario("recordings", "Nothing is fit for work")
def test_nothing_is_fit_for_work(studio: Studio) -> None:
    before = studio.registry.text()
    assert studio.step() is None
    assert studio.lines() == []
    assert studio.registry.text() == before


@pytest.mark.scenario("recordings", "Empty answer comes with remarks")
def test_an_empty_answer_comes_with_remarks(studio: Studio) -> None:
    before = studio.registry.text()

    def take() -> Claim:
        try:
            return studio.recordings.pipeline.claim()
        except NoWork as error:
            error.add_note("nothing in the queue of today")
            raise remarked(remarked(error, "asked at noon"), "by a worker") from error

    taking(studio, take)
    assert studio.step() is None
    assert studio.lines() == []
    assert studio.registry.text() == before


@pytest.mark.scenario("recordings", "Failure over an empty answer is a failure")
def test_a_failure_over_an_empty_answer_is_a_failure(data: Path, clock: FakeClock) -> None:
    def act(_recording: Recording, hold: Hold) -> Result | None:
        try:
            hold.store.write(lambda c: claims.claim(c, clock.now_us(), "another"))
        except NoWork as error:
            raise Retry("found nothing to work with") from error
        return None

    with open_studio(data, clock, acts=first(act)) as studio:
        studio.post()
        assert studio.outcome() == outcomes.RETRY
        assert studio.steps_counted("uploaded", "retry") == 1
        assert len(studio.lines("recording step failed")) == 1


@pytest.mark.scenario("recordings", "Empty answer that a step lets through is a failure")
def test_an_empty_answer_that_a_step_lets_through_is_a_failure(
    data: Path, clock: FakeClock
) -> None:
    with open_studio(data, clock, acts=first(raising(NoWork("of another question")))) as studio:
        studio.post()
        assert studio.outcome() == outcomes.RETRY
        assert len(studio.lines("recording step failed")) == 1


def test_only_the_claim_makes_the_empty_answer() -> None:
    made = {
        file.module
        for file in sources("healthlog/transcriber")
        for name, _ in uses(file.tree)
        if name == "healthlog.transcriber.empty.NoWork"
    }
    assert made == {"healthlog.transcriber.claims"}


def test_a_cause_is_not_the_answer() -> None:
    error = Retry("failed")
    error.__cause__ = NoWork("nothing")
    assert not is_empty(error)
    assert is_empty(remarked(NoWork("nothing"), "today"))


@pytest.mark.scenario("recordings", "Locked database is an empty pass with a count of its own")
def test_a_locked_database_is_an_empty_pass(studio: Studio) -> None:
    posted = studio.post()
    other = sqlite3.connect(studio.data / "journal.db", isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        assert studio.step() is None
    finally:
        other.close()
    assert studio.counted("healthlog_recording_claims_busy_total") == 1
    assert studio.lines("recording step failed") == []
    assert studio.row(posted).attempts == 0


# Outcomes


@pytest.mark.scenario("recordings", "Step failed")
@pytest.mark.scenario("recordings", "Failure is seen by the stage it happened at")
def test_a_step_failed(failing: Studio) -> None:
    posted = failing.post()
    assert failing.step() == Ran(posted.recording_id, "uploaded", "retry")
    [line] = failing.lines("recording step failed")
    assert (line["level"], line["stage"], line["attempts"]) == ("WARN", "uploaded", 1)
    assert line["error"] == "not this time"
    assert failing.steps_counted("uploaded", "retry") == 1
    assert failing.steps_counted("uploaded", "moved") == 0


@pytest.mark.scenario("recordings", "Step did its work")
def test_a_step_did_its_work(studio: Studio) -> None:
    posted = studio.post()
    assert studio.step() == Ran(posted.recording_id, "uploaded", "moved")
    assert studio.steps_counted("uploaded", "moved") == 1
    assert studio.lines("recording step failed") == []
    [line] = studio.lines("recording moved")
    assert (line["level"], line["stage"], line["outcome"]) == ("INFO", "normalized", "moved")
    assert line["duration_ms"] == 0


@pytest.mark.scenario("recordings", "Verdict stops at once")
def test_a_verdict_stops_at_once(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock, acts=first(raising(Verdict("there is no audio")))) as studio:
        posted = studio.message()
        assert studio.outcome() == "verdict"
        row = studio.row(posted)
        assert (row.stage, row.stop_reason, row.stop_error) == (
            "uploaded", "verdict", "there is no audio",
        )  # fmt: skip
        assert studio.steps_counted("uploaded", "verdict") == 1
        assert len(studio.sender.told) == 1


@pytest.mark.scenario("recordings", "Wrong setting waits for its owner")
def test_a_wrong_setting_waits_for_its_owner(data: Path, clock: FakeClock) -> None:
    broken = Configuration("recordings_far_key", "the recogniser refuses it")
    with open_studio(data, clock, acts=first(raising(broken))) as studio:
        posted = studio.post()
        for _ in range(3):
            assert studio.later() == "configuration"
            row = studio.row(posted)
            assert row.attempts == 0
            assert row.due_at_us == clock.wall_us + 900_000_000
        lines = studio.lines("recording step failed")
        assert [line["level"] for line in lines] == ["ERROR"] * 3
        assert all(line["error"].startswith("recordings_far_key: ") for line in lines)
        assert studio.steps_counted("uploaded", "configuration") == 3
        clock.advance(3600)
        assert studio.outcome() == STOPPED
        row = studio.row(posted)
        assert (row.stop_reason, row.stop_error) == ("stuck", str(broken))


def test_a_mistake_in_the_program_is_told_with_its_traceback(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock, acts=first(raising(ValueError("'what was said'")))) as studio:
        posted = studio.post()
        assert studio.outcome() == "retry"
        [line] = studio.lines("recording step failed")
        assert line["level"] == "ERROR"
        assert "Traceback" in line["traceback"] or "raise error" in line["traceback"]
        assert studio.row(posted).last_error == "ValueError"


@pytest.mark.scenario("recordings", "Outcome that can't be kept is left to the lease")
def test_an_outcome_that_can_not_be_kept_is_left_to_the_lease(data: Path, clock: FakeClock) -> None:
    full = [True]

    def act(_recording: Recording, hold: Hold) -> Result | None:
        if full:
            object.__setattr__(hold, "store", Full())
        return None

    class Full:
        def write(self, _work: object, **_options: object) -> object:
            raise DiskFull("no room")

    with open_studio(data, clock, acts=first(act)) as studio:
        posted = studio.post()
        with pytest.raises(DiskFull):
            studio.step()
        assert studio.row(posted).stage == "uploaded"
        full.clear()
        clock.advance(1800)
        assert studio.outcome() == "moved"


# Pauses


@pytest.mark.scenario("recordings", "Failed recording waits")
@pytest.mark.scenario("recordings", "Second pause is longer")
def test_a_failed_recording_waits_longer_and_longer(failing: Studio) -> None:
    posted = failing.post()
    pauses = []
    for attempt in (1, 2, 3, 4):
        failing.later()
        pause_us = failing.row(posted).due_at_us - failing.clock.wall_us
        assert pause_us == round(pause_s(posted.recording_id, attempt) * 1_000_000)
        failing.clock.set(failing.clock.wall_us + pause_us - 1)
        assert failing.step() is None
        pauses.append(pause_us)
    assert sorted(pauses) == pauses
    assert len(set(pauses)) == 4


@pytest.mark.scenario("recordings", "Pause has a ceiling, an addition, nothing of chance")
def test_a_pause_has_a_ceiling_and_an_addition() -> None:
    ids = [f"recording-{number}" for number in range(200)]
    firsts = [pause_s(one, 1) for one in ids]
    assert all(10 <= one <= 12 for one in firsts)
    assert len(set(firsts)) > 190, "those that failed together don't come back together"
    lates = [pause_s(one, attempt) for one in ids for attempt in (8, 100, 10**9)]
    assert all(CEILING_S <= one <= 1.2 * CEILING_S for one in lates)
    assert pause_s("a", 3) == pause_s("a", 3)
    assert pause_s("a", 3) != pause_s("a", 4)


@pytest.mark.scenario("recordings", "Pause that the other side asks for is the least")
def test_a_pause_that_is_asked_for_is_the_least(data: Path, clock: FakeClock) -> None:
    busy = Retry("too many requests", retry_after_s=120)
    with open_studio(data, clock, acts=first(raising(busy))) as studio:
        posted = studio.post()
        studio.step()
        pause_us = studio.row(posted).due_at_us - clock.wall_us
        assert 120_000_000 <= pause_us <= 144_000_000
    assert pause_s("a", 1, 10**9) <= 1.2 * 24 * 3600


# Deferrals


def waiting(_recording: Recording, _hold: Hold) -> Result:
    return Deferred(15.0)


@pytest.mark.scenario("recordings", "Waiting for an operation neither hurries nor spends failures")
@pytest.mark.scenario("recordings", "Hundred deferrals don't move the count")
@pytest.mark.scenario("recordings", "Deferral leaves the stage")
@pytest.mark.scenario("recordings", "Deferral writes no line")
def test_a_hundred_deferrals(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock, acts={"poll": waiting}) as studio:
        posted = studio.at(studio.post(), "submitted")
        for number in range(1, 101):
            assert studio.later() == "deferred"
            row = studio.row(posted)
            assert (row.stage, row.stage_since_us) == ("submitted", posted.stage_since_us)
            assert row.due_at_us == clock.wall_us + 15_000_000
            assert (row.attempts, row.claim_until_us, row.polls) == (0, None, number)
        assert studio.events(posted) == []
        assert studio.steps_counted("submitted", "deferred") == 100
        clock.advance(24 * 3600)
        assert studio.outcome() == STOPPED


def test_failures_between_deferrals_do_not_add_up(data: Path, clock: FakeClock) -> None:
    turns = [0]

    def act(_recording: Recording, _hold: Hold) -> Result:
        turns[0] += 1
        if turns[0] % 2:
            raise Retry("a hiccup")
        return Deferred(15.0)

    with open_studio(data, clock, acts={"poll": act}) as studio:
        posted = studio.at(studio.post(), "submitted")
        for _ in range(40):
            studio.later()
            assert studio.row(posted).attempts in {0, 1}
        assert studio.row(posted).stopped_at_us is None


# The watchdog of attempts


@pytest.mark.scenario("recordings", "Recording fails at every try")
@pytest.mark.scenario("recordings", "Stop for failures is told to the sender")
def test_a_recording_fails_at_every_try(failing: Studio) -> None:
    posted = failing.message()
    for _ in range(5):
        assert failing.row(posted).stopped_at_us is None
        assert failing.later() == "retry"
    row = failing.row(posted)
    assert (row.stop_reason, row.stop_error) == ("attempts", "not this time")
    failing.clock.advance(100_000)
    assert failing.step() is None
    assert [text[:49] for text in failing.sender.told] == [
        "This recording could not be turned into text: it "
    ]


@pytest.mark.scenario("recordings", "Step takes the process along")
@pytest.mark.scenario("recordings", "Recording lost at its last try is stopped")
def test_a_step_takes_the_process_along(studio: Studio) -> None:
    posted = studio.message()
    for _ in range(5):
        # Claimed, and never heard of again.
        studio.recordings.pipeline.claim()
        studio.clock.advance(1800)
    assert studio.step() == Ran(posted.recording_id, "uploaded", STOPPED)
    row = studio.row(posted)
    assert (row.stop_reason, row.attempts) == ("attempts", 6)
    assert row.stop_error == "the step ended with its process"
    assert studio.lines("recording moved") == []
    assert len(studio.sender.told) == 1


@pytest.mark.scenario("recordings", "Recording that went through gathers no failures")
def test_a_recording_that_went_through_gathers_no_failures(studio: Studio) -> None:
    posted = studio.post()
    for stage in ("normalized", "submitted", "transcribed", "done"):
        studio.step()
        row = studio.row(posted)
        assert (row.stage, row.attempts) == (stage, 0)


@pytest.mark.scenario("recordings", "Stop of one recording doesn't end the pass of others")
def test_a_stop_of_one_recording_does_not_end_the_pass_of_others(studio: Studio) -> None:
    over = [studio.at(studio.post(), "uploaded", attempts=7) for _ in range(3)]
    well = studio.post()
    ran = studio.steps()
    assert [one.outcome for one in ran[:3]] == [STOPPED] * 3
    assert all(studio.row(one).stop_reason == "attempts" for one in over)
    assert studio.row(well).stage == "done"


# The watchdog of time


@pytest.mark.scenario("recordings", "Limit of time is reached")
@pytest.mark.scenario("recordings", "Stop for time is told to the sender")
@pytest.mark.parametrize(
    ("stage", "limit_s"),
    [("uploaded", 3600), ("normalized", 3600), ("submitted", 86_400), ("transcribed", 3600)],
)
def test_a_limit_of_time_is_reached(
    data: Path, clock: FakeClock, stage: str, limit_s: float
) -> None:
    steps = {one.step: waiting for one in STAGES if one.step is not None}
    with open_studio(data, clock, acts=steps) as studio:
        posted = studio.at(studio.message(), stage)
        assert studio.outcome() == "deferred"
        clock.set(posted.stage_since_us + round(limit_s * 1_000_000))
        assert studio.outcome() == "deferred"
        clock.advance(16)
        assert studio.outcome() == STOPPED
        row = studio.row(posted)
        assert (row.stage, row.stop_reason) == (stage, "stuck")
        assert row.stop_error == f"{limit_s + 16} s at stage {stage}"
        [line] = studio.lines("recording stopped")
        assert (line["level"], line["reason"]) == ("ERROR", "stuck")
        assert len(studio.sender.told) == 1


@pytest.mark.scenario("recordings", "First claim after a start is for the step")
def test_the_first_claim_after_a_start_is_for_the_step(data: Path, clock: FakeClock) -> None:
    idle = Settings(workers=0)
    with open_studio(data, clock, settings=idle) as studio:
        # Nobody works for a night.
        posted = [studio.post() for _ in range(3)]
    clock.advance(8 * 3600)
    with open_studio(data, clock, acts=first(raising(Retry("no luck")))) as studio:
        assert [one.outcome for one in studio.steps()] == ["retry"] * 3
        clock.advance(60)
        # From the second on the limit holds as it stands.
        assert [one.outcome for one in studio.steps()] == [STOPPED] * 3
        assert {studio.row(one).stop_reason for one in posted} == {"stuck"}


@pytest.mark.scenario("recordings", "Restart doesn't begin the time of a stage anew")
def test_a_restart_does_not_begin_the_time_of_a_stage_anew(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock, acts={"poll": waiting}) as studio:
        posted = studio.at(studio.post(), "submitted")
        studio.step()
    clock.advance(20 * 3600)
    with open_studio(data, clock, acts={"poll": waiting}) as studio:
        assert studio.row(posted).stage_since_us == posted.stage_since_us
        assert studio.outcome() == "deferred"
        clock.advance(5 * 3600)
        assert studio.outcome() == STOPPED


@pytest.mark.scenario("recordings", "Recording that is done is neither taken nor stopped")
def test_a_recording_that_is_done_is_neither_taken_nor_stopped(studio: Studio) -> None:
    posted = studio.post()
    studio.steps()
    assert studio.row(posted).stage == "done"
    studio.clock.advance(10 * 365 * 86_400)
    assert studio.step() is None
    assert studio.row(posted).stopped_at_us is None
    assert not studio.recordings.stopper.stop_by_person(posted.recording_id)


# The holder alone


@pytest.mark.scenario("recordings", "Owner's edit outlives the save of a step")
@pytest.mark.scenario("recordings", "Step leaves the owner alone")
def test_an_owner_s_edit_outlives_the_save_of_a_step(data: Path, clock: FakeClock) -> None:
    def act(recording: Recording, hold: Hold) -> Result | None:
        changes = {
            "title": "Shopping", "summary": "What to buy", "topics": ("food", "money"),
            "corrected_text": "bread, not bed",
        }  # fmt: skip
        hold.store.write(lambda c: edits.edit(c, recording.recording_id, changes))
        return None

    with open_studio(data, clock, acts=first(act)) as studio:
        posted = studio.post(owner="ann", title="unnamed")
        studio.steps()
        row = studio.row(posted)
        assert row.stage == "done"
        assert (row.owner, row.title, row.summary) == ("ann", "Shopping", "What to buy")
        assert (row.topics, row.corrected_text) == (("food", "money"), "bread, not bed")


@pytest.mark.scenario("recordings", "No step may write a person's column")
@pytest.mark.parametrize("column", ["owner", "title", "summary", "topics", "corrected_text"])
def test_no_step_may_write_a_person_s_column(column: str) -> None:
    assert column in edits.COLUMNS
    with pytest.raises(ValueError, match="no step may write"):
        Reached("normalized", {column: "x"})


@pytest.mark.scenario("recordings", "Claim goes away under a working step")
def test_a_claim_goes_away_under_a_working_step(data: Path, clock: FakeClock) -> None:
    taken: list[Claim] = []

    def act(_recording: Recording, hold: Hold) -> Result | None:
        if not taken:
            clock.advance(300)
            taken.append(hold.store.write(lambda c: claims.claim(c, clock.now_us(), "another")))
        return None

    with open_studio(data, clock, acts={"finish": act}) as studio:
        posted = studio.at(studio.message(), "transcribed")
        assert studio.outcome() == "lost"
        row = studio.row(posted)
        assert (row.stage, row.attempts, row.last_outcome) == ("transcribed", 2, None)
        assert studio.rows("SELECT claim FROM recording") == [(taken[0].token,)]
        assert studio.sender.told == []
        assert studio.events(posted) == []
        assert studio.steps_counted("transcribed", "lost") == 1


@pytest.mark.scenario("recordings", "Person takes a stop off under a working step")
def test_a_person_takes_a_stop_off_under_a_working_step(data: Path, clock: FakeClock) -> None:
    made: list[Studio] = []

    def act(recording: Recording, hold: Hold) -> Result | None:
        [studio] = made
        if len(studio.events(recording)) == 0:
            assert studio.recordings.stopper.stop_by_person(recording.recording_id)
            assert studio.recordings.resumption.one(recording.recording_id)
            hold.store.write(lambda c: claims.claim(c, clock.now_us(), "another"))
        return None

    with open_studio(data, clock, acts=first(act)) as studio:
        made.append(studio)
        posted = studio.post()
        assert studio.outcome() == "lost"
        assert studio.row(posted).stage == "uploaded"


@pytest.mark.scenario("recordings", "Lease that ended unnoticed lets its holder write")
def test_a_lease_that_ended_unnoticed_lets_its_holder_write(data: Path, clock: FakeClock) -> None:
    def act(_recording: Recording, _hold: Hold) -> Result | None:
        clock.advance(100_000)
        return None

    with open_studio(data, clock, acts=first(act)) as studio:
        posted = studio.post()
        assert studio.outcome() == "moved"
        assert studio.row(posted).stage == "normalized"


@pytest.mark.parametrize("ending", ["advance", "defer", "retry", "release", "flag"])
def test_every_ending_names_its_claim(studio: Studio, ending: str) -> None:
    posted = studio.post()
    held = studio.recordings.pipeline.claim()
    stranger = Claim(held.recording_id, "0" * 32)
    at = outcomes.At(studio.clock.wall_us)
    calls: dict[str, Callable[[sqlite3.Connection], None]] = {
        "advance": lambda c: outcomes.advance(c, stranger, Reached("normalized"), at),
        "defer": lambda c: outcomes.defer(c, stranger, 1.0, at),
        "retry": lambda c: outcomes.retry(c, stranger, 1, at),
        "release": lambda c: outcomes.release(c, stranger, at),
        "flag": lambda c: outcomes.flag(c, stranger, "verdict", at),
    }
    before = studio.row(posted)
    with pytest.raises(LostClaim):
        studio.write(calls[ending])
    assert studio.row(posted) == before


# Our own stop


@pytest.mark.scenario("recordings", "Stop of the service spends no failure")
def test_a_stop_of_the_service_spends_no_failure(data: Path, clock: FakeClock) -> None:
    made: list[Studio] = []

    def act(_recording: Recording, hold: Hold) -> Result | None:
        made[0].cancel.ask()
        hold.cancel.check()
        return None

    with open_studio(data, clock, acts=first(act)) as studio:
        made.append(studio)
        posted = studio.at(studio.post(), "uploaded", attempts=4)
        assert studio.outcome() == "interrupted"
        row = studio.row(posted)
        assert (row.attempts, row.stopped_at_us, row.claim_until_us) == (4, None, None)
        assert row.due_at_us == posted.due_at_us, "at once, and in its old place"
        assert studio.steps_counted("uploaded", "interrupted") == 1
        assert studio.lines("recording step failed") == []


@pytest.mark.scenario("recordings", "Own error of a step during the stop is a failure")
def test_an_own_error_during_the_stop_is_a_failure(data: Path, clock: FakeClock) -> None:
    made: list[Studio] = []

    def act(_recording: Recording, _hold: Hold) -> Result | None:
        made[0].cancel.ask()
        raise Retry("the disk is full")

    with open_studio(data, clock, acts=first(act)) as studio:
        made.append(studio)
        posted = studio.post()
        assert studio.outcome() == "retry"
        assert studio.row(posted).attempts == 1


def test_a_cancellation_that_nobody_asked_for_is_a_failure(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock, acts=first(raising(Cancelled("really?")))) as studio:
        posted = studio.post()
        assert studio.outcome() == "retry"
        assert studio.row(posted).attempts == 1


def test_a_database_that_is_busy_in_a_step_is_a_failure(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock, acts=first(raising(Busy("locked")))) as studio:
        studio.post()
        assert studio.outcome() == "retry"
        [line] = studio.lines("recording step failed")
        assert line["level"] == "WARN"
