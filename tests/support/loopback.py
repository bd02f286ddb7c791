"""A real server on loopback, with clients that speak in raw bytes."""

from __future__ import annotations

import io
import json
import queue
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from healthlog.base.certificates import Certificates
from healthlog.base.clock import Clock
from healthlog.base.httpd import Limits, Server
from healthlog.base.log import Log
from healthlog.base.web import App, Event, Route, tokens_only
from tests.support.clock import FakeClock
from tests.support.http import bearer, routes
from tests.support.patience import PATIENCE_S

Pair = tuple[Path, Path | None]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer; names of headers in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """One connection."""

    def __init__(
        self, port: int, *, receive_buffer: int = 0, tls: ssl.SSLContext | None = None
    ) -> None:
        self.socket = socket.socket()
        self.socket.settimeout(PATIENCE_S)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        try:
            self.socket.connect(("127.0.0.1", port))
            if tls is not None:
                self.socket = tls.wrap_socket(
                    self.socket, server_hostname="localhost", suppress_ragged_eofs=False
                )
        except OSError:
            self.socket.close()
            raise
        self._kept = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def end(self) -> None:
        """Nothing more will be sent."""
        self.socket.shutdown(socket.SHUT_WR)

    def reply(self, *, head_only: bool = False) -> Reply:
        """The next answer, EOFError when there is none."""
        lines = self._until(b"\r\n\r\n").decode("ascii").split("\r\n")
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(": ")
            headers[name.lower()] = value
        body = b"" if head_only else self._body(headers)
        return Reply(int(lines[0].split()[1]), headers, body)

    def ended(self) -> bool:
        """Whether the server closes without another byte."""
        return not self._kept and not self._receive()

    def drain(self) -> None:
        """Take everything up to the end; ConnectionResetError when it is none."""
        while self.socket.recv(65536):
            pass

    def _body(self, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding") == "chunked":
            parts = []
            while size := int(self._until(b"\r\n"), 16):
                parts.append(self._exactly(size))
                self._exactly(2)
            self._exactly(2)
            return b"".join(parts)
        if "content-length" in headers:
            return self._exactly(int(headers["content-length"]))
        parts = [self._kept]
        self._kept = b""
        while piece := self._receive():
            parts.append(piece)
        return b"".join(parts)

    def _until(self, mark: bytes) -> bytes:
        while mark not in self._kept:
            self._more()
        found, _, self._kept = self._kept.partition(mark)
        return found

    def _exactly(self, size: int) -> bytes:
        while len(self._kept) < size:
            self._more()
        found, self._kept = self._kept[:size], self._kept[size:]
        return found

    def _more(self) -> None:
        piece = self._receive()
        if not piece:
            raise EOFError(self._kept)
        self._kept += piece

    def _receive(self) -> bytes:
        try:
            return self.socket.recv(65536)
        except ConnectionResetError:
            return b""


@dataclass(slots=True)
class Running:
    """A server that is open."""

    server: Server
    clock: Clock
    stream: io.StringIO
    events: list[Event] = field(default_factory=list)
    arrived: queue.SimpleQueue[Event] = field(default_factory=queue.SimpleQueue)

    def event(self) -> Event:
        """The next event, waited for; `events` holds all that came."""
        return self.arrived.get(timeout=PATIENCE_S)

    def client(self, *, receive_buffer: int = 0, tls: ssl.SSLContext | None = None) -> Client:
        return Client(self.server.port, receive_buffer=receive_buffer, tls=tls)

    def lines(self, msg: str) -> list[dict[str, Any]]:
        """The log lines with that message."""
        told = [json.loads(line) for line in self.stream.getvalue().splitlines()]
        return [line for line in told if line["msg"] == msg]

    def empty(self) -> bool:
        """Whether all connections end; `events` is complete then."""
        return self.server.wait_idle(self.clock.monotonic() + PATIENCE_S)


def server_of(
    app: App,
    *,
    limits: Limits | None = None,
    clock: Clock | None = None,
    stream: io.StringIO | None = None,
    address: tuple[str, int] = ("127.0.0.1", 0),
    pair: Pair | None = None,
) -> Server:
    """A server that is bound, not yet open; it speaks TLS with a pair of certificate and key."""
    clock = clock or FakeClock()
    log = Log(stream or io.StringIO(), clock, "DEBUG")
    certificates = None if pair is None else Certificates(*pair, log)
    return Server(address, app, limits or Limits(), log, clock, certificates=certificates)


@contextmanager
def running(
    own_routes: Sequence[Route] | None = None,
    limits: Limits | None = None,
    clock: Clock | None = None,
    observe: Callable[[Event], None] | None = None,
    pair: Pair | None = None,
) -> Iterator[Running]:
    """A server on a free port. With the default clock, deadlines pass only when a test says so."""
    clock = clock or FakeClock()
    stream = io.StringIO()
    events: list[Event] = []
    arrived: queue.SimpleQueue[Event] = queue.SimpleQueue()

    def note(event: Event) -> None:
        events.append(event)
        arrived.put(event)

    app = App(routes() if own_routes is None else own_routes, tokens_only(bearer), observe or note)
    server = server_of(app, limits=limits, clock=clock, stream=stream, pair=pair)
    server.start()
    try:
        yield Running(server, clock, stream, events, arrived)
    finally:
        server.close()
