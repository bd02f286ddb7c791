"""What costs money: the attempt's row, the call, the operation's id, in this order and once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from healthlog.transcriber import attempts, claims, events
from healthlog.transcriber.attempts import Attempt
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import (
    Ambiguous,
    Cancelled,
    Configuration,
    Ended,
    Retry,
    Verdict,
)
from healthlog.transcriber.providers.base import NotYet
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.transcript import Segment, Transcript, Word
from tests.support.clock import FakeClock
from tests.support.installed import needs_ffmpeg
from tests.support.studio import SPOKEN, Recogniser, Studio, open_studio, tone


@pytest.fixture
def far() -> Recogniser:
    """A recogniser that costs money."""
    return Recogniser()


@pytest.fixture
def lab(data: Path, clock: FakeClock, far: Recogniser) -> Iterator[Studio]:
    """A studio with that recogniser and the real steps."""
    with open_studio(data, clock, providers={"far": far}) as made:
        yield made


def ready(lab: Studio) -> Recording:
    """A recording that is to be recognised next."""
    return lab.normalised(lab.message())


def made(lab: Studio, recording: Recording) -> list[Attempt]:
    return lab.journal.read(lambda c: attempts.of(c, recording.recording_id))


def gone_with_the_process(lab: Studio) -> None:
    """What a killed process leaves: a claim that nobody gives back, until its lease ends."""
    lab.clock.advance(2700)


# The usual way


@pytest.mark.scenario("recordings", "Row of the attempt is there before the call")
def test_the_row_of_the_attempt_is_there_before_the_call(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)
    seen: list[Attempt] = []
    far.submitting = lambda _number: seen.extend(made(lab, one))
    assert lab.outcome() == "moved"
    [before] = seen
    assert (before.number, before.provider, before.operation) == (1, "far", None)
    assert before.parameters == {"model": "general"}
    [after] = made(lab, one)
    assert after.operation == "operation-1"
    [job] = far.jobs
    assert job.key == f"{one.recording_id}.1"
    assert job.audio == lab.recordings.places.normalised(one.recording_id)
    assert job.duration_ms == 1000


def test_a_recording_goes_all_the_way(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)
    words = (Word(0, 500, "the", 0.5), Word(500, 900, "fox"))
    heard = Transcript(SPOKEN, (Segment(0, 900, SPOKEN),), words, 0.75, "en")
    far.answers = [NotYet(), NotYet(delay_s=40), heard]
    assert lab.outcome() == "moved"
    assert lab.outcome() == "deferred"
    assert lab.row(one).due_at_us == lab.clock.wall_us + 15_000_000
    assert lab.later() == "deferred"
    assert lab.row(one).due_at_us == lab.clock.wall_us + 40_000_000
    assert [lab.later(), lab.outcome()] == ["moved", "moved"]
    row = lab.row(one)
    assert (row.stage, row.text, row.language) == ("done", SPOKEN, "en")
    assert lab.journal.read(lambda c: attempts.heard(c, one.recording_id)) == heard
    assert far.polled == ["operation-1"] * 3
    assert far.forgotten == ["operation-1"]
    assert not lab.recordings.places.normalised(one.recording_id).exists()
    assert lab.sender.told == [SPOKEN]


@pytest.mark.scenario("recordings", "Silent recording costs nothing")
def test_a_silent_recording_costs_nothing(lab: Studio, far: Recogniser) -> None:
    one = lab.at(ready(lab), "normalized", silent=1)
    assert [ran.stage for ran in lab.steps()] == ["normalized", "transcribed"]
    assert (lab.row(one).stage, lab.row(one).text) == ("done", "")
    assert far.jobs == []
    assert lab.sender.told == ["No speech was found in this recording."]


@pytest.mark.scenario("recordings", "Empty transcript is a normal end")
def test_an_empty_transcript_is_a_normal_end(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)
    far.answers = [Transcript("")]
    lab.steps()
    assert lab.row(one).stage == "done"
    assert lab.sender.told == ["No speech was found in this recording."]


# Not twice


@pytest.mark.scenario("recordings", "Work is done already")
def test_work_is_done_already(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)
    assert lab.outcome() == "moved"
    lab.at(one, "normalized")
    assert lab.outcome() == "moved"
    assert len(far.jobs) == 1
    assert lab.row(one).stage == "submitted"


@pytest.mark.scenario("recordings", "Resumed polling begins no second operation")
def test_resumed_polling_begins_no_second_operation(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)
    far.answers = [NotYet()]
    lab.outcome()
    lab.outcome()
    lab.clock.advance(24 * 3600 + 1)
    assert lab.outcome() == "stopped"
    assert lab.row(one).stop_reason == "stuck"
    lab.recordings.resumption.one(one.recording_id)
    far.answers = [Transcript(SPOKEN)]
    lab.steps()
    assert lab.row(one).stage == "done"
    assert len(far.jobs) == 1
    assert set(far.polled) == {"operation-1"}
    assert [event.detail for event in lab.events(one) if event.outcome == "resumed"] == [None]


@pytest.mark.scenario("recordings", "Crash between call and note is left to a person")
def test_a_crash_between_call_and_note_is_left_to_a_person(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)
    far.finding = raising_ambiguous

    class Killed(BaseException):
        pass

    def die(_number: int) -> None:
        raise Killed

    far.submitted = die
    with pytest.raises(Killed):
        lab.step()
    far.submitted = lambda _number: None
    gone_with_the_process(lab)
    assert lab.outcome() == "verdict"
    row = lab.row(one)
    assert (row.stop_reason, row.stop_error) == ("verdict", "payment_unknown")
    assert len(far.jobs) == 1
    assert len(lab.sender.told) == 1
    # A person takes the risk, and the journal says so.
    lab.recordings.resumption.one(one.recording_id)
    assert lab.events(one)[-1].detail == "cost_accepted"
    lab.steps()
    assert lab.row(one).stage == "done"
    assert [(a.number, a.ending) for a in made(lab, one)] == [(1, "accepted"), (2, "done")]
    assert len(far.jobs) == 2


def raising_ambiguous(_key: str) -> str | None:
    raise Ambiguous("it keeps no list")


@pytest.mark.scenario("recordings", "Recogniser that can tell is asked what a crash left")
@pytest.mark.parametrize(("found", "calls"), [("operation-1", 1), (None, 2)])
def test_a_recogniser_that_can_tell_is_asked(
    lab: Studio, far: Recogniser, found: str | None, calls: int
) -> None:
    one = ready(lab)

    class Killed(BaseException):
        pass

    def die(_number: int) -> None:
        raise Killed

    far.submitted = die
    with pytest.raises(Killed):
        lab.step()
    far.submitted = lambda _number: None
    asked: list[str] = []

    def find(key: str) -> str | None:
        asked.append(key)
        return found

    far.finding = find
    gone_with_the_process(lab)
    assert lab.outcome() == "moved"
    assert asked == [f"{one.recording_id}.1"]
    assert len(far.jobs) == calls
    assert [job.key for job in far.jobs] == [f"{one.recording_id}.1"] * calls
    [attempt] = made(lab, one)
    assert attempt.operation is not None


@pytest.mark.scenario("recordings", "Call whose end is not known is not repeated")
@pytest.mark.parametrize("error", [Ambiguous("the connection broke"), KeyError("a mistake")])
def test_a_call_whose_end_is_not_known_is_not_repeated(
    lab: Studio, far: Recogniser, error: Exception
) -> None:
    one = ready(lab)

    def break_off(_number: int) -> None:
        raise error

    far.submitted = break_off
    assert lab.outcome() == "verdict"
    assert lab.row(one).stop_error == "payment_unknown"
    assert made(lab, one)[0].ending is None
    assert lab.step() is None


def test_a_call_that_costs_nothing_is_repeated(data: Path, clock: FakeClock) -> None:
    near = Recogniser(name="near", paid=False)
    near.submitting = raising_once(Ambiguous("the connection broke"))
    with open_studio(data, clock, providers={"near": near}) as lab:
        one = ready(lab)
        assert lab.outcome() == "retry"
        assert [a.ending for a in made(lab, one)] == ["lost"]
        assert lab.later() == "moved"


def raising_once(error: Exception) -> Callable[[int], object]:
    left = [error]

    def act(_number: int) -> None:
        if left:
            raise left.pop()

    return act


@pytest.mark.scenario("recordings", "Refused call ends its attempt")
@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (Retry("too many requests", retry_after_s=60), "retry"),
        (Verdict("the audio is too long"), "verdict"),
        (Configuration("recordings_far_key", "refused"), "configuration"),
    ],
)
def test_a_refused_call_ends_its_attempt(
    lab: Studio, far: Recogniser, error: Exception, outcome: str
) -> None:
    one = ready(lab)
    far.submitting = raising_once(error)
    assert lab.outcome() == outcome
    assert [a.ending for a in made(lab, one)] == ["refused"]
    if outcome == "verdict":
        lab.recordings.resumption.one(one.recording_id)
        assert lab.events(one)[-1].detail is None
    assert lab.later() == "moved"
    assert [(a.number, a.ending) for a in made(lab, one)] == [(1, "refused"), (2, None)]


@pytest.mark.scenario("recordings", "Claim is asked for right before the call")
def test_the_claim_is_asked_for_right_before_the_call(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)

    class Slow(Cancel):
        """Time passes after the attempt's row, and before the call."""

        def check(self) -> None:
            lab.clock.advance(2700)
            lab.write(lambda c: claims.claim(c, lab.clock.now_us(), "another"))

    lab.cancel = Slow()
    assert lab.outcome() == "lost"
    assert far.jobs == []
    assert [a.ending for a in made(lab, one)] == ["refused"]


@pytest.mark.scenario("recordings", "Operation outlives the claim under which it was begun")
def test_an_operation_outlives_its_claim(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)

    def lose(_number: int) -> None:
        lab.clock.advance(2700)
        lab.write(lambda c: claims.claim(c, lab.clock.now_us(), "another"))

    far.submitted = lose
    assert lab.outcome() == "lost"
    [attempt] = made(lab, one)
    assert attempt.operation == "operation-1", "what was paid for is not lost with the claim"
    lab.clock.advance(2700)
    lab.steps()
    assert lab.row(one).stage == "done"
    assert len(far.jobs) == 1


@pytest.mark.scenario("recordings", "Parameters of an attempt stay what they were")
def test_the_parameters_of_an_attempt_stay(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)
    lab.outcome()
    far.said = {"model": "another", "language": "de"}
    lab.steps()
    [attempt] = made(lab, one)
    assert attempt.parameters == {"model": "general"}


# Operations that come to nothing


@pytest.mark.scenario("recordings", "Paid operation that came to nothing is left to a person")
def test_a_paid_operation_that_came_to_nothing(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)
    far.answers = [Ended(Retry("the result has expired"), charged=True), Transcript(SPOKEN)]
    lab.outcome()
    assert lab.outcome() == "verdict"
    assert lab.row(one).stop_error == "payment_unknown"
    lab.recordings.resumption.one(one.recording_id)
    assert lab.events(one)[-1].detail == "cost_accepted"
    assert lab.outcome() == "deferred"
    lab.due()
    lab.steps()
    assert lab.row(one).stage == "done"
    assert [(a.number, a.ending) for a in made(lab, one)] == [(1, "lost"), (2, "done")]


@pytest.mark.scenario("recordings", "Free operation that comes to nothing is begun again, so often")
def test_a_free_operation_that_comes_to_nothing(data: Path, clock: FakeClock) -> None:
    near = Recogniser(name="near", paid=False)
    near.answers = [Ended(Retry("the program ended with status 1"))]
    with open_studio(data, clock, providers={"near": near}) as lab:
        one = ready(lab)
        outcomes = [lab.outcome()]
        while not lab.row(one).stopped_at_us:
            outcomes.append(lab.later())
        assert outcomes == ["moved", *["retry", "deferred"] * 4, "retry"]
        row = lab.row(one)
        assert (row.stage, row.stop_reason) == ("submitted", "attempts")
        assert row.stop_error == "the program ended with status 1"
        assert len(near.jobs) == 5


@pytest.mark.scenario("recordings", "Operation that ended for a wrong setting waits for its owner")
def test_an_operation_that_ended_for_a_wrong_setting(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)
    far.answers = [Ended(Configuration("recordings_far_model", "no such model")), Transcript("")]
    lab.outcome()
    assert lab.outcome() == "configuration"
    assert lab.row(one).stopped_at_us is None
    assert [lab.later(), lab.later()] == ["deferred", "moved"]
    assert len(far.jobs) == 2


@pytest.mark.scenario("recordings", "Verdict of the recogniser stops at once")
def test_a_verdict_of_the_recogniser(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)
    far.answers = [Verdict("the audio can't be decoded")]
    lab.outcome()
    assert lab.outcome() == "verdict"
    assert (lab.row(one).stage, lab.row(one).stop_reason) == ("submitted", "verdict")
    assert [a.ending for a in made(lab, one)] == ["failed"]


def test_a_question_that_fails_leaves_the_operation(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)
    far.answers = [Retry("no route to it"), ValueError("a mistake"), Transcript(SPOKEN)]
    lab.outcome()
    assert [lab.outcome(), lab.later(), lab.later()] == ["retry", "retry", "moved"]
    assert len(far.jobs) == 1
    assert lab.row(one).stage == "transcribed"


def test_an_operation_of_a_recogniser_that_is_set_up_no_more(
    data: Path, clock: FakeClock, far: Recogniser
) -> None:
    with open_studio(data, clock, providers={"far": far}) as lab:
        one = ready(lab)
        lab.outcome()
    with open_studio(data, clock, providers={"near": Recogniser(name="near")}) as lab:
        assert lab.outcome() == "configuration"
        assert lab.row(one).last_error == "recordings_provider: far is not set up"
    with open_studio(data, clock, providers={"near": Recogniser(name="near"), "far": far}) as lab:
        lab.due()
        lab.steps()
        assert lab.row(one).stage == "done"


@needs_ffmpeg
def test_audio_that_was_removed_is_made_again(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)
    path = lab.recordings.places.normalised(one.recording_id)
    path.unlink()
    original = lab.recordings.places.original(one.recording_id, one.extension)
    tone(original)
    assert lab.outcome() == "moved"
    assert path.exists()


# Our own stop


@pytest.mark.scenario("recordings", "Call cut by our own stop is repeated, and the journal says so")
def test_a_call_cut_by_our_own_stop(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)

    def cut(number: int) -> None:
        if number == 1:
            lab.cancel.cut()
            raise Cancelled("cut")

    far.submitted = cut
    assert lab.outcome() == "interrupted"
    assert lab.row(one).attempts == 0
    [event] = lab.events(one)
    assert (event.source, event.step, event.outcome) == ("step", "submit", "cut")
    assert event.detail == events.POSSIBLE_DOUBLE_PAYMENT
    assert [a.ending for a in made(lab, one)] == ["cut"]
    lab.cancel = type(lab.cancel)()
    lab.steps()
    assert lab.row(one).stage == "done"
    assert len(far.jobs) == 2


@pytest.mark.scenario("recordings", "Operation cut by our own stop is repeated, and noted")
def test_an_operation_cut_by_our_own_stop(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)
    cut = Ended(Retry("the service's stop cut it"), charged=True, cut=True)
    far.answers = [cut, Transcript(SPOKEN)]
    lab.outcome()
    assert lab.outcome() == "deferred"
    lab.due()
    lab.steps()
    assert lab.row(one).stage == "done"
    assert [e.detail for e in lab.events(one) if e.outcome == "cut"] == ["possible_double_payment"]
    assert [a.ending for a in made(lab, one)] == ["cut", "done"]


def test_nothing_is_paid_for_once_the_stop_is_asked_for(lab: Studio, far: Recogniser) -> None:
    one = ready(lab)
    lab.cancel.ask()
    assert lab.outcome() == "interrupted"
    assert far.jobs == []
    assert lab.row(one).attempts == 0
    assert [a.ending for a in made(lab, one)] == ["refused"], "nobody has to wonder about it"
    lab.cancel = type(lab.cancel)()
    lab.steps()
    assert lab.row(one).stage == "done"
    assert len(far.jobs) == 1
