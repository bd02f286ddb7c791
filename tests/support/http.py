"""Both ends of a connection: scripted ones without sockets, a server with clients over loopback."""

from __future__ import annotations

import io
import json
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from healthlog.base.conversation import Conversation, Host
from healthlog.base.http1 import Body, Head, Headers, Late, Reader, read_head
from healthlog.base.httpd import Limits, Server
from healthlog.base.log import Log
from healthlog.base.slots import Slots
from healthlog.base.web import App, Event, Request, Response, Route, json_response
from healthlog.base.wire import DeadlinesUnsupported, NotTaken
from tests.support.clock import FakeClock

GET = b"GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"
LAST_GET = b"GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


class Pieces:
    """A source that gives one piece a call, then ends; or is late, when told so."""

    def __init__(self, *pieces: bytes, late: bool = False) -> None:
        self.pieces = list(pieces)
        self.late = late

    def receive(self, size: int, /) -> bytes:
        if not self.pieces:
            if self.late:
                raise Late("scripted")
            return b""
        piece, rest = self.pieces[0][:size], self.pieces[0][size:]
        self.pieces[:1] = [rest] if rest else []
        return piece


def single(data: bytes) -> Pieces:
    """The same bytes one at a time."""
    return Pieces(*(data[at : at + 1] for at in range(len(data))))


@dataclass(slots=True)
class FakeWire:
    """A wire in memory, one list entry a piece. `room` (bytes) is what the client will take."""

    source: Pieces
    deadlines: bool = True
    room: int | None = None
    sent: bytearray = field(default_factory=bytearray)
    pieces: list[bytes] = field(default_factory=list)
    read_at: list[float] = field(default_factory=list)
    write_at: list[float] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)

    def receive(self, size: int, /) -> bytes:
        return self.source.receive(size)

    def send(self, data: bytes, /) -> None:
        if self.room is not None and len(self.sent) + len(data) > self.room:
            raise NotTaken("scripted")
        self.sent += data
        self.pieces.append(data)

    def read_by(self, at: float, /) -> None:
        if not self.deadlines:
            raise DeadlinesUnsupported("scripted")
        self.read_at.append(at)

    def write_by(self, at: float, /) -> None:
        if not self.deadlines:
            raise DeadlinesUnsupported("scripted")
        self.write_at.append(at)

    def linger(self) -> None:
        self.calls.append("linger")

    def abort(self) -> None:
        self.calls.append("abort")

    def drop(self) -> None:
        self.calls.append("drop")

    def end_input(self) -> None:
        self.calls.append("end_input")


def head_of(data: bytes) -> Head:
    """The head of a request given as bytes."""
    return read_head(Reader(Pieces(data)))


def request(
    data: bytes = b"", *, query: str = "", params: dict[str, str] | None = None, **headers: str
) -> Request:
    """A request for a handler that is called directly. `__` in a header's name stands for `-`."""
    # Imported names of web stay in one place: what a handler gets is made as the app makes it.
    from_headers = Headers((name.replace("__", "-"), value) for name, value in headers.items())
    return Request(
        "GET", "/", params or {}, _query(query), from_headers, Body.of(data), "127.0.0.1"
    )


def _query(raw: str) -> Any:
    from healthlog.base.query import Query

    return Query(raw)
