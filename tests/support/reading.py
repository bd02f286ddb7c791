"""A whole log that can be asked: bodies go in through the real fold, answers come out as bytes."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC
from http.client import HTTPResponse
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlencode

from healthlog import config, entry, voice
from healthlog.base.conversation import Conversation, Host, Limits
from healthlog.base.http1 import Headers
from healthlog.base.metrics import Registry
from healthlog.base.slots import Slots
from healthlog.base.web import App, Route, tokens_only
from healthlog.fold import Folder
from healthlog.imports.door import journal_mark
from healthlog.ingest import Ingest
from healthlog.journal import outcomes, rows
from healthlog.mart.store import MartStore
from healthlog.model import Delivery, Verdict
from healthlog.parts import Parts
from healthlog.prefix import JournalPrefix
from healthlog.read import points as read
from healthlog.read.points import Page, Position
from healthlog.replay import Player, Stage
from healthlog.routes import routes
from healthlog.span import Span, edge
from healthlog.transcriber.doors.desk import Desk as RecordingsDesk
from healthlog.web import pages
from healthlog.web.errors import dressed
from healthlog.worker import WorkerState
from tests.support.accepting import House, asked, open_house
from tests.support.clock import FakeClock
from tests.support.http import FakeWire, Pieces, bearer, post
from tests.support.loopback import Reply

DAYS, MINUTES, HOURS, SECONDS = "Days", "Minutes", "Hours", "Seconds"


def metric(name: str, units: str | None, *data: Mapping[str, Any]) -> dict[str, Any]:
    """One metric of a body."""
    return {"name": name, "data": list(data)} | ({} if units is None else {"units": units})


def body(*metrics: Mapping[str, Any]) -> bytes:
    """A body of these metrics."""
    return json.dumps({"data": {"metrics": list(metrics)}}, ensure_ascii=False).encode()


def steps(*pairs: tuple[str, float], source: str | None = None) -> bytes:
    """A body of step counts: date and quantity."""
    extra = {} if source is None else {"source": source}
    return body(metric("step_count", "count", *({"date": d, "qty": q} | extra for d, q in pairs)))


@dataclass(slots=True)
class Desk:
    """A log, with the worker's state it tells of and the settings it reads by.

    `accidents` happen when a body is read for its fold; `parts` stand in for those of the routes.
    """

    house: House
    mart: MartStore
    folder: Folder
    settings: config.Settings
    spoken: RecordingsDesk
    state: WorkerState | None = None
    authorized: Callable[[Headers, str], bool] = bearer
    accidents: list[Callable[[], None]] = field(default_factory=list)
    parts: dict[str, Any] = field(default_factory=dict)
    with_pages: bool = False

    def send(self, content: bytes, aggregation: str | None = None, **facts: Any) -> Delivery:
        """A body taken in, then folded."""
        delivery = self.keep(content, aggregation, **facts)
        self.player().play(delivery.delivery_id)
        return delivery

    def keep(self, content: bytes, aggregation: str | None = None, **facts: Any) -> Delivery:
        """A body taken in, waiting to be folded."""
        last_us = self.house.journal.read(rows.last_stamp)
        intake = self.house.intake(last_stamp_us=last_us)
        facts = {"automation_id": "A-1", "automation_name": "Test", **facts}
        return self.house.accept(intake, content, aggregation=aggregation, **facts)

    def player(self) -> Player:
        journal, archive = self.house.journal, self.house.archive

        def find(delivery_id: str) -> Delivery | None:
            entry = journal.read(lambda c: rows.get(c, delivery_id))
            return None if entry is None else entry.delivery

        def keep(delivery_id: str, verdict: Verdict) -> None:
            journal.write(lambda c: outcomes.write_verdict(c, delivery_id, verdict))

        def read_body(delivery: Delivery) -> bytes:
            for accident in self.accidents:
                accident()
            return archive.body(delivery)

        stage = Stage(find, read_body, JournalPrefix(journal, archive.body), self.folder, keep)
        return Player(stage, log=self.house.log, clock=self.house.clock, fold_timeout_s=120.0)

    def routes(self) -> tuple[Route, ...]:
        house, max_body = self.house, self.settings.max_body
        intake = house.intake(last_stamp_us=house.journal.read(rows.last_stamp))
        ingest = Ingest(
            house.archive,
            intake,
            lambda: None,
            log=house.log,
            clock=house.clock,
            max_body=max_body,
            min_free=0,
        )
        parts = Parts(
            mart=self.mart,
            journal=house.journal,
            archive=house.archive,
            clock=house.clock,
            settings=self.settings,
            worker_state=lambda: self.state,
        )
        parts = replace(parts, spoken=self.spoken, recordings_state=self.spoken.recordings.told)
        told = replace(parts, **self.parts)
        doors = voice.routes(self.spoken, self.settings, min_free=0)
        return (
            *entry.routes(self.settings, ingest),
            *routes(told),
            *doors,
            *(pages.routes(told) if self.with_pages else ()),
        )

    def get(self, path: str, /, *fields: str, **params: str) -> Reply:
        """The answer to a GET with the read token; `from_` stands for the parameter `from`."""
        asked = {name.rstrip("_"): value for name, value in params.items()}
        target = f"{path}?{urlencode(asked)}" if asked else path
        own = fields or ("Authorization: Bearer read",)
        return self.ask("\r\n".join([f"GET {target} HTTP/1.1", "Host: x", *own, "", ""]).encode())

    def items(self, path: str, /, **params: str) -> list[dict[str, Any]]:
        """The items of a list that is answered 200."""
        reply = self.get(path, **params)
        assert reply.status == 200, reply.body
        items: list[dict[str, Any]] = reply.json()["items"]
        return items

    def points(self, name: str, **params: str) -> list[dict[str, Any]]:
        """The points of a metric."""
        return self.items("/api/v1/points", metric=name, **params)

    def page(
        self,
        name: str = "step_count",
        *,
        layer: str | None = None,
        first: str | None = None,
        last: str | None = None,
        behind: Position | None = None,
        limit: int = 1_000,
    ) -> Page:
        """A page of points as the mart gives it; the ends of its span are texts, dates of UTC."""
        span = span_of(first, last)
        return self.mart.read(
            lambda c: read.points(c, name, layer, span, behind=behind, limit=limit)
        )

    def plans(self, call: Callable[[sqlite3.Connection], object]) -> list[str]:
        """How SQLite carries out what `call` asks of the mart, line by line."""

        def explain(connection: sqlite3.Connection) -> list[str]:
            return [
                row[3]
                for statement, given in asked(connection, call)
                for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", given)
            ]

        return self.mart.read(explain)

    def post(self, content: bytes, *fields: str) -> Reply:
        """The answer to a POST of a body."""
        return self.ask(post("/ingest", content, *fields))

    def ask(self, request: bytes) -> Reply:
        """One conversation in bytes."""
        wire = FakeWire(Pieces(request))
        slots = Slots(4, 1, self.house.clock)
        slot = slots.admit(wire)
        assert slot is not None
        check, dress = tokens_only(self.authorized), dressed
        app = App(self.routes(), check, lambda event: None, dress)
        host = Host(app, Limits(), slots, self.house.log, self.house.clock)
        Conversation(host, wire, slot, "192.0.2.1").serve()
        return reply_of(bytes(wire.sent))


class _Socket:
    def __init__(self, sent: bytes) -> None:
        self._sent = sent

    def makefile(self, *_: object, **__: object) -> io.BytesIO:
        return io.BytesIO(self._sent)


def reply_of(sent: bytes) -> Reply:
    """What a client of the standard library reads in these bytes."""
    response = HTTPResponse(cast("Any", _Socket(sent)))
    response.begin()
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Reply(response.status, headers, response.read())


@contextmanager
def open_desk(data: Path, clock: FakeClock, **settings: str) -> Iterator[Desk]:
    """An empty log over an empty data directory."""
    with open_house(data, clock) as house:
        mart = MartStore(data, clock, "wal")
        mart.open()
        try:
            given = config.settings({"data": str(data), **settings}, {}, None)
            yield Desk(house, mart, Folder(mart, clock), given, recordings_of(house, given))
        finally:
            mart.close()


def recordings_of(house: House, given: config.Settings) -> RecordingsDesk:
    """The recordings of a log, at which nobody works."""
    made = voice.recordings(
        given,
        house.journal,
        clock=house.clock,
        log=house.log,
        registry=Registry(),
        min_free=0,
    )
    made.prepare()
    mark = journal_mark(house.data / "journal.db")
    return voice.desk(made, given, clock=house.clock, mark=mark)


def span_of(first: str | None, last: str | None) -> Span:
    """The span between two texts, dates of UTC."""
    return Span(*(None if end is None else edge(end, UTC) for end in (first, last)))


def values(items: Sequence[Mapping[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    """These members of each item, None where one is absent."""
    return [tuple(item.get(name) for name in names) for item in items]


def problem(reply: Reply, status: int) -> str:
    """The sentence of a problem, once its form was found right."""
    assert (reply.status, reply.headers["content-type"]) == (status, "application/problem+json")
    said = reply.json()
    assert said.keys() == {"type", "title", "status", "detail"}
    assert said["status"] == status
    return str(said["detail"])
