"""Bodies from bytes: where they end, what breaks them."""

from __future__ import annotations

import tracemalloc

import pytest

from healthlog.base.errors import Circumstance, Refusal
from healthlog.base.http1 import (
    Body,
    Cut,
    Late,
    Malformed,
    Reader,
    Source,
    TooLarge,
    read_head,
    size_in_words,
)
from tests.support.http import GET, Pieces, single

HELLO = b"5\r\nhello\r\n0\r\n\r\n"


def fixed(source: Source, size: int, limit: int | None = None) -> Body:
    return Body(Reader(source), size, limit=limit)


def chunked(source: Source, limit: int | None = None) -> Body:
    return Body(Reader(source), None, chunked=True, limit=limit)


def whole(body: Body, size: int = 65536) -> bytes:
    parts = []
    while piece := body.read(size):
        parts.append(piece)
    return b"".join(parts)


def broken(body: Body) -> type[Exception]:
    """What ends the reading of a body that never ends well."""
    with pytest.raises((Cut, Late, Malformed, TooLarge)) as broke:
        whole(body)
    assert not body.finished
    return broke.type


GOOD_CHUNKS: dict[str, tuple[bytes, bytes]] = {
    "one chunk": (HELLO, b"hello"),
    "no chunk": (b"0\r\n\r\n", b""),
    "three chunks": (b"2\r\nhe\r\n1\r\nl\r\n2\r\nlo\r\n0\r\n\r\n", b"hello"),
    "upper case size": (b"C\r\nHellO world1\r\n0\r\n\r\n", b"HellO world1"),
    "lower case size": (b"c\r\nHellO world1\r\n0\r\n\r\n", b"HellO world1"),
    "zeros before the size": (b"0005\r\nhello\r\n0000\r\n\r\n", b"hello"),
    "line ends as data": (b"4\r\n\r\n\r\n\r\n0\r\n\r\n", b"\r\n\r\n"),
    "a chunk as data": (b"5\r\n0\r\n\r\n\r\n0\r\n\r\n", b"0\r\n\r\n"),
    "extension": (b"5;a=b\r\nhello\r\n0\r\n\r\n", b"hello"),
    "quoted extension": (b'5 ; a="b c" ;d\r\nhello\r\n0;e\r\n\r\n', b"hello"),
    "trailers": (b"5\r\nhello\r\n0\r\nA: b\r\nC:\r\n\r\n", b"hello"),
}

BAD_CHUNKS: dict[str, bytes] = {
    "empty size": b"\r\nhello\r\n0\r\n\r\n",
    "size in words": b"five\r\nhello\r\n0\r\n\r\n",
    "size with minus": b"-5\r\nhello\r\n0\r\n\r\n",
    "size with plus": b"+5\r\nhello\r\n0\r\n\r\n",
    "size with 0x": b"0x5\r\nhello\r\n0\r\n\r\n",
    "size with underscore": b"1_0\r\nhellohellohello.\r\n0\r\n\r\n",
    "size of 16 digits": b"0000000000000005\r\nhello\r\n0\r\n\r\n",
    "size of 40 digits": b"f" * 40 + b"\r\nhello\r\n0\r\n\r\n",
    "space before the size": b" 5\r\nhello\r\n0\r\n\r\n",
    "space behind the size": b"5 \r\nhello\r\n0\r\n\r\n",
    "text behind the size": b"5 a\r\nhello\r\n0\r\n\r\n",
    "LF behind the size": b"5\nhello\r\n0\r\n\r\n",
    "CR behind the size": b"5\rhello\r\n0\r\n\r\n",
    "bare semicolon": b"5;\r\nhello\r\n0\r\n\r\n",
    "extension without value": b"5;a=\r\nhello\r\n0\r\n\r\n",
    "extension without end of its quote": b'5;a="b\r\nhello\r\n0\r\n\r\n',
    "two words in an extension": b"5;a b\r\nhello\r\n0\r\n\r\n",
    "CR in an extension": b"5;a\rb\r\nhello\r\n0\r\n\r\n",
    "NUL in an extension": b"5;a\x00b\r\nhello\r\n0\r\n\r\n",
    "LF in an extension": b"5;a\nb\r\nhello\r\n0\r\n\r\n",
    "long extension": b"5;" + b"a" * 2000 + b"\r\nhello\r\n0\r\n\r\n",
    "long extensions in sum": (b"1;" + b"a" * 1000 + b"\r\nx\r\n") * 20 + b"0\r\n\r\n",
    "chunk longer than its size": b"4\r\nhello\r\n0\r\n\r\n",
    "chunk shorter than its size": b"6\r\nhello\r\n0\r\n\r\n",
    "LF behind the chunk": b"5\r\nhello\n0\r\n\r\n",
    "two other bytes behind the chunk": b"5\r\nhelloXX0\r\n\r\n",
    "CR alone behind the chunk": b"5\r\nhello\r0\r\n\r\n",
    "trailer without colon": b"0\r\nhidden\r\n\r\n",
    "trailer with a space before the colon": b"0\r\nA : b\r\n\r\n",
    "folded trailer": b"0\r\nA: b\r\n c\r\n\r\n",
    "trailer with bare LF": b"0\r\nA: b\nC: d\r\n\r\n",
    "long trailer": b"0\r\nA: " + b"b" * 9000 + b"\r\n\r\n",
    "many trailers": b"0\r\n" + b"A: bcd\r\n" * 2000 + b"\r\n",
}


@pytest.mark.parametrize("name", GOOD_CHUNKS)
@pytest.mark.parametrize("size", [1, 3, 65536])
def test_chunks_are_joined(name: str, size: int) -> None:
    data, text = GOOD_CHUNKS[name]
    for source in (Pieces(data + GET), single(data + GET)):
        body = chunked(source)
        assert whole(body, size) == text
        assert body.finished


@pytest.mark.parametrize("name", GOOD_CHUNKS)
def test_the_next_request_stands_behind_the_last_chunk(name: str) -> None:
    reader = Reader(Pieces(GOOD_CHUNKS[name][0] + GET))
    whole(Body(reader, None, chunked=True))
    assert read_head(reader).path == "/hello"


@pytest.mark.parametrize("name", GOOD_CHUNKS)
def test_a_chunked_body_without_its_end_is_cut(name: str) -> None:
    data = GOOD_CHUNKS[name][0]
    for length in range(len(data)):
        assert broken(chunked(Pieces(data[:length]))) is Cut


@pytest.mark.parametrize("name", BAD_CHUNKS)
def test_bad_chunks_are_malformed(name: str) -> None:
    assert broken(chunked(Pieces(BAD_CHUNKS[name] + GET))) is Malformed


@pytest.mark.parametrize("name", BAD_CHUNKS)
def test_bad_chunks_are_malformed_when_they_come_byte_by_byte(name: str) -> None:
    assert broken(chunked(single(BAD_CHUNKS[name] + GET))) is Malformed


@pytest.mark.parametrize("name", BAD_CHUNKS)
def test_what_is_said_of_bad_chunks_is_a_sentence_without_data(name: str) -> None:
    with pytest.raises(Malformed) as said:
        whole(chunked(Pieces(BAD_CHUNKS[name] + GET)))
    assert str(said.value).endswith(".")
    assert "hello" not in str(said.value)


def test_tiny_chunks_are_read_in_large_pieces() -> None:
    data = b"1\r\nx\r\n" * 5000 + b"0\r\n\r\n"
    assert chunked(Pieces(data)).read() == b"x" * 5000


def test_chunks_at_hand_are_given_without_waiting_for_more() -> None:
    body = chunked(Pieces(b"5\r\nhello", late=True))
    assert body.read() == b"hello"


def test_a_huge_chunk_is_refused_before_it_comes() -> None:
    assert broken(chunked(Pieces(b"fffffffffffffff\r\n", late=True), limit=10)) is TooLarge


def test_chunks_over_the_limit_in_sum_are_refused() -> None:
    data = b"5\r\nhello\r\n" * 3 + b"0\r\n\r\n"
    assert whole(chunked(Pieces(data), limit=15)) == b"hello" * 3
    assert broken(chunked(Pieces(data), limit=14)) is TooLarge


@pytest.mark.parametrize("size", [1, 3, 65536])
def test_a_fixed_body_is_as_long_as_announced(size: int) -> None:
    for source in (Pieces(b"hello" + GET), Pieces(b"he", b"llo" + GET), single(b"hello" + GET)):
        body = fixed(source, 5)
        assert whole(body, size) == b"hello"
        assert body.finished


def test_a_fixed_body_leaves_the_next_request_alone() -> None:
    reader = Reader(Pieces(b"hello" + GET))
    reader.fill()
    assert whole(Body(reader, 5)) == b"hello"
    assert read_head(reader).path == "/hello"


@pytest.mark.parametrize("came", range(5))
def test_a_fixed_body_with_fewer_bytes_is_cut(came: int) -> None:
    assert broken(fixed(Pieces(b"hello"[:came]), 5)) is Cut


def test_a_fixed_body_over_the_limit_is_refused_unread() -> None:
    source = Pieces(b"hello")
    assert broken(fixed(source, 5, limit=4)) is TooLarge
    assert source.calls == 0


def test_a_late_body_is_late_and_never_ended() -> None:
    assert broken(fixed(Pieces(b"hell", late=True), 5)) is Late
    assert broken(chunked(Pieces(HELLO[:-1], late=True))) is Late


@pytest.mark.parametrize("length", [None, 0])
def test_a_body_of_no_bytes_is_finished_unread(length: int | None) -> None:
    source = Pieces(late=True)
    body = Body(Reader(source), length)
    assert body.finished
    assert body.read() == b""
    assert source.calls == 0


def test_an_unread_body_is_not_finished() -> None:
    assert not fixed(Pieces(b"hello"), 5).finished
    assert not chunked(Pieces(b"0\r\n\r\n")).finished


def test_a_body_that_broke_stays_broken() -> None:
    for body in (
        fixed(Pieces(b"hell"), 5),
        chunked(Pieces(b"5\r\nhelloXX0\r\n\r\n")),
        chunked(Pieces(HELLO), limit=1),
    ):
        first = broken(body)
        assert broken(body) is first


def test_a_body_that_ended_stays_ended() -> None:
    for body in (fixed(Pieces(b"hello"), 5), chunked(Pieces(HELLO))):
        whole(body)
        assert body.read() == b""


def test_the_announced_length_is_told() -> None:
    assert fixed(Pieces(), 5).announced == 5
    assert chunked(Pieces()).announced is None


def test_the_first_read_is_announced_once() -> None:
    told: list[str] = []
    body = Body(Reader(single(b"hello")), 5, before_first_read=lambda: told.append("go"))
    assert told == []
    whole(body)
    assert told == ["go"]


def test_the_first_read_is_not_announced_to_a_client_that_sent_already() -> None:
    told: list[str] = []
    reader = Reader(Pieces(b"h", b"ello"))
    reader.fill()
    whole(Body(reader, 5, before_first_read=lambda: told.append("go")))
    assert told == []


def test_the_first_read_is_not_announced_for_a_body_over_the_limit() -> None:
    told: list[str] = []
    body = Body(Reader(Pieces()), 5, before_first_read=lambda: told.append("go"), limit=4)
    broken(body)
    assert told == []


def test_a_body_can_be_made_of_bytes() -> None:
    assert whole(Body.of(b"hello"), 2) == b"hello"
    assert Body.of(b"").finished


def test_a_large_body_is_read_in_large_pieces_and_flat_memory() -> None:
    source = Pieces(*[bytes(65536)] * 64)
    body = fixed(source, 64 * 65536)
    tracemalloc.start()
    try:
        while body.read():
            pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert source.calls == 64
    assert peak < 1 << 20


def test_broken_streams_are_circumstances_and_bad_bytes_refusals() -> None:
    assert issubclass(Cut, Circumstance)
    assert issubclass(Late, Circumstance)
    assert issubclass(Malformed, Refusal)
    assert issubclass(TooLarge, Refusal)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (10, "10 bytes"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (64 << 20, "64 MiB"),
        (1 << 30, "1 GiB"),
    ],
)
def test_limits_are_told_in_words(size: int, words: str) -> None:
    assert size_in_words(size) == words
    assert words in str(TooLarge(size))
