"""What a delivery inherits: by the journal's walk, and by a replay's memory, which must agree."""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path

import pytest

from healthlog.archive.read import Unreadable
from healthlog.base.errors import DiskFull
from healthlog.journal import own_layers
from healthlog.model import PARSER, Delivery
from healthlog.prefix import JournalPrefix, NoNeighbour
from tests.support.accepting import delivery, insert, outsider
from tests.support.bodies import NO_JSON, TWO_DAYS, minutes
from tests.support.clock import MORNING_US
from tests.support.engine import Engine
from tests.support.reading_bodies import WEIGHT, Reader, own, post


@pytest.fixture
def reader(engine: Engine) -> Reader:
    return Reader(engine)


@pytest.fixture
def prefix(engine: Engine, reader: Reader) -> JournalPrefix:
    return JournalPrefix(engine.journal, reader)


def test_the_nearest_earlier_layer_is_inherited(engine: Engine, prefix: JournalPrefix) -> None:
    post(engine, minutes(60))
    post(engine, TWO_DAYS)
    one = post(engine, WEIGHT)
    post(engine, minutes(60))
    assert prefix.inherited(one) == "day"


def test_the_first_of_an_automation_inherits_nothing(engine: Engine, prefix: JournalPrefix) -> None:
    post(engine, TWO_DAYS, "B")
    assert prefix.inherited(post(engine, WEIGHT)) is None


def test_without_an_automation_there_is_nothing_to_inherit_from(
    engine: Engine, prefix: JournalPrefix
) -> None:
    post(engine, TWO_DAYS, None)
    assert prefix.inherited(post(engine, WEIGHT, None)) is None


def test_what_is_missing_is_worked_out_without_folding_and_stored(
    engine: Engine, prefix: JournalPrefix, reader: Reader
) -> None:
    giver, silent = post(engine, TWO_DAYS), post(engine, WEIGHT)
    one = post(engine, WEIGHT)
    assert prefix.inherited(one) == "day"
    assert own(engine, giver) == ("day", PARSER)
    assert own(engine, silent) == (None, PARSER)
    assert reader.asked == [silent.delivery_id, giver.delivery_id]
    assert engine.statuses(giver, silent, one) == ["pending"] * 3


def test_what_was_worked_out_is_not_read_again(
    engine: Engine, prefix: JournalPrefix, reader: Reader
) -> None:
    post(engine, TWO_DAYS)
    post(engine, WEIGHT)
    one = post(engine, WEIGHT)
    prefix.inherited(one)
    reader.asked.clear()
    assert prefix.inherited(one) == "day"
    assert reader.asked == []


def test_what_another_parser_worked_out_is_worked_out_again(
    engine: Engine, prefix: JournalPrefix
) -> None:
    giver = post(engine, TWO_DAYS)
    engine.journal.write(
        partial(own_layers.store, delivery_id=giver.delivery_id, layer="week", parser=PARSER - 1)
    )
    assert prefix.inherited(post(engine, WEIGHT)) == "day"
    assert own(engine, giver) == ("day", PARSER)


def test_a_declared_layer_is_known_without_the_body(
    engine: Engine, prefix: JournalPrefix, reader: Reader
) -> None:
    post(engine, NO_JSON, aggregation="Hours")
    assert prefix.inherited(post(engine, WEIGHT)) == "hour"
    assert reader.asked == []


def test_a_malformed_delivery_is_passed_over_for_good(
    engine: Engine, prefix: JournalPrefix
) -> None:
    post(engine, TWO_DAYS)
    malformed = post(engine, NO_JSON)
    assert prefix.inherited(post(engine, WEIGHT)) == "day"
    assert own(engine, malformed) == (None, PARSER)


@pytest.mark.parametrize(
    "error",
    [Unreadable("gone"), MemoryError(), ZeroDivisionError()],
    ids=lambda error: type(error).__name__,
)
def test_a_delivery_that_cannot_be_read_is_passed_over_for_now(
    engine: Engine, prefix: JournalPrefix, reader: Reader, error: Exception
) -> None:
    post(engine, minutes(60))
    broken = post(engine, TWO_DAYS)
    one = post(engine, WEIGHT)
    reader.failing[broken.delivery_id] = error
    assert prefix.inherited(one) == "minute"
    assert own(engine, broken) == (None, None)
    reader.failing.clear()
    assert prefix.inherited(one) == "day"


def test_a_failed_delivery_passes_its_layer_on(engine: Engine, prefix: JournalPrefix) -> None:
    giver = post(engine, TWO_DAYS)

    def late_body(one: Delivery) -> bytes:
        engine.clock.advance(121)
        return engine.house.archive.body(one)

    engine.player(read_body=late_body).play(giver.delivery_id)
    assert engine.statuses(giver) == ["failed"]
    assert prefix.inherited(post(engine, WEIGHT)) == "day"


def test_a_walk_longer_than_a_page_comes_to_the_layer(
    engine: Engine, prefix: JournalPrefix, reader: Reader
) -> None:
    giver = delivery(0, automation_id="A", aggregation="Weeks")
    silent = [delivery(number, automation_id="A") for number in range(1, 251)]
    insert(engine.journal, giver, *silent)
    for one in silent:
        engine.journal.write(
            partial(own_layers.store, delivery_id=one.delivery_id, layer=None, parser=PARSER)
        )
    assert prefix.inherited(delivery(251, automation_id="A")) == "week"
    assert reader.asked == []


def test_deliveries_of_one_instant_stand_in_the_order_of_their_ids(
    engine: Engine, prefix: JournalPrefix
) -> None:
    same = {"received_at_us": MORNING_US, "automation_id": "A"}
    first = delivery(0, **same, aggregation="Days")
    second = delivery(1, **same, aggregation="Weeks")
    insert(engine.journal, second, first)
    third = delivery(2, **same)
    assert prefix.inherited(third) == "week"
    assert prefix.inherited(second) == "day"
    assert prefix.inherited(first) is None


def test_a_circumstance_while_reading_an_earlier_body_is_raised(
    engine: Engine, prefix: JournalPrefix, reader: Reader
) -> None:
    giver = post(engine, TWO_DAYS)
    reader.failing[giver.delivery_id] = DiskFull("no room")
    with pytest.raises(DiskFull):
        prefix.inherited(post(engine, WEIGHT))
    assert own(engine, giver) == (None, None)


def test_a_locked_journal_is_a_circumstance(
    engine: Engine, prefix: JournalPrefix, data: Path
) -> None:
    post(engine, TWO_DAYS)
    one = post(engine, WEIGHT)
    with outsider(data / "journal.db"), pytest.raises(Exception, match="locked") as caught:
        prefix.inherited(one)
    assert caught.type.__name__ == "Busy"


def test_a_journal_that_is_broken_is_a_circumstance(engine: Engine, prefix: JournalPrefix) -> None:
    one = post(engine, WEIGHT)

    def drop(connection: sqlite3.Connection) -> None:
        connection.execute("DROP TABLE delivery")

    engine.journal.write(drop)
    with pytest.raises(NoNeighbour):
        prefix.inherited(one)
