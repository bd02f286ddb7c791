"""Bodies as they come over the wire: in chunks, packed, cut, late, too large."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from healthlog.base.http1 import Body, Headers, Reader
from healthlog.base.query import Query
from healthlog.base.web import Request
from tests.support.accepting import BODY
from tests.support.clock import FakeClock
from tests.support.door import MIB, Door, head, open_door
from tests.support.http import Pieces

CHUNKED = head("Transfer-Encoding: chunked")
GZIP = "Content-Encoding: gzip"


@pytest.fixture
def door(data: Path, clock: FakeClock) -> Iterator[Door]:
    with open_door(data, clock) as door:
        yield door


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def stored(door: Door) -> bytes:
    [delivery_id] = door.house.rows()
    assert door.house.bodies() == [delivery_id]
    return door.house.archive.read(delivery_id, "", 4 * MIB)


@pytest.mark.scenario("ingest", "Coded bodies are stored decoded")
def test_chunks_are_stored_joined(door: Door) -> None:
    chunks = chunk(BODY[:3]) + chunk(BODY[3:9]) + chunk(BODY[9:]) + b"0\r\n\r\n"
    assert door.ask(Pieces(CHUNKED, chunks)).status == 200
    assert stored(door) == BODY


@pytest.mark.scenario("ingest", "Coded bodies are stored decoded")
def test_a_packed_body_is_stored_unpacked(door: Door) -> None:
    answer = door.post(gzip.compress(BODY), GZIP)
    assert (answer.status, answer.said["bytes"]) == (200, len(BODY))
    assert stored(door) == BODY


def test_a_packed_body_in_chunks_is_stored_unpacked(door: Door) -> None:
    packed = gzip.compress(BODY)
    chunks = b"".join(chunk(bytes([byte])) for byte in packed) + b"0\r\n\r\n"
    whole = head("Transfer-Encoding: chunked", GZIP)
    assert door.ask(Pieces(whole, chunks)).status == 200
    assert stored(door) == BODY


@pytest.mark.parametrize(
    "packed", [gzip.compress(BODY, mtime=0)[:-1], BODY, zlib.compress(BODY), b""]
)
def test_a_body_that_is_not_packed_as_said_is_refused(door: Door, packed: bytes) -> None:
    assert door.post(packed, GZIP).status == 400
    assert door.untouched()


# Cut


@pytest.mark.scenario("ingest", "Body that ends early is refused")
@pytest.mark.parametrize("sent", [b"", b"{", BODY, BODY + b" {}"])
def test_fewer_bytes_than_announced_are_refused(door: Door, sent: bytes) -> None:
    answer = door.ask(Pieces(head("Content-Length: 100"), sent))
    assert answer.status == 400
    assert door.untouched()


@pytest.mark.scenario("ingest", "Body that ends early is refused")
@pytest.mark.parametrize("end", [b"", b"0", b"0\r\n", b"5\r\n", b"5\r\n{}"])
def test_chunks_without_their_end_are_refused(door: Door, end: bytes) -> None:
    answer = door.ask(Pieces(CHUNKED, chunk(BODY) + end))
    assert answer.status != 200
    assert door.untouched()


@pytest.mark.parametrize("fields", ["Content-Length: 100", "Transfer-Encoding: chunked"])
def test_a_late_body_is_refused(door: Door, fields: str) -> None:
    answer = door.ask(Pieces(head(fields), late=True))
    assert answer.status == 408
    assert door.untouched()


@pytest.mark.scenario("journal", "Hang-up does not cancel the row")
def test_a_client_that_hangs_up_before_the_answer_has_its_row(door: Door) -> None:
    source = Pieces(head(f"Content-Length: {len(BODY)}"), BODY)
    answer = door.ask(source, room=0)
    assert (answer.status, answer.event.status) == (0, 200)
    assert stored(door) == BODY
    assert door.rows_at_wake == [door.house.rows()]


# Too large


def exactly(size: int) -> bytes:
    return b"{" + b" " * (size - 2) + b"}"


def test_a_body_of_exactly_the_limit_is_taken(door: Door) -> None:
    assert door.post(exactly(MIB)).status == 200
    assert stored(door) == exactly(MIB)


@pytest.mark.scenario("ingest", "Body above the limit is refused")
def test_an_announced_length_above_the_limit_is_not_read(door: Door) -> None:
    source = Pieces(head(f"Content-Length: {MIB + 1}"), b"{")
    answer = door.ask(source)
    assert (answer.status, answer.detail) == (413, "The body is larger than 1 MiB.")
    assert source.pieces
    assert door.house.disk.events == []


@pytest.mark.scenario("ingest", "Body above the limit is refused")
def test_a_packed_body_that_grows_above_the_limit_is_refused(door: Door) -> None:
    packed = gzip.compress(exactly(2 * MIB))
    assert len(packed) < 4096
    answer = door.post(packed, GZIP)
    assert (answer.status, answer.detail) == (413, "The body is larger than 1 MiB.")
    assert door.untouched()


def test_chunks_that_grow_above_the_limit_are_refused(door: Door) -> None:
    chunks = chunk(b"{" + b" " * (MIB - 1)) + chunk(b"}") + b"0\r\n\r\n"
    assert door.ask(Pieces(CHUNKED, chunks)).status == 413
    assert door.untouched()


class Endless:
    """A source of one object of `size` bytes that is nowhere whole."""

    def __init__(self, size: int) -> None:
        self.left = size
        self.begun = False

    def receive(self, size: int, /) -> bytes:
        size = min(size, self.left)
        self.left -= size
        piece = bytearray(b"0123456789abcdef" * (size // 16 + 1))[:size]
        if not self.begun:
            piece[0:1] = b"{"
            self.begun = True
        if self.left == 0:
            piece[-1:] = b"}"
        return bytes(piece)


@pytest.mark.scenario("ingest", "Memory does not grow with the body")
def test_memory_does_not_grow_with_the_body(door: Door) -> None:
    size = 32 * MIB
    door.options["max_body"] = size
    handler = door.route().handler
    body = Body(Reader(Endless(size)), size)
    request = Request("POST", "/ingest", {}, Query(""), Headers(), body, "192.0.2.1")
    tracemalloc.start()
    try:
        response = handler(request)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert response.status == 200
    assert peak < 4 * MIB
