"""What a recogniser heard, in the forms in which it is given out.

All functions are pure. Instants are milliseconds from the recording's start.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from healthlog.base.errors import Damaged
from healthlog.base.stored import UNREADABLE, items

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Word:
    """One word; `confidence` from 0 to 1 where the recogniser tells."""

    start_ms: int
    end_ms: int
    text: str
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of speech, a sentence or so; `speaker` where the recogniser tells them apart."""

    start_ms: int
    end_ms: int
    text: str
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """`text` "" is a recording in which nothing was said. `language` is a code (`en`, `ru-RU`)."""

    text: str
    segments: tuple[Segment, ...] = ()
    words: tuple[Word, ...] = ()
    confidence: float | None = None
    language: str | None = None


TXT, SRT, VTT, JSON = "txt", "srt", "vtt", "json"
FORMATS = (TXT, SRT, VTT, JSON)
CONTENT_TYPES = {
    TXT: "text/plain; charset=utf-8",
    SRT: "application/x-subrip; charset=utf-8",
    VTT: "text/vtt; charset=utf-8",
    JSON: "application/json",
}

_LEAST_MS = 1


def written(transcript: Transcript, form: str, duration_ms: int) -> str:
    """The transcript in one of FORMATS. `duration_ms` bounds what the recogniser says of times, and
    is the time of a text of which it says none. ValueError for another format."""
    if form == TXT:
        return f"{transcript.text}\n" if transcript.text else ""
    if form == SRT:
        return _subrip(_cues(transcript, duration_ms))
    if form == VTT:
        return _webvtt(_cues(transcript, duration_ms))
    if form == JSON:
        return _json(transcript)
    raise ValueError(f"no format of a transcript: {form}")


def _cues(transcript: Transcript, duration_ms: int) -> list[Segment]:
    """The segments as a player takes them: one line each, with an end behind their start."""
    segments = transcript.segments or (Segment(0, duration_ms, transcript.text),)
    cues = []
    for one in segments:
        text = " ".join(one.text.split())
        speaker = None if one.speaker is None else " ".join(one.speaker.split())
        start_ms = max(0, min(one.start_ms, duration_ms))
        end_ms = max(min(one.end_ms, duration_ms), start_ms + _LEAST_MS)
        if text:
            cues.append(Segment(start_ms, end_ms, text, speaker))
    return cues


def _subrip(cues: list[Segment]) -> str:
    """SubRip, as https://www.matroska.org/technical/subtitles.html has it: it escapes nothing."""
    return "".join(
        f"{number}\n{_clock(cue.start_ms, ',')} --> {_clock(cue.end_ms, ',')}\n"
        f"{_spoken(cue).replace('-->', '->')}\n\n"
        for number, cue in enumerate(cues, start=1)
    )


def _webvtt(cues: list[Segment]) -> str:
    """https://www.w3.org/TR/webvtt1/"""
    parts = ["WEBVTT\n"]
    for cue in cues:
        voice = "" if cue.speaker is None else f"<v {_escaped(cue.speaker)}>"
        times = f"{_clock(cue.start_ms, '.')} --> {_clock(cue.end_ms, '.')}"
        parts.append(f"\n{times}\n{voice}{_escaped(cue.text)}\n")
    return "".join(parts)


def members(transcript: Transcript) -> dict[str, Any]:
    """The transcript as JSON has it; what the recogniser doesn't tell is left out."""
    told = {
        "text": transcript.text,
        "language": transcript.language,
        "confidence": transcript.confidence,
        "segments": _plain(transcript.segments),
        "words": _plain(transcript.words),
    }
    return {name: value for name, value in told.items() if value is not None}


def _json(transcript: Transcript) -> str:
    return json.dumps(members(transcript), ensure_ascii=False) + "\n"


def _spoken(cue: Segment) -> str:
    return cue.text if cue.speaker is None else f"{cue.speaker}: {cue.text}"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _clock(ms: int, point: str) -> str:
    seconds, ms = divmod(ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}{point}{ms:03}"


# As it is stored


def segments_text(transcript: Transcript) -> tuple[str, str]:
    """Segments and words as they are stored: two JSON arrays of objects."""
    return _stored(transcript.segments), _stored(transcript.words)


def segments_of(text: str) -> tuple[Segment, ...]:
    """The segments that were stored so. Damaged."""
    return tuple(_made(Segment, one) for one in items(text))


def words_of(text: str) -> tuple[Word, ...]:
    """The words that were stored so. Damaged."""
    return tuple(_made(Word, one) for one in items(text))


def _stored(parts: Sequence[Segment] | Sequence[Word]) -> str:
    return json.dumps(_plain(parts), ensure_ascii=False, separators=(",", ":"))


def _plain(parts: Sequence[Segment] | Sequence[Word]) -> list[dict[str, Any]]:
    return [{k: v for k, v in asdict(part).items() if v is not None} for part in parts]


def _made(kind: type[T], stored: Any) -> T:
    try:
        return kind(**stored)
    except TypeError:
        raise Damaged(UNREADABLE) from None
