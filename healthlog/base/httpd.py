"""The listening socket with a thread for each connection."""

from __future__ import annotations

import resource
import socket
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from http.server import ThreadingHTTPServer
from socketserver import BaseRequestHandler, TCPServer
from typing import Any

from healthlog.base.certificates import Certificates
from healthlog.base.clock import Clock
from healthlog.base.conversation import Host, Limits, converse, stopping, used_up
from healthlog.base.framing import framing_of, head_of
from healthlog.base.log import Log
from healthlog.base.proxies import Proxies
from healthlog.base.refusals import Refusals
from healthlog.base.slots import Slot, Slots
from healthlog.base.web import App, Event
from healthlog.base.wire import SocketWire

__all__ = ["Limits", "Server", "fitting"]

_BACKLOG = 128  # the 5 of the library resets connections when a page opens ten at once
_POLL_S = 0.05
_ACCEPT_PAUSE_S = 0.2
_RESTART_PAUSE_S = 1.0
_CLOSE_WAIT_S = 3.0
_REFUSALS_MAX = 32
# Databases, log, listener, refused connections; besides, an upload has its part file open.
_DESCRIPTORS_RESERVED = 32
_DESCRIPTORS_PER_CONNECTION = 2


def fitting(limits: Limits, descriptors: int) -> Limits:
    """`limits` with no more connections than `descriptors` (the soft limit, -1: any) allow."""
    if descriptors < 0:
        return limits
    room = max(2, (descriptors - _DESCRIPTORS_RESERVED) // _DESCRIPTORS_PER_CONNECTION)
    if room >= limits.max_connections:
        return limits
    reserved = min(limits.uploads_reserved, max(1, room // 3))
    return replace(limits, max_connections=room, uploads_reserved=reserved)


class Server:
    """Serves `app` at `address`. Bound when made (OSError), open after `start`."""

    def __init__(
        self,
        address: tuple[str, int],
        app: App,
        limits: Limits,
        log: Log,
        clock: Clock,
        *,
        certificates: Certificates | None = None,
        proxies: Proxies | None = None,
    ) -> None:
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        fit = fitting(limits, soft)
        if fit != limits:
            log.warn("fewer connections than set", connections=fit.max_connections)
        slots = Slots(fit.max_connections, fit.uploads_reserved, clock)
        self._host = Host(app, fit, slots, log, clock, certificates, proxies or Proxies())
        self._listener = _Listener(address, self._host)
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        return int(self._listener.server_address[1])

    @property
    def connections(self) -> int:
        """How many are open now."""
        return len(self._host.slots)

    def start(self) -> None:
        """Open the door."""
        self._listener.server_activate()
        self._thread = threading.Thread(target=self._listener.run, name="accept", daemon=True)
        self._thread.start()

    def stop_accepting(self) -> None:
        """Close the door: idle connections are closed, busy ones after their answer.

        What knocked before, or asks while the busy ones are awaited, gets 503.
        """
        self._host.slots.stop()
        self._listener.leave(started=self._thread is not None)

    def wait_idle(self, deadline_monotonic: float) -> bool:
        """Whether all connections were over by the deadline."""
        return self._host.slots.wait_empty(deadline_monotonic)

    def close(self) -> None:
        """Break what is left, give the port back."""
        self.stop_accepting()
        self._host.slots.drop_all()
        self._listener.hurry()
        if self._thread is not None:
            self._thread.join(_CLOSE_WAIT_S)
        self._host.slots.wait_empty(self._host.clock.monotonic() + _CLOSE_WAIT_S)
        self._listener.server_close()


class _Listener(ThreadingHTTPServer):
    """The library's accept loop and threads; what it does with a connection is all ours."""

    request_queue_size = _BACKLOG
    allow_reuse_port = False  # True in newer libraries: a second service would share the port
    daemon_threads = True
    block_on_close = False  # we wait ourselves, under a budget

    def __init__(self, address: tuple[str, int], host: Host) -> None:
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, BaseRequestHandler, bind_and_activate=False)
        self._host = host
        self._log = host.log
        self._refusals = Refusals(min(_REFUSALS_MAX, host.limits.max_connections), host.clock)
        self._open: dict[socket.socket, tuple[Slot, SocketWire]] = {}
        self._leaving = threading.Event()
        self._left = threading.Event()
        self._accept_failing = False
        try:
            self.server_bind()
        except OSError:
            self.server_close()
            raise

    def server_bind(self) -> None:
        """Without the reverse look-up of the base class, which takes up to 35 s off line."""
        TCPServer.server_bind(self)
        # A client that is gone between the select and the accept must not block the loop.
        self.socket.setblocking(False)

    def run(self) -> None:
        """Accept until `leave`; an error of the loop itself is logged, and it goes on."""
        while not self._leaving.is_set():
            try:
                self.serve_forever(_POLL_S)
            except Exception as error:  # noqa: BLE001 - the door must not close by accident
                self._log.exception("accept loop failed", error)
                self._leaving.wait(_RESTART_PAUSE_S)
        self._refuse_backlog()
        self.server_close()
        self._left.set()
        self._refusals.settle()

    def leave(self, *, started: bool) -> None:
        self._leaving.set()
        if started:
            self.shutdown()
            self._left.wait(_CLOSE_WAIT_S)
        else:
            self.server_close()

    def hurry(self) -> None:
        """The time for those turned away is over."""
        self._refusals.hurry()

    def get_request(self) -> tuple[socket.socket, tuple[str, int]]:
        try:
            sock, address = self.socket.accept()
        except BlockingIOError:
            raise
        except OSError as error:
            # Out of descriptors, the socket stays readable: without a pause the loop would spin.
            if not self._accept_failing:
                self._log.warn("accept failed", error=str(error))
            self._accept_failing = True
            self._leaving.wait(_ACCEPT_PAUSE_S)
            raise
        self._accept_failing = False
        return sock, address

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Whether there is a slot; if not, the connection is answered here."""
        wire = SocketWire(request, self._host.clock)
        slot = self._host.slots.admit(wire)
        if slot is None:
            self._turn_away(request, str(client_address[0]))
            return False
        self._open[request] = (slot, wire)
        return True

    def finish_request(self, request: Any, client_address: Any) -> None:
        """The whole of a connection, in its own thread."""
        slot, wire = self._open[request]
        with suppress(OSError):  # the client may be gone already
            # With Nagle's algorithm a keep-alive POST takes 44 ms instead of 0.24.
            request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        converse(self._host, wire, slot, str(client_address[0]))

    def shutdown_request(self, request: Any) -> None:
        """Called once for every accepted connection, whatever happened to it."""
        held = self._open.pop(request, None)
        if held is not None:
            self._host.slots.release(held[0])
        # Without the base class's SHUT_WR: a broken answer must not look like an ended one.
        request.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """What no conversation may raise, and a thread that could not start."""
        error = sys.exception()
        if error is not None:
            self._log.exception("connection failed", error)

    def service_actions(self) -> None:
        """Between accepts."""
        self._refusals.pump()

    def _turn_away(self, request: socket.socket, remote: str) -> None:
        response = stopping() if self._host.slots.stopping else used_up()
        head = head_of(
            response,
            framing_of(response, 1),
            connection="close",
            now_us=self._host.clock.now_us(),
        )
        body = response.body if isinstance(response.body, bytes) else b""
        own = socket.socket(fileno=request.detach())
        # Inside of TLS nothing can be said before the handshake, for which there is no place.
        self._refusals.refuse(own, b"" if self._host.certificates else head + body)
        event = Event(None, "", "", response.status, response.reason, remote, 0.0)
        try:
            self._host.app.observe(event)
        except Exception as error:  # noqa: BLE001 - counting must not close the door
            self._log.exception("observer failed", error)

    def _refuse_backlog(self) -> None:
        """Clients that the system let in while the door was closing."""
        for _ in range(_BACKLOG):
            try:
                sock, address = self.socket.accept()
            except OSError:
                return
            self._turn_away(sock, str(address[0]))
