"""Connections turned away at the door: answered at once, closed when the client has seen it."""

from __future__ import annotations

import select
import socket
from collections import deque
from dataclasses import dataclass

from healthlog.base.clock import Clock
from healthlog.base.http1 import PIECE_BYTES

# Short, for nothing here gives way to others, and nothing was asked yet.
LINGER_S = 2.0
LINGER_BYTES = 1 << 20
_PUMP_S = 0.1


@dataclass(slots=True)
class _Parting:
    sock: socket.socket
    until: float
    room: int = LINGER_BYTES


class Refusals:
    """Lingers over refused sockets without a thread for each; the accept loop calls `pump`.

    At most `most` are kept, the oldest is closed for a new one.
    """

    def __init__(self, most: int, clock: Clock) -> None:
        self._most = most
        self._clock = clock
        self._partings: deque[_Parting] = deque()
        self._hurried = False

    def refuse(self, sock: socket.socket, answer: bytes) -> None:
        """Send `answer` without waiting; takes the socket over."""
        try:
            sock.setblocking(False)
            sock.send(answer)
            sock.shutdown(socket.SHUT_WR)
        except OSError:
            sock.close()
            return
        while len(self._partings) >= self._most:
            self._partings.popleft().sock.close()
        self._partings.append(_Parting(sock, self._clock.monotonic() + LINGER_S))

    def pump(self) -> None:
        """Take what clients still send, close what is over."""
        now = self._clock.monotonic()
        for _ in range(len(self._partings)):
            parting = self._partings.popleft()
            if now < parting.until and _goes_on(parting):
                self._partings.append(parting)
            else:
                parting.sock.close()

    def settle(self) -> None:
        """Pump until nothing is left, which takes no longer than one linger; close the rest."""
        for _ in range(int(LINGER_S / _PUMP_S)):
            self.pump()
            if self._hurried or not self._partings:
                break
            # poll, not select: a descriptor may be over 1023.
            waiting = select.poll()
            for parting in self._partings:
                waiting.register(parting.sock, select.POLLIN)
            waiting.poll(_PUMP_S * 1000)
        self.close()

    def hurry(self) -> None:
        """From another thread: `settle` ends as soon as it can."""
        self._hurried = True

    def close(self) -> None:
        """Close them all."""
        while self._partings:
            self._partings.popleft().sock.close()


def _goes_on(parting: _Parting) -> bool:
    try:
        data = parting.sock.recv(PIECE_BYTES)
    except BlockingIOError:
        return True
    except OSError:
        return False
    parting.room -= len(data)
    return bool(data) and parting.room > 0
