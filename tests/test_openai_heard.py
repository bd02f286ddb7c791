"""What servers answer that speak OpenAI's HTTP, read as transcripts."""

from __future__ import annotations

from typing import Any

import pytest

from healthlog.transcriber.providers.heard import NotHeard
from healthlog.transcriber.providers.languages import CODES, code_of
from healthlog.transcriber.providers.openai_heard import transcript_of
from healthlog.transcriber.transcript import Segment, Transcript, Word
from tests.support.openai_server import HEARD


def piece(start: float, end: float, text: str, **more: Any) -> dict[str, Any]:
    return {"start": start, "end": end, "text": text, **more}


def test_an_answer_of_openai() -> None:
    assert transcript_of(HEARD) == Transcript(
        "the quick brown fox is called gustav",
        (Segment(0, 1200, "the quick brown fox"), Segment(1200, 2000, "is called gustav")),
        (),
        0.8392,
        "en",
    )


def test_a_text_alone_is_an_answer() -> None:
    told = {"text": " Hello\n there. ", "usage": {"type": "duration", "seconds": 9}}
    assert transcript_of(told, "en") == Transcript("Hello there.", language="en")


def test_nothing_said_is_an_answer() -> None:
    assert transcript_of({"text": "", "segments": []}) == Transcript("")
    assert transcript_of({"text": " [BLANK_AUDIO]\n"}).text == ""


def test_a_newline_inside_of_a_word_joins_it() -> None:
    """whisper.cpp's server puts one between any two segments."""
    told = {
        "text": " яблок\nи и\n груши\n",
        "segments": [piece(0, 1, " яблок"), piece(1, 2, "и и"), piece(2, 3, " груши")],
        "detected_language": "russian",
    }
    found = transcript_of(told)
    assert found.text == "яблоки и груши"
    assert found.language == "ru"
    assert [one.text for one in found.segments] == ["яблок", "и и", "груши"]


def test_segments_without_blanks_are_not_glued() -> None:
    told = {"text": "one two", "segments": [piece(0, 1, "one"), piece(1, 2, "two")]}
    assert transcript_of(told).text == "one two"


def test_what_is_likelier_no_speech_is_left_out() -> None:
    silence = {"no_speech_prob": 0.9, "avg_logprob": -1.5}
    told = {
        "text": " Good morning. Thanks for watching!",
        "segments": [
            piece(0, 1, " Good morning.", no_speech_prob=0.01, avg_logprob=-0.2),
            piece(1, 9, " Thanks for watching!", **silence),
        ],
    }
    assert transcript_of(told).text == "Good morning."
    silent = {"text": " Good morning.", "segments": [piece(0, 1, " Good morning.", **silence)]}
    assert transcript_of(silent).text == ""
    bare = {"text": "a b c", "segments": [piece(0, 1, "a"), piece(1, 2, "b", **silence),
                                         piece(2, 3, "c")]}  # fmt: skip
    assert transcript_of(bare).text == "a c"


def test_words_stand_beside_the_segments_or_inside_of_them() -> None:
    beside = {"text": "a b", "words": [{"word": " a", "start": 0, "end": 0.5}]}
    assert transcript_of(beside).words == (Word(0, 500, "a"),)
    inside = piece(0, 1, " a", words=[{"word": "a", "start": 0.25, "end": 1, "probability": 1.5}])
    assert transcript_of({"text": " a", "segments": [inside]}).words == (Word(250, 1000, "a", 1.0),)


def test_speakers_are_kept() -> None:
    told = {"text": "Hi. Hello.", "segments": [piece(0, 1, "Hi.", speaker="A"),
                                              piece(1, 2, "Hello.", speaker="B")]}  # fmt: skip
    assert [one.speaker for one in transcript_of(told).segments] == ["A", "B"]


@pytest.mark.parametrize("told", [None, [], "text", {}, {"text": 5}, {"error": {"message": "x"}}])
def test_anything_else_is_no_transcript(told: object) -> None:
    with pytest.raises(NotHeard):
        transcript_of(told)


@pytest.mark.parametrize(
    "strange",
    [
        {"segments": [None, 5, {"text": 7}], "words": ["x", {}], "language": 5},
        {"segments": {"a": 1}, "words": None},
        {"segments": [{"start": "x", "end": True, "text": " hi", "avg_logprob": float("nan")}]},
    ],
)
def test_strange_members_do_no_harm(strange: dict[str, Any]) -> None:
    assert isinstance(transcript_of({"text": "hi", **strange}), Transcript)


@pytest.mark.parametrize(
    ("said", "code"),
    [("english", "en"), ("Russian", "ru"), ("ru", "ru"), ("pt-BR", "pt-BR"),
     ("haitian creole", "ht"), ("klingon", None), ("", None), (None, None), (5, None)],
)  # fmt: skip
def test_a_language_is_told_by_name_or_code(said: object, code: str | None) -> None:
    assert code_of(said) == code


def test_the_languages_are_those_of_whisper() -> None:
    assert len(CODES) == 100
    assert len(set(CODES.values())) == 100
