"""A real server that stops."""

from __future__ import annotations

import threading
from contextlib import ExitStack

import pytest

from healthlog.base.web import Request, Response, Route
from tests.support.clock import FakeClock
from tests.support.http import GET, MIB, UPLOAD_BUDGET, Gate, echo, post
from tests.support.loopback import running
from tests.support.patience import PATIENCE_S


def test_idle_connections_are_closed_at_the_stop() -> None:
    with running() as server, server.client() as client:
        client.send(GET)
        assert client.reply().status == 200
        server.server.stop_accepting()
        assert client.ended()
        assert server.empty()


def test_new_connections_are_refused_after_the_stop() -> None:
    with running() as server:
        server.server.stop_accepting()
        with pytest.raises(ConnectionRefusedError):
            server.client()


def test_a_busy_connection_is_answered_then_closed() -> None:
    gate = Gate()
    with running([Route("GET", "/hello", gate, None)]) as server, server.client() as client:
        client.send(GET)
        assert gate.inside.acquire(timeout=PATIENCE_S)
        server.server.stop_accepting()
        assert not server.server.wait_idle(server.clock.monotonic())
        gate.opened.set()
        reply = client.reply()
        assert (reply.status, reply.headers["connection"]) == (200, "close")
        assert client.ended()
        assert server.empty()


def test_an_upload_under_way_is_taken_whole() -> None:
    inside = threading.Event()

    def handler(request: Request) -> Response:
        inside.set()
        return echo(request)

    route = Route("POST", "/upload", handler, None, body_limit=MIB, budget=UPLOAD_BUDGET)
    with running([route]) as server, server.client() as client:
        data = post("/upload", b"hello")
        client.send(data[:-3])
        assert inside.wait(PATIENCE_S)
        server.server.stop_accepting()
        client.send(data[-3:])
        assert client.reply().body == b"hello"


@pytest.mark.scenario("ingest", "Stopping service answers 503")
def test_a_head_completed_during_the_stop_gets_503() -> None:
    with running() as server, server.client() as client:
        client.send(GET)
        assert client.reply().status == 200
        client.send(post("/upload", b"hello")[:20])
        server.server.stop_accepting()
        client.send(post("/upload", b"hello")[20:])
        reply = client.reply()
        assert reply.status == 503
        assert int(reply.headers["retry-after"]) > 0
        assert client.ended()
        assert server.empty()


def test_a_request_behind_a_busy_one_gets_503_at_the_stop() -> None:
    gate = Gate()
    with running([Route("GET", "/hello", gate, None)]) as server, server.client() as client:
        client.send(GET + GET)
        assert gate.inside.acquire(timeout=PATIENCE_S)
        server.server.stop_accepting()
        gate.opened.set()
        assert client.reply().headers["connection"] == "close"
        assert client.ended()


def test_what_knocked_before_the_door_closed_gets_503() -> None:
    knocked, closing = threading.Event(), threading.Event()

    def observe(event: object) -> None:
        # Holds the accept loop, which tells of the first refused connection here.
        knocked.set()
        assert closing.wait(PATIENCE_S)

    with running(observe=observe) as server, ExitStack() as stack:
        server.server._host.slots.stop()
        first = stack.enter_context(server.client())
        assert knocked.wait(PATIENCE_S)
        others = [stack.enter_context(server.client()) for _ in range(5)]
        stopper = threading.Thread(target=server.server.stop_accepting)
        stopper.start()
        closing.set()
        stopper.join()
        for client in [first, *others]:
            client.send(GET)
            assert client.reply().status == 503


def test_waiting_ends_at_its_deadline_whatever_clients_do() -> None:
    gate = Gate()
    with running([Route("GET", "/hello", gate, None)]) as server, server.client() as client:
        client.send(GET)
        assert gate.inside.acquire(timeout=PATIENCE_S)
        server.server.stop_accepting()
        assert not server.server.wait_idle(server.clock.monotonic() - 1)
        gate.opened.set()


def test_closing_breaks_what_is_left() -> None:
    inside = threading.Event()

    def handler(request: Request) -> Response:
        inside.set()
        return echo(request)

    route = Route("POST", "/upload", handler, None, body_limit=MIB, budget=UPLOAD_BUDGET)
    with running([route]) as server, server.client() as client:
        client.send(post("/upload", b"hello")[:-1])
        assert inside.wait(PATIENCE_S)
        server.server.close()
        assert client.ended()
        assert server.server.connections == 0
        assert server.event().status == 400


def test_stopping_twice_is_stopping_once() -> None:
    with running(clock=FakeClock()) as server:
        server.server.stop_accepting()
        server.server.stop_accepting()
        server.server.close()
