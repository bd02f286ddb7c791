"""TLS over a client's wire.

The bytes of TLS go through memory and the wire alone touches the socket, so that its deadlines hold
for handshakes, reads and writes, whatever the library would wait for.
"""

from __future__ import annotations

import ssl
from contextlib import suppress

from healthlog.base.errors import Refusal
from healthlog.base.stream import PIECE_BYTES
from healthlog.base.wire import NotTaken, Wire

_SEND_BYTES = 1 << 16
# The content type of every record a client may begin with: RFC 8446 §5.1, handshake.
_HANDSHAKE = 22


class NoHandshake(Refusal):
    """What came is no TLS, or none that is spoken here; `plain` if it may have been HTTP."""

    def __init__(self, *, plain: bool) -> None:
        super().__init__("no TLS handshake")
        self.plain = plain


class TlsWire:
    """A Wire that speaks TLS over another one. Not for several threads at once."""

    def __init__(self, wire: Wire, context: ssl.SSLContext) -> None:
        self._wire = wire
        self._in = ssl.MemoryBIO()
        self._out = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._in, self._out, server_side=True)
        self._broken = False

    def shake_hands(self) -> bool:
        """The handshake, by the deadlines that are set: False when the client left before its end.
        Raises NoHandshake, Late, NotTaken."""
        first = b""
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                self._flush()
                data = self._wire.receive(PIECE_BYTES)
                if not data:
                    return False
                first = first or data
                self._in.write(data)
            except ssl.SSLError:
                plain = bool(first) and first[0] != _HANDSHAKE
                if not plain:
                    self._flush()  # the alert that tells why
                raise NoHandshake(plain=plain) from None
            else:
                self._flush()
                return True

    def receive(self, size: int, /) -> bytes:
        while True:
            try:
                return self._tls.read(size)
            except ssl.SSLWantReadError:
                data = self._wire.receive(PIECE_BYTES) if self._flushed() else b""
                if not data:
                    return b""
                self._in.write(data)
            except ssl.SSLError:
                # A record that is none, or the client's goodbye: no more will come.
                return b""

    def send(self, data: bytes, /) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[self._tls.write(view[:_SEND_BYTES]) :]
            except ssl.SSLError:
                raise NotTaken("the client is gone") from None
            self._flush()

    def read_by(self, at: float, /) -> None:
        self._wire.read_by(at)

    def write_by(self, at: float, /) -> None:
        self._wire.write_by(at)

    def linger(self) -> None:
        self.finish()
        self._wire.linger()

    def finish(self) -> None:
        """RFC 8446 §6.1: without a goodbye the client can't tell an end from a cut."""
        if self._broken:
            return
        self._broken = True
        with suppress(ssl.SSLError):  # it waits for the goodbye of the client, we don't
            self._tls.unwrap()
        self._flushed()

    def abort(self) -> None:
        self._broken = True
        self._wire.abort()

    def _flushed(self) -> bool:
        """Whether the client still takes what TLS has to say."""
        try:
            self._flush()
        except NotTaken:
            return False
        return True

    def _flush(self) -> None:
        if self._out.pending:
            self._wire.send(self._out.read())
