"""A proxy on loopback that makes tunnels (CONNECT, RFC 9110 §9.3.6)."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from tests.support.patience import PATIENCE_S


@dataclass
class Tunnel:
    """`heads` are the requests for tunnels, line by line."""

    url: str
    refusing: bool = False
    heads: list[list[str]] = field(default_factory=list)


@contextmanager
def tunnel() -> Iterator[Tunnel]:
    """A proxy for as long as the block lasts."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        made = Tunnel(f"http://127.0.0.1:{listening.getsockname()[1]}")
        thread = threading.Thread(target=_serve, args=(listening, made), daemon=True)
        thread.start()
        yield made
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        thread.join(PATIENCE_S)


def _serve(listening: socket.socket, made: Tunnel) -> None:
    with suppress(OSError):
        while True:
            client, _ = listening.accept()
            threading.Thread(target=_carry, args=(client, made), daemon=True).start()


def _carry(client: socket.socket, made: Tunnel) -> None:
    with client, suppress(OSError):
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(1)
        lines = head.decode("latin-1").split("\r\n")
        made.heads.append(lines)
        if made.refusing:
            client.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
            return
        host, _, port = lines[0].split()[1].rpartition(":")
        with socket.create_connection((host, int(port)), PATIENCE_S) as server:
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=_pump, args=(server, client), daemon=True)
            back.start()
            _pump(client, server)
            back.join(PATIENCE_S)


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65_536):
            sink.sendall(piece)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
