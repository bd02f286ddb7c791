"""The calls about recordings in the form that programs read, with the shapes of their answers."""

from __future__ import annotations

from collections.abc import Mapping

from healthlog.api_call import JSON, Call
from healthlog.formats import NDJSON_TYPE
from healthlog.imports.door import JOURNAL
from healthlog.recording_list import STOPPED
from healthlog.schemas import ID, INSTANT, TEXT, Schema, closed, one_of, page_of, ref
from healthlog.voice import (
    LONGEST_TEXTS,
    LONGEST_TOPIC,
    MOST_TOPICS,
    REASONS,
    SOURCES,
    STAGES,
    TRANSCRIPTS,
)

_API = "/api/v1/recordings"
_ONE = f"{_API}/{{id}}"
_BYTES: Schema = {"type": "string", "format": "binary"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_TEXT: Schema = {"type": "string", "pattern": r"^[^\x00]*$"}
_WORDS: Schema = {"type": "string", "pattern": "[0-9A-Za-z]"}


def calls(paged: Mapping[str, Schema]) -> tuple[Call, ...]:
    """All of them; `paged` are the parameters that lists have."""
    recording = {JSON: ref("recording")}
    listed = {JSON: page_of("recording_item"), "text/csv": TEXT, NDJSON_TYPE: TEXT}
    asked = {"stage": one_of(STAGES), "stopped": one_of(STOPPED), "q": _WORDS, **paged}
    patch = dict.fromkeys(("application/merge-patch+json", JSON), ref("recording_changes"))
    return (
        _upload(),
        Call("GET", _API, "Recordings, also by words that they hold", listed, query=asked),
        Call(
            *("POST", f"{_API}/resume", "Take up all recordings that were stopped for a reason"),
            {JSON: closed({"resumed": _COUNT})},
            needed={"reason": one_of(REASONS)},
            headers={JOURNAL: TEXT},
            refusals=(409,),
        ),
        Call("GET", _ONE, "One recording", recording, refusals=(404,)),
        Call(
            *("PATCH", _ONE, "Change what a person writes about a recording", recording),
            refusals=(404, 408, 413, 415),
            body=patch,
        ),
        Call("DELETE", _ONE, "Remove a recording for good", {}, refusals=(404,), statuses=(204,)),
        Call(
            *("POST", f"{_ONE}/resume", "Take up a stopped recording", recording),
            refusals=(404, 409),
        ),
        Call("POST", f"{_ONE}/stop", "Stop the work on it", recording, refusals=(404, 409)),
        Call(
            *("GET", f"{_ONE}/audio", "Its file as it came, or a range of it", {"*/*": {}}),
            headers={"Range": TEXT, "If-Range": TEXT, "If-None-Match": TEXT},
            refusals=(404, 410, 416),
            statuses=(200, 206, 304),
        ),
        Call(
            *("GET", f"{_ONE}/transcript", "Its transcript", _transcripts()),
            query={"format": {**one_of(TRANSCRIPTS), "default": "txt"}},
            refusals=(404,),
        ),
    )


def _upload() -> Call:
    fields = {
        "file": _BYTES,
        "title": {**TEXT, "maxLength": LONGEST_TEXTS["title"]},
        "recorded_at": INSTANT,
    }
    form: Schema = {"type": "object", "properties": fields, "required": ["file"]}
    kinds = ("audio/*", "video/*", "application/octet-stream")
    return Call(
        *("POST", "/recordings", "Take one recording"),
        {JSON: closed({"recording_id": ID, "stage": one_of(STAGES)})},
        refusals=(408, 413, 415, 507),
        body={"multipart/form-data": form, **dict.fromkeys(kinds, _BYTES)},
        statuses=(201,),
    )


def _transcripts() -> dict[str, Schema]:
    return {
        "text/plain": TEXT,
        "application/x-subrip": TEXT,
        "text/vtt": TEXT,
        JSON: ref("transcript"),
    }


def schemas() -> dict[str, Schema]:
    """Every shape by its name."""
    persons = {"owner": TEXT, "title": TEXT, "summary": TEXT, "topics": _list(TEXT)}
    found = {"duration_ms": _COUNT, "language": TEXT, **persons}
    id_at = {"recording_id": ID, "spoken_at": INSTANT}
    stage = one_of(STAGES)
    head = {**id_at, "source": one_of(SOURCES), "stage": stage, "stage_since": INSTANT}
    head["bytes"] = _COUNT
    texts = {"text": TEXT, "corrected_text": TEXT, "content_type": TEXT, "sha256": TEXT}
    return {
        "recording_item": closed(
            head, {**found, "stop_reason": one_of(REASONS), "beginning": TEXT}
        ),
        "recording": closed(
            {**head, "accepted_at": INSTANT, **_moving(), "events": _list(_event())},
            {**found, **texts, "silent": {"type": "boolean"}},
        ),
        "recording_changes": {
            "type": "object",
            "properties": {name: _or_null(one) for name, one in _changes().items()},
            "additionalProperties": False,
        },
        "note": closed(
            {**id_at, "stage": stage},
            {"duration_ms": _COUNT, "title": TEXT, "summary": TEXT, "beginning": TEXT},
        ),
        "transcript": _transcript(),
    }


def _moving() -> dict[str, Schema]:
    last = closed({"at": INSTANT, "outcome": TEXT}, {"error": TEXT})
    stopped = closed({"at": INSTANT, "reason": one_of(REASONS)}, {"error": TEXT})
    return {
        "attempts": _COUNT,
        "polls": _COUNT,
        "next_try_at": _or_null(INSTANT),
        "claimed_until": _or_null(INSTANT),
        "last": _or_null(last),
        "stopped": _or_null(stopped),
        "waiting": _or_null(TEXT),
    }


def _event() -> Schema:
    told = {"at": INSTANT, "source": one_of(("step", "person")), "step": TEXT}
    return closed({**told, "stage": one_of(STAGES), "outcome": TEXT, "duration_ms": _COUNT},
                  {"detail": TEXT})  # fmt: skip


def _changes() -> dict[str, Schema]:
    topic: Schema = {
        "type": "string",
        "pattern": r"^[^\x00]*[^\s\x00][^\x00]*$",
        "maxLength": LONGEST_TOPIC,
    }
    texts: dict[str, Schema] = {
        n: {**_TEXT, "maxLength": most} for n, most in LONGEST_TEXTS.items()
    }
    return {**texts, "topics": {"type": "array", "items": topic, "maxItems": MOST_TOPICS}}


def _transcript() -> Schema:
    times = {"start_ms": {"type": "integer"}, "end_ms": {"type": "integer"}, "text": TEXT}
    confidence: Schema = {"type": "number"}
    return closed(
        {
            "text": TEXT,
            "segments": _list(closed(times, {"speaker": TEXT})),
            "words": _list(closed(times, {"confidence": confidence})),
        },
        {"language": TEXT, "confidence": confidence, "corrected_text": TEXT},
    )


def _list(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}
