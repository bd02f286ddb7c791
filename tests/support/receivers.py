"""Real servers on loopback that take notices: HTTP, HTTPS, SMTP."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.patience import PATIENCE_S
from tests.support.sources import ROOT

TLS = ROOT / "tests" / "data" / "tls"


def trusting() -> ssl.SSLContext:
    """A context that trusts the certificate of the tests."""
    return ssl.create_default_context(cafile=str(TLS / "cert.pem"))


def _serving_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "cert.pem", TLS / "key.pem")
    return context


@dataclass(slots=True)
class Posted:
    """One POST that came."""

    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(slots=True)
class WebReceiver:
    """What came, and the status each POST is answered with."""

    port: int
    host: str = "127.0.0.1"
    status: int = 200
    came: list[Posted] = field(default_factory=list)
    arrived: threading.Condition = field(default_factory=threading.Condition)

    def url(self, path: str = "/hook", scheme: str = "http") -> str:
        return f"{scheme}://{self.host}:{self.port}{path}"

    def until(self, number: int) -> list[Posted]:
        """All that came, once there are so many."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.came) >= number, PATIENCE_S)
        return self.came


@contextmanager
def web_receiver(*, tls: bool = False, host: str = "127.0.0.1") -> Iterator[WebReceiver]:
    """A server that takes POSTs."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            with receiver.arrived:
                receiver.came.append(Posted(self.path, headers, body))
                receiver.arrived.notify_all()
            self.send_response(receiver.status)
            self.send_header("Content-Length", "0")
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing: what came is looked at by the test."""

    server = ThreadingHTTPServer((host, 0), Handler)
    if tls:
        server.socket = _serving_context().wrap_socket(server.socket, server_side=True)
        # A client that trusts nobody breaks off the handshake.
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
    receiver = WebReceiver(server.server_address[1], host)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join(PATIENCE_S)


@dataclass(slots=True)
class MailReceiver:
    """Letters that came; `refuses` are commands that are answered 550, `logins` what was logged
    in with, as it came; `offers` STARTTLS or doesn't."""

    port: int
    letters: list[str] = field(default_factory=list)
    receivers: list[str] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)
    refuses: frozenset[str] = frozenset()
    encrypted: bool = False
    offers: bool = True


class _Conversation:
    """As much of RFC 5321 as one letter needs."""

    def __init__(self, connection: socket.socket, receiver: MailReceiver, *, tls: bool) -> None:
        self._receiver = receiver
        self._connection = connection
        if tls:
            self._encrypt()
        self._file = self._connection.makefile("rb")

    def _encrypt(self) -> None:
        self._connection = _serving_context().wrap_socket(self._connection, server_side=True)
        self._receiver.encrypted = True

    def _say(self, line: str) -> None:
        self._connection.sendall(line.encode() + b"\r\n")

    def hold(self) -> None:
        self._say("220 loopback")
        while line := self._file.readline().decode("latin-1").rstrip("\r\n"):
            word = line.split(" ")[0].upper()
            if word in self._receiver.refuses:
                self._say("550 no")
            elif word == "QUIT":
                self._say("221 bye")
                break
            else:
                self._answers().get(word, self._unknown)(line)
        self._file.close()
        self._connection.close()

    def _answers(self) -> dict[str, Callable[[str], None]]:
        return {
            "EHLO": self._ehlo,
            "STARTTLS": self._starttls,
            "AUTH": self._auth,
            "MAIL": lambda _: self._say("250 ok"),
            "RCPT": self._rcpt,
            "DATA": self._data,
            "RSET": lambda _: self._say("250 ok"),
        }

    def _unknown(self, _: str) -> None:
        self._say("502 what")

    def _ehlo(self, _: str) -> None:
        more = self._receiver.offers and not self._receiver.encrypted
        self._say(f"250-loopback\r\n{'250-STARTTLS' if more else '250-RSET'}\r\n250 AUTH PLAIN")

    def _starttls(self, _: str) -> None:
        self._say("220 go")
        self._file.close()
        self._encrypt()
        self._file = self._connection.makefile("rb")

    def _auth(self, line: str) -> None:
        self._receiver.logins.append(line)
        self._say("235 ok")

    def _rcpt(self, line: str) -> None:
        self._receiver.receivers.append(line.partition("<")[2].rstrip(">"))
        self._say("250 ok")

    def _data(self, _: str) -> None:
        self._say("354 go")
        lines = []
        while (line := self._file.readline().decode().rstrip("\r\n")) != ".":
            lines.append(line)
        self._receiver.letters.append("\n".join(lines))
        self._say("250 taken")


@contextmanager
def mail_receiver(*, tls: bool = False) -> Iterator[MailReceiver]:
    """A server that takes letters; with `tls` encrypted from the first byte on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        receiver = MailReceiver(listener.getsockname()[1])

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with suppress(OSError):
                    _Conversation(connection, receiver, tls=tls).hold()
                connection.close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield receiver
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(PATIENCE_S)
