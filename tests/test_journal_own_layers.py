"""Own layers: remembered per delivery, found by walking back over one automation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from healthlog.base.db import Database
from healthlog.journal import outcomes, own_layers
from healthlog.journal.outcomes import NoRow
from healthlog.model import Account, Failure, Verdict
from tests.support.accepting import delivery, entry, insert, open_journal, plans
from tests.support.clock import FakeClock

MINE = [delivery(number, automation_id="A", aggregation=f"g{number}") for number in range(6)]
BEFORE = MINE[4].position


@pytest.fixture
def journal(data: Path, clock: FakeClock) -> Iterator[Database]:
    with open_journal(data, clock) as journal:
        insert(journal, *MINE)
        yield journal


def store(journal: Database, number: int, layer: str | None, parser: int = 1) -> None:
    journal.write(lambda c: own_layers.store(c, MINE[number].delivery_id, layer, parser))


def earlier(
    journal: Database, automation_id: str | None = "A", limit: int = 100
) -> list[own_layers.Earlier]:
    return journal.read(lambda c: own_layers.earlier(c, automation_id, BEFORE, 1, limit))


def test_nothing_is_worked_out_at_first(journal: Database) -> None:
    found = entry(journal, MINE[0].delivery_id)
    assert (found.own_layer, found.own_layer_parser) == (None, None)


@pytest.mark.parametrize("layer", ["day", None])
def test_a_layer_is_stored_with_its_parser(journal: Database, layer: str | None) -> None:
    store(journal, 0, layer, 3)
    found = entry(journal, MINE[0].delivery_id)
    assert (found.own_layer, found.own_layer_parser) == (layer, 3)


def test_another_parser_replaces_the_layer(journal: Database) -> None:
    store(journal, 0, "day", 1)
    store(journal, 0, None, 2)
    found = entry(journal, MINE[0].delivery_id)
    assert (found.own_layer, found.own_layer_parser) == (None, 2)


def test_a_layer_of_an_unknown_delivery_is_not_stored(journal: Database) -> None:
    with pytest.raises(NoRow):
        journal.write(lambda c: own_layers.store(c, "unknown", "day", 1))


def test_an_outcome_leaves_the_own_layer_alone(journal: Database) -> None:
    store(journal, 0, "day")
    verdict = Verdict(Account(1), Failure("malformed", "no JSON"))
    journal.write(lambda c: outcomes.write_verdict(c, MINE[0].delivery_id, verdict))
    assert entry(journal, MINE[0].delivery_id).own_layer == "day"


def test_earlier_deliveries_come_newest_first(journal: Database) -> None:
    store(journal, 2, "day", 7)
    assert earlier(journal, limit=3) == [
        own_layers.Earlier(MINE[3].delivery_id, MINE[3].received_at_us, None, None, "g3"),
        own_layers.Earlier(MINE[2].delivery_id, MINE[2].received_at_us, "day", 7, "g2"),
        own_layers.Earlier(MINE[1].delivery_id, MINE[1].received_at_us, None, None, "g1"),
    ]


def test_only_what_is_strictly_before_is_earlier(journal: Database) -> None:
    assert [one.position for one in earlier(journal)] == [
        MINE[number].position for number in (3, 2, 1, 0)
    ]


def test_deliveries_of_one_instant_are_told_apart_by_id(journal: Database) -> None:
    us, own_id = BEFORE
    twins = [
        delivery(0, delivery_id=own_id[:-1] + tail, received_at_us=us, automation_id="A")
        for tail in ("0", "9")
    ]
    insert(journal, *twins)
    assert earlier(journal, limit=1)[0].delivery_id == twins[0].delivery_id


def test_those_known_to_have_no_layer_are_passed_over(journal: Database) -> None:
    store(journal, 3, None, 1)
    store(journal, 2, None, 2)
    store(journal, 1, "hour", 1)
    found = [(one.position, one.own_layer_parser) for one in earlier(journal)]
    assert found == [
        (MINE[2].position, 2),  # another parser's answer is worked out again
        (MINE[1].position, 1),
        (MINE[0].position, None),
    ]


def test_another_automation_passes_nothing_on(journal: Database) -> None:
    insert(journal, delivery(-5, automation_id="B", delivery_id="b"), delivery(-6, delivery_id="n"))
    assert [one.delivery_id for one in earlier(journal, "B")] == ["b"]
    assert earlier(journal, None) == []


@pytest.mark.parametrize("analysed", [False, True])
def test_the_walk_is_a_search(journal: Database, analysed: bool) -> None:
    if analysed:
        journal.write(lambda c: c.execute("ANALYZE").fetchall())
    found = plans(journal, lambda c: own_layers.earlier(c, "A", BEFORE, 1, 10))
    where = "(automation_id=? AND (received_at_us,delivery_id)<(?,?))"
    assert found == [f"SEARCH delivery USING INDEX delivery_automation {where}"]
