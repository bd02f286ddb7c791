"""A connection from its first byte to its end, over a wire in memory."""

from __future__ import annotations

import pytest

from tests.support.clock import FakeClock
from tests.support.http import (
    GET,
    LAST_GET,
    FakeWire,
    Pieces,
    Spoken,
    post,
    said,
    single,
    speak,
)

CHUNKED = b"POST %b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
EXPECT = "Expect: 100-continue"
HIDDEN = b"GET /secret HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer read\r\n\r\n"


def late(data: bytes) -> Spoken:
    """The conversation with a client that sends `data`, then nothing in time."""
    return speak(FakeWire(Pieces(*([data] if data else []), late=True)))


def closed_by_us(spoken: Spoken) -> bool:
    return "Connection: close\r\n" in spoken.text and spoken.wire.calls == ["linger"]


def test_requests_are_answered_one_after_another() -> None:
    spoken = said(GET * 3)
    assert spoken.statuses == [200, 200, 200]
    assert "Connection:" not in spoken.text


def test_requests_may_come_byte_by_byte() -> None:
    spoken = speak(FakeWire(single(GET + post("/echo", b"hello") + GET)))
    assert spoken.statuses == [200, 200, 200]
    assert "hello" in spoken.text


def test_bodies_of_pipelined_requests_are_told_apart() -> None:
    chunks = CHUNKED % b"/echo" + b"3\r\ntwo\r\n0\r\n\r\n"
    spoken = said(post("/echo", b"one") + chunks + post("/echo", b"three") + GET)
    bodies = [part.partition("\r\n\r\n")[2] for part in spoken.text.split("HTTP/1.1 ")[1:]]
    assert bodies == ["one", "two", "three", '{"hello":"/hello"}']


def test_a_client_that_wants_to_close_is_let_go() -> None:
    spoken = said(LAST_GET + GET)
    assert spoken.statuses == [200]
    assert "Connection: close\r\n" in spoken.text


@pytest.mark.parametrize(("data", "calls"), [(b"", []), (b"more", ["linger"])])
def test_who_has_sent_nothing_more_is_not_lingered_over(data: bytes, calls: list[str]) -> None:
    assert said(LAST_GET + data).wire.calls == calls


def test_an_old_client_is_let_go_after_one_answer() -> None:
    assert said(b"GET /hello HTTP/1.0\r\n\r\n" + GET).statuses == [200]


def test_an_old_client_may_ask_to_stay() -> None:
    old = b"GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
    spoken = said(old + old)
    assert spoken.statuses == [200, 200]
    assert spoken.text.count("Connection: keep-alive\r\n") == 2


def test_a_head_request_gets_the_head_alone() -> None:
    spoken = said(GET.replace(b"GET", b"HEAD") + GET)
    assert spoken.statuses == [200, 200]
    assert spoken.text.count('{"hello"') == 1
    assert spoken.text.count("Content-Length: 18\r\n") == 2


# What follows a refused body must not be taken for a request: each of these bodies is one.
UNREAD: dict[str, tuple[int, bytes]] = {
    "401": (401, post("/secret", HIDDEN)),
    "401 in chunks": (401, CHUNKED % b"/secret" + b"%x\r\n%b\r\n0\r\n\r\n" % (len(HIDDEN), HIDDEN)),
    "404": (404, post("/other", HIDDEN)),
    "405": (405, post("/secret", HIDDEN).replace(b"POST", b"PUT")),
    "413": (413, post("/echo", HIDDEN).replace(b"Length: 6", b"Length: 99999996")),
    "413 in chunks": (413, CHUNKED % b"/echo" + b"fffffff\r\n" + HIDDEN),
    "400 for bad chunks": (400, CHUNKED % b"/echo" + b"1\r\nxx\r\n" + HIDDEN),
    "500": (500, post("/boom", HIDDEN)),
    "200 without reading": (200, post("/unread", HIDDEN)),
    "200 of a route without body": (200, post("/hello", HIDDEN)),
    "GET with a body": (200, GET[:-2] + b"Content-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN),
    "HEAD with a body": (
        200,
        GET.replace(b"GET", b"HEAD")[:-2] + b"Content-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN,
    ),
    "417": (417, post("/secret", HIDDEN, "Expect: coffee")),
    "400 for two framings": (400, post("/secret", HIDDEN, "Transfer-Encoding: chunked")),
    "501": (501, CHUNKED.replace(b": chunked", b": gzip, chunked") % b"/echo" + HIDDEN),
}


@pytest.mark.parametrize("name", UNREAD)
def test_an_unread_body_is_never_the_next_request(name: str) -> None:
    status, data = UNREAD[name]
    spoken = said(data + HIDDEN)
    assert spoken.statuses == [status]
    assert closed_by_us(spoken)


def test_a_401_without_body_keeps_the_connection() -> None:
    assert said(b"GET /secret HTTP/1.1\r\nHost: x\r\n\r\n" + GET).statuses == [401, 200]


def test_a_404_without_body_keeps_the_connection() -> None:
    assert said(b"GET /other HTTP/1.1\r\nHost: x\r\n\r\n" + GET).statuses == [404, 200]


def test_a_bug_is_a_500_in_the_log_that_ends_the_connection() -> None:
    spoken = said(b"GET /boom HTTP/1.1\r\nHost: x\r\n\r\n" + GET)
    assert spoken.statuses == [500]
    assert closed_by_us(spoken)
    assert "application/problem+json" in spoken.text
    line = spoken.lines[0]
    assert (line["level"], line["msg"], line["route"]) == ("ERROR", "request failed", "/boom")
    assert "in boom" in line["traceback"]


def test_a_cut_body_is_refused() -> None:
    spoken = said(post("/echo", b"hello")[:-1])
    assert spoken.statuses == [400]
    assert spoken.events[0].reason == "The body ended before it was complete."


def test_a_late_body_is_a_408_that_still_gets_out() -> None:
    clock = FakeClock()
    wire = FakeWire(Pieces(post("/echo", b"hello")[:-1], late=True))
    spoken = speak(wire, clock=clock)
    assert spoken.statuses == [408]
    # The budget of the route ends when reading ends: the refusal has two seconds of its own.
    assert wire.write_at == [clock.monotonic() + 30, clock.monotonic() + 2]


@pytest.mark.parametrize("data", [b"", b"\r\n", b"\r\n\r"])
def test_who_says_nothing_gets_no_answer(data: bytes) -> None:
    for spoken in (late(data), said(data)):
        assert (spoken.statuses, spoken.events) == ([], [])


def test_who_says_nothing_more_gets_no_further_answer() -> None:
    assert late(GET).statuses == [200]


def test_a_late_head_is_a_408() -> None:
    spoken = late(GET[:-2])
    assert spoken.statuses == [408]
    assert closed_by_us(spoken)


def test_a_cut_head_is_a_400() -> None:
    assert said(GET[:-2]).statuses == [400]


@pytest.mark.parametrize("data", [b"GET /\r\n\r\n", b"\x16\x03\x01", b"\r\n" * 9 + GET])
def test_a_refused_head_has_a_status_line_then_ends(data: bytes) -> None:
    spoken = said(data + GET)
    assert spoken.statuses == [400]
    assert closed_by_us(spoken)
    event = spoken.events[0]
    assert (event.route, event.method, event.path, event.status) == (None, "", "", 400)


@pytest.mark.scenario("ingest", "Interim answer comes before the body")
@pytest.mark.parametrize("framing", ["length", "chunks"])
def test_100_comes_when_the_body_is_first_read(framing: str) -> None:
    head, _, body = post("/echo", b"hello", EXPECT).partition(b"\r\n\r\n")
    if framing == "chunks":
        head = head.replace(b"Content-Length: 5", b"Transfer-Encoding: chunked")
        body = b"5\r\nhello\r\n0\r\n\r\n"
    spoken = speak(FakeWire(Pieces(head + b"\r\n\r\n", body, GET)))
    assert spoken.statuses == [100, 200, 200]
    assert spoken.text.startswith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")


REFUSED_FIRST = {
    "401": "/secret",
    "404": "/other",
    "413": "/echo",
    "500": "/boom",
    "200": "/unread",
}


@pytest.mark.parametrize("status", REFUSED_FIRST)
def test_100_never_comes_when_the_body_is_not_read(status: str) -> None:
    head = post(REFUSED_FIRST[status], b"", EXPECT).replace(b"Length: 0", b"Length: 1048576")
    if status == "413":
        head = head.replace(b"1048576", b"1048577")
    spoken = late(head)
    assert spoken.statuses == [int(status)]
    assert closed_by_us(spoken)


def test_100_is_not_sent_to_a_client_that_did_not_wait() -> None:
    assert said(post("/echo", b"hello", EXPECT)).statuses == [200]


def test_a_client_that_goes_before_100_sent_a_cut_body() -> None:
    wire = FakeWire(Pieces(post("/echo", b"", EXPECT).replace(b"h: 0", b"h: 9")), room=0)
    spoken = speak(wire)
    assert spoken.events[0].status == 400
    assert wire.calls == ["abort"]


def test_a_request_during_the_stop_is_a_503() -> None:
    spoken = speak(FakeWire(Pieces(post("/upload", b"hello") + GET)), stopping=True)
    assert spoken.statuses == [503]
    assert "Retry-After: " in spoken.text
    assert spoken.events[0].path == "/upload"
