"""One HTTP request to the Bot API: every wait is bounded, another thread may cut it.

Nothing of a request's address ever stands in an error: it holds the token.
"""

from __future__ import annotations

import http.client
import io
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from healthlog.base.http_place import Place
from healthlog.base.runtime import Deadline
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import Cancelled
from healthlog.transcriber.said import said
from healthlog.transcriber.telegram.faults import Fault, Unanswered, Unreached
from healthlog.transcriber.telegram.proxy import proxy_for

_CONNECT_S = 5.0
"""For one address of the other side, and for its handshake: while it lasts nothing can cut it."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A request; `path` is quoted already. It is over by `until`, and no read takes longer than
    `idle_s`. `patient`: it goes on while the service begins to stop."""

    method: str
    path: str = field(repr=False)
    until: Deadline
    cancel: Cancel
    body: bytes | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    idle_s: float = 3600.0
    patient: bool = False


class Answer:
    """The head of an answer, with its body to be read."""

    def __init__(self, response: http.client.HTTPResponse, ends: _Ends) -> None:
        self._response = response
        self._ends = ends

    @property
    def status(self) -> int:
        return self._response.status

    def header(self, name: str) -> str | None:
        return self._response.getheader(name)

    def read(self, most: int) -> bytes:
        """The next bytes, b"" at the end. Unanswered when it comes too early; Cancelled."""
        with self._ends.naming():
            piece = self._response.read(most)
        if not piece and self._response.length:
            raise self._ends.named(Unanswered("the answer broke off"))
        return piece


class Wire:
    """Connections to one place, a fresh one for each request: what a kept one had in it when it
    broke could not be told."""

    def __init__(self, place: Place, trusted: ssl.SSLContext | None = None) -> None:
        """`trusted` are certificates instead of those of the system."""
        self._place = place
        self._tls = (trusted or ssl.create_default_context()) if place.secure else None

    @contextmanager
    def ask(self, asking: Asking) -> Iterator[Answer]:
        """The answer, to be read inside the block. Redirects are answers like others.

        Unreached, Unanswered; Cancelled when our own stop cut it.
        """
        if not asking.patient:
            asking.cancel.check()
        connection = self._connected(asking.until)
        sock = connection.sock
        ends = _Ends(sock)
        connection.sock = _Timed(sock, asking.until, asking.idle_s)
        try:
            with asking.cancel.ending(ends.cut, patient=asking.patient):
                with ends.naming():
                    response = self._response(connection, asking)
                yield Answer(response, ends)
        finally:
            sock.close()

    def _connected(self, until: Deadline) -> Any:
        left_s = until.left()
        if left_s <= 0:
            raise Unreached("there is no time left")
        try:
            connection = self._connection(min(_CONNECT_S, left_s))
            connection.connect()
        except (OSError, http.client.HTTPException, ValueError) as error:
            told = str(error) if type(error) is ValueError else said(error)
            raise Unreached(f"{self._place.shown} can't be reached: {told}") from None
        return connection

    def _connection(self, timeout_s: float) -> http.client.HTTPConnection:
        place = self._place
        if self._tls is None:
            return http.client.HTTPConnection(place.host, place.port, timeout=timeout_s)
        proxy = proxy_for(place.host)
        if proxy is None:
            return http.client.HTTPSConnection(
                place.host, place.port, timeout=timeout_s, context=self._tls
            )
        tunnel = http.client.HTTPSConnection(
            proxy.host, proxy.port, timeout=timeout_s, context=self._tls
        )
        tunnel.set_tunnel(place.host, place.port, dict(proxy.headers))
        return tunnel

    def _response(
        self, connection: http.client.HTTPConnection, asking: Asking
    ) -> http.client.HTTPResponse:
        headers = {"Host": self._place.shown, "Connection": "close", **asking.headers}
        path = self._place.prefix + asking.path
        connection.request(asking.method, path, asking.body, headers)
        return connection.getresponse()


class _Ends:
    """Tells why a connection ended: by itself, or because we cut it."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._was_cut = False

    def cut(self) -> None:
        """From another thread."""
        self._was_cut = True
        with suppress(OSError):
            # The plain socket's own: that of TLS would forget its keys under the reading thread.
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    @contextmanager
    def naming(self) -> Iterator[None]:
        try:
            yield
        except TimeoutError:
            raise self.named(Unanswered("no answer came in time")) from None
        except OSError as error:
            raise self.named(Unanswered(f"no answer came: {said(error)}")) from None
        except http.client.HTTPException:
            raise self.named(Unanswered("what came is no answer of HTTP")) from None

    def named(self, fault: Fault) -> Exception:
        return Cancelled("the service is stopping") if self._was_cut else fault


class _Timed:
    """A socket for http.client, with a deadline for all of it and a limit for each read."""

    def __init__(self, sock: socket.socket, until: Deadline, idle_s: float) -> None:
        self._socket = sock
        self._until = until
        self._idle_s = idle_s

    def sendall(self, data: bytes) -> None:
        # The timeout of sendall is for the whole.
        self._arm(self._until.left())
        self._socket.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Raw(self))

    def receive_into(self, buffer: Any) -> int:
        self._arm(min(self._until.left(), self._idle_s))
        return self._socket.recv_into(buffer)

    def close(self) -> None:
        """Left to whoever opened it: an answer is still being read."""

    def _arm(self, left_s: float) -> None:
        if left_s <= 0:
            raise TimeoutError
        self._socket.settimeout(left_s)


class _Raw(io.RawIOBase):
    def __init__(self, timed: _Timed) -> None:
        self._timed = timed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._timed.receive_into(buffer)
