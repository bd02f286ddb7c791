"""The transcript of a recording over HTTP, in four forms."""

from __future__ import annotations

import pytest

from healthlog.transcriber.transcript import Segment, Transcript
from tests.support.reading import Desk, problem
from tests.support.spoken import API, HEARD, at, change, hear, sent


def written(desk: Desk, recording_id: str, form: str | None = None) -> str:
    params = {} if form is None else {"format": form}
    reply = desk.get(f"{API}/{recording_id}/transcript", **params)
    assert reply.status == 200, reply.body
    kinds = {"srt": "application/x-subrip", "vtt": "text/vtt", "json": "application/json"}
    kind = kinds.get(form or "", "text/plain")
    assert reply.headers["content-type"].partition(";")[0] == kind
    ending = f'inline; filename="{recording_id}.{form or "txt"}"'
    assert reply.headers["content-disposition"] == ending
    return reply.body.decode()


@pytest.mark.scenario("recording-doors", "Transcript is written in four forms")
def test_a_transcript_is_written_in_four_forms(desk: Desk) -> None:
    one = sent(desk)
    hear(desk, one)
    assert written(desk, one) == written(desk, one, "txt") == f"{HEARD.text}\n"
    assert written(desk, one, "srt").startswith(
        "1\n00:00:00,000 --> 00:00:01,200\nthe quick brown fox\n\n2\n"
    )
    assert written(desk, one, "vtt").startswith(
        "WEBVTT\n\n00:00:00.000 --> 00:00:01.200\nthe quick brown fox\n"
    )
    told = desk.get(f"{API}/{one}/transcript", format="json").json()
    assert told["text"] == HEARD.text
    assert (told["language"], told["confidence"]) == ("en", 0.75)
    assert told["segments"][0] == {"start_ms": 0, "end_ms": 1200, "text": "the quick brown fox"}
    assert told["words"][1] == {"start_ms": 200, "end_ms": 500, "text": "quick"}


@pytest.mark.scenario("recording-doors", "Corrected transcript has its text and the heard times")
def test_a_corrected_transcript(desk: Desk) -> None:
    one = sent(desk)
    hear(desk, one)
    change(desk, one, corrected_text="The fox is called Gertrude.")
    assert written(desk, one) == "The fox is called Gertrude.\n"
    assert "is called gustav" in written(desk, one, "srt")
    told = desk.get(f"{API}/{one}/transcript", format="json").json()
    assert (told["text"], told["corrected_text"]) == (HEARD.text, "The fox is called Gertrude.")


@pytest.mark.scenario("recording-doors", "Transcript that isn't there yet is said")
def test_a_transcript_that_is_not_there_yet(desk: Desk) -> None:
    one = sent(desk)
    path = f"{API}/{one}/transcript"
    assert problem(desk.get(path), 404) == "There is no transcript of this recording yet."
    said = problem(desk.get(path, format="docx"), 400)
    assert said == "The parameter format must be one of txt, srt, vtt, json."
    assert problem(desk.get(path, form="txt"), 400)


def test_a_silent_recording_has_an_empty_transcript(desk: Desk) -> None:
    one = sent(desk)
    at(desk, one, stage="done", text="", silent=1, duration_ms=3000)
    assert written(desk, one) == ""
    assert written(desk, one, "srt") == ""
    assert written(desk, one, "vtt") == "WEBVTT\n"
    assert desk.get(f"{API}/{one}/transcript", format="json").json()["text"] == ""


def test_a_person_may_write_what_no_recogniser_heard(desk: Desk) -> None:
    one = sent(desk)
    at(desk, one, duration_ms=3000)
    change(desk, one, corrected_text="Written down by hand.")
    assert written(desk, one) == "Written down by hand.\n"
    assert "00:00:00,000 --> 00:00:03,000\nWritten down by hand." in written(desk, one, "srt")


def test_half_a_character_does_no_harm(desk: Desk) -> None:
    one = sent(desk)
    hear(desk, one, Transcript("ok", (Segment(0, 5, "a < b & c --> d", "Ä"),)))
    assert "<v Ä>a &lt; b &amp; c --&gt; d" in written(desk, one, "vtt")
