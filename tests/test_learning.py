"""What was folded by rules that knew less: returned to the queue, or left to a rebuild."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from healthlog.base.db import Database
from healthlog.base.errors import Busy
from healthlog.coverage import COVERED, Coverage
from healthlog.journal import learned
from healthlog.learning import MOST_RETURNED, Learned, learn, note
from healthlog.model import PARSER, Account, Counts, Failure, Verdict
from tests.support.accepting import outsider, plans
from tests.support.bodies import NO_JSON, PARTIAL, TWO_DAYS
from tests.support.clock import FakeClock
from tests.support.earlier import (
    BOTH,
    POORER,
    RICHER,
    VO2,
    age,
    fold_earlier,
    fold_richer,
    left_partial,
)
from tests.support.engine import Engine, open_engine

T = TypeVar("T")


@pytest.fixture
def engine(data: Path, clock: FakeClock) -> Iterator[Engine]:
    with open_engine(data, clock) as engine:
        yield engine


def learn_of(engine: Engine, coverage: Coverage = RICHER) -> Learned:
    return learn(engine.journal, engine.mart, engine.clock, coverage=coverage)


def recorded(engine: Engine) -> list[tuple[int, int]]:
    query = "SELECT coverage, returned FROM learned ORDER BY coverage"
    return engine.journal.read(lambda c: c.execute(query).fetchall())


# A section that was learned


@pytest.mark.scenario("storage", "Newly covered section returns its partial rows")
def test_a_learned_section_returns_the_partial_rows_that_name_it(engine: Engine) -> None:
    first, other, second = (engine.post(one) for one in (BOTH, PARTIAL, BOTH))
    fold_earlier(engine)
    before = [engine.entry(one) for one in (first, other, second)]
    assert learn_of(engine) == Learned(returned=2)
    assert engine.statuses(first, other, second) == ["pending", "partial", "pending"]
    after = [engine.entry(one) for one in (first, other, second)]
    assert [one.account for one in after] == [one.account for one in before]
    assert engine.digest().points == 2 + 2


@pytest.mark.scenario("storage", "Newly covered section returns its partial rows")
def test_a_returned_delivery_keeps_its_fates_and_gets_those_of_the_news(engine: Engine) -> None:
    first, second = engine.post(BOTH), engine.post(BOTH)
    fold_earlier(engine)
    learn_of(engine)
    fold_richer(engine)
    accounts = [engine.entry(one).account for one in (first, second)]
    assert [(one.counts, one.uncovered, one.coverage) for one in accounts if one] == [
        (Counts(received=4, new=4), (), 2),
        (Counts(received=4, same=4), (), 2),
    ]
    assert engine.statuses(first, second) == ["parsed", "parsed"]
    assert accounts == [engine.line(first), engine.line(second)]
    assert engine.digest().points == 4


@pytest.mark.scenario("journal", "What was learned is looked for once")
def test_it_is_done_once_for_each_coverage(engine: Engine) -> None:
    one = engine.post(BOTH)
    fold_earlier(engine)
    assert learn_of(engine, POORER) == Learned()
    assert recorded(engine) == [(1, 0)]
    assert learn_of(engine) == Learned(returned=1)
    assert recorded(engine) == [(1, 0), (2, 1)]
    fold_earlier(engine)  # a wrong turn that nobody looks for any more
    assert engine.statuses(one) == ["partial"]
    assert learn_of(engine) == Learned()
    assert recorded(engine) == [(1, 0), (2, 1)]


@pytest.mark.scenario("journal", "What was learned is looked for once")
def test_what_an_older_program_folded_in_between_is_looked_at_again(engine: Engine) -> None:
    learn_of(engine)
    one = engine.post(BOTH)
    learn_of(engine, POORER)
    fold_earlier(engine)
    assert recorded(engine) == [(1, 0)]
    assert learn_of(engine) == Learned(returned=1)
    assert engine.statuses(one) == ["pending"]


def test_what_is_rejected_by_the_new_rules_too_comes_back_once(engine: Engine) -> None:
    [one] = left_partial(engine, 1)
    assert learn_of(engine) == Learned(returned=1)
    still = Account(8, "day", "declared", uncovered=(VO2,), coverage=2)
    engine.keep(one.delivery_id, Verdict(still))
    engine.journal.write(lambda c: c.execute("DELETE FROM learned").close())
    assert learn_of(engine) == Learned()


def test_other_statuses_are_left_alone(engine: Engine) -> None:
    parsed, malformed, waiting = (engine.post(one) for one in (TWO_DAYS, NO_JSON, BOTH))
    engine.player().play(parsed.delivery_id)
    engine.player().play(malformed.delivery_id)
    assert learn_of(engine) == Learned()
    assert engine.statuses(parsed, malformed, waiting) == ["parsed", "failed", "pending"]


def test_nothing_is_written_where_nothing_was_learned(engine: Engine) -> None:
    learn_of(engine, COVERED)
    engine.house.disk.events.clear()
    assert learn_of(engine, COVERED) == Learned()
    assert engine.house.disk.events == []


# Few and many


class Counting(Database):
    """Notes how many rows of `delivery` each transaction has changed."""

    changed: list[int]

    def write(self, work: Callable[[sqlite3.Connection], T], *, budget_s: float = 2.0) -> T:
        def counted(connection: sqlite3.Connection) -> T:
            before = connection.total_changes
            result = work(connection)
            # Of each row the trigger of the tallies changes two more.
            self.changed.append((connection.total_changes - before) // 3)
            return result

        return super().write(counted, budget_s=budget_s)


@pytest.fixture
def counting(engine: Engine, data: Path, clock: FakeClock) -> Iterator[Counting]:
    journal = Counting(data / "journal.db", clock=clock, pause=clock.advance)
    journal.changed = []
    yield journal
    journal.close()


@pytest.mark.scenario("storage", "Many rows are left to a rebuild")
def test_a_thousand_rows_come_back_in_one_transaction(engine: Engine, counting: Counting) -> None:
    some = left_partial(engine, MOST_RETURNED)
    assert learn(counting, engine.mart, engine.clock, coverage=RICHER) == Learned(1000)
    assert counting.changed == [1000]
    assert {*engine.statuses(*some[::100])} == {"pending"}


@pytest.mark.scenario("storage", "Many rows are left to a rebuild")
def test_more_than_a_thousand_are_left_to_a_rebuild(engine: Engine, counting: Counting) -> None:
    some = left_partial(engine, MOST_RETURNED + 1)
    found = learn(counting, engine.mart, engine.clock, coverage=RICHER)
    assert found.rebuild == "more than 1000 deliveries hold what was learned since"
    assert (found.returned, counting.changed) == (0, [])
    assert {*engine.statuses(*some[::100])} == {"partial"}
    # Found again at every start until they have been taken.
    assert learn_of(engine) == found
    note(engine.journal, engine.clock, RICHER)
    assert learn_of(engine) == Learned()


def test_rows_that_name_something_else_don_t_count(engine: Engine) -> None:
    left_partial(engine, MOST_RETURNED + 1, uncovered=("mystery",))
    assert learn_of(engine) == Learned()


def test_a_busy_journal_leaves_all_or_nothing(engine: Engine, data: Path) -> None:
    [one] = left_partial(engine, 1)
    with outsider(data / "journal.db"), pytest.raises(Busy):
        learn_of(engine)
    assert engine.statuses(one) == ["partial"]
    assert recorded(engine) == []
    assert learn_of(engine) == Learned(returned=1)


# Another parser


@pytest.mark.scenario("reindex", "Rows of another parser wait for the swap")
def test_rows_of_another_parser_are_left_to_a_rebuild(engine: Engine) -> None:
    posted = [engine.post(one) for one in (TWO_DAYS, BOTH, NO_JSON)]
    fold_earlier(engine)
    age(engine)
    before = [engine.entry(one) for one in posted]
    assert learn_of(engine).rebuild == "2 deliveries were folded by another parser"
    assert [engine.entry(one) for one in posted] == before
    assert recorded(engine) == []


@pytest.mark.scenario("storage", "Raised parser gives the failed another chance")
def test_what_failed_by_another_parser_gets_another_chance(engine: Engine) -> None:
    one, other = engine.post(TWO_DAYS), engine.post(NO_JSON)
    failure = Failure("internal", "broke")
    engine.keep(one.delivery_id, Verdict(Account(7, parser=PARSER - 1), failure))
    engine.keep(other.delivery_id, Verdict(Account(7), failure))
    assert learn_of(engine, COVERED) == Learned(returned=1)
    assert engine.statuses(one, other) == ["pending", "failed"]
    assert learn_of(engine, COVERED) == Learned()
    engine.fold_all()
    assert engine.statuses(one) == ["parsed"]


@pytest.mark.parametrize("analysed", [False, True])
def test_rows_are_looked_for_in_the_index_of_their_status(engine: Engine, analysed: bool) -> None:
    left_partial(engine, 50)
    if analysed:
        engine.journal.write(lambda c: c.execute("ANALYZE").fetchall())

    def ask(connection: sqlite3.Connection) -> None:
        learned.partials(connection, (5, "x"), 10)
        learned.failed_otherwise(connection, PARSER, 10)

    partials, failed = plans(engine.journal, ask)
    assert partials.startswith("SEARCH delivery USING INDEX delivery_status (parse_status=? AND")
    assert failed == "SEARCH delivery USING INDEX delivery_status (parse_status=?)"
