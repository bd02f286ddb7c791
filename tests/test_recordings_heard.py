"""What programs print, read as transcripts."""

from __future__ import annotations

import json

import pytest

from healthlog.transcriber.providers.command import filled_in
from healthlog.transcriber.providers.heard import (
    AUTO,
    POCKETSPHINX,
    TEXT,
    WHISPER,
    NotHeard,
    guessed,
    heard,
)
from healthlog.transcriber.transcript import Segment, Transcript, Word

DEBIAN = """\
go forward
<s> 0.000 0.030 0.999700
go 0.040 0.450 0.5
forward(2) 0.460 1.050 1.000100
<sil> 1.060 1.080 0.7
++NOISE++ 1.060 1.080 0.7
[NOISE] 1.060 1.080 0.7
</s> 1.090 1.980 1.000000

<s> 2.000 2.190 0.999900
</s> 2.200 2.900 1.000000
stop
<s> 11.070 11.190 0.999900
stop 11.200 11.450 1.0e-01
</s> 13.770 13.900 1.000000
"""
WORDS = (Word(40, 450, "go", 0.5), Word(460, 1050, "forward", 1.0), Word(11200, 11450, "stop", 0.1))
SEGMENTS = (Segment(40, 1050, "go forward"), Segment(11200, 11450, "stop"))


def five(*words: tuple[float, float, float, str]) -> str:
    """A line of its version 5."""
    keys = ("b", "d", "p", "t")
    told = [dict(zip(keys, word, strict=True)) for word in words]
    return json.dumps({"b": 0.0, "d": 1.1, "p": 1.0, "t": "as a text", "w": told})


FIVE = "\n".join(
    (
        five(
            (0.0, 0.03, 1.0, "<s>"), (0.04, 0.41, 0.5, "go"), (0.46, 0.59, 1.0, "forward(2)"),
            (1.06, 0.02, 1.0, "<sil>"),
        ),
        five((11.2, 0.25, 0.1, "stop")),
    )
)  # fmt: skip


@pytest.mark.scenario("recordings", "Output of programs is told apart")
@pytest.mark.parametrize("printed", [DEBIAN, FIVE])
@pytest.mark.parametrize("form", [AUTO, POCKETSPHINX])
def test_pocketsphinx(printed: str, form: str) -> None:
    expected = Transcript("go forward stop", SEGMENTS, WORDS, 0.5333, "en")
    assert heard(printed, form, "en") == expected


@pytest.mark.scenario("recordings", "Output of programs is told apart")
def test_whisper_joins_pieces_that_end_inside_a_word() -> None:
    pieces = [
        {"offsets": {"from": 0, "to": 900}, "text": " green app"},
        {"offsets": {"from": 900, "to": 1500}, "text": "les"},
        {"offsets": {"from": 1500, "to": 2500}, "text": " [BLANK_AUDIO]"},
    ]
    printed = json.dumps({"result": {"language": "de"}, "transcription": pieces})
    segments = (Segment(0, 900, "green app"), Segment(900, 1500, "les"))
    assert heard(printed, AUTO, "en") == Transcript("green apples", segments, language="de")


@pytest.mark.scenario("recordings", "Output of programs is told apart")
def test_plain_text_without_its_markers() -> None:
    printed = "\n  Fresh bread,\n[BLANK_AUDIO]\n and milk [1].\n"
    assert heard(printed, AUTO) == Transcript("Fresh bread, and milk [1].")
    assert heard("", AUTO) == Transcript("")
    assert heard("[MUSIC]\n", AUTO) == Transcript("")


def test_a_guess_needs_a_reason() -> None:
    assert guessed("at 0.5 1.0 0.9") == TEXT
    assert guessed("{ she said") == POCKETSPHINX
    assert guessed('{"transcription": []}') == WHISPER
    assert heard("at 0.5 1.0 0.9", AUTO).text == "at 0.5 1.0 0.9"
    assert heard("{ she said", TEXT).text == "{ she said"


@pytest.mark.parametrize(
    ("printed", "form"),
    [("no json", WHISPER), ("[]", WHISPER), ('{"transcription": [{}]}', WHISPER),
     ('{"t": 1}', POCKETSPHINX), ("{", POCKETSPHINX)],
)  # fmt: skip
def test_another_form_than_was_set_is_an_error_without_a_quote(printed: str, form: str) -> None:
    with pytest.raises(NotHeard) as raised:
        heard(printed, form)
    assert printed not in str(raised.value)
    assert raised.value.__cause__ is None


def test_placeholders_are_filled_in_once() -> None:
    values = {"wav": "/a {out}.wav", "out": "/o", "language": "de"}
    argv = ["x", "-i{wav}", "{out}", "{language}-{language}", "{other}", "{"]
    assert filled_in(argv, values) == ["x", "-i/a {out}.wav", "/o", "de-de", "{other}", "{"]
