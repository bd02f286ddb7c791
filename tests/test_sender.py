"""Answers written to a wire."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from healthlog.base.answers import Response, json_response
from healthlog.base.errors import Busy
from healthlog.base.log import Log
from healthlog.base.sender import Sender, Sent
from healthlog.base.wire import Deadlines
from tests.support.clock import FakeClock
from tests.support.http import FakeWire, Pieces

KIB64 = 65536


class Pouring:
    """An iterable body that knows whether it was closed, and may break."""

    def __init__(self, *pieces: bytes, error: Exception | None = None) -> None:
        self.pieces = list(pieces)
        self.error = error
        self.closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self.pieces:
            return self.pieces.pop(0)
        if self.error is not None:
            raise self.error
        raise StopIteration

    def close(self) -> None:
        self.closed = True


class Desk:
    """A sender with its wire."""

    def __init__(self, clock: FakeClock, room: int | None = None) -> None:
        self.wire = FakeWire(Pieces(), room=room)
        self.stream = io.StringIO()
        log = Log(self.stream, clock, "DEBUG")
        deadlines = Deadlines(self.wire, log)
        self.sender = Sender(self.wire, deadlines, write_timeout_s=30.0, log=log, clock=clock)

    def send(
        self, response: Response, *, minor: int = 1, head_only: bool = False, keep: bool = True
    ) -> Sent:
        return self.sender.send(response, minor=minor, head_only=head_only, keep=keep)

    @property
    def body(self) -> bytes:
        return bytes(self.wire.sent).partition(b"\r\n\r\n")[2]

    @property
    def head(self) -> str:
        return bytes(self.wire.sent).partition(b"\r\n\r\n")[0].decode()


@pytest.fixture
def desk(clock: FakeClock) -> Desk:
    """A client that takes everything."""
    return Desk(clock)


def stream(*pieces: bytes, error: Exception | None = None, length: int | None = None) -> Response:
    return Response(200, Pouring(*pieces, error=error), "text/csv", length=length)


def test_a_small_answer_leaves_in_one_piece(desk: Desk) -> None:
    assert desk.send(json_response(1)) == Sent(200, "", taken=True, keep=True)
    assert desk.wire.sizes == [len(desk.wire.sent)]
    assert desk.body == b"1"


def test_a_large_answer_is_not_copied_behind_its_head(desk: Desk) -> None:
    desk.send(Response(200, bytes(10 * KIB64), "text/plain"))
    assert desk.wire.sizes[1:] == [10 * KIB64]


def test_an_answer_of_bytes_gets_no_more_time(desk: Desk) -> None:
    desk.send(Response(200, bytes(10 * KIB64), "text/plain"))
    assert desk.wire.write_at == []


def test_a_streamed_answer_gets_time_for_every_64_kib(desk: Desk, clock: FakeClock) -> None:
    began = clock.monotonic()

    def pieces() -> Iterator[bytes]:
        for _ in range(3):
            yield bytes(KIB64)
            clock.advance(20)

    desk.send(Response(200, pieces(), "text/csv", length=3 * KIB64))
    assert desk.wire.write_at == [began + 30, began + 50, began + 70]


def test_pieces_leave_in_slices_of_64_kib(desk: Desk) -> None:
    desk.send(stream(*[b"x" * 100] * 2000, length=200_000))
    assert desk.body == b"x" * 200_000
    assert desk.wire.sizes[1:-1] == [KIB64, KIB64]


def test_pieces_leave_as_chunks(desk: Desk) -> None:
    desk.send(stream(b"hel", b"", b"lo"))
    assert "Transfer-Encoding: chunked" in desk.head
    assert desk.body == b"5\r\nhello\r\n0\r\n\r\n"


def test_a_stream_of_nothing_is_an_answer(desk: Desk) -> None:
    assert desk.send(stream()).taken
    assert desk.body == b"0\r\n\r\n"


def test_an_old_client_gets_the_pieces_as_they_are(desk: Desk) -> None:
    sent = desk.send(stream(b"hello"), minor=0)
    assert desk.body == b"hello"
    assert "Connection: close" in desk.head
    assert not sent.keep


@pytest.mark.parametrize(
    ("minor", "keep", "line"),
    [(1, True, None), (1, False, "close"), (0, True, "keep-alive"), (0, False, "close")],
)
def test_the_connection_header_says_what_will_be(
    desk: Desk, minor: int, keep: bool, line: str | None
) -> None:
    assert desk.send(json_response(1), minor=minor, keep=keep).keep is keep
    assert ("Connection: " in desk.head) is (line is not None)
    assert line is None or f"Connection: {line}" in desk.head


def test_a_head_alone_has_the_length_of_the_body(desk: Desk) -> None:
    desk.send(json_response("hello"), head_only=True)
    assert "Content-Length: 7" in desk.head
    assert desk.body == b""


def test_a_head_alone_closes_the_stream_unread(desk: Desk) -> None:
    body = Pouring(b"hello")
    desk.send(Response(200, body, "text/csv"), head_only=True)
    assert body.closed
    assert body.pieces == [b"hello"]
    assert desk.body == b""


def test_a_204_has_no_body(desk: Desk) -> None:
    desk.send(Response(204, b"lost", ""))
    assert desk.body == b""
    assert "Content-Length" not in desk.head


@pytest.mark.parametrize("room", [0, 100, KIB64 + 300])
def test_a_stream_is_closed_when_the_client_goes(clock: FakeClock, room: int) -> None:
    desk = Desk(clock, room=room)
    body = Pouring(*[bytes(KIB64)] * 5)
    sent = desk.send(Response(200, body, "text/csv"))
    assert (sent.taken, sent.keep, sent.reason) == (False, False, "scripted")
    assert body.closed
    assert desk.wire.calls == ["abort"]


def test_an_answer_that_is_not_taken_keeps_its_status(clock: FakeClock) -> None:
    assert Desk(clock, room=10).send(json_response(1)).status == 200


def test_a_stream_that_breaks_before_its_first_slice_is_answered(desk: Desk) -> None:
    body = Pouring(b"some", error=RuntimeError("canary"))
    sent = desk.send(Response(200, body, "text/csv"))
    assert (sent.status, sent.taken, sent.keep) == (500, True, False)
    assert desk.head.startswith("HTTP/1.1 500 ")
    assert "Connection: close" in desk.head
    assert body.closed
    assert '"request failed"' in desk.stream.getvalue()
    assert "canary" not in desk.stream.getvalue()


def test_a_stream_that_is_refused_before_its_first_slice_says_why(desk: Desk) -> None:
    sent = desk.send(stream(error=Busy("x")))
    assert (sent.status, sent.reason) == (503, "The database is busy.")
    assert desk.stream.getvalue() == ""


def test_a_stream_that_breaks_later_is_visibly_broken(desk: Desk) -> None:
    sent = desk.send(stream(bytes(KIB64), error=RuntimeError("canary")))
    assert (sent.status, sent.taken, sent.keep) == (200, False, False)
    assert sent.reason == "the answer broke off"
    assert not desk.body.endswith(b"0\r\n\r\n")
    assert desk.wire.calls == ["abort"]
    assert '"answer broke off"' in desk.stream.getvalue()


@pytest.mark.parametrize("length", [0, KIB64 - 1, KIB64 + 1, 3 * KIB64])
def test_a_stream_of_another_length_than_said_is_broken(desk: Desk, length: int) -> None:
    sent = desk.send(stream(bytes(KIB64), length=length))
    assert not sent.keep
    assert sent.status == 500 or desk.wire.calls == ["abort"]


def test_a_sender_serves_many_answers(desk: Desk) -> None:
    for _ in range(3):
        desk.send(stream(b"a", error=RuntimeError()))
        assert desk.send(json_response(1)).keep
    assert desk.wire.calls == []
