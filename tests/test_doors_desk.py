"""One recording over HTTP: what is shown of it, what a person may do about it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from healthlog.imports import door
from healthlog.transcriber import claims, outcomes, rows
from healthlog.transcriber.doors import desk as desk_of_recordings
from healthlog.transcriber.outcomes import At
from tests.support.clock import MORNING_US
from tests.support.reading import Desk, problem
from tests.support.spoken import (
    API,
    HEARD,
    M4A,
    READER,
    at,
    call,
    change,
    hear,
    row,
    sent,
    shown,
)

UNKNOWN = "20260802T080142.123456Z-00000000"


# Looking


@pytest.mark.scenario("recording-doors", "Recording shows everything that is known of it")
def test_a_recording_shows_everything_that_is_known(desk: Desk) -> None:
    one = sent(desk, title="Walk", recorded_at="2026-08-02T09:30:00+03:00")
    told, missing = shown(desk, one), desk.spoken.recordings.missing()
    assert told == {
        "recording_id": one,
        "accepted_at": "2026-08-02T08:01:42.123456Z",
        "spoken_at": "2026-08-02T09:30:00+03:00",
        "source": "http",
        "content_type": "audio/x-m4a",
        "bytes": len(M4A),
        "sha256": row(desk, one).sha256,
        "title": "Walk",
        "stage": "uploaded",
        "stage_since": "2026-08-02T08:01:42.123456Z",
        "attempts": 0,
        "polls": 0,
        "next_try_at": "2026-08-02T08:01:42.123456Z",
        "claimed_until": None,
        "last": None,
        "stopped": None,
        "waiting": " ".join(("It waits for a worker.", *missing[:1])),
        "events": [],
    }
    hear(desk, one)
    told = shown(desk, one)
    assert (told["text"], told["language"], told["stage"]) == (HEARD.text, "en", "done")
    assert (told["duration_ms"], told["silent"], told["waiting"]) == (2000, False, None)
    assert (told["next_try_at"], told["last"]["outcome"]) == (None, "moved")


@pytest.mark.scenario("recording-doors", "Recording says why it isn't moving")
def test_a_recording_says_why_it_is_not_moving(desk: Desk) -> None:
    one, journal, now = sent(desk), desk.house.journal, desk.house.clock.now_us()

    def claimed() -> claims.Claim:
        at(desk, one, due_at_us=0)
        return journal.write(lambda c: claims.claim(c, now, "tests"))

    held = claimed()
    assert waiting(desk, one) == (
        "A worker is at it: it is made into audio for the recogniser,"
        " until 2026-08-02T08:31:43.123456Z at the latest."
    )
    assert shown(desk, one)["claimed_until"] == "2026-08-02T08:31:43.123456Z"
    assert shown(desk, one)["next_try_at"] is None
    desk.house.clock.advance(7200)
    assert "The worker that was at it is gone since 2026-08-02T08:31:43" in waiting(desk, one)
    error = At(now, "ffmpeg ended with status 1")
    journal.write(lambda c: outcomes.retry(c, held, 9_000_000_000, error))
    assert waiting(desk, one) == (
        "The last step didn't work, attempt 1 failed (ffmpeg ended with status 1):"
        " tried again at 2026-08-02T10:31:43.123456Z."
    )
    missing = At(now, "recordings_openai_key: it is not set")
    held = claimed()
    journal.write(lambda c: outcomes.defer(c, held, 90_000, missing, outcomes.CONFIGURATION))
    assert waiting(desk, one).startswith(
        "A setting has to be put right (recordings_openai_key: it is not set): tried again at "
    )
    at(desk, one, stage="submitted")
    held = claimed()
    journal.write(lambda c: outcomes.defer(c, held, 90_000, At(now)))
    assert waiting(desk, one).startswith("The recogniser is at work on it: asked again at ")
    at(desk, one, stage="uploaded")
    assert waiting(desk, one).startswith("It waits until 2026-08-03T")


def waiting(desk: Desk, recording_id: str) -> str:
    return str(shown(desk, recording_id)["waiting"])


@pytest.mark.parametrize(
    ("reason", "error", "said"),
    [
        ("attempts", "no space", "failed too often"),
        ("stuck", None, "stood too long"),
        ("verdict", "no audio", "can't be turned into text as it is"),
        ("verdict", "payment_unknown", "may have to be paid for a second time"),
        ("person", None, "by a person"),
    ],
)
def test_a_stopped_recording_says_why(
    desk: Desk, reason: str, error: str | None, said: str
) -> None:
    one = sent(desk)
    at(desk, one, stopped_at_us=MORNING_US, stop_reason=reason, stop_error=error)
    told = shown(desk, one)
    assert told["stopped"]["reason"] == reason
    assert told["stopped"].get("error") == error
    assert told["next_try_at"] is None
    assert said in told["waiting"]


def test_no_workers_and_missing_programs_are_said(desk: Desk) -> None:
    one = sent(desk)
    desk.spoken = replace(desk.spoken, workers=0)
    assert waiting(desk, one) == "No workers are set: recordings_workers is 0."
    desk.spoken = replace(desk.spoken, workers=1)
    desk.spoken.recordings._ffmpeg._ffmpeg = "no-such-ffmpeg"
    assert waiting(desk, one) == (
        "It waits for a worker. The program no-such-ffmpeg can't be found: recordings wait until"
        " it is installed."
    )


def test_what_is_not_there_is_said(desk: Desk) -> None:
    kind = "Content-Type: application/json"
    for name in (UNKNOWN, "x", "..", "%2e%2e%2fjournal.db"):
        for method in ("GET", "PATCH", "DELETE"):
            assert problem(call(desk, method, f"/{name}", b"{}", READER, kind), 404)
        for end in ("/resume", "/stop"):
            assert problem(call(desk, "POST", f"/{name}{end}"), 404)
        for end in ("/audio", "/transcript"):
            assert problem(desk.get(f"{API}/{name}{end}"), 404)


# Changing


@pytest.mark.scenario("recording-doors", "Person's fields are changed alone")
def test_a_persons_fields_are_changed_alone(desk: Desk) -> None:
    one = sent(desk, title="Walk")
    hear(desk, one)
    reply = change(desk, one, summary=" A fox. ", topics=["animals", " animals ", "names"])
    assert reply.status == 200
    assert reply.json() == shown(desk, one)
    told = reply.json()
    assert (told["title"], told["summary"], told["topics"]) == (
        "Walk", "A fox.", ["animals", "names"],
    )  # fmt: skip
    told = change(desk, one, title=None, owner="Ada", topics=[]).json()
    assert "title" not in told
    assert "topics" not in told
    assert (told["owner"], told["summary"]) == ("Ada", "A fox.")
    assert change(desk, one).json() == told


@pytest.mark.scenario("recording-doors", "Correction is kept beside the recogniser's text")
def test_a_correction_is_kept_beside_the_text(desk: Desk) -> None:
    one = sent(desk)
    hear(desk, one)
    told = change(desk, one, corrected_text="The fox is called Gustaf.").json()
    assert (told["text"], told["corrected_text"]) == (HEARD.text, "The fox is called Gustaf.")
    assert change(desk, one, corrected_text="").json()["corrected_text"] == ""
    assert "corrected_text" not in change(desk, one, corrected_text=None).json()


WRONG_CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"text": "x"}, "The field text is not to be changed here."),
    ({"stage": "done", "text": "x"}, "The fields stage, text are not to be changed here."),
    ({"Token-1234567890abcdef": 1}, "A field is not to be changed here."),
    ({"A B": 1, "C D": 2}, "Some fields are not to be changed here."),
    ({"title": 5}, "The field title is wrong: title a text of at most 500 characters"),
    ({"title": "x" * 501}, "The field title is wrong"),
    ({"title": "a\x00b"}, "The field title is wrong"),
    ({"title": "\ud800"}, "The field title is wrong"),
    ({"topics": "x"}, "topics a list of at most 50 texts of 1 to 100 characters"),
    ({"topics": [""]}, "The field topics is wrong"),
    ({"topics": ["x"] * 51}, "The field topics is wrong"),
    ({"topics": [["x"]]}, "The field topics is wrong"),
    ({"title": [], "owner": {}, "topics": ["x"]}, "The fields title, owner are wrong: "),
]


@pytest.mark.scenario("recording-doors", "Wrong changes are named, and none is made")
def test_wrong_changes_are_named_and_none_is_made(desk: Desk) -> None:
    one = sent(desk, title="Walk")
    before = shown(desk, one)
    for changes, said in WRONG_CHANGES:
        assert said in problem(change(desk, one, **({"summary": "new"} | changes)), 400)
        assert shown(desk, one) == before


NO_CHANGES = [
    (b"[]", "application/json", 400),
    (b"", "application/json", 400),
    (b"{", "application/json", 400),
    (b"[" * 100_000, "application/json", 400),
    (b'{"title": "\xff"}', "application/json", 400),
    (b'{"title": "a", "title": "b"}', "application/json", 400),
    (b"{}", "text/plain", 415),
    (b"{}", "application/x-www-form-urlencoded", 415),
]


def test_what_is_no_change_is_refused(desk: Desk) -> None:
    one = sent(desk)
    for body, kind, status in NO_CHANGES:
        reply = call(desk, "PATCH", f"/{one}", body, READER, f"Content-Type: {kind}")
        assert problem(reply, status)


@pytest.mark.scenario("recording-doors", "Person's fields are changed alone")
def test_changes_made_while_a_worker_is_at_it_stay(desk: Desk) -> None:
    one, now = sent(desk), desk.house.clock.now_us()
    held = desk.house.journal.write(lambda c: claims.claim(c, now, "tests"))
    change(desk, one, title="Mine")
    desk.house.journal.write(
        lambda c: outcomes.advance(c, held, outcomes.Reached("normalized"), At(now))
    )
    assert (row(desk, one).title, row(desk, one).stage) == ("Mine", "normalized")


# Stopping, taking up again


@pytest.mark.scenario("recording-doors", "Person stops a recording and takes it up again")
def test_a_person_stops_a_recording_and_takes_it_up_again(desk: Desk) -> None:
    one = sent(desk)
    reply = call(desk, "POST", f"/{one}/stop")
    assert reply.status == 200
    assert reply.json()["stopped"]["reason"] == "person"
    assert problem(call(desk, "POST", f"/{one}/stop"), 409) == "It is stopped already."
    reply = call(desk, "POST", f"/{one}/resume")
    assert reply.status == 200
    told = reply.json()
    assert (told["stopped"], told["attempts"]) == (None, 0)
    assert [(e["source"], e["outcome"]) for e in told["events"]] == [
        ("person", "stopped"),
        ("person", "resumed"),
    ]
    assert problem(call(desk, "POST", f"/{one}/resume"), 409) == "It isn't stopped."
    hear(desk, one)
    assert "It is done" in problem(call(desk, "POST", f"/{one}/stop"), 409)


@pytest.mark.scenario("recording-doors", "All of one reason are taken up at once")
def test_all_of_one_reason_are_taken_up_at_once(desk: Desk) -> None:
    made = [sent(desk) for _ in range(3)]
    for one, reason in zip(made, ("stuck", "stuck", "person"), strict=True):
        at(desk, one, stopped_at_us=1, stop_reason=reason)
    mark = f"{desk_of_recordings.JOURNAL}: {desk.spoken.mark}"
    assert call(desk, "POST", "/resume?reason=stuck", b"", READER, mark).json() == {"resumed": 2}
    assert call(desk, "POST", "/resume?reason=stuck").json() == {"resumed": 0}
    assert [one["stage"] for one in desk.items(API, stopped="true")] == ["uploaded"]
    assert problem(call(desk, "POST", "/resume"), 400) == "The parameter reason is missing."
    assert problem(call(desk, "POST", "/resume?reason=x"), 400)
    other = f"{desk_of_recordings.JOURNAL}: another"
    assert problem(call(desk, "POST", "/resume?reason=person", b"", READER, other), 409)
    assert len(desk.items(API, stopped="person")) == 1


def test_both_halves_call_the_journal_alike() -> None:
    assert desk_of_recordings.JOURNAL == door.JOURNAL


# Removing


@pytest.mark.scenario("recording-doors", "Recording is removed with its file")
def test_a_recording_is_removed_with_its_file(desk: Desk) -> None:
    one, other = sent(desk), sent(desk)
    hear(desk, one)
    reply = call(desk, "DELETE", f"/{one}")
    assert (reply.status, reply.body) == (204, b"")
    assert problem(desk.get(f"{API}/{one}"), 404)
    assert problem(call(desk, "DELETE", f"/{one}"), 404)
    assert [item["recording_id"] for item in desk.items(API)] == [other]
    assert desk.items(API, q="fox") == []
    left = [path.stem for path in (desk.house.data / "audio").rglob("*.m4a")]
    assert left == [other]


def test_it_takes_the_right_token_and_known_parameters_alone(desk: Desk) -> None:
    one = sent(desk)
    for method, end in (("PATCH", ""), ("DELETE", ""), ("POST", "/stop"), ("POST", "/resume")):
        assert call(desk, method, f"/{one}{end}", b"", "Authorization: Bearer ingest").status == 401
        assert problem(call(desk, method, f"/{one}{end}?x=1"), 400)
    assert json.dumps(shown(desk, one))
    assert desk.house.journal.read(lambda c: rows.get(c, one)) is not None
