"""The memory of a replay for what deliveries pass on, held against the journal's walk."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from healthlog.archive.read import Unreadable
from healthlog.prefix import JournalPrefix, ReplayPrefix
from tests.support.accepting import SECOND_US, delivery
from tests.support.bodies import NO_JSON, ONE_DAY, TWO_DAYS, minutes
from tests.support.engine import Engine
from tests.support.reading_bodies import WEIGHT, Reader, post


@pytest.fixture
def reader(engine: Engine) -> Reader:
    return Reader(engine)


# The memory of a replay


Act = Callable[[ReplayPrefix], None]


def in_replay(engine: Engine, reader: Reader, *acts: Act) -> str | None:
    prefix = ReplayPrefix(reader)
    for act in acts:
        act(prefix)
    return prefix.inherited(delivery(99, automation_id="A"))


def test_a_replay_remembers_the_last_layer(engine: Engine, reader: Reader) -> None:
    one, two = delivery(1, automation_id="A"), delivery(2, automation_id="A")
    other = delivery(3, automation_id="B")
    found = in_replay(
        engine,
        reader,
        lambda prefix: prefix.note(one, "minute"),
        lambda prefix: prefix.note(two, None),
        lambda prefix: prefix.note(other, "day"),
    )
    assert found == "minute"


def test_a_replay_inherits_nothing_without_an_automation(reader: Reader) -> None:
    prefix = ReplayPrefix(reader)
    prefix.note(delivery(1), "day")
    assert prefix.inherited(delivery(2)) is None


def test_a_replay_works_out_what_was_missed_when_it_is_asked(
    engine: Engine, reader: Reader
) -> None:
    early, late = post(engine, minutes(60)), post(engine, TWO_DAYS)
    last = post(engine, WEIGHT)
    found = in_replay(
        engine,
        reader,
        lambda prefix: prefix.miss(early),
        lambda prefix: prefix.miss(late),
        lambda prefix: prefix.miss(last),
    )
    assert found == "day"


def test_a_replay_forgets_what_was_missed_before_a_layer_was_noted(
    engine: Engine, reader: Reader
) -> None:
    missed, noted = post(engine, TWO_DAYS), post(engine, WEIGHT)
    found = in_replay(
        engine,
        reader,
        lambda prefix: prefix.miss(missed),
        lambda prefix: prefix.note(noted, "hour"),
    )
    assert (found, reader.asked) == ("hour", [])


def test_what_was_missed_and_stays_unreadable_passes_on_nothing(
    engine: Engine, reader: Reader
) -> None:
    noted, missed = post(engine, WEIGHT), post(engine, TWO_DAYS)
    reader.failing[missed.delivery_id] = Unreadable("gone")
    found = in_replay(
        engine,
        reader,
        lambda prefix: prefix.note(noted, "hour"),
        lambda prefix: prefix.miss(missed),
    )
    assert found == "hour"


def test_walk_and_memory_agree_over_a_mixed_history(engine: Engine, reader: Reader) -> None:
    sent = [WEIGHT, TWO_DAYS, WEIGHT, NO_JSON, minutes(60), ONE_DAY, WEIGHT, NO_JSON, WEIGHT]
    posted = [post(engine, one, automation) for one in sent for automation in ("A", "B", None)]
    walked = JournalPrefix(engine.journal, reader)
    by_walk = [walked.inherited(one) for one in posted]
    memory = ReplayPrefix(reader)
    by_memory = []
    for one in posted:
        by_memory.append(memory.inherited(one))
        memory.miss(one)
    assert by_walk == by_memory
    assert by_walk.count("day") == 6
    assert posted[0].received_at_us + SECOND_US == posted[1].received_at_us
