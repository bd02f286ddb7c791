"""A recording as an answer shows it. What nobody knows, or has written, is left out."""

from __future__ import annotations

from collections.abc import Sequence

from healthlog.transcriber.doors.why import Now, why
from healthlog.transcriber.events import Event
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.times import moment_text

Item = dict[str, object]

BEGINNING_CHARACTERS = 200


def item(recording: Recording) -> Item:
    """What lists show: enough to find one again."""
    return _given(
        recording_id=recording.recording_id,
        spoken_at=spoken_at(recording),
        source=recording.source,
        stage=recording.stage,
        stage_since=moment_text(recording.stage_since_us),
        stop_reason=recording.stop_reason,
        duration_ms=recording.duration_ms,
        bytes=recording.bytes,
        language=recording.language,
        **_persons(recording),
        beginning=beginning(recording),
    )


def whole(recording: Recording, events: Sequence[Event], now: Now) -> Item:
    """Everything there is to know, and why it isn't moving."""
    shown = _given(
        recording_id=recording.recording_id,
        accepted_at=moment_text(recording.accepted_at_us),
        spoken_at=spoken_at(recording),
        source=recording.source,
        content_type=recording.content_type,
        bytes=recording.bytes,
        sha256=recording.sha256,
        duration_ms=recording.duration_ms,
        silent=recording.silent,
        language=recording.language,
        **_persons(recording),
        text=recording.text,
        corrected_text=recording.corrected_text,
    )
    return {**shown, **_moving(recording, now), "events": [_event(one) for one in events]}


def note(recording: Recording) -> Item:
    """What a day shows of it: its title, its summary or how it begins."""
    summary = recording.summary
    return _given(
        recording_id=recording.recording_id,
        spoken_at=spoken_at(recording),
        stage=recording.stage,
        duration_ms=recording.duration_ms,
        title=recording.title,
        summary=summary,
        beginning=None if summary else beginning(recording),
    )


def spoken_at(recording: Recording) -> str:
    """When it was recorded, with the offset that was told, else when it came."""
    return moment_text(recording.spoken_at_us, recording.recorded_offset_min)


def text_of(recording: Recording) -> str | None:
    """What was said: as a person has corrected it, else as the recogniser heard it."""
    return recording.text if recording.corrected_text is None else recording.corrected_text


def beginning(recording: Recording) -> str | None:
    """How the text begins, on one line, cut between words; None without any."""
    text = text_of(recording)
    if text is None:
        return None
    line = " ".join(text[: 4 * BEGINNING_CHARACTERS].split())
    if len(line) <= BEGINNING_CHARACTERS:
        return line
    cut = line[:BEGINNING_CHARACTERS]
    return f"{cut.rpartition(' ')[0] or cut}…"


def _persons(recording: Recording) -> Item:
    topics = recording.topics
    return {
        "owner": recording.owner,
        "title": recording.title,
        "summary": recording.summary,
        "topics": None if topics is None else list(topics),
    }


def _moving(recording: Recording, now: Now) -> Item:
    stopped = None
    if recording.stopped_at_us is not None:
        stopped = _given(
            at=moment_text(recording.stopped_at_us),
            reason=recording.stop_reason,
            error=recording.stop_error,
        )
    held_us, waits = recording.claim_until_us, why(recording, now)
    free = stopped is None and waits is not None and held_us is None
    return {
        "stage": recording.stage,
        "stage_since": moment_text(recording.stage_since_us),
        "attempts": recording.attempts,
        "polls": recording.polls,
        "next_try_at": moment_text(recording.due_at_us) if free else None,
        "claimed_until": None if held_us is None else moment_text(held_us),
        "last": _last(recording),
        "stopped": stopped,
        "waiting": waits,
    }


def _last(recording: Recording) -> Item | None:
    """How the last step went."""
    if recording.last_at_us is None:
        return None
    return _given(
        at=moment_text(recording.last_at_us),
        outcome=recording.last_outcome,
        error=recording.last_error,
    )


def _event(event: Event) -> Item:
    return _given(
        at=moment_text(event.happened_at_us),
        source=event.source,
        step=event.step,
        stage=event.stage,
        outcome=event.outcome,
        duration_ms=event.duration_ms,
        detail=event.detail,
    )


def _given(**members: object) -> Item:
    return {name: value for name, value in members.items() if value is not None}
