"""Rows of the recordings: written once when accepted, read back as values."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, fields
from typing import Any

from healthlog.base.stored import items
from healthlog.transcriber import search
from healthlog.transcriber.stages import UPLOADED

HTTP, TELEGRAM = "http", "telegram"


@dataclass(frozen=True, slots=True)
class Meta:
    """What is known of a recording when it comes. `recorded_at_us` microseconds since 1970 UTC,
    with the offset of the place where that was, if told; `declared_ms` its length as the sender's
    side says it; the three numbers are where an answer goes in Telegram."""

    source: str
    extension: str
    content_type: str | None = None
    recorded_at_us: int | None = None
    recorded_offset_min: int | None = None
    declared_ms: int | None = None
    chat_id: int | None = None
    message_id: int | None = None
    thread_id: int | None = None
    owner: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """A whole row, in the order of its columns. `topics` None where nobody named any."""

    recording_id: str
    accepted_at_us: int
    source: str
    extension: str
    content_type: str | None
    bytes: int
    sha256: str | None
    recorded_at_us: int | None
    recorded_offset_min: int | None
    declared_ms: int | None
    chat_id: int | None
    message_id: int | None
    thread_id: int | None
    owner: str | None
    title: str | None
    summary: str | None
    topics: tuple[str, ...] | None
    corrected_text: str | None
    duration_ms: int | None
    silent: bool | None
    text: str | None
    language: str | None
    stage: str
    stage_since_us: int
    due_at_us: int
    claim_until_us: int | None
    attempts: int
    first_of_run: bool
    polls: int
    last_outcome: str | None
    last_error: str | None
    last_at_us: int | None
    stopped_at_us: int | None
    stop_reason: str | None
    stop_error: str | None

    @property
    def spoken_at_us(self) -> int:
        """When it was recorded, as far as is known: else when it came."""
        return self.accepted_at_us if self.recorded_at_us is None else self.recorded_at_us


_COLUMNS = ", ".join(field.name for field in fields(Recording))
_META = tuple(field.name for field in fields(Meta))
_NEW = ("recording_id", "accepted_at_us", "bytes", "sha256", "stage_since_us", "due_at_us")
_INSERT = (
    f"INSERT INTO recording ({', '.join((*_NEW, *_META))}, stage)"
    f" VALUES ({', '.join('?' * len((*_NEW, *_META)))}, '{UPLOADED}')"
)


@dataclass(frozen=True, slots=True)
class Arrival:
    """What was found out on the way in: the id, when it came by the clock (microseconds since 1970
    UTC), bytes, checksum (None where no file came)."""

    recording_id: str
    accepted_at_us: int
    bytes: int
    sha256: str | None


def insert(connection: sqlite3.Connection, arrival: Arrival, meta: Meta) -> None:
    """Writes the row of a new recording, ready to be taken at once, behind all that came before."""
    now_us = arrival.accepted_at_us
    new = (arrival.recording_id, now_us, arrival.bytes, arrival.sha256, now_us, now_us)
    connection.execute(_INSERT, (*new, *(getattr(meta, name) for name in _META)))
    search.refresh(connection, arrival.recording_id)


def get(connection: sqlite3.Connection, recording_id: str) -> Recording | None:
    """The row of this recording, None if there is none."""
    query = f"SELECT {_COLUMNS} FROM recording WHERE recording_id = ?"
    row = connection.execute(query, (recording_id,)).fetchone()
    return None if row is None else recording(row)


def last_id(connection: sqlite3.Connection) -> str | None:
    """The greatest id there is, None while there is none."""
    found: str | None = connection.execute("SELECT max(recording_id) FROM recording").fetchone()[0]
    return found


def recording(row: tuple[Any, ...]) -> Recording:
    """The value made of a row that was read with `columns()`. Damaged."""
    values = dict(zip((field.name for field in fields(Recording)), row, strict=True))
    values["topics"] = None if values["topics"] is None else tuple(items(values["topics"]))
    values["silent"] = None if values["silent"] is None else bool(values["silent"])
    values["first_of_run"] = bool(values["first_of_run"])
    return Recording(**values)


def columns() -> str:
    """The list of columns of which `recording` makes a value."""
    return _COLUMNS


def topics_text(topics: tuple[str, ...]) -> str:
    """Topics as they are stored."""
    return json.dumps(topics, ensure_ascii=False)
