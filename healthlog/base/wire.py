"""A client's socket, every wait on it bounded by an absolute deadline."""

from __future__ import annotations

import socket
import struct
from typing import Protocol

from healthlog.base.clock import Clock
from healthlog.base.errors import Circumstance
from healthlog.base.http1 import PIECE_BYTES, Late
from healthlog.base.log import Log

# RFC 9112 §9.6 names no figures. A client that sends a body of some hundred MiB and looks for an
# answer only behind it gets to read it; who lingers gives way to everybody else.
LINGER_S = 60.0
LINGER_BYTES = 256 << 20
LINGER_QUIET_S = 2.0  # nothing at all came

_SLICE_S = 1.0  # a deadline that another thread brings forward is seen after this


class NotTaken(Circumstance):
    """The client did not take what was sent: gone, or too slow."""


class DeadlinesUnsupported(Circumstance):
    """This transport waits as long as it likes."""


class Wire(Protocol):
    """A connection as the conversation sees it."""

    def receive(self, size: int, /) -> bytes:
        """Up to `size` bytes, b"" when no more will come; raises Late."""
        ...

    def send(self, data: bytes, /) -> None:
        """All of it; raises NotTaken."""
        ...

    def read_by(self, at: float, /) -> None:
        """Deadline (monotonic, s) of everything received from now; DeadlinesUnsupported."""
        ...

    def write_by(self, at: float, /) -> None:
        """Deadline (monotonic, s) of everything sent from now; DeadlinesUnsupported."""
        ...

    def linger(self) -> None:
        """Say that no more will be sent, then let the client finish by the read deadline: bounded
        in bytes too, never raises."""
        ...

    def finish(self) -> None:
        """Say, where that is more than closing, that the last answer was whole; never raises."""
        ...

    def abort(self) -> None:
        """Make the coming close a visible break, not an end; never raises."""
        ...


class Deadlines:
    """Sets the deadlines of a wire.

    A wire that can't have them is no reason to refuse what it carries: that is said once, at DEBUG.
    """

    def __init__(self, wire: Wire, log: Log) -> None:
        self._wire = wire
        self._log = log
        self._said = False

    def set(self, *, read_at: float | None = None, write_at: float | None = None) -> None:
        """Monotonic seconds; None leaves one as it is."""
        try:
            if read_at is not None:
                self._wire.read_by(read_at)
            if write_at is not None:
                self._wire.write_by(write_at)
        except DeadlinesUnsupported as error:
            if not self._said:
                self._log.debug("deadlines not supported", error=str(error))
            self._said = True


class SocketWire:
    """A Wire over a socket. Until a deadline is set it has passed; lingering ends after `quiet_s`
    without a byte."""

    def __init__(
        self, sock: socket.socket, clock: Clock, *, quiet_s: float = LINGER_QUIET_S
    ) -> None:
        self._socket = sock
        self._clock = clock
        self._quiet_s = quiet_s
        self._read_at = 0.0
        self._write_at = 0.0

    def receive(self, size: int, /) -> bytes:
        while True:
            left_s = self._read_at - self._clock.monotonic()
            if left_s <= 0:
                raise Late("the client was too slow")
            try:
                self._socket.settimeout(min(left_s, _SLICE_S))
                return self._socket.recv(size)
            except TimeoutError:
                if left_s <= _SLICE_S:
                    raise Late("the client was too slow") from None
            except OSError:
                # Reset, or shut by another thread: no more will come, and that is all we need.
                return b""

    def send(self, data: bytes, /) -> None:
        left_s = self._write_at - self._clock.monotonic()
        if left_s <= 0:
            raise NotTaken("the answer was not taken in time")
        try:
            # The timeout of sendall is for the whole, not for each piece (since Python 3.5).
            self._socket.settimeout(left_s)
            self._socket.sendall(data)
        except TimeoutError:
            raise NotTaken("the answer was not taken in time") from None
        except OSError:
            raise NotTaken("the client is gone") from None

    def read_by(self, at: float, /) -> None:
        self._read_at = at

    def write_by(self, at: float, /) -> None:
        self._write_at = at

    def linger(self) -> None:
        """RFC 9112 §9.6: closing over unread bytes resets, and a reset may eat our answer."""
        self._shut(socket.SHUT_WR)
        room = LINGER_BYTES
        try:
            while room > 0 and (data := self._before_it_is_quiet()):
                room -= len(data)
        except OSError:
            return

    def finish(self) -> None:
        return  # the close says it

    def _before_it_is_quiet(self) -> bytes:
        left_s = min(self._read_at - self._clock.monotonic(), self._quiet_s)
        if left_s <= 0:
            return b""
        self._socket.settimeout(left_s)
        return self._socket.recv(PIECE_BYTES)

    def abort(self) -> None:
        try:
            off = struct.pack("ii", 1, 0)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, off)
        except OSError:
            return

    def drop(self) -> None:
        """From another thread: whoever waits on this wire is told that the client is gone."""
        self._shut(socket.SHUT_RDWR)

    def hurry(self, at: float, /) -> None:
        """From another thread: the read deadline is `at`, if that is sooner."""
        self._read_at = min(self._read_at, at)

    def end_input(self) -> None:
        """From another thread: whoever waits for bytes is told that no more will come."""
        self._shut(socket.SHUT_RD)

    def _shut(self, how: int) -> None:
        try:
            self._socket.shutdown(how)
        except OSError:
            return  # the client was faster
