"""What SpeechKit v3 answers when it is asked for a recognition: a stream of JSON objects.

https://yandex.cloud/en/docs/speechkit/stt-v3/api-ref/AsyncRecognizer/getRecognition. A stretch of
speech comes as `final`, then mostly again as `finalRefinement`, better written: one of the two is
the text, never both. Numbers come as texts, and zeros may be left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from healthlog.transcriber.transcript import Segment, Transcript, Word

Told = Mapping[str, Any]

_BLANKS = " \t\r\n"


class NoStream(Exception):
    """The bytes are no whole stream of JSON objects."""


class Refused(Exception):
    """The stream holds an error instead; `code` is gRPC's number of it, None where none stands."""

    def __init__(self, code: int | None, message: str) -> None:
        super().__init__(code)
        self.code = code
        self.message = message


@dataclass(slots=True)
class _Stretch:
    """One `final` with what became of it. `cursor` is the index that the server gave it."""

    channel: str
    cursor: int | None
    told: Told
    refined: Told | None = None

    @property
    def shown(self) -> Told:
        return self.told if self.refined is None else self.refined


def objects(content: bytes) -> Iterator[Told]:
    """The objects, with or without blanks between them. NoStream."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise NoStream("not UTF-8") from None
    decoder, at = json.JSONDecoder(), 0
    while True:
        while at < len(text) and text[at] in _BLANKS:
            at += 1
        if at == len(text):
            return
        try:
            found, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            raise NoStream("not JSON to its end") from None
        if not isinstance(found, dict):
            raise NoStream("not an object")
        yield found


def transcript_of(content: bytes, asked: str | None = None) -> Transcript:
    """The transcript; `asked` is the language that was asked for. NoStream, Refused."""
    stretches: list[_Stretch] = []
    for one in objects(content):
        error = one.get("error")
        if isinstance(error, dict):
            raise Refused(_integer(error.get("code", error.get("grpcCode"))), str(error))
        inner = one.get("result")
        _take(stretches, inner if isinstance(inner, dict) else one)
    stretches.sort(key=lambda one: _integer(_best(one.told).get("startTimeMs")) or 0)
    several = len({one.channel for one in stretches}) > 1
    segments = tuple(
        segment for one in stretches if (segment := _segment(one, several=several)).text
    )
    words = tuple(
        Word(_integer(w.get("startTimeMs")) or 0, _integer(w.get("endTimeMs")) or 0, text)
        for one in stretches
        for w in _objects(_best(one.told).get("words"))
        if (text := str(w.get("text", "")))
    )
    text = " ".join(one.text for one in segments)
    return Transcript(text, segments, words, language=_language(stretches) or asked)


def _take(stretches: list[_Stretch], event: Told) -> None:
    final = _object(event.get("final"))
    channel = str(event.get("channelTag") or "")
    if final is not None:
        channel = str(final.get("channelTag") or channel)
        # A zero may be left out, but not the cursors around it.
        cursors = _object(event.get("audioCursors"))
        cursor = None if cursors is None else _integer(cursors.get("finalIndex", 0))
        stretches.append(_Stretch(channel, cursor, final))
    refinement = _object(event.get("finalRefinement"))
    if refinement is None:
        return
    text = _object(refinement.get("normalizedText"))
    meant = _meant(
        [one for one in stretches if one.channel == channel] or stretches,
        _integer(refinement.get("finalIndex", 0)),
    )
    if text is None:
        return
    if meant is None:
        # Its final never came: then this is all there is of it.
        stretches.append(_Stretch(channel, None, text, text))
    else:
        meant.refined = text


def _meant(stretches: Sequence[_Stretch], index: int | None) -> _Stretch | None:
    """The stretch that a refinement speaks of: the one of that index, by the server's own count,
    else by ours, else the last that has none yet."""
    open_ones = [one for one in stretches if one.refined is None]
    by_cursor = [one for one in open_ones if one.cursor == index]
    if by_cursor:
        return by_cursor[-1]
    if index is not None and 0 <= index < len(stretches) and stretches[index].refined is None:
        return stretches[index]
    return open_ones[-1] if open_ones else None


def _segment(stretch: _Stretch, *, several: bool) -> Segment:
    shown, told = _best(stretch.shown), _best(stretch.told)
    start, end = (
        next((n for one in (told, shown) if (n := _integer(one.get(name))) is not None), 0)
        for name in ("startTimeMs", "endTimeMs")
    )
    text = " ".join(str(shown.get("text", "")).split())
    return Segment(start, end, text, stretch.channel or None if several else None)


def _best(update: Told) -> Told:
    """The first alternative, which is the likeliest."""
    return next(iter(_objects(update.get("alternatives"))), {})


def _language(stretches: Sequence[_Stretch]) -> str | None:
    """The language that was likeliest in most stretches."""
    votes: dict[str, float] = {}
    for one in stretches:
        for language in _objects(_best(one.told).get("languages")):
            code, probability = language.get("languageCode"), language.get("probability", 0)
            if isinstance(code, str) and isinstance(probability, int | float):
                votes[code] = votes.get(code, 0.0) + probability
    return max(votes, key=lambda code: votes[code], default=None)


def _object(told: object) -> Told | None:
    return told if isinstance(told, dict) else None


def _objects(told: object) -> list[Told]:
    return [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []


def _integer(told: object) -> int | None:
    """An int64 as proto3 writes it into JSON: a text."""
    try:
        return int(told) if isinstance(told, int | str) and not isinstance(told, bool) else None
    except ValueError:
        return None
