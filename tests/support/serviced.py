"""A service of this process, its log followed, its calls asked over loopback."""

from __future__ import annotations

import io
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from healthlog import config
from healthlog.base.clock import SystemClock
from healthlog.base.log import Log
from healthlog.service import Service
from tests.support.loopback import Client, Reply
from tests.support.patience import PATIENCE_S
from tests.support.process import INGEST, READ

POST = b"POST /ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
GET = b"GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n"


def settings(data: Path, **given: str) -> config.Settings:
    """Those of a service on loopback; an empty text takes one away."""
    plain = {"data": str(data), "listen": "127.0.0.1:0", "ingest_token": INGEST, "read_token": READ}
    flags = {name: value for name, value in {**plain, **given}.items() if value}
    return config.settings(flags, {}, None)


class Following(io.StringIO):
    """A stream for a log, in which a message can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = threading.Condition()

    def write(self, text: str) -> int:
        with self._changed:
            written = super().write(text)
            self._changed.notify_all()
            return written

    def lines(self, msg: str | None = None) -> list[dict[str, Any]]:
        told = [json.loads(line) for line in self.getvalue().splitlines()]
        return [line for line in told if msg in {None, line["msg"]}]

    patience_s = PATIENCE_S

    def until(self, msg: str, times: int = 1, **fields: object) -> dict[str, Any]:
        """The line with that message and these fields, once it has come so many times."""

        def came() -> list[dict[str, Any]]:
            return [line for line in self.lines(msg) if fields.items() <= line.items()]

        with self._changed:
            there = self._changed.wait_for(lambda: len(came()) >= times, self.patience_s)
        assert there, self.lines()[-5:]
        return came()[times - 1]


@contextmanager
def running(data: Path, clock: Any = None, **given: str) -> Iterator[tuple[Service, Following]]:
    """A service of this process, stopped in order at the end."""
    stream = Following()
    service = Service(
        settings(data, **given), log=Log(stream, SystemClock()), clock=clock or SystemClock()
    )
    service.start()
    try:
        yield service, stream
    finally:
        assert service.stop()


def asked(service: Service, request: bytes, tls: ssl.SSLContext | None = None) -> Reply:
    """The answer, once everything that follows from it has happened if it is the last one."""
    with Client(service.port, tls=tls) as client:
        client.send(request)
        reply = client.reply()
        if reply.headers.get("connection") == "close":
            assert client.ended()
        return reply


def posted(service: Service, body: bytes) -> Reply:
    return asked(service, POST % (INGEST.encode(), len(body)) + body)


def got(service: Service, path: str) -> Any:
    return asked(service, GET % (path.encode(), READ.encode())).json()
