"""The transcript of a recording in the form that was asked for."""

from __future__ import annotations

from dataclasses import replace

from healthlog.base.answers import json_bytes
from healthlog.base.web import Problem, Response
from healthlog.transcriber.doors.view import text_of
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.transcript import (
    CONTENT_TYPES,
    JSON,
    TXT,
    Transcript,
    members,
    written,
)


def transcript(recording: Recording, heard: Transcript | None, form: str) -> Response:
    """A person's correction is the text; it has no times, so subtitles are what the recogniser
    heard. Problem 404 while there is nothing."""
    text = text_of(recording)
    if text is None:
        raise Problem(404, "There is no transcript of this recording yet.")
    if heard is None:
        heard = Transcript(text, language=recording.language)
    about = (("Content-Disposition", f'inline; filename="{recording.recording_id}.{form}"'),)
    if form == JSON:
        corrected = recording.corrected_text
        told = members(heard) | ({} if corrected is None else {"corrected_text": corrected})
        return Response(200, json_bytes(told) + b"\n", CONTENT_TYPES[form], about)
    if form == TXT:
        heard = replace(heard, text=text)
    content = written(heard, form, recording.duration_ms or 0)
    return Response(200, content.encode("utf-8", "backslashreplace"), CONTENT_TYPES[form], about)
