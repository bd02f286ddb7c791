"""A real server on loopback: connections, bodies, faults."""

from __future__ import annotations

import http.client
import subprocess
import sys
from collections.abc import Iterator

import pytest

from healthlog.base.web import App, Event, Request, Response, Route, tokens_only
from tests.support.http import GET, LAST_GET, MIB, bearer, post, routes
from tests.support.loopback import Running, running, server_of
from tests.support.patience import PATIENCE_S
from tests.support.sources import ROOT


@pytest.fixture
def server() -> Iterator[Running]:
    """The routes of tests.support.http."""
    with running() as one:
        yield one


def test_a_connection_serves_many_requests(server: Running) -> None:
    with server.client() as client:
        for _ in range(50):
            client.send(GET)
            assert client.reply().json() == {"hello": "/hello"}


def test_pipelined_requests_are_answered_in_order(server: Running) -> None:
    with server.client() as client:
        client.send(post("/echo", b"one") + GET + post("/echo", b"two"))
        assert [client.reply().body for _ in range(3)] == [b"one", b'{"hello":"/hello"}', b"two"]


def test_a_large_body_comes_back_whole(server: Running) -> None:
    data = bytes(range(256)) * 4096
    with server.client() as client:
        client.send(post("/echo", data) + GET)
        assert client.reply().body == data
        assert client.reply().status == 200


def test_the_library_s_own_client_is_understood(server: Running) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.server.port, timeout=PATIENCE_S)
    connection.request("POST", "/echo", iter([b"hel", b"lo"]), encode_chunked=True)
    assert connection.getresponse().read() == b"hello"
    connection.request("HEAD", "/hello")
    answer = connection.getresponse()
    assert (answer.status, answer.read(), answer.getheader("Server")) == (200, b"", None)
    connection.close()


def test_a_client_that_closes_is_forgotten(server: Running) -> None:
    for _ in range(20):
        with server.client() as client:
            client.send(LAST_GET)
            assert client.reply().headers["connection"] == "close"
            assert client.ended()
    assert server.empty()
    assert server.server.connections == 0
    assert len(server.events) == 20


def test_many_clients_at_once_are_served(server: Running) -> None:
    clients = [server.client() for _ in range(100)]
    for client in clients:
        client.send(LAST_GET)
    assert [client.reply().status for client in clients] == [200] * 100
    for client in clients:
        client.socket.close()


HIDDEN = b"GET /secret HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer read\r\n\r\n"
UNREAD = {401: "/secret", 404: "/other", 413: "/echo", 500: "/boom", 200: "/unread"}


@pytest.mark.parametrize("status", UNREAD)
@pytest.mark.parametrize("times", [1, 4000])
def test_an_unread_body_is_never_executed(server: Running, status: int, times: int) -> None:
    body = HIDDEN * times
    data = post(UNREAD[status], body)
    if status == 413:
        data = data.replace(b"Content-Length: ", b"Content-Length: 99999")
    with server.client() as client:
        client.send(data + HIDDEN)
        reply = client.reply()
        assert (reply.status, reply.headers["connection"]) == (status, "close")
        assert client.ended()
    assert server.empty()
    assert len(server.events) == 1


def test_an_answer_reaches_a_client_that_goes_on_sending(server: Running) -> None:
    with server.client() as client:
        client.send(post("/secret", b"").replace(b"Length: 0", b"Length: 400000"))
        for _ in range(4):
            client.send(bytes(100_000))
        assert client.reply().status == 401
        assert client.ended()


def test_100_comes_before_the_body(server: Running) -> None:
    with server.client() as client:
        head, _, body = post("/echo", b"hello", "Expect: 100-continue").partition(b"\r\n\r\n")
        client.send(head + b"\r\n\r\n")
        assert client.reply(head_only=True).status == 100
        client.send(body)
        assert client.reply().body == b"hello"


def test_a_body_cut_by_the_client_is_refused(server: Running) -> None:
    with server.client() as client:
        client.send(post("/echo", b"hello")[:-1])
        client.end()
        assert client.reply().status == 400
        assert client.ended()


def test_a_reset_in_a_body_harms_nobody(server: Running) -> None:
    with server.client() as client:
        client.send(post("/echo", b"hello")[:-1])
    assert server.empty()
    with server.client() as client:
        client.send(GET)
        assert client.reply().status == 200
    assert server.lines("connection failed") == []


def breaking(request: Request) -> Response:
    def pieces() -> Iterator[bytes]:
        yield bytes(MIB)
        raise RuntimeError

    return Response(200, pieces(), "text/csv")


def test_a_streamed_answer_that_breaks_is_seen_to_break() -> None:
    with running([Route("GET", "/hello", breaking, None)]) as server, server.client() as client:
        client.send(GET)
        with pytest.raises(EOFError):
            client.reply()
        assert server.event().reason == "the answer broke off"
        assert len(server.lines("answer broke off")) == 1


def test_without_chunks_a_reset_tells_the_break_from_the_end() -> None:
    with running([Route("GET", "/hello", breaking, None)]) as server, server.client() as client:
        client.send(GET.replace(b"HTTP/1.1", b"HTTP/1.0"))
        with pytest.raises(ConnectionResetError):
            client.drain()


def test_a_bug_costs_one_connection(server: Running) -> None:
    with server.client() as other:
        with server.client() as client:
            client.send(GET.replace(b"hello", b"boom"))
            assert client.reply().status == 500
            assert client.ended()
        other.send(GET)
        assert other.reply().status == 200
    assert [line["route"] for line in server.lines("request failed")] == ["/boom"]


def failing(event: Event) -> None:
    raise RuntimeError


def test_a_failing_observer_costs_nobody_an_answer() -> None:
    with running(observe=failing) as server, server.client() as client:
        for _ in range(2):
            client.send(GET)
            assert client.reply().status == 200
    assert {line["level"] for line in server.lines("observer failed")} == {"ERROR"}


def test_a_taken_port_is_told_at_once() -> None:
    app = App(routes(), tokens_only(bearer), failing)
    first = server_of(app)
    first.start()
    try:
        with pytest.raises(OSError, match="in use"):
            server_of(app, address=("127.0.0.1", first.port))
    finally:
        first.close()


def test_the_port_is_given_back() -> None:
    app = App(routes(), tokens_only(bearer), failing)
    with running() as server:
        port = server.server.port
    again = server_of(app, address=("127.0.0.1", port))
    assert again.port == port
    again.close()


def test_a_server_that_never_opened_can_be_closed() -> None:
    server = server_of(App(routes(), tokens_only(bearer), failing))
    server.stop_accepting()
    server.close()
    server.close()


def test_a_server_may_listen_on_ipv6() -> None:
    app = App(routes(), tokens_only(bearer), failing)
    try:
        server = server_of(app, address=("::1", 0))
    except OSError:
        pytest.skip("no IPv6 here")
    assert server.port > 0
    server.close()


NO_LOOK_UP = """
import io, sys
from healthlog.base.clock import SystemClock
from healthlog.base.httpd import Limits, Server
from healthlog.base.log import Log
from healthlog.base.web import App

def refuse(event, args):
    if event in {"socket.gethostbyaddr", "socket.getnameinfo", "socket.gethostname"}:
        raise RuntimeError(event)

sys.addaudithook(refuse)
clock = SystemClock()
server = Server(("127.0.0.1", 0), App([], bool, print), Limits(), Log(io.StringIO(), clock), clock)
server.start()
server.close()
print("fine")
"""


def test_starting_asks_no_name_server() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NO_LOOK_UP], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == "fine\n"
