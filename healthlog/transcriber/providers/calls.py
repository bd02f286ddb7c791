"""One HTTP call to a recogniser far away, with what is certain after one that failed.

Nothing of an answer, no header and no address with a query is ever put into an error's text.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urlsplit

from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import Cancelled

CONNECT_S = 10.0
_SEND_S = 60.0
_EARLY_ANSWER_S = 5.0
_PIECE_BYTES = 64 * 1024
_ANSWER_MAX_BYTES = 64 * 1024 * 1024

Body = Callable[[], Iterator[bytes]]


@dataclass(frozen=True, slots=True)
class Call:
    """A request. `url` is http or https with a host; `length` is that of the whole body in bytes.
    All of it has to be over in `whole_s`, the answer has to begin `answer_s` after the last byte
    was sent."""

    method: str
    url: str
    headers: Mapping[str, str]
    whole_s: float
    answer_s: float
    body: Body | None = None
    length: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, whole; names of headers in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes = field(repr=False)

    def retry_after_s(self, now_us: int) -> float:
        """How long the other side wants to be left alone (RFC 9110 §10.2.3), 0 where it doesn't
        say."""
        said = self.headers.get("retry-after", "").strip()
        if said.isascii() and said.isdigit():
            return float(said[:9])
        with suppress(ValueError):
            return max(0.0, parsedate_to_datetime(said).timestamp() - now_us / 1_000_000)
        return 0.0


class Unsent(Exception):
    """The other side can't have got the whole of the request."""


class Untrusted(Unsent):
    """Its certificate doesn't prove who it is."""


class Unanswered(Exception):
    """The whole request was out, but no whole answer came: what became of it is not known."""


def ask(call: Call, cancel: Cancel | None = None, *, patient: bool = False) -> Answer:
    """The answer, whatever its status; redirects are not followed, or the key would go along.

    Unsent, Unanswered; Cancelled when `cancel` ended it, at once or, if `patient`, with the rest.
    """
    wire = _Wire(call)
    with closing(wire), _ended_in_time(wire, call.whole_s):
        if cancel is None:
            return wire.exchanged()
        with cancel.ending(wire.cut, patient=patient):
            try:
                return wire.exchanged()
            except (Unsent, Unanswered):
                if wire.was_cut:
                    raise Cancelled("the service's stop cut the call") from None
                raise


def file_pieces(path: Path) -> Iterator[bytes]:
    """The bytes of a file, never all in memory."""
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            yield piece


class _Wire:
    """One connection for one call. `cut` and `end` may come from another thread at any time."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._connection = _connection(call.url)
        self._over = threading.Event()
        self.was_cut = False

    def exchanged(self) -> Answer:
        self._connect()
        early = self._sent()
        try:
            return self._received(early or self._connection.getresponse())
        except (OSError, http.client.HTTPException, ValueError) as error:
            kind = Unanswered if early is None else Unsent
            raise kind(f"no whole answer came: {_kind(error)}") from None

    def cut(self) -> None:
        """Our own stop."""
        self.was_cut = True
        self.end()

    def end(self) -> None:
        """Whoever waits on this wire is told that it is over."""
        self._over.set()
        sock = self._connection.sock
        if sock is not None:
            with suppress(OSError):
                # Not that of ssl, which first forgets the encryption that another thread is using.
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def close(self) -> None:
        self._connection.close()

    def _connect(self) -> None:
        try:
            self._connection.connect()
        except ssl.SSLCertVerificationError:
            raise Untrusted("its certificate can't be verified") from None
        except (OSError, http.client.HTTPException) as error:
            raise Unsent(f"it can't be reached: {_kind(error)}") from None
        self._check()
        self._wait(_SEND_S)

    def _sent(self) -> http.client.HTTPResponse | None:
        """Sends all of the request; an answer that came before its end."""
        try:
            self._send_head()
            for piece in self._call.body() if self._call.body is not None else ():
                self._check()
                self._connection.send(piece)
        except (OSError, http.client.HTTPException) as error:
            early = None if self._over.is_set() else self._early()
            if early is None:
                raise Unsent(f"the connection broke while sending: {_kind(error)}") from None
            return early
        self._wait(self._call.answer_s)
        return None

    def _send_head(self) -> None:
        parts, connection = urlsplit(self._call.url), self._connection
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.putrequest(self._call.method, target, skip_accept_encoding=True)
        for name, value in self._call.headers.items():
            connection.putheader(name, value)
        if self._call.body is not None:
            connection.putheader("Content-Length", str(self._call.length))
        connection.endheaders()

    def _early(self) -> http.client.HTTPResponse | None:
        """A server that won't have the rest says so and closes."""
        self._wait(_EARLY_ANSWER_S)
        try:
            return self._connection.getresponse()
        except (OSError, http.client.HTTPException):
            return None

    def _received(self, response: http.client.HTTPResponse) -> Answer:
        pieces, size = [], 0
        while piece := response.read(_PIECE_BYTES):
            size += len(piece)
            if size > _ANSWER_MAX_BYTES:
                raise ValueError("too long")
            pieces.append(piece)
        # Read in pieces, a body that is shorter than announced is no error of the library's.
        by_close = response.length is None and not response.chunked
        if response.length or (by_close and self._over.is_set()):
            raise http.client.IncompleteRead(b"")
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, headers, b"".join(pieces))

    def _check(self) -> None:
        if self._over.is_set():
            raise Unsent("it took too long")

    def _wait(self, seconds: float) -> None:
        if self._connection.sock is not None:
            self._connection.sock.settimeout(seconds)


def _connection(url: str) -> http.client.HTTPConnection:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, parts.port, timeout=CONNECT_S, context=context)
    return http.client.HTTPConnection(host, parts.port, timeout=CONNECT_S)


@contextmanager
def _ended_in_time(wire: _Wire, seconds: float) -> Iterator[None]:
    """The timeouts of a socket are for each wait, and a server may let a byte fall now and then."""
    timer = threading.Timer(seconds, wire.end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _kind(error: BaseException) -> str:
    """What happened, in the system's words or by its name: never in those of the other side."""
    if isinstance(error, OSError) and error.strerror and not isinstance(error, ssl.SSLError):
        return error.strerror
    return type(error).__name__
