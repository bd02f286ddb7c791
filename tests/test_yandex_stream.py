"""SpeechKit's stream of results, read as a transcript."""

from __future__ import annotations

import json
from typing import Any

import pytest

from healthlog.transcriber.providers.yandex_stream import (
    NoStream,
    Refused,
    objects,
    transcript_of,
)
from healthlog.transcriber.transcript import Segment, Word
from tests.support.speechkit import HEARD, TEXT, end_of_utterance, final, refined, stream


@pytest.mark.scenario("recognisers", "Stretch of speech is told once")
def test_what_was_refined_is_not_told_twice() -> None:
    found = transcript_of(stream())
    assert found.text == TEXT
    assert found.segments == (
        Segment(0, 1200, "Привет, это Густав."),
        Segment(1500, 2400, "Вторая фраза."),
    )
    assert found.words[0] == Word(0, 100, "привет")
    assert found.language == "ru-RU"


def test_what_was_not_refined_is_told_as_it_was_heard() -> None:
    events = (final("one", 0, 10, 0), final("two", 20, 30, 1), refined("Two.", 20, 30, 1))
    assert transcript_of(stream(events)).text == "one Two."


@pytest.mark.parametrize("between", ["", "\n", " \r\n\t", "\n\n"])
def test_objects_follow_each_other_anyhow(between: str) -> None:
    assert transcript_of(stream(between=between)).text == TEXT


def test_objects_may_be_written_over_many_lines() -> None:
    content = "".join(json.dumps(one, indent=2) for one in HEARD).encode()
    assert transcript_of(content).text == TEXT


def test_refinements_may_come_last_or_in_another_order() -> None:
    said = [final("a", 0, 1, 0), final("b", 2, 3, 1), final("c", 4, 5, 2)]
    better = [refined("C.", 4, 5, 2), refined("A.", 0, 1, 0), refined("B.", 2, 3, 1)]
    assert transcript_of(stream((*said, *better))).text == "A. B. C."


def test_an_index_that_counts_from_one_fits_as_well() -> None:
    said = (
        final("a", 0, 1, 1),
        refined("A.", 0, 1, 1),
        final("b", 2, 3, 2),
        refined("B.", 2, 3, 2),
    )
    assert transcript_of(stream(said)).text == "A. B."
    shifted = (final("a", 0, 1, 1), refined("A.", 0, 1, 0), final("b", 2, 3, 2),
               refined("B.", 2, 3, 1))  # fmt: skip
    assert transcript_of(stream(shifted)).text == "A. B."


def test_zeros_may_be_left_out() -> None:
    first: dict[str, Any] = final("a", 0, 5, 0)
    del first["result"]["audioCursors"]["finalIndex"]
    del first["result"]["final"]["alternatives"][0]["startTimeMs"]
    better = refined("A.", 0, 5, 0)
    del better["result"]["finalRefinement"]["finalIndex"]
    del better["result"]["finalRefinement"]["normalizedText"]["alternatives"][0]["startTimeMs"]
    assert transcript_of(stream((first, better))).segments == (Segment(0, 5, "A."),)


def test_events_may_come_without_their_wrapping() -> None:
    bare = tuple(one["result"] for one in HEARD)
    assert transcript_of(stream(bare)).text == TEXT


def test_a_refinement_whose_final_never_came_is_told() -> None:
    assert transcript_of(stream((refined("A.", 0, 5, 0),))).text == "A."


def test_channels_are_kept_apart_and_told_in_their_order() -> None:
    events = (
        final("hello", 0, 900, 0, "1"),
        final("hi", 1000, 1900, 0, "2"),
        refined("Hi.", 1000, 1900, 0, "2"),
        refined("Hello.", 0, 900, 0, "1"),
        final("bye", 2000, 2900, 1, "1"),
    )
    found = transcript_of(stream(events))
    assert found.text == "Hello. Hi. bye"
    assert [one.speaker for one in found.segments] == ["1", "2", "1"]


@pytest.mark.parametrize("events", [(), (end_of_utterance(5),), (final("", 0, 5, 0),)])
def test_nothing_said_is_a_transcript(events: tuple[dict[str, Any], ...]) -> None:
    found = transcript_of(stream(events), "ru-RU")
    assert (found.text, found.segments) == ("", ())


@pytest.mark.scenario("recognisers", "Result that breaks off is asked for again")
def test_a_stream_that_breaks_off_anywhere_is_none() -> None:
    content = stream(HEARD[:2])
    ends = {len(stream(HEARD[:number])) for number in range(3)}
    for size in range(len(content) + 1):
        if size in ends:
            continue
        with pytest.raises(NoStream):
            list(objects(content[:size]))


@pytest.mark.parametrize("content", [b"[]", b"5", b"{} {}x", b"\xff", b"[" * 100_000])
def test_anything_else_is_no_stream(content: bytes) -> None:
    with pytest.raises(NoStream):
        transcript_of(content)


def test_an_error_in_the_stream_is_told_by_its_number() -> None:
    told = {"error": {"code": 5, "message": "not found", "details": []}}
    with pytest.raises(Refused) as raised:
        transcript_of(stream((told,)))
    assert raised.value.code == 5


@pytest.mark.parametrize(
    "strange",
    [
        {"result": {"final": {"alternatives": None}}},
        {"result": {"final": {"alternatives": [{"text": 5, "words": [None, {"text": "x"}]}]}}},
        {"result": {"finalRefinement": {"finalIndex": "many", "normalizedText": {}}}},
        {"result": {"finalRefinement": {"finalIndex": "0"}}},
        {"result": {"final": {"alternatives": [{"text": "a", "startTimeMs": "x"}]}}},
        {"result": {"final": {"alternatives": [{"languages": [{"languageCode": 1}]}]}}},
        {"result": None},
        {},
    ],
)
def test_strange_events_do_no_harm(strange: dict[str, Any]) -> None:
    assert transcript_of(stream((strange, *HEARD))).text.endswith(TEXT)
