"""Recordings of a log that can be asked: sent as a phone does, heard without a recogniser."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from healthlog.transcriber import attempts, claims, outcomes, rows, search
from healthlog.transcriber.outcomes import At, Reached
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.transcript import Segment, Transcript, Word
from tests.support.http import post
from tests.support.loopback import Reply
from tests.support.reading import Desk

M4A = b"\x00\x00\x00\x1cftypM4A \x00\x00\x00\x00M4A isommp42" + bytes(range(256)) * 8
"""Begins like a voice memo of a phone; nothing can be heard in it."""

SENDER = "Authorization: Bearer ingest"
READER = "Authorization: Bearer read"
API = "/api/v1/recordings"
BOUNDARY = "a-boundary.of the tests"

HEARD = Transcript(
    "the quick brown fox is called gustav",
    (Segment(0, 1200, "the quick brown fox"), Segment(1200, 2000, "is called gustav")),
    (Word(0, 200, "the", 0.9), Word(200, 500, "quick")),
    0.75,
    "en",
)


def send(desk: Desk, body: bytes = M4A, *fields: str, kind: str = "audio/x-m4a") -> Reply:
    """The answer to a recording that is sent."""
    return desk.ask(post("/recordings", body, SENDER, f"Content-Type: {kind}", *fields))


def sent(desk: Desk, body: bytes = M4A, **form: str) -> str:
    """The id of a recording that was taken; the clock goes on by a second."""
    reply = send_form(desk, file_part(body), *(field_part(n, v) for n, v in form.items()))
    assert reply.status == 201, reply.body
    desk.house.clock.advance(1)
    recording_id = reply.json()["recording_id"]
    assert isinstance(recording_id, str)
    return recording_id


def file_part(content: bytes = M4A, kind: str = "audio/x-m4a", name: str = "note.m4a") -> bytes:
    head = f'Content-Disposition: form-data; name="file"; filename="{name}"\r\n'
    return head.encode() + f"Content-Type: {kind}\r\n\r\n".encode() + content


def field_part(name: str, value: str) -> bytes:
    return f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}'.encode()


def form_of(parts: Sequence[bytes], boundary: str = BOUNDARY) -> bytes:
    lead = f"--{boundary}\r\n".encode()
    return b"".join(lead + part + b"\r\n" for part in parts) + f"--{boundary}--\r\n".encode()


def send_form(desk: Desk, *parts: bytes) -> Reply:
    return send(desk, form_of(parts), kind=f'multipart/form-data; boundary="{BOUNDARY}"')


def call(desk: Desk, method: str, path: str, body: bytes = b"", *fields: str) -> Reply:
    """The answer to a call about recordings."""
    own = fields or (READER,)
    request = post(f"{API}{path}", body, *own)
    return desk.ask(method.encode() + request.removeprefix(b"POST"))


def change(desk: Desk, recording_id: str, **changes: Any) -> Reply:
    kind = "Content-Type: application/merge-patch+json"
    return call(desk, "PATCH", f"/{recording_id}", json.dumps(changes).encode(), READER, kind)


def shown(desk: Desk, recording_id: str) -> dict[str, Any]:
    told: dict[str, Any] = desk.get(f"{API}/{recording_id}").json()
    return told


def row(desk: Desk, recording_id: str) -> Recording:
    found = desk.house.journal.read(lambda c: rows.get(c, recording_id))
    assert found is not None
    return found


def at(desk: Desk, recording_id: str, **columns: object) -> None:
    """The same with other columns, as if it had come there."""
    sets = ", ".join(f"{name} = ?" for name in columns)
    desk.house.journal.write(
        lambda c: (
            c.execute(
                f"UPDATE recording SET {sets} WHERE recording_id = ?",
                (*columns.values(), recording_id),
            ).rowcount
        )
    )


def hear(desk: Desk, recording_id: str, transcript: Transcript = HEARD) -> None:
    """Its text, as a recogniser gives it, by the way every step writes."""
    now_us = desk.house.clock.now_us()
    at(desk, recording_id, due_at_us=0, duration_ms=2000, silent=0)

    def work(connection: Any) -> None:
        held = claims.claim(connection, now_us, "tests")
        assert held.recording_id == recording_id
        attempt = attempts.begin(connection, held, "command", {}, now_us)
        attempts.complete(connection, attempt, transcript, now_us)
        found = {"text": transcript.text, "language": transcript.language}
        outcomes.advance(connection, held, Reached("done", found), At(now_us))
        search.refresh(connection, recording_id)

    desk.house.journal.write(work)
