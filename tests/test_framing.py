"""Answers as they go over the wire."""

from __future__ import annotations

import pytest

from healthlog.base.answers import Response
from healthlog.base.framing import SLICE_BYTES, chunk, framing_of, head_of, slices
from healthlog.base.shield import SHIELD
from tests.support.clock import MORNING_US


def head(response: Response, minor: int = 1, connection: str = "") -> list[str]:
    """The lines, without those of the shield, which every answer has."""
    lines = whole_head(response, minor, connection)
    for name, value in SHIELD:
        lines.remove(f"{name}: {value}")
    return lines


def whole_head(response: Response, minor: int = 1, connection: str = "") -> list[str]:
    framing = framing_of(response, minor)
    data = head_of(response, framing, connection=connection, now_us=MORNING_US)
    assert data.endswith(b"\r\n\r\n")
    return data.decode("ascii").split("\r\n")[:-2]


def test_bytes_are_framed_by_their_length() -> None:
    assert head(Response(200, b"hello", "text/plain")) == [
        "HTTP/1.1 200 OK",
        "Date: Sun, 02 Aug 2026 08:01:42 GMT",
        "Content-Type: text/plain",
        "Content-Length: 5",
    ]


def test_pieces_are_framed_in_chunks() -> None:
    lines = head(Response(200, [b"hello"], "text/plain"))
    assert "Transfer-Encoding: chunked" in lines
    assert not any(line.startswith("Content-Length") for line in lines)


def test_pieces_of_known_length_are_framed_by_it() -> None:
    lines = head(Response(200, [b"hello"], "text/plain", length=5))
    assert "Content-Length: 5" in lines
    assert "Transfer-Encoding: chunked" not in lines


def test_an_old_client_gets_no_chunks() -> None:
    response = Response(200, [b"hello"], "text/plain")
    assert framing_of(response, 0).ends_by_close
    assert len(head(response, 0)) == 3


@pytest.mark.parametrize("status", [204, 304])
def test_answers_without_body_have_no_length(status: int) -> None:
    lines = head(Response(status, b"", ""))
    assert len(lines) == 2
    assert not framing_of(Response(status, b"", ""), 0).ends_by_close


def test_own_headers_stand_last() -> None:
    response = Response(401, b"", "text/plain", (("WWW-Authenticate", "Bearer"), ("A", "b")))
    assert head(response, connection="close")[-3:] == [
        "Connection: close",
        "WWW-Authenticate: Bearer",
        "A: b",
    ]


def test_no_answer_says_what_program_it_is() -> None:
    assert not any(line.startswith("Server") for line in head(Response(200, b"", "text/plain")))


def test_a_chunk_has_its_size_before_it() -> None:
    assert chunk(b"x" * 26) == b"1a\r\n" + b"x" * 26 + b"\r\n"


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([], []),
        ([0, 0], []),
        ([1, 0, 2], [3]),
        ([SLICE_BYTES], [SLICE_BYTES]),
        ([SLICE_BYTES - 1, 1, 1], [SLICE_BYTES, 1]),
        ([3 * SLICE_BYTES + 5], [SLICE_BYTES, SLICE_BYTES, SLICE_BYTES, 5]),
        ([10] * 10_000, [SLICE_BYTES, 100_000 - SLICE_BYTES]),
    ],
)
def test_pieces_are_sliced_evenly(sizes: list[int], expected: list[int]) -> None:
    pieces = [bytes([at % 251]) * size for at, size in enumerate(sizes)]
    given = list(slices(pieces))
    assert [len(one) for one in given] == expected
    assert b"".join(given) == b"".join(pieces)


def test_an_answer_may_bring_another_shield_of_one_name() -> None:
    response = Response(200, b"", "text/css", (("cache-control", "max-age=60"),))
    lines = whole_head(response)
    assert [line for line in lines if line.lower().startswith("cache-control")] == [
        "cache-control: max-age=60"
    ]
    assert sum(line.startswith("X-Content-Type-Options: nosniff") for line in lines) == 1
