"""A real server that speaks TLS: the same promises as without."""

from __future__ import annotations

import select
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from healthlog.base.certificates import CertificateUnusable, context_of
from healthlog.base.clock import SystemClock
from healthlog.base.httpd import Limits
from healthlog.base.web import Request, Response, Route
from tests.support.certificates import LOCKED_KEY, pair, placed, trusting
from tests.support.clock import FakeClock
from tests.support.http import GET, LAST_GET, Gate, post
from tests.support.loopback import Client, Running, running
from tests.support.patience import PATIENCE_S

ONE = pair("one")


@pytest.fixture
def server() -> Iterator[Running]:
    with running(pair=ONE) as made:
        yield made


def raw(server: Running) -> Client:
    """A connection without TLS."""
    return server.client()


def spoken(server: Running) -> Client:
    return server.client(tls=trusting())


def hello_bytes() -> bytes:
    """What a client begins with."""
    out = ssl.MemoryBIO()
    tls = trusting().wrap_bio(ssl.MemoryBIO(), out, server_hostname="localhost")
    with suppress(ssl.SSLWantReadError):
        tls.do_handshake()
    return out.read()


@pytest.mark.scenario("security", "Service speaks TLS itself")
def test_requests_and_answers_pass_as_without(server: Running) -> None:
    with spoken(server) as client:
        client.send(GET + GET)
        assert [client.reply().status for _ in range(2)] == [200, 200]
        body = bytes(range(256)) * 2048
        client.send(post("/echo", body))
        assert client.reply().body == body
        client.send(LAST_GET)
        assert client.reply().json() == {"hello": "/hello"}
        # Its goodbye: without one the library would raise.
        assert client.ended()
    assert server.lines("connection failed") == []


@pytest.mark.scenario("security", "Service speaks TLS itself")
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_versions_of_today_are_spoken(server: Running, version: ssl.TLSVersion) -> None:
    with server.client(tls=trusting(version=version)) as client:
        client.send(GET)
        assert client.reply().status == 200


@pytest.mark.scenario("security", "Service speaks TLS itself")
def test_an_old_version_is_not_spoken(server: Running) -> None:
    with pytest.raises(ssl.SSLError):
        server.client(tls=trusting(version=ssl.TLSVersion.TLSv1_1))


def test_only_http_1_1_is_offered(server: Running) -> None:
    context = trusting()
    context.set_alpn_protocols(["h2", "http/1.1"])
    with server.client(tls=context) as client:
        assert isinstance(client.socket, ssl.SSLSocket)
        assert client.socket.selected_alpn_protocol() == "http/1.1"


@pytest.mark.scenario("security", "What is no TLS is closed in order")
def test_plain_http_is_told_to_speak_tls(server: Running) -> None:
    with raw(server) as client:
        client.send(GET)
        reply = client.reply()
        assert reply.status == 400
        assert reply.json()["detail"] == "Only HTTPS is spoken here."
        assert client.ended()
    event = server.event()
    assert (event.status, event.remote) == (400, "127.0.0.1")


@pytest.mark.scenario("security", "What is no TLS is closed in order")
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x16",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"\x16\x03\x01\xff\xff" + bytes(70_000),
        b"\x16\x03\x01\x00\x05hello",
        b"\x15\x03\x01\x00\x02\x02\x28",
        bytes(range(256)),
        hello_bytes()[:50],
        hello_bytes() + b"GET / HTTP/1.1\r\n\r\n",
    ],
    ids=map(str, range(9)),  # a hello is another one each time
)
def test_what_is_no_tls_is_closed(server: Running, data: bytes) -> None:
    # It may be closed before everything was sent.
    with raw(server) as client, suppress(OSError):
        client.send(data)
        client.end()
        client.drain()
    assert server.empty()
    levels = [line for line in server.stream.getvalue().splitlines() if '"ERROR"' in line]
    assert levels == []


def test_a_client_that_trusts_somebody_else_is_no_fault_of_ours(server: Running) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        server.client(tls=trusting("two"))
    assert server.empty()
    assert server.stream.getvalue() == ""


# ---- deadlines


def dripped(clock: FakeClock, sock: socket.socket, data: bytes) -> None:
    """Send a byte a second until the server answers or closes."""
    for at in range(1000):
        if select.select([sock], [], [], 0.005)[0]:
            return
        clock.advance(1)
        with suppress(OSError):
            sock.sendall(data[at % len(data) :][:1])


@pytest.mark.scenario("security", "Deadlines hold inside of TLS")
def test_a_dripping_handshake_is_cut_at_the_deadline_of_the_head() -> None:
    clock = FakeClock()
    with running(clock=clock, pair=ONE) as server, raw(server) as client:
        dripped(clock, client.socket, hello_bytes())
        assert client.ended()
        assert server.empty()
    assert clock.elapsed_s < 1000 + 20


@pytest.mark.scenario("security", "Deadlines hold inside of TLS")
def test_a_silent_client_is_closed() -> None:
    limits = Limits(header_timeout_s=0.01)
    with running(limits=limits, clock=SystemClock(), pair=ONE) as server, raw(server) as client:
        assert client.ended()


@pytest.mark.scenario("security", "Deadlines hold inside of TLS")
@pytest.mark.parametrize(
    "first", [b"GET /", post("/echo", b"").replace(b"Length: 0", b"Length: 5000")]
)
def test_a_dripping_head_or_body_is_cut_at_its_deadline(first: bytes) -> None:
    clock = FakeClock()
    # In 1.3 the server says more after the handshake, which would pass for an answer here.
    old = trusting(version=ssl.TLSVersion.TLSv1_2)
    with running(clock=clock, pair=ONE) as server, server.client(tls=old) as client:
        client.send(first)
        dripped(clock, client.socket, b"a")
        assert client.reply().status == 408


def pouring(_: Request) -> Response:
    return Response(200, (bytes(65536) for _ in range(1000)), "application/octet-stream")


def heavy(_: Request) -> Response:
    return Response(200, bytes(64 << 20), "application/octet-stream")


@pytest.mark.scenario("security", "Deadlines hold inside of TLS")
@pytest.mark.parametrize("handler", [pouring, heavy])
def test_a_client_that_does_not_read_frees_its_thread(
    handler: Callable[[Request], Response],
) -> None:
    own = [Route("GET", "/hello", handler, None)]
    limits = Limits(write_timeout_s=0.2)
    with (
        running(own, limits, SystemClock(), pair=ONE) as server,
        server.client(receive_buffer=4096, tls=trusting()) as client,
    ):
        client.send(GET)
        assert server.event().reason == "the answer was not taken in time"
        # A break, not an end.
        with pytest.raises((ConnectionResetError, ssl.SSLError)):
            client.drain()


def test_a_stop_closes_the_idle_and_awaits_the_busy() -> None:
    gate = Gate()
    own = [Route("GET", "/hello", gate, None)]
    with running(own, pair=ONE) as server, spoken(server) as idle, spoken(server) as busy:
        busy.send(GET)
        assert gate.inside.acquire(timeout=PATIENCE_S)
        server.server.stop_accepting()
        assert idle.ended()
        gate.opened.set()
        assert busy.reply().status == 200
        assert server.empty()


def test_when_all_are_busy_a_client_is_closed_without_a_word() -> None:
    gate = Gate()
    own = [Route("GET", "/hello", gate, None)]
    limits = Limits(max_connections=1, uploads_reserved=0)
    with running(own, limits, pair=ONE) as server, spoken(server) as busy:
        busy.send(GET)
        assert gate.inside.acquire(timeout=PATIENCE_S)
        with raw(server) as client:
            assert client.ended()
        gate.opened.set()
        assert busy.reply().status == 200


# ---- certificates


@pytest.mark.scenario("security", "Renewed certificate is taken up")
def test_a_renewed_certificate_is_taken_up_with_the_next_handshake(tmp_path: Path) -> None:
    files = placed("one", tmp_path)
    with running(pair=files) as server:
        server.client(tls=trusting("one")).socket.close()
        placed("two", tmp_path)
        server.client(tls=trusting("two")).socket.close()
        assert len(server.lines("certificate read again")) == 1


@pytest.mark.scenario("security", "Renewed certificate is taken up")
def test_while_the_new_files_are_unusable_the_old_one_stays(tmp_path: Path) -> None:
    cert, key = placed("one", tmp_path)
    with running(pair=(cert, key)) as server:
        key.write_text("half of it")
        for _ in range(3):
            server.client(tls=trusting("one")).socket.close()
        [line] = server.lines("certificate not read")
        assert line["level"] == "WARN"
        key.unlink()
        server.client(tls=trusting("one")).socket.close()
        placed("two", tmp_path)
        server.client(tls=trusting("two")).socket.close()


@pytest.mark.scenario("security", "Unusable certificate stops the start")
@pytest.mark.parametrize(
    ("files", "of_key", "problem"),
    [
        ((Path("/nowhere/cert.pem"), ONE[1]), False, "No such file"),
        ((ONE[0], Path("/nowhere/key.pem")), True, "No such file"),
        ((Path("/"), ONE[1]), False, "Is a directory"),
        ((ONE[0], pair("two")[1]), True, "not the key of the certificate"),
        ((ONE[1], ONE[1]), False, "no certificate in PEM"),
        ((ONE[0], ONE[0]), True, "no private key in PEM"),
        ((ONE[0], None), True, "no private key in PEM"),
        ((ONE[0], LOCKED_KEY), True, "locked with a password"),
    ],
)
def test_an_unusable_file_is_told_by_its_problem(
    files: tuple[Path, Path | None], of_key: bool, problem: str
) -> None:
    with pytest.raises(CertificateUnusable) as caught:
        context_of(*files)
    assert problem in caught.value.problem
    assert caught.value.key is of_key


def test_certificate_and_key_may_lie_in_one_file(tmp_path: Path) -> None:
    both = tmp_path / "both.pem"
    both.write_bytes(ONE[0].read_bytes() + ONE[1].read_bytes())
    with running(pair=(both, None)) as server, spoken(server) as client:
        client.send(GET)
        assert client.reply().status == 200
