"""Stopping a recording, taking the stop off, what the event journal says of both."""

from __future__ import annotations

from pathlib import Path

import pytest

from healthlog.transcriber import events, rows
from healthlog.transcriber.events import Event
from healthlog.transcriber.failures import Retry, Verdict
from healthlog.transcriber.rows import Meta
from healthlog.transcriber.stop import REASONS, TOLD
from tests.support.clock import FakeClock
from tests.support.studio import CHAT, Studio, open_studio, raising


def stopped(studio: Studio, stage: str = "normalized") -> rows.Recording:
    """A recording that a person stopped at that stage."""
    posted = studio.at(studio.message(), stage)
    assert studio.recordings.stopper.stop_by_person(posted.recording_id)
    return studio.row(posted)


@pytest.mark.scenario("recordings", "Stopped recording is not given out")
def test_a_stopped_recording_is_not_given_out(studio: Studio) -> None:
    one = stopped(studio)
    studio.clock.advance(10**6)
    assert studio.step() is None
    assert (one.stage, one.stop_reason, one.stopped_at_us) == (
        "normalized", "person", studio.clock.wall_us - 10**12,
    )  # fmt: skip


@pytest.mark.scenario("recordings", "Stopped recording goes on from where it stood")
def test_a_stopped_recording_goes_on_from_where_it_stood(studio: Studio) -> None:
    one = stopped(studio)
    assert studio.recordings.resumption.one(one.recording_id)
    ran = studio.step()
    assert ran is not None
    assert ran.stage == "normalized"
    assert studio.row(one).stage == "submitted"


@pytest.mark.scenario("recordings", "Taking the flag off resets all watchdogs")
def test_taking_the_flag_off_resets_all_watchdogs(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock, acts={"normalise": raising(Retry("no"))}) as studio:
        posted = studio.post()
        for _ in range(5):
            studio.later()
        assert studio.row(posted).stop_reason == "attempts"
        clock.advance(7 * 86_400)
        assert studio.recordings.resumption.one(posted.recording_id)
        row = studio.row(posted)
        assert (row.attempts, row.due_at_us, row.stage_since_us) == (
            0,
            clock.wall_us,
            clock.wall_us,
        )
        assert (row.stopped_at_us, row.stop_reason, row.stop_error) == (None, None, None)
        clock.advance(60)
        # Not by the grace of the first claim after a start, which is long over.
        assert studio.outcome() == "retry"
        assert studio.row(posted).stopped_at_us is None


def test_what_is_not_stopped_is_not_resumed(studio: Studio) -> None:
    posted = studio.post()
    assert not studio.recordings.resumption.one(posted.recording_id)
    assert not studio.recordings.resumption.one("20260802T080142.123456Z-00000000")
    assert studio.events(posted) == []


@pytest.mark.scenario("recordings", "All of one reason are taken back at once")
def test_all_of_one_reason_are_taken_back_at_once(studio: Studio) -> None:
    stuck = [studio.post() for _ in range(3)]
    studio.write(
        lambda c: (
            c.execute(
                "UPDATE recording SET stopped_at_us = 1, stop_reason = 'stuck', stop_error = 'x'"
            ).rowcount
        )
    )
    by_person = stopped(studio)
    assert studio.recordings.resumption.all_of("stuck") == 3
    assert studio.recordings.resumption.all_of("stuck") == 0
    assert [studio.row(one).stopped_at_us for one in stuck] == [None] * 3
    assert studio.row(by_person).stop_reason == "person"
    assert all(studio.events(one)[-1].outcome == events.RESUMED for one in stuck)


@pytest.mark.scenario("recordings", "Person's stop takes the claim from its holder")
def test_a_person_s_stop_takes_the_claim_from_its_holder(studio: Studio) -> None:
    posted = studio.message()
    studio.recordings.pipeline.claim()
    assert studio.recordings.stopper.stop_by_person(posted.recording_id)
    row = studio.row(posted)
    assert (row.stop_reason, row.stage, row.claim_until_us) == ("person", "uploaded", None)
    assert not studio.recordings.stopper.stop_by_person(posted.recording_id)
    [event] = studio.events(posted)
    assert (event.source, event.outcome, event.detail) == ("person", "stopped", "person")
    assert studio.sender.told == [TOLD["person"]]
    assert studio.counted("healthlog_recordings_stopped_total", reason="person") == 1


@pytest.mark.scenario("recordings", "Every reason is told, logged, counted and noted alike")
def test_every_reason_is_told_logged_counted_and_noted(studio: Studio) -> None:
    for reason in REASONS:
        studio.message()
        held = studio.recordings.pipeline.claim()
        studio.recordings.stopper.stop(held, reason, "a word of the program", 12)
    assert studio.sender.told == [TOLD[reason] for reason in REASONS]
    lines = studio.lines("recording stopped")
    assert [(line["level"], line["reason"]) for line in lines] == [("ERROR", r) for r in REASONS]
    counts = [studio.counted("healthlog_recordings_stopped_total", reason=r) for r in REASONS]
    assert counts == [1] * len(REASONS)
    noted = studio.rows("SELECT source, outcome, detail, duration_ms FROM recording_event")
    assert noted == [("step", "stopped", reason, 12) for reason in REASONS]


def test_the_schema_knows_the_reasons(studio: Studio) -> None:
    [(table,)] = studio.rows("SELECT sql FROM sqlite_master WHERE name = 'recording'")
    assert f"stop_reason IN ({', '.join(repr(reason) for reason in REASONS)})" in table


@pytest.mark.scenario("recordings", "File that can't be had is a recording stopped from the first")
def test_a_file_that_can_not_be_had_is_a_stopped_recording(studio: Studio) -> None:
    beside: list[str] = []
    taken = studio.recordings.intake.take_refused(
        Meta(rows.TELEGRAM, "oga", chat_id=CHAT, message_id=5),
        "the file is larger than what may be fetched",
        lambda _c, recording_id: beside.append(recording_id),
    )
    assert beside == [taken.recording_id]
    row = studio.row(taken)
    assert (row.stop_reason, row.bytes, row.sha256) == ("verdict", 0, None)
    assert row.stop_error == "the file is larger than what may be fetched"
    assert studio.sender.told == [TOLD["verdict"]]
    assert studio.step() is None
    assert [line["msg"] for line in studio.lines()] == ["recording accepted", "recording stopped"]


# The event journal


@pytest.mark.scenario("recordings", "Change of stage is noted")
def test_a_change_of_stage_is_noted(data: Path, clock: FakeClock) -> None:
    def act(_recording: object, _hold: object) -> None:
        clock.advance(2.5)

    with open_studio(data, clock, acts={"normalise": act}) as studio:
        posted = studio.post()
        studio.step()
        assert studio.events(posted) == [
            Event(clock.wall_us, "step", "normalise", "normalized", "moved", 2500)
        ]


@pytest.mark.scenario("recordings", "Restart by a person is seen in the journal")
def test_a_restart_by_a_person_is_seen_in_the_journal(studio: Studio) -> None:
    one = stopped(studio)
    studio.recordings.resumption.one(one.recording_id)
    stop, resumption = studio.events(one)
    assert (stop.source, stop.outcome) == ("person", "stopped")
    assert resumption == Event(studio.clock.wall_us, "person", "submit", "normalized", "resumed")


@pytest.mark.scenario("recordings", "Stop by a step is noted with its duration")
def test_a_stop_by_a_step_is_noted_with_its_duration(data: Path, clock: FakeClock) -> None:
    def act(_recording: object, _hold: object) -> None:
        clock.advance(1)
        raise Verdict("there is no audio")

    with open_studio(data, clock, acts={"normalise": act}) as studio:
        posted = studio.post()
        studio.step()
        assert studio.events(posted) == [
            Event(clock.wall_us, "step", "normalise", "uploaded", "stopped", 1000, "verdict")
        ]


@pytest.mark.scenario("recordings", "No step reads the journal")
def test_no_step_reads_the_journal(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock) as studio:
        posted = studio.post()
        for _ in range(3):
            studio.write(lambda c: c.execute("DELETE FROM recording_event").rowcount)
            studio.step()
        studio.write(
            lambda c: events.note(
                c, posted.recording_id, Event(0, "step", "finish", "done", "moved")
            )
        )
        assert studio.row(posted).stage == "transcribed"
        assert studio.outcome() == "moved"
        assert studio.row(posted).stage == "done"
