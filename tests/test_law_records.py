"""The law for records: they are a function of the set of deliveries, however they were folded."""

from __future__ import annotations

import json
import random
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import permutations
from typing import Any

import pytest

from healthlog import planning
from healthlog.fold import Folder
from healthlog.mart import record_rows
from healthlog.mart.digest import digest
from healthlog.mart.remembered import Remembered
from healthlog.model import Rank
from healthlog.planning import Overdue, Plan
from healthlog.records.record import KINDS
from tests.support.clock import FakeClock
from tests.support.counting import elements
from tests.support.folding import MemoryMart, delivery, no_check, overdue_after
from tests.support.record_history import BODIES, ELEMENTS, Told, history
from tests.support.records import night, nights

SEEDS = (20_261_130, 20_261_131, 20_261_132)
ORDERS = 20

_DUMPS = {
    "records": (
        "SELECT kind, key, at_ms, start_ms, end_ms, derived, flags, mate, loose FROM record"
    ),
    "quarters": (
        "SELECT quarter, offset_min, delivery_id FROM quarter JOIN folded ON delivery = said_by"
    ),
    # Which fate an element met depends on what had been folded; how many there were does not.
    "folded": (
        "SELECT delivery_id, received, new + changed + same + outdated, rejected_count, uncovered,"
        " rejected FROM folded"
    ),
}
_FIELDS = (
    "SELECT kind, key, name, value, length, delivery_id FROM field JOIN record USING (record)"
    " JOIN folded ON delivery = said_by"
)


def dump(connection: sqlite3.Connection) -> dict[str, list[Any]]:
    """Everything derived, numbers of rows put into words."""
    found = {name: sorted(connection.execute(sql), key=repr) for name, sql in _DUMPS.items()}
    return {**found, "fields": fields(connection)}


def fields(connection: sqlite3.Connection) -> list[Any]:
    rows = connection.execute(_FIELDS).fetchall()
    return sorted(
        (kind, key, name, record_rows.unpacked(value), length or 0, said_by)
        for kind, key, name, value, length, said_by in rows
    )


@pytest.fixture(scope="module", params=SEEDS)
def told(request: pytest.FixtureRequest) -> list[tuple[Told, Plan]]:
    return [(one, planned(one)) for one in history(request.param)]


def planned(one: Told) -> Plan:
    return planning.plan(planning.hear(one.delivery, one.body, no_check), lambda: None)


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


@pytest.fixture(scope="module")
def in_order(told: list[tuple[Told, Plan]]) -> Iterator[sqlite3.Connection]:
    """The mart of a fold in the order of the journal."""

    def fold_all(folder: Folder) -> None:
        for one, plan in told:
            folder.fold(one.delivery, plan, no_check)

    with mart_of(fold_all) as connection:
        yield connection


def test_the_history_has_everything_in_it(
    told: list[tuple[Told, Plan]], in_order: sqlite3.Connection
) -> None:
    assert len(told) == BODIES
    assert sum(elements(one.body) for one, _ in told) > ELEMENTS
    assert record_rows.counts(in_order).keys() == set(KINDS)
    fates = in_order.execute(
        "SELECT sum(new), sum(changed), sum(same), sum(outdated), sum(rejected_count) FROM folded"
    ).fetchone()
    assert min(fates) > 20
    said_by = in_order.execute("SELECT count(DISTINCT said_by) FROM field").fetchone()[0]
    assert said_by > 20
    flags = {
        flag
        for (text,) in in_order.execute("SELECT flags FROM record")
        for flag in json.loads(text)
    }
    assert flags >= {"stage_unknown", "status_unknown", "unit_doubtful", "samples_missing"}


def test_what_is_received_is_an_independent_count(
    told: list[tuple[Told, Plan]], in_order: sqlite3.Connection
) -> None:
    counted = in_order.execute(
        "SELECT delivery_id, received, new + changed + same + outdated + rejected_count FROM folded"
    ).fetchall()
    bodies = {one.delivery.delivery_id: one.body for one, _ in told}
    assert [row for row in counted if not row[1] == row[2] == elements(bodies[row[0]])] == []


def test_what_stands_is_what_the_rules_say_of_the_set(
    told: list[tuple[Told, Plan]], in_order: sqlite3.Connection
) -> None:
    said: defaultdict[tuple[str, str, str], list[tuple[bool, int, Rank, int, str]]]
    said = defaultdict(list)
    for one, plan in told:
        for place, word in enumerate(plan.records):
            for name, text in word.fields.items():
                length = word.series.get(name)
                weight = (length is not None, length or 0, one.delivery.rank, -place, text)
                said[word.kind, word.key, name].append(weight)
    expected = [
        (*where, best[4], best[1], best[2][2])
        for where, words in said.items()
        for best in [max(words)]
    ]
    assert fields(in_order) == sorted(expected)


@pytest.mark.scenario("records", "Numbers at the edge of a double end in one digest")
def test_hours_at_the_edge_of_a_double_end_in_one_digest() -> None:
    start, end = "2026-06-01 00:00:00 +0200", "2026-06-01 07:00:00 +0200"
    stages = ({"core": 1e308}, {"deep": 1e308}, {"asleep": 1e308}, {"inBed": 1.7e308})
    bodies = [nights(night(start, end, **one)) for one in stages]
    told = [(delivery(number, one, "Minutes"), one) for number, one in enumerate(bodies)]
    found = set()
    for order in permutations(told):
        mart = MemoryMart()
        folder = Folder(mart, FakeClock())
        for one, content in order:
            plan = planning.plan(planning.hear(one, content, no_check), lambda: None)
            folder.fold(one, plan, no_check)
        found.add(json.dumps(dump(mart.connection)))
        [(derived,)] = mart.connection.execute("SELECT derived FROM record").fetchall()
        assert "total_h" not in json.loads(derived)
        mart.connection.close()
    assert len(found) == 1


@pytest.mark.scenario("records", "Random orders end in one digest")
def test_random_orders_end_in_one_mart(
    told: list[tuple[Told, Plan]], in_order: sqlite3.Connection
) -> None:
    expected, expected_digest = dump(in_order), digest(in_order)
    assert expected_digest.records > 40
    broken = 0
    for number in range(ORDERS):
        order = _Order(told, random.Random(number))
        # What is remembered of the mart, and whether the file lags behind, must not show either.
        remembered = Remembered(late=number % 2 == 1, most_records=(0, 10, 2_000)[number % 3])
        with mart_of(order.fold_all, remembered) as connection:
            assert digest(connection) == expected_digest, f"order {number}"
            assert dump(connection) == expected, f"order {number}"
        broken += order.broken
    assert broken > ORDERS


class _Order:
    """One way to fold a history: shuffled, in slices, with repeats and breaks."""

    def __init__(self, told: list[tuple[Told, Plan]], chance: random.Random) -> None:
        self._left = chance.sample(told, len(told))
        self._chance = chance
        self.broken = 0

    def fold_all(self, folder: Folder) -> None:
        done: list[tuple[Told, Plan]] = []
        while self._left:
            length = self._chance.randint(1, 25)
            slice_, self._left = self._left[:length], self._left[length:]
            for one, plan in slice_:
                if self._chance.random() < 0.2:
                    self._break(folder, one, plan)
                folder.fold(one.delivery, plan, no_check)
            done += slice_
            for one, plan in self._chance.choices(done, k=3):
                folder.fold(one.delivery, plan, no_check)

    def _break(self, folder: Folder, one: Told, plan: Plan) -> None:
        check = overdue_after(self._chance.randrange(12))
        try:
            folder.fold(one.delivery, plan, check)
        except Overdue:
            self.broken += 1


def test_the_dump_sees_whose_word_it_is(in_order: sqlite3.Connection) -> None:
    before = dump(in_order)
    in_order.execute("SAVEPOINT here")
    in_order.execute("UPDATE field SET said_by = 1 WHERE said_by = 2")
    assert dump(in_order) != before
    in_order.execute("ROLLBACK TO here")
