"""The law: the mart is a function of the set of deliveries, however they were folded."""

from __future__ import annotations

import json
import random
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from healthlog.fold import Folder
from healthlog.layer import LAYERS
from healthlog.mart.dictionary import DATE_ALONE, origins, tags
from healthlog.mart.digest import digest
from healthlog.mart.remembered import Remembered
from healthlog.mart.store import open_mart
from healthlog.model import Account, Delivery
from healthlog.planning import Overdue, Plan
from tests.support.clock import FakeClock
from tests.support.counting import elements
from tests.support.folding import MemoryMart, no_check, overdue_after
from tests.support.history import BODIES, POINTS, Told, history
from tests.support.oracle import EPOCH, Coordinate, Stands, quarters, winners

SEED = 20_261_130
FIRST, MORE = range(40), range(40, 200)
"""Orders of the quick suite, and those of the slow one."""

_DUMPS = {
    "points": (
        "SELECT metric, series.layer, at_ms, sub, origin.label, origin < 0, n, qty, min, avg, max,"
        " tag.label, offset_min, detail, said.delivery_id, closed.delivery_id"
        " FROM point JOIN series USING (series) JOIN tag USING (tag)"
        " LEFT JOIN origin USING (origin) JOIN folded said ON said.delivery = said_by"
        " LEFT JOIN folded closed ON closed.delivery = closed_by"
    ),
    "series": "SELECT metric, layer, points, first_at_ms, last_at_ms FROM series",
    "quarters": (
        "SELECT quarter, offset_min, delivery_id FROM quarter JOIN folded ON delivery = said_by"
    ),
    "spoke": (
        "SELECT delivery_id, metric, series.layer, spoke.first_at_ms, spoke.last_at_ms, readings"
        " FROM spoke JOIN series USING (series) JOIN folded USING (delivery)"
    ),
    "tags": "SELECT label FROM tag",
    "origins": "SELECT label FROM origin",
    # Which fate an element met depends on what had been folded; how many there were does not.
    "folded": (
        "SELECT delivery_id, said_at_us, received_at_us, spoke_at_us, parser, coverage, layer,"
        " layer_origin, received, new + changed + same + outdated, rejected_count, uncovered,"
        " rejected FROM folded"
    ),
}


def dump(connection: sqlite3.Connection) -> dict[str, list[Any]]:
    """Everything derived, numbers of rows put into words."""
    return {name: sorted(connection.execute(sql), key=repr) for name, sql in _DUMPS.items()}


@contextmanager
def mart_of(
    fold_all: Callable[[Folder], None], remembered: Remembered | None = None
) -> Iterator[sqlite3.Connection]:
    mart = MemoryMart()
    folder = Folder(mart, FakeClock(), remembered=remembered)
    fold_all(folder)
    folder.settle()
    yield mart.connection
    mart.connection.close()


def fold(folder: Folder, one: Told, check: Callable[[], None] = no_check) -> None:
    if one.plan is not None:
        folder.fold(one.delivery, one.plan, check)


@pytest.fixture(scope="module")
def told() -> list[Told]:
    return history(SEED)


@pytest.fixture(scope="module")
def in_order(told: list[Told]) -> Iterator[sqlite3.Connection]:
    """The mart of a fold in the order of the journal."""

    def fold_all(folder: Folder) -> None:
        for one in told:
            fold(folder, one)

    with mart_of(fold_all) as connection:
        yield connection


def test_the_history_has_everything_in_it(told: list[Told], in_order: sqlite3.Connection) -> None:
    assert len(told) == BODIES
    malformed = [one for one in told if one.plan is None and one.body[-1:] != b"}"]
    layerless = [one for one in told if one.plan is None and one.body[-1:] == b"}"]
    assert malformed
    assert layerless
    assert sum(elements(one.body) for one in told if one not in malformed) > POINTS * 0.9
    plans = [one.plan for one in told if one.plan is not None]
    assert {layer for plan in plans for _, layer, _ in plan.series} == set(LAYERS)
    assert {plan.layer_origin for plan in plans} >= {"declared", "derived", "inherited"}
    assert sum(said.doubles for plan in plans for _, _, said in plan.series) > 50
    assert sum(any(said.lines.n) for plan in plans for _, _, said in plan.series) > 20
    fates = in_order.execute(
        "SELECT sum(new), sum(changed), sum(same), sum(outdated), sum(rejected_count),"
        " sum(incomparable) FROM folded"
    ).fetchone()
    assert min(fates) > 10
    several = "SELECT count(*) FROM point WHERE n > 0"
    closed_by_another = "SELECT count(*) FROM point WHERE closed_by <> said_by"
    for sql in (several, closed_by_another):
        assert in_order.execute(sql).fetchone()[0] > 10
    ranges = "SELECT count(*) FROM point WHERE min IS NOT NULL AND avg IS {}NULL"
    for missing in ("", "NOT "):
        assert in_order.execute(ranges.format(missing)).fetchone()[0] > 30
    assert len({offset for (offset,) in in_order.execute("SELECT offset_min FROM quarter")}) == 3


def test_what_stands_is_what_the_rules_say_of_the_set(
    told: list[Told], in_order: sqlite3.Connection
) -> None:
    folded = [one for one in told if one.plan is not None]
    assert _standing(in_order) == winners(folded)
    named = in_order.execute(_DUMPS["quarters"]).fetchall()
    assert {quarter: (offset, said) for quarter, offset, said in named} == quarters(folded)


def test_what_is_received_is_an_independent_count(
    told: list[Told], in_order: sqlite3.Connection
) -> None:
    counted = in_order.execute(
        "SELECT delivery_id, received, new + changed + same + outdated + rejected_count FROM folded"
    ).fetchall()
    bodies = {one.delivery.delivery_id: one.body for one in told}
    assert [row for row in counted if not row[1] == row[2] == elements(bodies[row[0]])] == []


@pytest.mark.scenario("fold", "What is remembered never shows")
@pytest.mark.scenario("fold", "Random orders end in one digest")
@pytest.mark.parametrize("orders", [FIRST, pytest.param(MORE, marks=pytest.mark.slow)], ids=len)
def test_random_orders_end_in_one_mart(
    told: list[Told], in_order: sqlite3.Connection, orders: range
) -> None:
    expected, expected_digest = dump(in_order), digest(in_order)
    broken = 0
    for number in orders:
        order = _Order(told, random.Random(SEED + number))
        # What is remembered of the mart, and whether the file lags behind, must not show either.
        remembered = Remembered(late=number % 2 == 1, most_rows=(0, 40, 50_000)[number % 3])
        with mart_of(order.fold_all, remembered) as connection:
            assert digest(connection) == expected_digest, f"order {number}"
            assert dump(connection) == expected, f"order {number}"
        broken += order.broken
    assert broken > len(orders)


class _Forgetful(Folder):
    """One that remembers nothing from one delivery to the next."""

    def __init__(self, mart: MemoryMart) -> None:
        self._own = mart
        super().__init__(mart, FakeClock())

    def fold(self, delivery: Delivery, planned: Plan, check: Callable[[], None]) -> Account:
        return Folder(self._own, FakeClock()).fold(delivery, planned, check)


@pytest.mark.scenario("fold", "What is remembered never shows")
@pytest.mark.parametrize("number", range(24))
def test_accounts_are_those_of_one_who_remembers_nothing(told: list[Told], number: int) -> None:
    marts = MemoryMart(), MemoryMart()
    remembered = Remembered(late=number % 2 == 1, most_rows=(150, 400, 50_000)[number % 3])
    folders = Folder(marts[0], FakeClock(), remembered=remembered), _Forgetful(marts[1])
    for folder in folders:
        _Order(told, random.Random(SEED + number)).fold_all(folder)
        folder.settle()
    accounts = (
        "SELECT delivery_id, received, new, changed, same, outdated, rejected_count, incomparable,"
        " parts FROM folded ORDER BY delivery_id"
    )
    mine, expected = (mart.connection.execute(accounts).fetchall() for mart in marts)
    assert mine == expected
    assert dump(marts[0].connection) == dump(marts[1].connection)
    for mart in marts:
        mart.connection.close()


def test_a_mart_in_a_file_says_the_same(
    told: list[Told], in_order: sqlite3.Connection, tmp_path: Path
) -> None:
    mart = open_mart(tmp_path / "mart.db", FakeClock(), "wal")
    try:
        order = _Order(told, random.Random(SEED))
        order.fold_all(Folder(mart, FakeClock()))
        assert mart.read(dump) == dump(in_order)
        assert mart.read(digest) == digest(in_order)
    finally:
        mart.close()


class _Order:
    """One way to fold a history: shuffled, in slices, with repeats and breaks."""

    def __init__(self, told: list[Told], chance: random.Random) -> None:
        self._left = chance.sample(told, len(told))
        self._chance = chance
        self.broken = 0

    def fold_all(self, folder: Folder) -> None:
        done: list[Told] = []
        while self._left:
            length = self._chance.randint(1, 25)
            slice_, self._left = self._left[:length], self._left[length:]
            for one in slice_:
                if self._chance.random() < 0.2:
                    self._break(folder, one)
                fold(folder, one)
            done += slice_
            for one in self._chance.choices(done, k=3):
                fold(folder, one)

    def _break(self, folder: Folder, one: Told) -> None:
        check = overdue_after(self._chance.randrange(8))
        try:
            fold(folder, one, check)
        except Overdue:
            self.broken += 1


def _standing(connection: sqlite3.Connection) -> dict[Coordinate, Stands]:
    """What a mart holds, in the words of the oracle."""
    tag_of, origin_of = tags(connection), origins(connection)
    ids = dict(connection.execute("SELECT delivery, delivery_id FROM folded"))
    rows = connection.execute(
        "SELECT metric, layer, at_ms, sub, origin, qty, min, avg, max, tag, detail, offset_min,"
        " said_by, closed_by FROM point JOIN series USING (series)"
    )
    readings: defaultdict[Coordinate, list[str]] = defaultdict(list)
    words: dict[Coordinate, tuple[str, str | None]] = {}
    for (
        name,
        layer,
        at_ms,
        sub,
        origin,
        qty,
        low,
        mean,
        high,
        tag,
        detail,
        offset_min,
        said,
        closed,
    ) in rows:
        rest = json.loads(detail) if detail else {}
        numbers = {"qty": qty, "Min": low, "Avg": mean, "Max": high}
        unit, sources = tag_of[tag]
        text: dict[str, Any] = {key: value for key, value in numbers.items() if value is not None}
        text |= {"unit": unit, "sources": sources, "extra": rest.get("extra", {})}
        start = _start(layer, at_ms, origin, rest)
        if start is not None:
            text["instant"] = start
        end_ms = at_ms + sub if layer == "sample" else rest.get("end")
        if end_ms is not None:
            text["end"] = _instant(end_ms)
        shown = json.dumps(text, sort_keys=True, default=str)
        dated = layer in {"day", "week", "month", "year"}
        where = (name, layer, *_where(layer, start, sub, origin_of[origin], text))
        readings[where].append(f"{shown} at {offset_min}" if dated else shown)
        words[where] = ids[said], ids.get(closed)
    return {where: Stands(sorted(readings[where]), *words[where]) for where in readings}


def _start(layer: str, at_ms: int, origin: int, rest: dict[str, Any]) -> datetime | None:
    if layer in {"week", "month", "year"}:
        return _instant(rest["start"]) if "start" in rest else None
    return None if origin == DATE_ALONE else _instant(at_ms)


def _instant(at_ms: int) -> datetime:
    return (EPOCH + timedelta(milliseconds=at_ms)).astimezone(UTC)


def _where(
    layer: str, start: datetime | None, sub: int, origin: tuple[Any, Any], text: dict[str, Any]
) -> Coordinate:
    sources, reason = origin
    if layer == "sample":
        return start, text["end"], sources
    if layer == "raw":
        return start, sources, reason
    if layer in {"minute", "hour"}:
        return start, reason
    day = date(1970, 1, 1) + timedelta(days=sub)
    return (day, start) if layer == "day" else (day,)


def test_the_dump_sees_a_change_that_the_digest_leaves_out(in_order: sqlite3.Connection) -> None:
    before = dump(in_order)
    in_order.execute("SAVEPOINT here")
    in_order.execute("UPDATE point SET closed_by = NULL")
    assert Counter(map(str, dump(in_order)["points"])) != Counter(map(str, before["points"]))
    in_order.execute("ROLLBACK TO here")
    in_order.execute("RELEASE here")
