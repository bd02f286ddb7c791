"""Notes that the person of the invented days has spoken, with the text that was heard."""

from __future__ import annotations

import io
import math
import sqlite3
import sys
import wave
from array import array
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import partial
from pathlib import Path

from healthlog.base.lock import FileLock
from healthlog.base.log import Log
from healthlog.base.metrics import Registry
from healthlog.databases import open_up_to_date
from healthlog.home import Home
from healthlog.transcriber import attempts, claims, outcomes
from healthlog.transcriber.edits import edit
from healthlog.transcriber.outcomes import At, Reached
from healthlog.transcriber.recordings import Recordings
from healthlog.transcriber.rows import HTTP, Meta
from healthlog.transcriber.settings import Settings
from healthlog.transcriber.transcript import Segment, Transcript
from tests.demo.filling import StandingClock

_RATE = 8_000
_WORD_MS = 320
_RUN = "demo"


@dataclass(frozen=True, slots=True)
class Note:
    """Spoken so many days before the last one, at a time of its day."""

    ago: int
    at: time
    title: str
    topics: tuple[str, ...]
    text: str


NOTES = (
    Note(0, time(7, 52), "Slept well", ("sleep",),
         "slept through for once and woke up before the alarm"),
    Note(2, time(18, 34), "New shoes", ("running", "knee"),
         "ran the long loop with the new shoes. the left knee is fine on the flat and pulls"
         " a little on the way down"),
    Note(3, time(13, 5), "Headache", ("headache",),
         "headache since eleven, on the right side. drank too little this morning"),
    Note(9, time(21, 40), "For the doctor", ("doctor", "heart"),
         "ask the doctor about the pulse at night. it was lower in spring"),
    Note(26, time(8, 15), "Pollen", ("allergy",),
         "eyes itch on the way to work and the antihistamine helps after half an hour"),
    Note(61, time(19, 20), "Intervals", ("running",),
         "six times four minutes. the last two were too fast and the heart rate stayed up long"),
    Note(140, time(22, 2), "Cold", ("ill",),
         "a sore throat and no voice. no sport until it is over"),
    Note(300, time(12, 30), "Resolution", ("weight", "sleep"),
         "weigh myself on mondays and be in bed before eleven"),
)  # fmt: skip


def speak(data: Path, last: date, until_us: int, days: int, zone: tzinfo) -> int:
    """Take the notes of these days in and write down what was heard; how many there were. Made by
    what takes and writes them in a service, but for the recogniser."""
    home = Home(data)
    clock = StandingClock(until_us)
    with (
        FileLock(home.lock),
        closing(open_up_to_date(home.journal, "journal", clock, "wal")) as journal,
    ):
        log = Log(sys.stderr, clock, "ERROR")
        made = Recordings(
            data, journal, Settings(workers=0), clock=clock, log=log, registry=Registry()
        )
        made.prepare()
        said = [one for one in reversed(NOTES) if one.ago < days]
        told = [(_us(one, last, zone), one) for one in said]
        come = [(at_us, one) for at_us, one in told if at_us <= until_us]
        for at_us, one in come:
            clock.wall_us = at_us
            offset = datetime.fromtimestamp(at_us / 1_000_000, zone).utcoffset() or timedelta()
            meta = Meta(
                HTTP, "wav", "audio/wav", at_us, offset // timedelta(minutes=1), title=one.title
            )
            made.intake.take([sound(one.text)], meta)
            journal.write(partial(_heard, note=one, now_us=at_us))
    return len(come)


def _us(note: Note, last: date, zone: tzinfo) -> int:
    at = datetime.combine(last - timedelta(days=note.ago), note.at, zone)
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _heard(connection: sqlite3.Connection, note: Note, now_us: int) -> None:
    held = claims.claim(connection, now_us, _RUN)
    transcript = Transcript(note.text, tuple(_segments(note.text)), (), 0.9, "en")
    attempt = attempts.begin(connection, held, "command", {}, now_us)
    attempts.complete(connection, attempt, transcript, now_us)
    found = {"text": note.text, "language": "en", "duration_ms": _length_ms(note.text), "silent": 0}
    outcomes.advance(connection, held, Reached("done", found), At(now_us))
    edit(connection, held.recording_id, {"topics": note.topics})


def _segments(text: str) -> Iterator[Segment]:
    begin_ms = 0
    for sentence in text.split(". "):
        end_ms = begin_ms + _length_ms(sentence)
        yield Segment(begin_ms, end_ms, sentence)
        begin_ms = end_ms


def _length_ms(text: str) -> int:
    return len(text.split()) * _WORD_MS


def sound(text: str) -> bytes:
    """A WAV file in which every word of a text is a hum, the higher the longer the word."""
    samples = array("h")
    for word in text.split():
        hertz, frames = 110 + 12 * len(word), _RATE * _WORD_MS // 1_000
        for frame in range(frames):
            loud = 6_000 * math.sin(math.pi * frame / frames) ** 2
            samples.append(round(loud * math.sin(math.tau * hertz * frame / _RATE)))
    if sys.byteorder == "big":
        samples.byteswap()
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(_RATE)
        file.writeframes(samples.tobytes())
    return made.getvalue()
