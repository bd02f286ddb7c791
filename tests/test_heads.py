"""Heads from bytes: what a good one says."""

from __future__ import annotations

import pytest

from healthlog.base.heads import (
    FIELDS_MAX,
    HEAD_MAX_BYTES,
    LINE_MAX_BYTES,
    Headers,
    HeadRefused,
    await_head,
    read_head,
)
from healthlog.base.stream import Cut, Late, Reader
from tests.support.http import GET, Pieces, head_of, single


def with_line(line: bytes) -> bytes:
    return line + b"\r\nHost: x\r\n\r\n"


def with_fields(*fields: bytes, minor: bytes = b"1") -> bytes:
    return b"\r\n".join([b"POST / HTTP/1." + minor, b"Host: x", *fields]) + b"\r\n\r\n"


def test_a_request_line_is_taken_apart() -> None:
    head = head_of(b"GET /a/%20b?c=d&e=?f HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (head.method, head.path, head.query, head.minor) == ("GET", "/a/%20b", "c=d&e=?f", 1)


@pytest.mark.parametrize(
    ("target", "path", "query"),
    [
        (b"http://x/a?b", "/a", "b"),
        (b"http://x", "/", ""),
        (b"https://x:443?b", "/", "b"),
        (b"HTTP://x/a", "/a", ""),
        (b"//x/a", "//x/a", ""),
        (b"/?", "/", ""),
        (b"/a?%zz", "/a", "%zz"),
    ],
)
def test_targets_are_split(target: bytes, path: str, query: str) -> None:
    head = head_of(with_line(b"GET " + target + b" HTTP/1.1"))
    assert (head.path, head.query) == (path, query)


def test_options_may_ask_the_server_itself() -> None:
    assert head_of(with_line(b"OPTIONS * HTTP/1.1")).path == "*"


def test_an_odd_method_is_a_method() -> None:
    assert head_of(with_line(b"M-SEARCH / HTTP/1.1")).method == "M-SEARCH"


def test_a_later_minor_version_is_read_as_the_newest_known() -> None:
    assert head_of(with_line(b"GET / HTTP/1.2")).keep_alive


def test_edges_of_the_field_grammar_are_taken() -> None:
    head = head_of(
        b"GET / HTTP/1.1\r\nhoSt:\tx\t \r\nempty:\r\nA:b\r\n!#$%&'*+.^_`|~-9: \t c d \r\n\r\n"
    )
    assert head.headers.items() == [
        ("hoSt", "x"),
        ("empty", ""),
        ("A", "b"),
        ("!#$%&'*+.^_`|~-9", "c d"),
    ]


@pytest.mark.parametrize("host", [b"", b"x:80", b"[::1]:80", b"127.0.0.1", b"xn--a_b.local"])
def test_hosts_are_taken(host: bytes) -> None:
    head = head_of(b"GET / HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
    assert head.headers.get("Host") == host.decode()


def test_http_1_0_needs_no_host() -> None:
    assert head_of(b"GET / HTTP/1.0\r\n\r\n").minor == 0


def test_a_head_may_come_byte_by_byte() -> None:
    head = read_head(Reader(single(GET)))
    assert (head.path, head.headers.items()) == ("/hello", [("Host", "x")])


def test_what_follows_a_head_is_kept() -> None:
    reader = Reader(Pieces(GET + b"body\n\x00"))
    read_head(reader)
    assert bytes(reader.kept) == b"body\n\x00"


def test_a_head_of_the_greatest_size_is_taken() -> None:
    start = b"GET / HTTP/1.1\r\nHost: x\r\nA: "
    data = start + b"b" * (HEAD_MAX_BYTES - len(start)) + b"\r\n\r\n"
    assert head_of(data).headers.get("A") is not None


def test_a_request_line_of_the_greatest_size_is_taken() -> None:
    line = b"GET /" + b"a" * (LINE_MAX_BYTES - len("GET / HTTP/1.1")) + b" HTTP/1.1"
    assert len(head_of(with_line(line)).path) > 8000


def test_a_head_that_ends_early_is_cut() -> None:
    with pytest.raises(Cut):
        read_head(Reader(Pieces(GET[:-2])))


def test_a_head_that_takes_too_long_is_late() -> None:
    with pytest.raises(Late):
        read_head(Reader(Pieces(GET[:-2], late=True)))


def test_a_stream_without_a_byte_has_no_head() -> None:
    assert not await_head(Reader(Pieces()))


@pytest.mark.parametrize("blank", [b"\r\n", b"\r\n" * 4])
def test_a_few_blank_lines_before_a_head_are_dropped(blank: bytes) -> None:
    for source in (Pieces(blank + GET), single(blank + GET)):
        reader = Reader(source)
        assert await_head(reader)
        assert read_head(reader).path == "/hello"


def test_blank_lines_alone_are_no_head() -> None:
    assert not await_head(Reader(Pieces(b"\r\n\r")))


def test_many_blank_lines_are_refused() -> None:
    with pytest.raises(HeadRefused):
        await_head(Reader(Pieces(b"\r\n" * 5 + GET)))


def test_as_many_fields_as_allowed_are_taken() -> None:
    head = head_of(with_fields(*[b"A: b"] * (FIELDS_MAX - 1)))
    assert len(head.headers.items()) == FIELDS_MAX


@pytest.mark.parametrize("length", [0, 5, 10**18 - 1])
def test_a_length_announces_the_body(length: int) -> None:
    head = head_of(with_fields(b"Content-Length:  %d " % length))
    assert (head.announced, head.chunked) == (length, False)


def test_leading_zeros_of_a_length_mean_nothing() -> None:
    assert head_of(with_fields(b"Content-Length: 0005")).announced == 5


def test_without_length_or_chunks_nothing_is_announced() -> None:
    head = head_of(with_fields())
    assert (head.announced, head.chunked) == (None, False)


@pytest.mark.parametrize("coding", [b"chunked", b"Chunked", b"\tCHUNKED "])
def test_chunks_are_announced_in_any_case(coding: bytes) -> None:
    head = head_of(with_fields(b"Transfer-Encoding:" + coding))
    assert (head.announced, head.chunked) == (None, True)


@pytest.mark.parametrize(
    ("minor", "connection", "keeps"),
    [
        (b"1", None, True),
        (b"1", b"close", False),
        (b"1", b"Keep-Alive", True),
        (b"1", b"x, CLOSE ,y", False),
        (b"1", b"closed", True),
        (b"0", None, False),
        (b"0", b"keep-alive", True),
        (b"0", b"close, keep-alive", False),
    ],
)
def test_who_keeps_the_connection(minor: bytes, connection: bytes | None, keeps: bool) -> None:
    fields = [] if connection is None else [b"Connection: " + connection]
    assert head_of(with_fields(*fields, minor=minor)).keep_alive is keeps


@pytest.mark.parametrize(
    ("minor", "framing", "expects"),
    [
        (b"1", b"Content-Length: 5", True),
        (b"1", b"Transfer-Encoding: chunked", True),
        (b"1", b"Content-Length: 0", False),
        (b"1", b"A: b", False),
        (b"0", b"Content-Length: 5", False),
    ],
)
def test_who_waits_for_100(minor: bytes, framing: bytes, expects: bool) -> None:
    head = head_of(with_fields(b"Expect: 100-Continue", framing, minor=minor))
    assert head.expects_continue is expects


def test_headers_are_found_in_any_case() -> None:
    headers = Headers([("Content-Type", "a/b")])
    assert headers.get("content-TYPE") == "a/b"
    assert headers.get("Content") is None


def test_repeated_headers_are_joined() -> None:
    headers = Headers([("Via", "a"), ("X", "b"), ("via", "c")])
    assert headers.get("Via") == "a, c"
    assert headers.get_all("VIA") == ["a", "c"]
    assert headers.get_all("Y") == []


@pytest.mark.parametrize(("raw", "text"), [("Zürich".encode(), "Zürich"), (b"Z\xfcrich", "Zürich")])
def test_values_are_read_as_utf_8_or_else_latin_1(raw: bytes, text: str) -> None:
    assert head_of(with_fields(b"automation-name: " + raw)).headers.get("automation-name") == text
