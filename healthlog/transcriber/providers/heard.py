"""What a program printed that was given audio, read as a transcript.

Three forms are known: lines of PocketSphinx (with `-time yes`, and the JSON lines of its later
versions), the JSON of whisper.cpp (`-oj`), plain text. Anything is plain text that is nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from healthlog.transcriber.transcript import Segment, Transcript, Word

AUTO, TEXT, POCKETSPHINX, WHISPER = "auto", "text", "pocketsphinx", "whisper"
FORMATS = (AUTO, TEXT, POCKETSPHINX, WHISPER)


class NotHeard(Exception):
    """The program printed something else than it was set to."""


# `word start end confidence`, in seconds; the number in brackets is the pronunciation it took.
_WORD_LINE = re.compile(r"(\S+) (\d+\.\d+) (\d+\.\d+) (\d+(?:\.\d+)?(?:e[-+]?\d+)?)", re.ASCII)
_PRONUNCIATION = re.compile(r"\(\d+\)$")
# Silence, noise, music: <sil>, [NOISE], ++BREATH++, [BLANK_AUDIO].
_MARKER = re.compile(r"<[^>]*>|\[[^\]]*\]|\+\+.*\+\+")
_MARKERS_IN_TEXT = re.compile(r"\[[A-Z_ ]+\]")


def heard(printed: str, form: str, language: str | None = None) -> Transcript:
    """The transcript that was printed in this form. NotHeard."""
    if form == AUTO:
        form = guessed(printed)
    if form == WHISPER:
        return _of_whisper(printed, language)
    if form == POCKETSPHINX:
        return _of_pocketsphinx(printed, language)
    return _of_text(printed, language)


def guessed(printed: str) -> str:
    """Which form it is."""
    text = printed.lstrip()
    if text.startswith("{"):
        return WHISPER if '"transcription"' in text else POCKETSPHINX
    lines = map(str.strip, text.splitlines())
    starts = (line for line in lines if line.startswith("<s> ") and _WORD_LINE.fullmatch(line))
    return TEXT if next(starts, None) is None else POCKETSPHINX


def _of_text(printed: str, language: str | None) -> Transcript:
    lines = (cleaned(line) for line in printed.splitlines())
    return Transcript(" ".join(line for line in lines if line), language=language)


def _of_pocketsphinx(printed: str, language: str | None) -> Transcript:
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    spoken = _json_lines(lines) if lines and lines[0].startswith("{") else _plain_lines(lines)
    utterances = [words for words in spoken if words]
    words = tuple(word for words in utterances for word in words)
    segments = tuple(
        Segment(words[0].start_ms, words[-1].end_ms, " ".join(word.text for word in words))
        for words in utterances
    )
    return Transcript(
        " ".join(segment.text for segment in segments), segments, words, _mean(words), language
    )


def _plain_lines(lines: Iterable[str]) -> Iterable[list[Word]]:
    """The words of each utterance; the line before them repeats them without times."""
    utterance: list[Word] = []
    for line in lines:
        match = _WORD_LINE.fullmatch(line)
        if match is None:
            yield utterance
            utterance = []
        else:
            utterance += _word(match[1], float(match[2]), float(match[3]), float(match[4]))
    yield utterance


def _json_lines(lines: Iterable[str]) -> Iterable[list[Word]]:
    for line in lines:
        try:
            told = json.loads(line)
            words = [
                _word(w["t"], float(w["b"]), float(w["b"]) + float(w["d"]), float(w["p"]))
                for w in told["w"]
            ]
        except (ValueError, KeyError, TypeError):
            raise NotHeard("not the JSON lines of PocketSphinx") from None
        yield [word for found in words for word in found]


def _word(text: str, start_s: float, end_s: float, confidence: float) -> list[Word]:
    """The word, none where it stands for silence or noise."""
    plain = _PRONUNCIATION.sub("", text)
    if _MARKER.fullmatch(plain):
        return []
    return [Word(round(start_s * 1000), round(end_s * 1000), plain, min(confidence, 1.0))]


def _of_whisper(printed: str, language: str | None) -> Transcript:
    try:
        told = json.loads(printed)
        pieces = [_segment(piece) for piece in told["transcription"]]
        spoken = told.get("result", {}).get("language") or language
    except (ValueError, KeyError, TypeError, AttributeError):
        raise NotHeard("not the JSON of whisper.cpp") from None
    # Pieces may end inside a word: only together do they make a text.
    text = cleaned("".join(piece.text for piece in pieces))
    segments = (Segment(p.start_ms, p.end_ms, cleaned(p.text)) for p in pieces)
    return Transcript(text, tuple(s for s in segments if s.text), language=spoken)


def _segment(piece: Any) -> Segment:
    return Segment(int(piece["offsets"]["from"]), int(piece["offsets"]["to"]), str(piece["text"]))


def cleaned(text: str) -> str:
    """The text with single blanks, without what stands for silence or noise."""
    return " ".join(_MARKERS_IN_TEXT.sub(" ", text).split())


def _mean(words: Sequence[Word]) -> float | None:
    known = [word.confidence for word in words if word.confidence is not None]
    return round(sum(known) / len(known), 4) if known else None
