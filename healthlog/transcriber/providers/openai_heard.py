"""The answer of an OpenAI-compatible server, read as a transcript.

Servers differ: some tell no segments, some join them with a newline inside of a word, some name the
language, others give its code.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from healthlog.transcriber.providers.heard import NotHeard, cleaned
from healthlog.transcriber.providers.languages import code_of
from healthlog.transcriber.transcript import Segment, Transcript, Word

_NO_SPEECH, _LIKELY = 0.6, -1.0
"""Whisper's own limits: a segment that is more likely no speech, and was hard to tell, is none."""


def transcript_of(told: object, asked: str | None = None) -> Transcript:
    """The transcript that an answer holds; `asked` is the language that was asked for. NotHeard."""
    if not isinstance(told, Mapping) or not isinstance(told.get("text"), str):
        raise NotHeard("not the answer of a transcription")
    whole = _objects(told.get("segments"))
    pieces = [one for one in whole if not _is_noise(one)]
    segments = tuple(one for one in map(_segment, pieces) if one.text)
    text = _joined(pieces) if whole and _joins(pieces) else None
    if text is None:
        # Segments without blanks between them can't be put together, but what is left can be read.
        text = cleaned(told["text"]) if len(pieces) == len(whole) else _lines(segments)
    words = _objects(told.get("words")) or [
        word for piece in pieces for word in _objects(piece.get("words"))
    ]
    language = code_of(told.get("language")) or code_of(told.get("detected_language")) or asked
    return Transcript(text, segments, tuple(map(_word, words)), _confidence(pieces), language)


def _objects(told: object) -> list[Mapping[str, Any]]:
    return [one for one in told if isinstance(one, Mapping)] if isinstance(told, list) else []


def _is_noise(piece: Mapping[str, Any]) -> bool:
    silent, likely = _number(piece.get("no_speech_prob")), _number(piece.get("avg_logprob"))
    return silent is not None and likely is not None and silent > _NO_SPEECH and likely < _LIKELY


def _joins(pieces: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the pieces bring the blanks between them along, as those of Whisper do."""
    texts = [str(one.get("text", "")) for one in pieces]
    return any(text[:1].isspace() for text in texts) or len(texts) < 2


def _joined(pieces: Iterable[Mapping[str, Any]]) -> str:
    return cleaned("".join(str(one.get("text", "")) for one in pieces))


def _lines(segments: Iterable[Segment]) -> str:
    return " ".join(one.text for one in segments)


def _segment(piece: Mapping[str, Any]) -> Segment:
    speaker = piece.get("speaker")
    return Segment(
        _milliseconds(piece.get("start")),
        _milliseconds(piece.get("end")),
        cleaned(str(piece.get("text", ""))),
        str(speaker) if isinstance(speaker, str | int) and speaker != "" else None,
    )


def _word(piece: Mapping[str, Any]) -> Word:
    probability = _number(piece.get("probability"))
    return Word(
        _milliseconds(piece.get("start")),
        _milliseconds(piece.get("end")),
        str(piece.get("word", "")).strip(),
        None if probability is None else min(max(probability, 0.0), 1.0),
    )


def _confidence(pieces: Sequence[Mapping[str, Any]]) -> float | None:
    """The mean of what the recogniser thinks of its segments, by their lengths."""
    known = [
        (max(_milliseconds(one.get("end")) - _milliseconds(one.get("start")), 1), likely)
        for one in pieces
        if (likely := _number(one.get("avg_logprob"))) is not None
    ]
    if not known:
        return None
    weight = sum(length for length, _ in known)
    return round(sum(n * math.exp(min(likely, 0.0)) for n, likely in known) / weight, 4)


def _milliseconds(seconds: object) -> int:
    return round((_number(seconds) or 0.0) * 1000)


def _number(told: object) -> float | None:
    if isinstance(told, bool) or not isinstance(told, int | float) or not math.isfinite(told):
        return None
    return float(told)
