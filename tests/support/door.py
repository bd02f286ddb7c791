"""The ingest route over a whole house, asked in bytes, without sockets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from healthlog.accept import Intake
from healthlog.base.web import Budget, Event, Route
from healthlog.ingest import Ingest
from tests.support.accepting import House, open_house
from tests.support.clock import FakeClock
from tests.support.http import FakeWire, Pieces, speak

MIB = 1 << 20
TOKEN = "Authorization: Bearer ingest"


@dataclass(frozen=True, slots=True)
class Answered:
    """The last answer of a conversation: its status, its fields in lower case, its JSON."""

    status: int
    fields: dict[str, str]
    said: dict[str, Any]
    event: Event

    @property
    def detail(self) -> str:
        return str(self.said["detail"])


@dataclass(slots=True)
class Door:
    """An ingest route. `rows_at_wake` has the rows that were there each time it set the bit."""

    house: House
    intake: Intake
    options: dict[str, Any] = field(default_factory=dict)
    rows_at_wake: list[list[str]] = field(default_factory=list)

    def wake(self) -> None:
        self.rows_at_wake.append(self.house.rows())

    def route(self) -> Route:
        plain: dict[str, Any] = {"max_body": MIB, "min_free": 0}
        options = {**plain, **self.options}
        handler = Ingest(
            self.house.archive,
            self.intake,
            self.wake,
            log=self.house.log,
            clock=self.house.clock,
            **options,
        )
        limit = options["max_body"]
        budget = Budget(300.0, 330.0)
        return Route("POST", "/ingest", handler, "ingest", body_limit=limit, budget=budget)

    def post(self, body: bytes, *fields: str) -> Answered:
        """A body whose length is announced."""
        return self.ask(Pieces(head(f"Content-Length: {len(body)}", *fields), body))

    def ask(self, source: Pieces, room: int | None = None) -> Answered:
        """One conversation over whatever the client sends."""
        wire = FakeWire(source, room=room)
        spoken = speak(wire, [self.route()], self.house.clock)
        return answered(bytes(wire.sent), spoken.events[-1])

    def untouched(self) -> bool:
        """Whether neither archive nor journal has anything."""
        return self.house.files() == [] and self.house.rows() == []


def head(*fields: str) -> bytes:
    """The head of a POST /ingest, after which the client sends nothing more than its body."""
    lines = ["POST /ingest HTTP/1.1", "Host: x", "Connection: close", TOKEN, *fields]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def answered(sent: bytes, event: Event) -> Answered:
    """What a client reads in the bytes it was sent; status 0 if there are none."""
    top, _, body = sent.partition(b"\r\n\r\n")
    first, *lines = top.decode("latin-1").split("\r\n")
    fields = {
        name.lower(): value.strip() for name, _, value in (one.partition(":") for one in lines)
    }
    status = int(first.split()[1]) if first else 0
    return Answered(status, fields, json.loads(body) if body else {}, event)


@contextmanager
def open_door(data: Path, clock: FakeClock) -> Iterator[Door]:
    """A door over an empty log."""
    with open_house(data, clock) as house:
        yield Door(house, house.intake())
