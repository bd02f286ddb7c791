"""`POST /recordings`: what is taken, what is refused, what is left behind."""

from __future__ import annotations

import gzip
import hashlib
import tracemalloc
from pathlib import Path

import pytest

from healthlog.base.conversation import Conversation, Host, Limits
from healthlog.base.slots import Slots
from healthlog.base.web import App, Event, Route, tokens_only
from healthlog.transcriber.doors.routes import NAME
from healthlog.transcriber.doors.upload import Upload
from tests.support.accepting import outsider
from tests.support.clock import FakeClock
from tests.support.http import FakeWire, Pieces, post
from tests.support.loopback import Reply
from tests.support.reading import Desk, open_desk, problem, reply_of
from tests.support.spoken import (
    API,
    BOUNDARY,
    M4A,
    SENDER,
    field_part,
    file_part,
    form_of,
    row,
    send,
    send_form,
)

OCTETS = "application/octet-stream"


def kept(desk: Desk) -> list[Path]:
    return [path for path in (desk.house.data / "audio").rglob("*") if path.is_file()]


# What is taken


@pytest.mark.scenario("recording-doors", "Voice memo is taken in as a body")
def test_a_voice_memo_is_taken_in_as_a_body(desk: Desk) -> None:
    reply = send(desk)
    assert reply.status == 201
    told = reply.json()
    assert told == {"recording_id": told["recording_id"], "stage": "uploaded"}
    one = row(desk, told["recording_id"])
    assert (one.source, one.extension, one.content_type) == ("http", "m4a", "audio/x-m4a")
    assert (one.bytes, one.sha256) == (len(M4A), hashlib.sha256(M4A).hexdigest())
    [path] = kept(desk)
    assert path.read_bytes() == M4A
    assert path.name == f"{one.recording_id}.m4a"
    assert (one.title, one.recorded_at_us) == (None, None)


@pytest.mark.scenario("recording-doors", "Voice memo is taken in as a file of a form")
def test_a_voice_memo_is_taken_in_as_a_file_of_a_form(desk: Desk) -> None:
    title = field_part("title", " Übung ")
    when = field_part("recorded_at", "2026-08-02T09:30:00+03:00")
    for place in range(3):
        parts = [title, when]
        parts.insert(place, file_part())
        reply = send_form(desk, *parts)
        assert reply.status == 201, reply.body
        one = row(desk, reply.json()["recording_id"])
        assert (one.title, one.recorded_offset_min) == ("Übung", 180)
        assert one.recorded_at_us == 1_785_652_200_000_000
        assert (one.bytes, one.extension) == (len(M4A), "m4a")
    assert [path.read_bytes() for path in kept(desk)] == [M4A] * 3


@pytest.mark.scenario("recording-doors", "Sender that can't tell is looked at")
@pytest.mark.parametrize("kind", [OCTETS, "application/x-www-form-urlencoded", ""])
def test_a_sender_that_can_not_tell_is_looked_at(desk: Desk, kind: str) -> None:
    """A phone's shortcut may say no more than that it is bytes, and so does curl."""
    reply = send(desk, kind=kind)
    assert reply.status == 201
    assert row(desk, reply.json()["recording_id"]).content_type == "audio/mp4"
    assert problem(send(desk, b"hello " * 200, kind=kind), 415)
    assert len(kept(desk)) == 1


def test_a_file_of_a_form_that_can_not_tell_is_looked_at(desk: Desk) -> None:
    reply = send_form(desk, file_part(kind=OCTETS, name="Aufnahme"))
    assert reply.status == 201
    assert row(desk, reply.json()["recording_id"]).extension == "m4a"
    assert problem(send_form(desk, file_part(b"hello", kind=OCTETS)), 415)
    assert send_form(desk, file_part(b"\x00\x01", "audio/x", "a.qcp")).status == 201


def test_fields_that_nobody_knows_are_read_past(desk: Desk) -> None:
    reply = send_form(desk, field_part("device", "phone"), file_part(), field_part("", ""))
    assert reply.status == 201


def test_empty_fields_say_nothing(desk: Desk) -> None:
    reply = send_form(desk, field_part("title", "  "), field_part("recorded_at", ""), file_part())
    one = row(desk, reply.json()["recording_id"])
    assert (one.title, one.recorded_at_us) == (None, None)


def test_a_body_may_come_in_chunks_or_packed(desk: Desk) -> None:
    packed = gzip.compress(M4A)
    reply = desk.ask(post("/recordings", packed, SENDER, "Content-Type: audio/mp4",
                          "Content-Encoding: gzip"))  # fmt: skip
    assert reply.status == 201
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(M4A[i : i + 100]), M4A[i : i + 100])
                      for i in range(0, len(M4A), 100))  # fmt: skip
    head = f"POST /recordings HTTP/1.1\r\nHost: x\r\n{SENDER}\r\nContent-Type: audio/mp4\r\n"
    whole = head.encode() + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"
    assert desk.ask(whole).status == 201
    assert [path.read_bytes() for path in kept(desk)] == [M4A, M4A]


def test_a_short_recording_and_bytes_one_by_one_are_taken(desk: Desk) -> None:
    request = post("/recordings", form_of([file_part(M4A[:40])]), SENDER,
                   f'Content-Type: multipart/form-data; boundary="{BOUNDARY}"')  # fmt: skip
    pieces = Pieces(*(request[i : i + 1] for i in range(len(request))))
    assert conversed(desk, pieces).status == 201
    assert [path.read_bytes() for path in kept(desk)] == [M4A[:40]]


# What is refused


@pytest.mark.scenario("recording-doors", "What is neither audio nor video is refused")
@pytest.mark.parametrize("kind", ["application/json", "text/plain", "image/jpeg", "multipart/x"])
def test_what_is_neither_audio_nor_video_is_refused(desk: Desk, kind: str) -> None:
    assert problem(send(desk, kind=kind), 415) == "Only audio and video are taken here."
    assert problem(send(desk, b"\x89PNG\r\n" + bytes(600)), 415)
    assert problem(send_form(desk, file_part(b"%PDF-1.4" + bytes(600))), 415)
    assert kept(desk) == []
    assert desk.items(API) == []


WRONG_FORMS: list[tuple[list[bytes], int, str]] = [
        ([field_part("title", "x")], 400, "The form holds no file."),
        ([file_part(), file_part()], 400, "The form holds more than one file."),
        ([file_part(b"")], 400, "The recording is empty."),
        ([file_part(), field_part("recorded_at", "yesterday")], 400,
         "The field recorded_at must be an RFC 3339 instant."),
        ([file_part(), field_part("recorded_at", "1969-12-31T23:59:59Z")], 400,
         "The field recorded_at must be an RFC 3339 instant."),
        ([file_part(), field_part("title", "x" * 501)], 400,
         "The field title must be a text of at most 500 characters."),
        ([field_part("title", "a"), field_part("title", "b"), file_part()], 400,
         "The field title is given more than once."),
        ([b'Content-Disposition: form-data; name="title"\r\n\r\n\xff', file_part()], 400,
         "The field title is no UTF-8."),
        ([field_part("notes", "x" * 20_000), file_part()], 413,
         "A field of the form is too long."),
        ([b"junk\r\n\r\n"], 400, "A header in the form is malformed."),
    ]  # fmt: skip


@pytest.mark.scenario("recording-doors", "Wrong field is named, and nothing is kept")
def test_a_wrong_form_is_named_and_nothing_is_kept(desk: Desk) -> None:
    for parts, status, said in WRONG_FORMS:
        assert problem(send_form(desk, *parts), status) == said
        assert kept(desk) == []
    assert desk.items(API) == []


def test_an_empty_body_is_refused(desk: Desk) -> None:
    assert problem(send(desk, b""), 400) == "The recording is empty."


@pytest.mark.scenario("recording-doors", "Only who may deliver may send a recording")
def test_only_who_may_deliver_may_send_a_recording(desk: Desk) -> None:
    for token in ("Authorization: Bearer read", "X-Nothing: x"):
        assert desk.ask(post("/recordings", M4A, token, "Content-Type: audio/mp4")).status == 401
    for path in (API, f"{API}/x"):
        assert desk.get(path, SENDER).status == 401


@pytest.mark.scenario("recording-doors", "Recording over the limit is refused while it comes")
def test_a_recording_over_the_limit_is_refused(data: Path, clock: FakeClock) -> None:
    with open_desk(data, clock, recordings_max_body="1KiB") as desk:
        assert "1 KiB" in problem(send(desk, M4A[:1025]), 413)
        big = gzip.compress(M4A[:1025])
        fields = (SENDER, "Content-Type: audio/mp4", "Content-Encoding: gzip")
        assert problem(desk.ask(post("/recordings", big, *fields)), 413)
        assert send(desk, M4A[:1024]).status == 201
        assert [path.stat().st_size for path in kept(desk)] == [1024]


@pytest.mark.scenario("recording-doors", "Recording that breaks off leaves nothing")
def test_a_recording_that_breaks_off_leaves_nothing(desk: Desk) -> None:
    whole = post("/recordings", M4A, SENDER, "Content-Type: audio/mp4")
    assert problem(desk.ask(whole[:-1]), 400) == "The body ended before it was complete."
    late = conversed(desk, Pieces(whole[:-1], late=True))
    assert problem(late, 408) == "The body was not complete in time."
    assert kept(desk) == []
    assert desk.items(API) == []


@pytest.mark.scenario("recording-doors", "Full disk is said")
def test_a_full_disk_is_said(desk: Desk) -> None:
    intake = desk.spoken.recordings.intake
    intake._min_free = 1 << 60
    assert problem(send(desk), 507) == "The disk is full."
    intake._min_free = 0
    [upload] = [one.handler for one in desk.routes() if one.name == NAME]
    assert isinstance(upload, Upload)
    upload._room = lambda: len(M4A) - 1
    full = App(
        [Route("POST", "/recordings", upload, "ingest", 1 << 30)],
        tokens_only(desk.authorized),
        ignored,
    )
    request = post("/recordings", M4A, SENDER, "Content-Type: audio/mp4")
    assert problem(conversed(desk, Pieces(request), full), 507) == "The disk is full."
    upload._room = lambda: len(M4A)
    assert conversed(desk, Pieces(request), full).status == 201
    assert len(kept(desk)) == len(desk.items(API)) == 1


@pytest.mark.scenario("recording-doors", "Busy journal takes nothing in")
def test_a_busy_journal_takes_nothing_in(desk: Desk) -> None:
    with outsider(desk.house.data / "journal.db"):
        reply = send(desk)
    assert problem(reply, 503) == "The database is busy."
    assert reply.headers["retry-after"] == "5"
    assert desk.items(API) == []


# Its time, its place


@pytest.mark.scenario("recording-doors", "Upload has time and a place of its own")
def test_an_upload_has_time_and_a_place_of_its_own(desk: Desk) -> None:
    [route] = [one for one in desk.routes() if one.name == NAME]
    assert route.upload, "the connections that are kept for uploads are for it"
    assert route.budget is not None
    assert (route.budget.read_s, route.budget.write_s) == (3600.0, 3630.0)
    assert route.body_limit == 1 << 30


@pytest.mark.scenario("recording-doors", "Recording is never in memory whole")
def test_a_recording_is_never_in_memory_whole(desk: Desk) -> None:
    size = 64 * 1024 * 1024
    start = post("/recordings", b"", SENDER, "Content-Type: audio/wav")
    head = start.replace(b"Content-Length: 0", b"Content-Length: %d" % size)
    tracemalloc.start()
    try:
        reply = conversed(desk, Long(head, size))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert reply.status == 201
    assert row(desk, reply.json()["recording_id"]).bytes == size
    assert peak < 4 * 1024 * 1024


class Long(Pieces):
    """A sender that makes what it sends while it is asked for it."""

    def __init__(self, head: bytes, size: int) -> None:
        super().__init__(head)
        self.left = size

    def receive(self, size: int, /) -> bytes:
        if self.pieces:
            return super().receive(size)
        piece = bytes(min(size, self.left))
        self.left -= len(piece)
        return piece


def conversed(desk: Desk, source: Pieces, app: App | None = None) -> Reply:
    """The answer to what comes from that source."""
    wire = FakeWire(source)
    slots = Slots(4, 1, desk.house.clock)
    slot = slots.admit(wire)
    assert slot is not None
    app = app or App(desk.routes(), tokens_only(desk.authorized), ignored)
    host = Host(app, Limits(), slots, desk.house.log, desk.house.clock)
    Conversation(host, wire, slot, "192.0.2.1").serve()
    return reply_of(bytes(wire.sent))


def ignored(_event: Event) -> None:
    """What happens is seen in the answers."""
