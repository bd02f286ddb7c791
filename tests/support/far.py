"""A server of somebody else, on loopback: it keeps what it was asked, fails as it is told to."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.patience import PATIENCE_S


@dataclass(frozen=True, slots=True)
class Asked:
    """One request; names of headers in lower case."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Said:
    """One answer. `pieces`: the sizes in which its body is sent, as chunks; `cut`: after so many
    bytes of its body the connection breaks; `drop`: it breaks instead of any answer; `early`: the
    answer comes before the body was read, and the connection ends with it; `held`: it comes once
    that is set, at the end of the server at the latest."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: tuple[int, ...] = ()
    cut: int | None = None
    drop: bool = False
    early: bool = False
    held: threading.Event | None = None


class Far:
    """The server. `answer` decides; `faults` come first, one for each request."""

    def __init__(self, answer: Callable[[Asked], Said], *, certificate: Path | None = None) -> None:
        self.asked: list[Asked] = []
        self.faults: list[Said] = []
        self.arrived = threading.Event()
        self._answer = answer
        self._held: list[threading.Event] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.far = self
        self._scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, certificate.with_name("one.key.pem"))
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            self._scheme = "https"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        for one in self._held:
            one.set()
        self._server.shutdown()
        self._thread.join(PATIENCE_S)
        self._server.server_close()

    def early(self) -> Said | None:
        """The next fault, if it comes before the body."""
        return self.faults.pop(0) if self.faults and self.faults[0].early else None

    def decided(self, asked: Asked) -> Said:
        self.asked.append(asked)
        said = self.faults.pop(0) if self.faults else self._answer(asked)
        self.arrived.set()
        if said.held is not None:
            self._held.append(said.held)
            said.held.wait(PATIENCE_S)
        return said


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    far: Far

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go are what is tested."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """Nothing: the tests look at what is kept."""

    def _exchange(self) -> None:
        early = self.server.far.early()
        if early is not None:
            self._say(early)
            self.close_connection = True
            return
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True
            return
        parts = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.command, parts.path, parse_qs(parts.query), headers, body)
        self._say(self.server.far.decided(asked))

    do_GET = do_POST = do_DELETE = _exchange  # noqa: N815 - the library's names

    def _say(self, said: Said) -> None:
        if said.drop:
            self.close_connection = True
            return
        self.send_response(said.status)
        for name, value in said.headers.items():
            self.send_header(name, value)
        if said.pieces:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(len(said.body)))
        self.end_headers()
        with suppress(OSError):
            self._send_body(said)
        if said.cut is not None:
            self.close_connection = True

    def _send_body(self, said: Said) -> None:
        body = said.body if said.cut is None else said.body[: said.cut]
        if not said.pieces:
            self.wfile.write(body)
            return
        for piece in _parts(body, said.pieces):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.flush()
        if said.cut is None:
            self.wfile.write(b"0\r\n\r\n")


def _parts(body: bytes, sizes: tuple[int, ...]) -> Iterator[bytes]:
    """The body in pieces of these sizes, over and over."""
    at, turn = 0, 0
    while at < len(body):
        size = sizes[turn % len(sizes)]
        yield body[at : at + size]
        at, turn = at + size, turn + 1


@contextmanager
def far(answer: Callable[[Asked], Said], *, certificate: Path | None = None) -> Iterator[Far]:
    """A server, gone at the end of the block."""
    server = Far(answer, certificate=certificate)
    try:
        yield server
    finally:
        server.close()
