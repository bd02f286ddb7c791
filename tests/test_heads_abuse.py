"""Heads that are refused, each by its name, with the right status."""

from __future__ import annotations

import pytest

from healthlog.base.heads import (
    FIELDS_MAX,
    HEAD_MAX_BYTES,
    LINE_MAX_BYTES,
    HeadRefused,
    read_head,
)
from healthlog.base.stream import Reader
from tests.support.http import Pieces, head_of, single


def with_line(line: bytes) -> bytes:
    return line + b"\r\nHost: x\r\n\r\n"


def with_fields(*fields: bytes, method: bytes = b"GET", minor: bytes = b"1") -> bytes:
    return b"\r\n".join([method + b" / HTTP/1." + minor, b"Host: x", *fields]) + b"\r\n\r\n"


REFUSED: dict[str, tuple[int, bytes]] = {
    # request line
    "no version (HTTP/0.9)": (400, b"GET /\r\n\r\n"),
    "no version but a space": (400, b"GET / \r\n\r\n"),
    "no target": (400, with_line(b"GET HTTP/1.1")),
    "empty method": (400, with_line(b" / HTTP/1.1")),
    "two spaces before the target": (400, with_line(b"GET  / HTTP/1.1")),
    "two spaces before the version": (400, with_line(b"GET /  HTTP/1.1")),
    "tab for a space": (400, with_line(b"GET\t/ HTTP/1.1")),
    "space at the end": (400, with_line(b"GET / HTTP/1.1 ")),
    "space in the target": (400, with_line(b"GET /a b HTTP/1.1")),
    "method with brackets": (400, with_line(b"G[]T / HTTP/1.1")),
    "text before the method": (400, b"Extra lineGET / HTTP/1.1\r\nHost: x\r\n\r\n"),
    "HTTP/2.0": (505, with_line(b"GET / HTTP/2.0")),
    "HTTP/9.9": (505, with_line(b"GET / HTTP/9.9")),
    "preface of HTTP/2": (505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "HTTP/1.10": (400, with_line(b"GET / HTTP/1.10")),
    "HTTP/1": (400, with_line(b"GET / HTTP/1")),
    "HTTP/1.x": (400, with_line(b"GET / HTTP/1.x")),
    "http/1.1 in lower case": (400, with_line(b"GET / http/1.1")),
    "TLS hello": (400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
    "NUL in the request line": (400, with_line(b"GET /\x00 HTTP/1.1")),
    "bytes over 127 in the target": (400, with_line(b"GET /\xc3\xa9 HTTP/1.1")),
    "DEL in the target": (400, with_line(b"GET /\x7f HTTP/1.1")),
    "fragment in the target": (400, with_line(b"GET /a#b HTTP/1.1")),
    "target without slash": (400, with_line(b"GET hello HTTP/1.1")),
    "authority as target": (400, with_line(b"GET x:443 HTTP/1.1")),
    "tunnel": (501, with_line(b"CONNECT x:443 HTTP/1.1")),
    "asterisk without OPTIONS": (400, with_line(b"GET * HTTP/1.1")),
    "absolute target without host": (400, with_line(b"GET http:///a HTTP/1.1")),
    "foreign scheme": (400, with_line(b"GET ftp://x/a HTTP/1.1")),
    "half an escape in the path": (400, with_line(b"GET /%4 HTTP/1.1")),
    "escape that is no number": (400, with_line(b"GET /%zz HTTP/1.1")),
    # line ends
    "bare LF after the request line": (400, b"GET / HTTP/1.1\nHost: x\r\n\r\n"),
    "bare LF everywhere": (400, b"GET / HTTP/1.1\nHost: x\n\n"),
    "bare LF in a field": (400, with_fields(b"A: b\nC: d")),
    "bare CR in a field": (400, with_fields(b"A: b\rC: d")),
    "CR before a field": (400, b"GET / HTTP/1.1\r\nHost: x\r\n\rA: b\r\n\r\n"),
    "CR CR LF": (400, b"GET / HTTP/1.1\r\r\nHost: x\r\n\r\n"),
    # fields
    "line without colon": (400, with_fields(b"hidden")),
    "empty name": (400, with_fields(b": value")),
    "space before the colon": (400, with_fields(b"A : b")),
    "tab before the colon": (400, with_fields(b"A\t: b")),
    "space before the name": (400, with_fields(b" A: b")),
    "folded line": (400, with_fields(b"A: b", b" c")),
    "line folded with a tab": (400, with_fields(b"A: b", b"\tc")),
    "folded first field": (400, b"GET / HTTP/1.1\r\n Host: x\r\n\r\n"),
    "brackets in a name": (400, with_fields(b"X-Bad[]: b")),
    "call in a name": (400, with_fields(b"X(): b")),
    "byte over 127 in a name": (400, with_fields(b"\xc3\xa9: b")),
    "NUL in a value": (400, with_fields(b"A: b\x00c")),
    "bell in a value": (400, with_fields(b"A: b\x07")),
    "vertical tab around a value": (400, with_fields(b"A: \x0bb")),
    "DEL in a value": (400, with_fields(b"A: \x7f")),
    # Host
    "no Host": (400, b"GET / HTTP/1.1\r\nA: b\r\n\r\n"),
    "no field at all": (400, b"GET / HTTP/1.1\r\n\r\n"),
    "two Hosts": (400, with_fields(b"Host: y")),
    "the same Host twice": (400, with_fields(b"host: x")),
    "two Hosts with HTTP/1.0": (400, with_fields(b"Host: y", minor=b"0")),
    "Host with a slash": (400, b"GET / HTTP/1.1\r\nHost: x/y\r\n\r\n"),
    "Host with a space": (400, b"GET / HTTP/1.1\r\nHost: x y\r\n\r\n"),
    "Host with an at sign": (400, b"GET / HTTP/1.1\r\nHost: a@x\r\n\r\n"),
    # Content-Length
    "length with plus": (400, with_fields(b"Content-Length: +5")),
    "length with minus": (400, with_fields(b"Content-Length: -5")),
    "length with underscore": (400, with_fields(b"Content-Length: 1_0")),
    "length in words": (400, with_fields(b"Content-Length: abc")),
    "length in hexadecimal": (400, with_fields(b"Content-Length: 0x10")),
    "length with a fraction": (400, with_fields(b"Content-Length: 5.0")),
    "length with a space inside": (400, with_fields(b"Content-Length: 5 5")),
    "empty length": (400, with_fields(b"Content-Length:")),
    "length in other digits": (400, with_fields("Content-Length: ٥".encode())),
    "superscript length": (400, with_fields(b"Content-Length: \xb2")),
    "length of 20 digits": (400, with_fields(b"Content-Length: 99999999999999999999")),
    "two lengths in one field": (400, with_fields(b"Content-Length: 5,6")),
    "the same length twice in one field": (400, with_fields(b"Content-Length: 5, 5")),
    "two lengths": (400, with_fields(b"Content-Length: 5", b"Content-Length: 6")),
    "the same length twice": (400, with_fields(b"Content-Length: 5", b"content-length: 5")),
    # Transfer-Encoding
    "length with chunks": (400, with_fields(b"Content-Length: 5", b"Transfer-Encoding: chunked")),
    "chunks with length": (400, with_fields(b"Transfer-Encoding: chunked", b"Content-Length: 5")),
    "chunks with HTTP/1.0": (400, with_fields(b"Transfer-Encoding: chunked", minor=b"0")),
    "chunked twice": (400, with_fields(b"Transfer-Encoding: chunked, chunked")),
    "chunked in two fields": (
        400,
        with_fields(b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked"),
    ),
    "chunked not last": (400, with_fields(b"Transfer-Encoding: chunked, gzip")),
    "identity": (400, with_fields(b"Transfer-Encoding: identity")),
    "misspelt chunked": (400, with_fields(b"Transfer-Encoding: xchunked")),
    "quoted chunked": (400, with_fields(b'Transfer-Encoding: "chunked"')),
    "empty coding": (400, with_fields(b"Transfer-Encoding:")),
    "gzip before chunked": (501, with_fields(b"Transfer-Encoding: gzip, chunked")),
    # others that stand alone
    "two tokens": (400, with_fields(b"Authorization: a", b"Authorization: b")),
    "two content types": (400, with_fields(b"Content-Type: a/b", b"Content-Type: c/d")),
    "unknown expectation": (417, with_fields(b"Expect: coffee", b"Content-Length: 1")),
    # sizes
    "long target": (414, with_line(b"GET /" + b"a" * LINE_MAX_BYTES + b" HTTP/1.1")),
    "long line without an end": (414, b"GET /" + b"a" * LINE_MAX_BYTES),
    "long method": (414, with_line(b"A" * LINE_MAX_BYTES + b" / HTTP/1.1")),
    "long field": (431, with_fields(b"A: " + b"b" * HEAD_MAX_BYTES)),
    "long field without an end": (431, b"GET / HTTP/1.1\r\nA: " + b"b" * HEAD_MAX_BYTES),
    "many fields": (431, with_fields(*[b"A: b"] * FIELDS_MAX)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_head_is_refused(name: str) -> None:
    status, data = REFUSED[name]
    with pytest.raises(HeadRefused) as refused:
        head_of(data)
    assert refused.value.status == status


@pytest.mark.parametrize("name", [name for name in REFUSED if "many" not in name])
def test_a_bad_head_is_refused_when_it_comes_byte_by_byte(name: str) -> None:
    status, data = REFUSED[name]
    with pytest.raises(HeadRefused) as refused:
        read_head(Reader(single(data)))
    assert refused.value.status == status


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_is_one_sentence_without_data(name: str) -> None:
    with pytest.raises(HeadRefused) as refused:
        head_of(REFUSED[name][1])
    assert refused.value.detail.endswith(".")
    assert refused.value.detail.isascii()
    assert len(refused.value.detail) < 80


NONSENSE = ["bare LF everywhere", "TLS hello", "no version (HTTP/0.9)", "HTTP/2.0"]


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_refused_before_the_head_ends(name: str) -> None:
    # Who sends it waits for an answer and may never send a blank line.
    data = REFUSED[name][1].split(b"\r\n\r\n")[0] + b"\r\n"
    with pytest.raises(HeadRefused):
        read_head(Reader(Pieces(data, late=True)))
