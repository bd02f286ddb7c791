"""A service under load: many senders, bodies of every kind, a ledger of what was answered 200."""

from __future__ import annotations

import gzip
import hashlib
import json
import queue
import random
import threading
from dataclasses import dataclass, field

from tests.support.bodies import NO_JSON, ONE_DAY, PARTIAL, body, days, metric, minutes
from tests.support.loopback import Client
from tests.support.process import INGEST

AUTOMATIONS = ("Watch", "iPhone", "Scale", None)
AGGREGATIONS = ("Days", "Minutes", "Seconds", None, None, None)


@dataclass(frozen=True, slots=True)
class Sent:
    """One body as it goes over the wire: its head without length, its bytes, how it is coded."""

    head: bytes
    body: bytes
    packed: bool
    chunked: bool

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.body).hexdigest()

    def pieces(self) -> list[bytes]:
        """Head, then the body in a few pieces."""
        data = gzip.compress(self.body, 1) if self.packed else self.body
        lines = [self.head]
        if self.packed:
            lines.append(b"Content-Encoding: gzip\r\n")
        if self.chunked:
            lines.append(b"Transfer-Encoding: chunked\r\n\r\n")
        else:
            lines.append(b"Content-Length: %d\r\n\r\n" % len(data))
        step = len(data) // 3 + 1
        parts = [data[at : at + step] for at in range(0, len(data), step)]
        if self.chunked:
            parts = [b"%x\r\n%b\r\n" % (len(part), part) for part in parts] + [b"0\r\n\r\n"]
        return [b"".join(lines), *parts]


def some_body(dice: random.Random) -> Sent:
    """A body of any kind and size, from any automation."""
    head = [b"POST /ingest HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"]
    head.append(f"Authorization: Bearer {INGEST}\r\n".encode())
    for name, value in (
        ("automation-id", dice.choice(AUTOMATIONS)),
        ("automation-aggregation", dice.choice(AGGREGATIONS)),
    ):
        if value is not None:
            head.append(f"{name}: {value}\r\n".encode())
    return Sent(b"".join(head), _contents(dice), dice.random() < 0.3, dice.random() < 0.3)


def _contents(dice: random.Random) -> bytes:
    kind = dice.randrange(8)
    if kind == 0:
        return dice.choice((NO_JSON, ONE_DAY, PARTIAL))
    if kind == 1:
        return minutes(dice.choice((60, 600, 1400)))
    if kind == 2:
        return body(*(_seconds(dice, name) for name in ("heart_rate", "step_count")))
    dates = dice.sample(range(1, 29), dice.randint(1, 20))
    return days({f"2026-05-{date:02}": dice.randrange(10_000) for date in dates})


def _seconds(dice: random.Random, name: str) -> dict[str, object]:
    hour = dice.randrange(24)
    return metric(
        name,
        {
            f"2026-05-04 {hour:02}:{at // 60:02}:{at % 60:02} +0200": dice.randrange(200)
            for at in dice.sample(range(3600), dice.choice((10, 300, 3000)))
        },
    )


@dataclass(slots=True)
class Ledger:
    """What was answered 200: id to the checksum of what had been sent. `steps` has a token for
    everything a sender has done."""

    answered: dict[str, str] = field(default_factory=dict)
    refused: list[int] = field(default_factory=list)
    steps: queue.Queue[None] = field(default_factory=queue.Queue)


class Sender(threading.Thread):
    """Sends body after body to a port until the service is gone."""

    def __init__(self, port: int, ledger: Ledger, seed: int) -> None:
        super().__init__(daemon=True)
        self._port = port
        self._ledger = ledger
        self._dice = random.Random(seed)

    def run(self) -> None:
        try:
            while True:
                self._send(some_body(self._dice))
        except (OSError, EOFError):
            return

    def _send(self, sent: Sent) -> None:
        with Client(self._port) as client:
            for piece in sent.pieces():
                client.send(piece)
                self._ledger.steps.put(None)
            reply = client.reply()
            if reply.status == 200:
                receipt = json.loads(reply.body)
                assert receipt["sha256"] == sent.sha256
                self._ledger.answered[receipt["delivery_id"]] = sent.sha256
            else:
                self._ledger.refused.append(reply.status)
            self._ledger.steps.put(None)
