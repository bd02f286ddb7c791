"""What is kept of recordings: transcripts in their forms, the search, edits, the removal."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from healthlog.base.errors import Damaged
from healthlog.journal import tallies
from healthlog.transcriber import attempts, events, leftovers, numbers, search
from healthlog.transcriber.claims import Claim
from healthlog.transcriber.edits import edit
from healthlog.transcriber.failures import LostClaim
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.steps.base import Hold
from healthlog.transcriber.transcript import (
    CONTENT_TYPES,
    FORMATS,
    Segment,
    Transcript,
    Word,
    segments_of,
    words_of,
    written,
)
from tests.support.accepting import plans
from tests.support.clock import FakeClock
from tests.support.studio import SPOKEN, Recogniser, Studio, open_studio

TWO = Transcript(
    "Bread & milk. <Apples> --> home",
    (
        Segment(0, 1_500, "Bread &\n milk."),
        Segment(3_723_004, 3_723_000, "<Apples> --> home", speaker="Ann\n<1>"),
        Segment(5_000, 5_100, "  "),
    ),
    (Word(0, 400, "Bread", 0.5),),
    0.5,
    "en",
)
LENGTH_MS = 3_723_500


@pytest.mark.scenario("recordings", "Transcript is given out in four forms")
def test_a_transcript_as_subtitles() -> None:
    assert written(TWO, "srt", LENGTH_MS) == (
        "1\n00:00:00,000 --> 00:00:01,500\nBread & milk.\n\n"
        "2\n01:02:03,004 --> 01:02:03,005\nAnn <1>: <Apples> -> home\n\n"
    )
    assert written(TWO, "vtt", LENGTH_MS) == (
        "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nBread &amp; milk.\n\n"
        "01:02:03.004 --> 01:02:03.005\n<v Ann &lt;1&gt;>&lt;Apples&gt; --&gt; home\n"
    )


@pytest.mark.scenario("recordings", "Transcript is given out in four forms")
def test_a_transcript_as_text_and_json() -> None:
    assert written(TWO, "txt", LENGTH_MS) == "Bread & milk. <Apples> --> home\n"
    told = json.loads(written(TWO, "json", LENGTH_MS))
    assert told["text"] == TWO.text
    assert (told["language"], told["confidence"]) == ("en", 0.5)
    assert told["segments"][0] == {"start_ms": 0, "end_ms": 1500, "text": "Bread &\n milk."}
    assert told["words"] == [{"start_ms": 0, "end_ms": 400, "text": "Bread", "confidence": 0.5}]
    assert sorted(CONTENT_TYPES) == sorted(FORMATS)
    with pytest.raises(ValueError, match="docx"):
        written(TWO, "docx", LENGTH_MS)


def test_times_are_bounded_by_the_recording() -> None:
    late = Transcript("x", (Segment(0, 10_000, "x"), Segment(9_000, 9_500, "y")))
    assert "00:00:08,000 --> 00:00:08,001\ny" in written(late, "srt", 8_000)
    assert written(late, "srt", 8_000).startswith("1\n00:00:00,000 --> 00:00:08,000\n")


def test_a_text_without_times_is_one_cue_and_nothing_is_none() -> None:
    assert written(Transcript("a b"), "srt", 2_000) == "1\n00:00:00,000 --> 00:00:02,000\na b\n\n"
    assert written(Transcript(""), "srt", 2_000) == ""
    assert written(Transcript(""), "vtt", 2_000) == "WEBVTT\n"
    assert written(Transcript(""), "txt", 2_000) == ""


def test_what_is_stored_of_a_transcript_is_read_strictly() -> None:
    for text in ("{}", "[1]", '[{"start_ms": 1}]', '[{"x": 1}]', "not json"):
        with pytest.raises(Damaged):
            segments_of(text)
        with pytest.raises(Damaged):
            words_of(text)


# Search


def found(studio: Studio, text: str) -> list[str]:
    asked = search.asked_for(text)
    assert asked is not None
    query = (
        "SELECT recording_id FROM recording_search AS found JOIN recording ON number = found.rowid"
        " WHERE recording_search MATCH ? ORDER BY recording_id"
    )
    return [row[0] for row in studio.rows(query, asked)]


@pytest.mark.scenario("recordings", "Search finds text, title and topics")
def test_search_finds_text_title_and_topics(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock, providers={"far": Recogniser()}) as studio:
        one = studio.normalised(studio.post(title="Crème brûlée"))
        two = studio.post(title="Errands")
        for _ in range(3):
            studio.step()
        assert studio.row(one).text == SPOKEN
        assert found(studio, "brown FOX") == [one.recording_id]
        assert found(studio, "gust") == [one.recording_id], "the last word as a beginning"
        assert found(studio, "fox errands") == []
        assert found(studio, "creme") == [one.recording_id]
        edits = {"topics": ("money", "garden"), "title": "Fox hunt"}
        assert studio.write(lambda c: edit(c, two.recording_id, edits))
        assert found(studio, "garden") == [two.recording_id]
        assert found(studio, "fox") == [one.recording_id, two.recording_id]
        assert found(studio, "errands") == []
        corrected = {"corrected_text": "the quick brown vixen"}
        assert studio.write(lambda c: edit(c, one.recording_id, corrected))
        assert found(studio, "vixen") == [one.recording_id]
        assert found(studio, "gustav") == []
        assert studio.recordings.removal.remove(one.recording_id)
        assert found(studio, "vixen") == []
        assert studio.rows("SELECT count(*) FROM recording_search") == [(1,)]


@pytest.mark.parametrize(
    ("text", "asked"),
    [("bread milk", '"bread" "milk"*'), ('a" OR b*', '"a" "OR" "b"*'), ("NEAR(x)", '"NEAR" "x"*'),
     ("молоко, хлеб", '"молоко" "хлеб"*'), ("", None), (" -:*\"' ", None)],
)  # fmt: skip
def test_a_question_is_words_and_nothing_else(text: str, asked: str | None) -> None:
    assert search.asked_for(text) == asked


# Edits


@pytest.mark.scenario("recordings", "Recogniser's text stays beside its correction")
def test_the_recogniser_s_text_stays(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock, providers={"far": Recogniser()}) as studio:
        one = studio.normalised(studio.post())
        studio.steps()
        assert studio.write(lambda c: edit(c, one.recording_id, {"corrected_text": "a vixen"}))
        row = studio.row(one)
        assert (row.text, row.corrected_text) == (SPOKEN, "a vixen")
        heard = studio.journal.read(lambda c: attempts.heard(c, one.recording_id))
        assert heard is not None
        assert heard.text == SPOKEN
        assert studio.write(lambda c: edit(c, one.recording_id, {"corrected_text": None}))
        assert studio.row(one).corrected_text is None


def test_an_edit_names_a_person_s_columns_only(studio: Studio) -> None:
    one = studio.post(title="a")
    for column in ("text", "stage", "claim", "attempts"):
        changes = {column: "x"}
        with pytest.raises(ValueError, match=column):
            studio.write(partial(edit, recording_id=one.recording_id, changes=changes))
    assert studio.write(lambda c: edit(c, one.recording_id, {}))
    assert not studio.write(lambda c: edit(c, "nothing", {}))
    assert not studio.write(lambda c: edit(c, "nothing", {"title": "x"}))
    assert studio.write(lambda c: edit(c, one.recording_id, {"title": None, "topics": ()}))
    assert (studio.row(one).title, studio.row(one).topics) == (None, ())


# Removal


@pytest.mark.scenario("recordings", "Recording is removed at any stage, whoever works on it")
def test_a_recording_is_removed_under_a_working_step(data: Path, clock: FakeClock) -> None:
    made: list[Studio] = []

    def act(recording: Recording, _hold: Hold) -> None:
        assert made[0].recordings.removal.remove(recording.recording_id)

    with open_studio(data, clock, acts={"normalise": act}) as studio:
        made.append(studio)
        posted = studio.message()
        assert studio.outcome() == "lost"
        assert studio.rows("SELECT 1 FROM recording") == []
        assert studio.rows("SELECT 1 FROM recording_event") == []
        assert studio.sender.told == []
        places = studio.recordings.places
        assert not places.original(posted.recording_id, "oga").exists()
        assert not studio.recordings.removal.remove(posted.recording_id)
        assert not studio.recordings.stopper.stop_by_person(posted.recording_id)


@pytest.mark.scenario("recordings", "Removal takes along what recognisers keep")
def test_removal_takes_along_what_recognisers_keep(data: Path, clock: FakeClock) -> None:
    far = Recogniser()
    with open_studio(data, clock, providers={"far": far}) as studio:
        one = studio.normalised(studio.post())
        studio.step()
        path = studio.recordings.places.normalised(one.recording_id)
        assert path.exists()
        assert studio.recordings.removal.remove(one.recording_id)
        assert far.forgotten == ["operation-1"]
        assert not path.exists()
        assert studio.rows("SELECT 1 FROM recognition") == []
        assert studio.step() is None


def test_a_recogniser_that_forgets_nothing_keeps_no_recording(data: Path, clock: FakeClock) -> None:
    far = Recogniser()

    def refuse(operation: str) -> None:
        raise OSError("no route")

    far.forget = refuse  # type: ignore[method-assign]
    with open_studio(data, clock, providers={"far": far}) as studio:
        one, two = (studio.normalised(studio.post()) for _ in range(2))
        for _ in range(2):
            studio.step()
        assert studio.recordings.removal.remove(one.recording_id)
        studio.steps()
        assert studio.row(two).stage == "done"


@pytest.mark.scenario("recordings", "Leftovers of earlier runs are removed at the start")
def test_leftovers_are_removed(studio: Studio) -> None:
    places = studio.recordings.places
    running, done = studio.normalised(studio.post()), studio.normalised(studio.post())
    studio.at(done, "done")
    for one in (running, done):
        (places.operations / f"{one.recording_id}.1").mkdir(parents=True)
    for name in ("20200101T000000.000000Z-00000000.wav", "0123456789abcdef.part", "strange.wav"):
        (places.work / name).write_bytes(b"")
    assert leftovers.sweep(places, studio.journal) == 5
    kept = sorted(path.name for path in places.work.iterdir())
    assert kept == [f"{running.recording_id}.wav", "operations"]
    assert [path.name for path in places.operations.iterdir()] == [f"{running.recording_id}.1"]


@pytest.mark.scenario("recordings", "Hot queries use their indexes")
def test_hot_queries_use_their_indexes(studio: Studio) -> None:
    one = studio.post().recording_id
    expected = {
        "recognition_open": lambda c: attempts.under_way(c, one),
        "recording_event_of": lambda c: events.of(c, one),
        "recording_stage": lambda c: numbers.numbers(c, 0),
    }
    for index, call in expected.items():
        assert index in plans(studio.journal, call)[0]
    [tally] = plans(studio.journal, tallies.recordings)
    assert "USING COVERING INDEX recording_stage" in tally
    query = "EXPLAIN QUERY PLAN SELECT 1 FROM recording WHERE stopped_at_us IS NOT NULL"
    [plan] = studio.rows(f"{query} AND stop_reason = 'stuck' ORDER BY recording_id LIMIT 1")
    assert "INDEX recording_stopped" in plan[3]


def test_a_claim_of_a_recording_that_is_gone_is_lost(studio: Studio) -> None:
    studio.post()
    held = studio.recordings.pipeline.claim()
    studio.recordings.removal.remove(held.recording_id)
    with pytest.raises(LostClaim):
        studio.recordings.stopper.stop(Claim(held.recording_id, held.token), "verdict", None)
    assert studio.lines("recording stopped") == []
