"""What playing a delivery tells of its own layer to those that come after it."""

from __future__ import annotations

import pytest

from healthlog.archive.read import Unreadable
from healthlog.model import Delivery
from tests.support.bodies import NO_JSON, ONE_DAY, TWO_DAYS, body, metric, minutes
from tests.support.engine import Engine
from tests.support.playing import kind, play, raising

# What is passed on


def test_a_declared_layer_is_stored_when_somebody_inherits_it(engine: Engine) -> None:
    one = engine.post(NO_JSON, automation_id="A", aggregation="Days")
    play(engine, one)
    assert engine.entry(one).own_layer_parser is None
    play(engine, engine.post(ONE_DAY, automation_id="A"))
    assert (engine.entry(one).own_layer, engine.entry(one).own_layer_parser) == ("day", 1)


def test_a_malformed_body_without_header_passes_on_nothing_for_good(engine: Engine) -> None:
    one = engine.post(NO_JSON, automation_id="A")
    play(engine, one)
    assert (engine.entry(one).own_layer, engine.entry(one).own_layer_parser) == (None, 1)


@pytest.mark.parametrize(
    "error",
    [Unreadable("gone"), MemoryError(), ZeroDivisionError()],
    ids=lambda e: type(e).__name__,
)
def test_what_a_body_passes_on_stays_open_if_it_could_not_be_read(
    engine: Engine, error: Exception
) -> None:
    one = engine.post(TWO_DAYS, automation_id="A")
    play(engine, one, read_body=raising(error))
    assert engine.entry(one).own_layer_parser is None


def test_a_layer_lost_to_the_deadline_is_inherited_all_the_same(engine: Engine) -> None:
    slow = engine.post(minutes(60), automation_id="A")
    heir = engine.post(body(metric("weight_body_mass", {"2026-05-03 10:00:00 +0200": 80})),
                       automation_id="A")  # fmt: skip

    def slow_body(delivery: Delivery) -> bytes:
        engine.clock.advance(121)
        return engine.house.archive.body(delivery)

    play(engine, slow, read_body=slow_body)
    assert kind(engine, slow) == "deadline"
    engine.fold_all()
    account = engine.entry(heir).account
    assert account is not None
    assert (account.layer, account.layer_origin) == ("minute", "inherited")
