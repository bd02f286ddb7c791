"""A real server at its limits: deadlines, slots, descriptors."""

from __future__ import annotations

import select
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

import pytest

from healthlog.base.clock import SystemClock
from healthlog.base.httpd import Limits, fitting
from healthlog.base.slots import Slot, Stage
from healthlog.base.web import Problem, Request, Response, Route
from tests.support.clock import FakeClock
from tests.support.http import GET, MIB, UPLOAD_BUDGET, Gate, echo, hello, post
from tests.support.loopback import Client, Running, running
from tests.support.patience import PATIENCE_S
from tests.support.sources import ROOT


def drip(running_server: Running, clock: FakeClock, first: bytes, byte: bytes) -> int:
    """Send a byte a second until the server answers; its status."""
    with running_server.client() as client:
        client.send(first)
        for _ in range(1000):
            # Waits for the answer, not for the time: the clock is moved here.
            if select.select([client.socket], [], [], 0.005)[0]:
                break
            clock.advance(1)
            client.send(byte)
        return client.reply().status


def test_a_dripping_head_is_cut_at_its_deadline() -> None:
    clock = FakeClock()
    with running(clock=clock) as server:
        assert drip(server, clock, b"GET /", b"a") == 408


@pytest.mark.scenario("ingest", "Slow body is refused at the absolute deadline")
def test_a_dripping_body_is_cut_at_its_deadline() -> None:
    clock = FakeClock()
    with running(clock=clock) as server:
        head = post("/echo", b"").replace(b"Length: 0", b"Length: 5000")
        assert drip(server, clock, head, b"a") == 408


def test_a_silent_client_is_closed_without_an_answer() -> None:
    limits = Limits(header_timeout_s=0.01)
    with running(limits=limits, clock=SystemClock()) as server, server.client() as client:
        assert client.ended()


def test_a_client_that_falls_silent_is_closed() -> None:
    limits = Limits(idle_timeout_s=0.01)
    with running(limits=limits, clock=SystemClock()) as server, server.client() as client:
        client.send(GET)
        assert client.reply().status == 200
        assert client.ended()


def pouring(request: Request) -> Response:
    return Response(200, (bytes(65536) for _ in range(1000)), "application/octet-stream")


def heavy(request: Request) -> Response:
    return Response(200, bytes(64 << 20), "application/octet-stream")


@pytest.mark.parametrize("handler", [pouring, heavy])
def test_a_client_that_does_not_read_frees_its_thread(
    handler: Callable[[Request], Response],
) -> None:
    own = [Route("GET", "/hello", handler, None)]
    limits = Limits(write_timeout_s=0.1)
    with (
        running(own, limits, SystemClock()) as server,
        server.client(receive_buffer=4096) as client,
    ):
        client.send(GET)
        assert server.event().reason == "the answer was not taken in time"


def test_a_streamed_answer_comes_whole() -> None:
    with running([Route("GET", "/hello", pouring, None)]) as own, own.client() as client:
        client.send(GET + GET)
        for _ in range(2):
            reply = client.reply()
            assert reply.headers["transfer-encoding"] == "chunked"
            assert len(reply.body) == 1000 * 65536


@contextmanager
def holding(limits: Limits) -> Iterator[tuple[Running, Gate, ExitStack]]:
    """A server with `/hold`, `/hello`, `/upload`; the stack closes the clients of a test."""
    gate = Gate()
    own = [
        Route("GET", "/hello", hello, None),
        Route("GET", "/hold", gate, None),
        Route("POST", "/upload", echo, None, body_limit=MIB, budget=UPLOAD_BUDGET),
    ]
    with running(own, limits) as server, ExitStack() as stack:
        stack.callback(gate.opened.set)
        yield server, gate, stack


def held(server: Running, gate: Gate, stack: ExitStack) -> Client:
    """A client whose request is inside its handler."""
    client = stack.enter_context(server.client())
    client.send(GET.replace(b"hello", b"hold"))
    assert gate.inside.acquire(timeout=PATIENCE_S)
    return client


class Ticking(FakeClock):
    """Moves a little whenever it is asked, so that no two connections are of one age."""

    def monotonic(self) -> float:
        self.elapsed_s += 0.001
        return self.elapsed_s


def test_a_new_client_takes_the_place_of_the_oldest_without_a_head() -> None:
    limits = Limits(max_connections=3, uploads_reserved=1)
    with running(limits=limits, clock=Ticking()) as server, ExitStack() as stack:
        silent = [stack.enter_context(server.client()) for _ in range(3)]
        for client in silent:
            client.send(GET[:8])
        fresh = stack.enter_context(server.client())
        fresh.send(post("/upload", b"hello"))
        assert fresh.reply().body == b"hello"
        assert silent[0].ended()
        for client in silent[1:]:
            client.send(GET[8:])
            assert client.reply().status == 200


def test_a_flood_of_silent_clients_keeps_nobody_out() -> None:
    limits = Limits(max_connections=8, uploads_reserved=2)
    with running(limits=limits) as server, ExitStack() as stack:
        for _ in range(60):
            stack.enter_context(server.client()).send(b"GET /hel")
        client = stack.enter_context(server.client())
        client.send(post("/upload", b"hello"))
        assert client.reply().body == b"hello"


def test_when_all_are_busy_a_client_is_told_to_come_back() -> None:
    with holding(Limits(max_connections=2, uploads_reserved=0)) as (server, gate, stack):
        busy = [held(server, gate, stack) for _ in range(2)]
        client = stack.enter_context(server.client())
        client.send(GET + bytes(100_000))
        reply = client.reply()
        assert reply.status == 503
        assert int(reply.headers["retry-after"]) > 0
        assert reply.headers["connection"] == "close"
        assert reply.json()["detail"] == "All connections are in use."
        assert client.ended()
        gate.opened.set()
        assert [one.reply().status for one in busy] == [200, 200]


def test_general_requests_leave_room_for_uploads() -> None:
    with holding(Limits(max_connections=3, uploads_reserved=2)) as (server, gate, stack):
        held(server, gate, stack)
        general, upload = (stack.enter_context(server.client()) for _ in range(2))
        general.send(GET)
        assert general.reply().status == 503
        assert general.ended()
        upload.send(post("/upload", b"hello"))
        assert upload.reply().body == b"hello"


def test_health_is_told_when_all_places_are_taken() -> None:
    gate = Gate()
    own = [
        Route("GET", "/hold", gate, None),
        Route("GET", "/hello", hello, None),
        Route("GET", "/health", hello, None, always=True),
    ]
    with (
        running(own, Limits(max_connections=24, uploads_reserved=8)) as server,
        ExitStack() as stack,
    ):
        stack.callback(gate.opened.set)
        for _ in range(15):
            held(server, gate, stack)
        for path, status in ((b"hello", 503), (b"health", 200)):
            client = stack.enter_context(server.client())
            client.send(GET.replace(b"hello", path))
            assert client.reply().status == status


def test_a_place_is_free_again_when_its_client_is_gone() -> None:
    with holding(Limits(max_connections=2, uploads_reserved=0)) as (server, gate, _):
        gate.opened.set()
        for _ in range(10):
            with ExitStack() as clients:
                for _ in range(2):
                    assert held(server, gate, clients).reply().status == 200
            assert server.empty()


def test_a_refused_connection_makes_an_event() -> None:
    with holding(Limits(max_connections=1, uploads_reserved=0)) as (server, gate, stack):
        held(server, gate, stack)
        client = stack.enter_context(server.client())
        assert client.reply().status == 503
        event = server.event()
        assert (event.route, event.status, event.remote) == (None, 503, "127.0.0.1")
        assert event.reason == "All connections are in use."


@pytest.mark.parametrize(
    ("descriptors", "connections", "reserved"),
    [(-1, 192, 64), (1024, 192, 64), (416, 192, 64), (256, 112, 37), (64, 16, 5), (8, 2, 1)],
)
def test_connections_fit_under_the_descriptors(
    descriptors: int, connections: int, reserved: int
) -> None:
    fit = fitting(Limits(), descriptors)
    assert (fit.max_connections, fit.uploads_reserved) == (connections, reserved)


STARVED = """
import io, os, resource, sys, threading
from healthlog.base.clock import SystemClock
from healthlog.base.httpd import Limits, Server
from healthlog.base.log import Log
from healthlog.base.web import App, Route, json_response

class Told(io.StringIO):
    def write(self, line):
        if "accept failed" in line:
            print("accept failed", flush=True)
        return len(line)

tried = 0

def count(frame, event, arg):
    global tried
    tried += event == "call" and frame.f_code.co_name == "get_request"

threading.setprofile(count)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
clock = SystemClock()
app = App([Route("GET", "/hello", lambda _: json_response(1), None)], bool, id)
server = Server(("127.0.0.1", 0), app, Limits(), Log(Told(), clock), clock)
server.start()
began = clock.monotonic()
eaten = []
try:
    while True:
        eaten.append(os.dup(0))
except OSError:
    pass
print(server.port, flush=True)
sys.stdin.readline()
for one in eaten:
    os.close(one)
sys.stdin.readline()
print(tried, clock.monotonic() - began, flush=True)
"""


def test_out_of_descriptors_the_door_waits_without_spinning() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STARVED],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        with Client(int(process.stdout.readline())) as client:
            client.send(GET)
            assert process.stdout.readline() == "accept failed\n"
            process.stdin.write("\n")
            process.stdin.flush()
            assert client.reply().status == 200
        process.stdin.write("\n")
        process.stdin.flush()
        # It was said once, however often it was tried: at most five times a second.
        tried, seconds = process.stdout.readline().split()
        assert int(tried) <= 3 + 5 * float(seconds)


def guess(request: Request) -> Response:
    raise Problem(401, "Wrong.", delay_s=1000.0)


@pytest.mark.scenario("security", "The right token is never delayed")
def test_who_guesses_keeps_nobody_out() -> None:
    own = [
        Route("GET", "/guess", guess, None),
        Route("POST", "/upload", echo, None, body_limit=MIB, budget=UPLOAD_BUDGET),
    ]
    limits = Limits(max_connections=4, uploads_reserved=1)
    with running(own, limits) as server, ExitStack() as stack:
        for number in range(4):
            client = stack.enter_context(server.client())
            client.send(GET.replace(b"hello", b"guess"))
            until(partial(held_back, server, number + 1))
        for _ in range(10):
            with server.client() as phone:
                phone.send(post("/upload", b"hello"))
                assert phone.reply().body == b"hello"


@pytest.mark.scenario("ingest", "Slowest upload gives way")
def test_the_slowest_upload_gives_way_with_an_answer() -> None:
    clock = FakeClock()
    with running(limits=Limits(max_connections=12, uploads_reserved=2), clock=clock) as server:
        head = post("/upload", b"").replace(b"Length: 0", b"Length: 500000")
        with server.client() as slow, server.client() as quick, server.client() as phone:
            for client in (slow, quick):
                client.send(head)
            until(lambda: len(staged(server, Stage.UPLOADING)) == 2)
            slow.send(b"a" * 1000)
            quick.send(b"a" * 100_000)
            until(lambda: sum(one.rate() for one in staged(server, Stage.UPLOADING)) == 101_000)
            clock.advance(5)
            phone.send(post("/upload", b"hello"))
            assert phone.reply().body == b"hello"
            reply = slow.reply()
            assert reply.status == 408
            assert "slowest" in reply.json()["detail"]
            quick.send(b"a" * 400_000)
            assert len(quick.reply().body) == 500_000


@pytest.mark.scenario("ingest", "Slowest upload gives way")
def test_who_has_no_token_makes_no_upload_give_way() -> None:
    clock = FakeClock()
    own = [Route("POST", "/upload", echo, "ingest", body_limit=MIB, budget=UPLOAD_BUDGET)]
    limits = Limits(max_connections=12, uploads_reserved=1)
    token = "Authorization: Bearer ingest"
    with running(own, limits, clock) as server, server.client() as slow:
        slow.send(post("/upload", b"", token).replace(b"Length: 0", b"Length: 5"))
        until(lambda: len(staged(server, Stage.UPLOADING)) == 1)
        clock.advance(5)
        with server.client() as stranger:
            stranger.send(post("/upload", b"hello"))
            assert stranger.reply().status == 401
        slow.send(b"hello")
        assert slow.reply().body == b"hello"


def staged(server: Running, stage: Stage) -> list[Slot]:
    return [slot for slot in list(server.server._host.slots._live) if slot.stage is stage]


def held_back(server: Running, count: int) -> bool:
    return len(staged(server, Stage.HELD)) == count


def until(happened: Callable[[], bool]) -> None:
    for _ in range(20_000):
        if happened():
            return
        threading.Event().wait(0.001)
    raise AssertionError("it did not happen")


@pytest.mark.scenario("web", "Refusal of a large body is read")
@pytest.mark.parametrize("path", ["/secret", "/upload"])
def test_a_client_that_sends_all_before_it_looks_reads_the_refusal(path: str) -> None:
    size = 24 << 20
    head = post(path, b"").replace(b"Length: 0", b"Length: %d" % size)
    with running() as server, server.client() as client:
        client.send(head)
        for _ in range(size >> 16):
            client.send(bytes(1 << 16))
        reply = client.reply()
        assert reply.status == (401 if path == "/secret" else 413)
        assert reply.headers["connection"] == "close"
        assert client.ended()


def test_a_stop_waits_for_no_client_that_goes_on_sending() -> None:
    head = post("/upload", b"").replace(b"Length: 0", b"Length: 99999999")
    with running(clock=SystemClock()) as server, server.client() as client:
        client.send(head)
        assert client.reply().status == 413
        until(lambda: len(staged(server, Stage.LINGERING)) == 1)
        server.server.stop_accepting()
        until(lambda: sends_no_more(client))
        assert server.empty()


def sends_no_more(client: Client) -> bool:
    try:
        client.send(b"x")
    except OSError:
        return True
    return False
