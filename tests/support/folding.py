"""A mart to fold into: bodies, deliveries, what stands afterwards."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from healthlog import planning
from healthlog.base import migrate
from healthlog.base.clock import parse_us
from healthlog.base.ids import make_id
from healthlog.fold import Folder
from healthlog.layer import DATED, DAY, SAMPLE
from healthlog.mart.dictionary import DATE_ALONE, origins, tags
from healthlog.mart.digest import digest
from healthlog.mart.quarters import Clock, whole_clock
from healthlog.mart.store import Mart
from healthlog.model import Account, Delivery
from healthlog.moment import instant_text
from healthlog.planning import Overdue, Plan
from tests.support.clock import FakeClock
from tests.support.sources import ROOT

T = TypeVar("T")

CASES = ROOT / "tests" / "data" / "cases"
NEW_YEAR_US = parse_us("2027-01-01T00:00:00Z")
SECOND_US = 1_000_000
DAYS, HOURS, MINUTES, DEFAULT = "Days", "Hours", "Minutes", "Default"


def case(name: str) -> bytes:
    """A body of tests/data/cases."""
    return (CASES / name).read_bytes()


def metric(
    name: object, *data: object, units: object = "count", **more: object
) -> dict[str, object]:
    """One metric object of a body."""
    return {"name": name, "units": units, "data": list(data), **more}


def point(date: str, qty: object = 1, **more: object) -> dict[str, object]:
    return {"date": date, "qty": qty, **more}


def body(*metrics: object, **sections: object) -> bytes:
    """A body of these metric objects, with further sections."""
    return json.dumps({"data": {"metrics": list(metrics), **sections}}).encode()


def delivery(number: int, content: bytes, aggregation: str | None, **fields: Any) -> Delivery:
    """A live delivery received `number` seconds after NEW_YEAR_US, or as `fields` say."""
    us = NEW_YEAR_US + number * SECOND_US
    plain: dict[str, Any] = {
        "delivery_id": make_id(us, f"{number % 2**32:08x}"),
        "received_at_us": us,
        "clock_at_us": us,
        "said_at_us": us,
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "aggregation": aggregation,
        "automation_id": "A",
    }
    return Delivery(**{**plain, **fields})


def no_check() -> None:
    """A fold that may take as long as it takes."""


def overdue_after(looks: int) -> Callable[[], None]:
    """A check that ends a fold when it is looked at once more than so many times."""
    left = iter(range(looks))

    def check() -> None:
        if next(left, None) is None:
            raise Overdue

    return check


def planned(one: Delivery, content: bytes, inherited: str | None = None) -> Plan:
    return planning.plan(planning.hear(one, content, no_check), lambda: inherited)


class MemoryMart:
    """The mart's schema in memory: the same SQLite, with nothing to wait for."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        for migration in migrate.load("mart"):
            for statement in migration.up:
                self.connection.execute(statement)

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return work(self.connection)

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            result = work(self.connection)
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")
        return result


class Point(NamedTuple):
    """A row of the mart with its words resolved, its times as the clock has them."""

    metric: str
    layer: str
    at: str | None
    day: int
    origin: tuple[object, object]
    qty: float | None
    min: float | None
    avg: float | None
    max: float | None
    unit: str | None
    sources: tuple[str, ...]
    extra: dict[str, Any]
    end_ms: int | None
    said_by: str
    closed_by: str | None


@dataclass(slots=True)
class Bench:
    """One mart, folded into in the order of the calls."""

    mart: Mart
    clock: FakeClock = field(default_factory=FakeClock)
    folded: int = 0

    def fold(
        self,
        content: bytes,
        aggregation: str | None = DAYS,
        *,
        inherited: str | None = None,
        **fields: Any,
    ) -> Account:
        """The account of a delivery received one second after the one before."""
        self.folded += 1
        one = delivery(self.folded, content, aggregation, **fields)
        return self.play(one, content, inherited)

    def play(self, one: Delivery, content: bytes, inherited: str | None = None) -> Account:
        return self.merge(one, planned(one, content, inherited))

    def merge(self, one: Delivery, plan: Plan, check: Callable[[], None] = no_check) -> Account:
        return Folder(self.mart, self.clock).fold(one, plan, check)

    def digest(self) -> str:
        return self.mart.read(digest).sha256

    def points(self, name: str | None = None, layer: str | None = None) -> list[Point]:
        """The rows of a metric or of all, by metric and layer and in their order."""
        found = self.mart.read(lambda connection: list(_points(connection)))
        return [p for p in found if name in {None, p.metric} and layer in {None, p.layer}]

    def only(self, name: str | None = None, layer: str | None = None) -> Point:
        [one] = self.points(name, layer)
        return one


@contextmanager
def open_bench() -> Iterator[Bench]:
    mart = MemoryMart()
    try:
        yield Bench(mart)
    finally:
        mart.connection.close()


def _points(connection: sqlite3.Connection) -> Iterator[Point]:
    tag_of, origin_of = tags(connection), origins(connection)
    ids = dict(connection.execute("SELECT delivery, delivery_id FROM folded"))
    clock = whole_clock(connection)
    rows = connection.execute(
        "SELECT metric, layer, at_ms, sub, origin, qty, min, avg, max, tag, detail, offset_min,"
        " said_by, closed_by FROM point JOIN series USING (series)"
        " ORDER BY metric, layer, at_ms, sub, origin, n"
    )
    for row in rows:
        name, layer, at_ms, sub, origin = row[:5]
        qty, low, mean, high = row[5:9]
        tag, detail, sent, said, closed = row[9:]
        rest: Mapping[str, Any] = json.loads(detail) if detail else {}
        dated = layer in DATED
        start_ms = rest.get("start") if dated and layer != DAY else at_ms
        if origin == DATE_ALONE:
            start_ms = None
        at = None if start_ms is None else _text(start_ms, sent, clock)
        yield Point(
            name,
            layer,
            at,
            sub if dated else clock.day(at_ms),
            origin_of[origin],
            qty,
            low,
            mean,
            high,
            *tag_of[tag],
            rest.get("extra", {}),
            at_ms + sub if layer == SAMPLE else rest.get("end"),
            ids[said],
            ids.get(closed),
        )


def _text(at_ms: int, sent_min: int | None, clock: Clock) -> str:
    return instant_text(at_ms, clock.offset_min(at_ms) if sent_min is None else sent_min)
