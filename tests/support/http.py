"""Both ends of a connection without sockets: scripted sources, wires, a small application."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from healthlog.base.conversation import Conversation, Host, Limits
from healthlog.base.http1 import Head, Headers, Late, Reader, read_head
from healthlog.base.log import Log
from healthlog.base.slots import Slots
from healthlog.base.web import (
    App,
    Budget,
    Event,
    Request,
    Response,
    Route,
    json_response,
    tokens_only,
)
from healthlog.base.wire import DeadlinesUnsupported, NotTaken
from tests.support.clock import FakeClock
from tests.support.patience import PATIENCE_S

GET = b"GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"
LAST_GET = b"GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
MIB = 1 << 20
UPLOAD_BUDGET = Budget(300.0, 330.0)


def post(path: str, body: bytes, *fields: str) -> bytes:
    """A POST with its length announced."""
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *fields]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


class Pieces:
    """A source that gives one piece a call, then ends; or is late, when told so."""

    def __init__(self, *pieces: bytes, late: bool = False) -> None:
        self.pieces = list(pieces)
        self.late = late
        self.calls = 0

    def receive(self, size: int, /) -> bytes:
        self.calls += 1
        if not self.pieces:
            if self.late:
                raise Late("scripted")
            return b""
        piece, rest = self.pieces[0][:size], self.pieces[0][size:]
        self.pieces[:1] = [rest] if rest else []
        return piece


def single(data: bytes) -> Pieces:
    """The same bytes one at a time."""
    return Pieces(*(data[at : at + 1] for at in range(len(data))))


def head_of(data: bytes) -> Head:
    """The head of a request given as bytes."""
    return read_head(Reader(Pieces(data)))


@dataclass(slots=True)
class FakeWire:
    """A wire in memory. `room` (bytes) is what the client will take of all answers."""

    source: Pieces
    deadlines: bool = True
    room: int | None = None
    sent: bytearray = field(default_factory=bytearray)
    sizes: list[int] = field(default_factory=list)
    read_at: list[float] = field(default_factory=list)
    write_at: list[float] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)

    def receive(self, size: int, /) -> bytes:
        return self.source.receive(size)

    def send(self, data: bytes, /) -> None:
        if self.room is not None and len(self.sent) + len(data) > self.room:
            raise NotTaken("scripted")
        self.sent += data
        self.sizes.append(len(data))

    def read_by(self, at: float, /) -> None:
        if not self.deadlines:
            raise DeadlinesUnsupported("scripted")
        self.read_at.append(at)

    def write_by(self, at: float, /) -> None:
        if not self.deadlines:
            raise DeadlinesUnsupported("scripted")
        self.write_at.append(at)

    def linger(self) -> None:
        self.calls.append("linger")

    def abort(self) -> None:
        self.calls.append("abort")

    def drop(self) -> None:
        self.calls.append("drop")

    def end_input(self) -> None:
        self.calls.append("end_input")

    def hurry(self, at: float, /) -> None:
        self.calls.append("hurry")

    def finish(self) -> None:
        pass


@dataclass(slots=True)
class Spoken:
    """What came of one scripted conversation."""

    wire: FakeWire
    events: list[Event]
    lines: list[dict[str, Any]]
    host: Host

    @property
    def statuses(self) -> list[int]:
        """Of all answers, interim ones included, in order. Bodies must not look like answers."""
        parts = bytes(self.wire.sent).split(b"HTTP/1.1 ")
        return [int(part[:3]) for part in parts[1:]]

    @property
    def text(self) -> str:
        return self.wire.sent.decode("latin-1")


def echo(request: Request) -> Response:
    """The body as it came."""
    parts = []
    while piece := request.body.read():
        parts.append(piece)
    return Response(200, b"".join(parts), "application/octet-stream")


def hello(request: Request) -> Response:
    """Whatever is asked."""
    return json_response({"hello": request.path})


class Gate:
    """A handler that holds its request until it is opened."""

    def __init__(self) -> None:
        self.inside = threading.Semaphore(0)
        self.opened = threading.Event()

    def __call__(self, request: Request) -> Response:
        self.inside.release()
        assert self.opened.wait(PATIENCE_S)
        return hello(request)


def boom(request: Request) -> Response:
    """A bug."""
    raise RuntimeError(f"canary in {request.path}")


def routes() -> list[Route]:
    """One route for each way to treat a request."""
    return [
        Route("GET", "/hello", hello, None),
        Route("POST", "/hello", hello, None),
        Route("POST", "/echo", echo, None, body_limit=MIB),
        Route("POST", "/upload", echo, None, body_limit=MIB, budget=UPLOAD_BUDGET),
        Route("POST", "/unread", hello, None, body_limit=MIB),
        Route("GET", "/boom", boom, None),
        Route("POST", "/boom", boom, None, body_limit=MIB),
        Route("GET", "/secret", hello, "read"),
        Route("POST", "/secret", echo, "ingest", body_limit=MIB),
    ]


def bearer(headers: Headers, scope: str) -> bool:
    """Whether the token is the name of the scope."""
    return headers.get("Authorization") == f"Bearer {scope}"


def host_of(
    own_routes: Sequence[Route], clock: FakeClock, events: list[Event], stream: io.StringIO
) -> Host:
    """What a conversation needs of its server."""
    limits = Limits()
    slots = Slots(limits.max_connections, limits.uploads_reserved, clock)
    app = App(own_routes, tokens_only(bearer), events.append)
    return Host(app, limits, slots, Log(stream, clock, "DEBUG"), clock)


def speak(
    wire: FakeWire,
    own_routes: Sequence[Route] | None = None,
    clock: FakeClock | None = None,
    *,
    stopping: bool = False,
) -> Spoken:
    """A whole conversation over `wire`, from its first byte to its end."""
    events: list[Event] = []
    stream = io.StringIO()
    own_routes = routes() if own_routes is None else own_routes
    host = host_of(own_routes, clock or FakeClock(), events, stream)
    slot = host.slots.admit(wire)
    assert slot is not None
    if stopping:
        host.slots.stop()
    Conversation(host, wire, slot, "192.0.2.1").serve()
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    return Spoken(wire, events, lines, host)


def said(data: bytes) -> Spoken:
    """The conversation with a client that sends `data`, then ends."""
    return speak(FakeWire(Pieces(data)))
