"""What a conversation grants in time, what it tells of each request."""

from __future__ import annotations

import pytest

from healthlog.base.web import App, Match, Request, Response, Route, json_response
from tests.support.clock import FakeClock
from tests.support.http import (
    GET,
    MIB,
    UPLOAD_BUDGET,
    FakeWire,
    Pieces,
    echo,
    post,
    said,
    speak,
)


@pytest.mark.scenario("ingest", "Transport without deadlines is tolerated")
def test_one_line_says_that_deadlines_are_not_supported() -> None:
    wire = FakeWire(Pieces(post("/upload", b"hello") + GET), deadlines=False)
    spoken = speak(wire)
    assert spoken.statuses == [200, 200]
    assert [line["msg"] for line in spoken.lines] == ["deadlines not supported"]
    assert spoken.lines[0]["level"] == "DEBUG"


def test_a_route_with_a_budget_has_it_before_its_body_is_read() -> None:
    clock = FakeClock()
    start = clock.monotonic()
    seen: list[float] = []

    def handler(request: Request) -> Response:
        seen.extend((wire.read_at[-1], wire.write_at[-1]))
        return echo(request)

    route = Route("POST", "/a", handler, None, body_limit=MIB, budget=UPLOAD_BUDGET)
    wire = FakeWire(Pieces(post("/a", b"hello")))
    speak(wire, [route], clock)
    assert seen == [start + 300, start + 330]


@pytest.mark.parametrize("path", ["/echo", "/hello", "/unread", "/boom", "/other"])
def test_all_other_routes_have_write_timeout_in_all(path: str) -> None:
    clock = FakeClock()
    wire = FakeWire(Pieces(post(path, b"hello")))
    speak(wire, clock=clock)
    assert max(wire.read_at + wire.write_at) <= clock.monotonic() + 60  # the idle timeout behind it
    assert clock.monotonic() + 30 in wire.read_at
    assert wire.write_at == [clock.monotonic() + 30]


def test_the_budget_of_one_request_is_not_that_of_the_next() -> None:
    clock = FakeClock()
    wire = FakeWire(Pieces(post("/upload", b"hello") + GET))
    speak(wire, clock=clock)
    assert wire.write_at[-1] == clock.monotonic() + 30


def test_each_wait_has_its_own_deadline() -> None:
    clock = FakeClock()
    start = clock.monotonic()
    wire = FakeWire(Pieces(GET))
    speak(wire, clock=clock)
    # First byte, head, body; then the next first byte.
    assert wire.read_at == [start + 10, start + 10, start + 30, start + 60]


def test_an_answer_makes_an_event() -> None:
    clock = FakeClock()

    def slow(request: Request) -> Response:
        clock.advance(2)
        return json_response(1, 201)

    spoken = speak(FakeWire(Pieces(GET)), [Route("GET", "/hello", slow, None, name="a")], clock)
    (event,) = spoken.events
    assert event.route is not None
    assert event.route.name == "a"
    assert (event.method, event.path, event.status) == ("GET", "/hello", 201)
    assert (event.reason, event.remote, event.duration_s) == ("", "192.0.2.1", 2.0)


def test_an_event_does_not_hold_the_parameters() -> None:
    assert said(b"GET /hello?token=canary HTTP/1.1\r\nHost: x\r\n\r\n").events[0].path == "/hello"


def test_an_event_says_why_a_request_was_refused() -> None:
    event = said(b"GET /other HTTP/1.1\r\nHost: x\r\n\r\n").events[0]
    assert (event.status, event.reason) == (404, "There is nothing at this address.")


def test_an_event_says_that_the_answer_was_not_taken() -> None:
    spoken = speak(FakeWire(Pieces(GET), room=10))
    assert [(event.status, event.reason) for event in spoken.events] == [(200, "scripted")]
    assert spoken.wire.calls == ["abort"]


def test_a_wait_for_the_routes_takes_nothing_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock()
    match = App.match

    def late(app: App, method: str, path: str) -> Match:
        clock.advance(60)
        return match(app, method, path)

    monkeypatch.setattr(App, "match", lambda *_: Match(None, {}, later=True))
    monkeypatch.setattr(App, "await_match", late)
    wire = FakeWire(Pieces(GET))
    assert speak(wire, clock=clock).statuses == [200]
    assert wire.write_at == [clock.monotonic() + 30]
