"""Journal and mart compared: whatever one claims of the other is made true, in small slices."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from healthlog.base.db import Database
from healthlog.journal import outcomes, rows
from healthlog.mart import folded
from healthlog.model import Account, Counts, Delivery, Failure, Verdict
from healthlog.reconcile import ForeignMart, Reconciled, copy_all, reconcile
from tests.support.accepting import delivery, insert
from tests.support.bodies import NO_JSON, ONE_DAY, PARTIAL, TWO_DAYS
from tests.support.clock import FakeClock
from tests.support.engine import Engine

T = TypeVar("T")


def write_verdict(engine: Engine, one: Delivery, verdict: Verdict) -> None:
    engine.keep(one.delivery_id, verdict)


def forget(engine: Engine, *deliveries: Delivery) -> None:
    """Takes the lines of deliveries out of the mart."""

    def work(connection: sqlite3.Connection) -> None:
        for one in deliveries:
            connection.execute("DELETE FROM folded WHERE delivery_id = ?", (one.delivery_id,))

    engine.mart.write(work)


def line_of(engine: Engine, number: int, one: Delivery, account: Account) -> None:
    """Puts a line into the mart."""
    engine.mart.write(partial(folded.write, number=number, delivery=one, account=account))


def test_what_agrees_is_left_alone(engine: Engine) -> None:
    posted = [engine.post(one) for one in (TWO_DAYS, PARTIAL, NO_JSON, ONE_DAY)]
    engine.fold_all()
    before = [engine.entry(one) for one in posted]
    assert reconcile(engine.journal, engine.mart) == Reconciled(0, 0)
    assert [engine.entry(one) for one in posted] == before


def test_an_empty_log_agrees(engine: Engine) -> None:
    assert reconcile(engine.journal, engine.mart) == Reconciled(0, 0)


def test_a_folded_row_without_a_line_goes_back_to_the_queue(engine: Engine) -> None:
    parsed, partly, failed = (engine.post(one) for one in (TWO_DAYS, PARTIAL, NO_JSON))
    engine.fold_all()
    forget(engine, parsed, partly)
    assert reconcile(engine.journal, engine.mart) == Reconciled(requeued=2)
    assert engine.statuses(parsed, partly, failed) == ["pending", "pending", "failed"]


def test_a_row_whose_account_differs_gets_that_of_the_mart(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    engine.fold_all()
    stored = engine.line(one)
    write_verdict(engine, one, Verdict(Account(7, "week", "declared", Counts(9, 9))))
    assert reconcile(engine.journal, engine.mart) == Reconciled(copied=1)
    assert engine.entry(one).account == stored


def test_a_failed_row_that_the_mart_has_folded_is_folded(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    engine.fold_all()
    write_verdict(engine, one, Verdict(Account(7), Failure("deadline", "too slow")))
    assert reconcile(engine.journal, engine.mart) == Reconciled(copied=1)
    assert engine.statuses(one) == ["parsed"]
    assert engine.entry(one).failure is None


def test_a_failure_that_counted_nothing_is_seen_beside_a_fold_that_counted_nothing(
    engine: Engine,
) -> None:
    one = engine.post(b"{}")
    engine.fold_all()
    stored = engine.line(one)
    assert stored is not None
    write_verdict(engine, one, Verdict(stored, Failure("deadline", "too slow")))
    assert engine.entry(one).account == stored
    assert reconcile(engine.journal, engine.mart) == Reconciled(copied=1)
    assert engine.statuses(one) == ["parsed"]


def test_a_pending_row_with_a_line_stays_pending_until_its_fold_finds_it(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    engine.fold_all()
    stored = engine.line(one)
    engine.journal.write(
        lambda c: c.execute("UPDATE delivery SET parse_status = 'pending'").close()
    )
    assert reconcile(engine.journal, engine.mart) == Reconciled(0, 0)
    engine.fold_all()
    assert engine.entry(one).account == stored


@pytest.mark.parametrize("number", [0, 2, 4], ids=["before all", "between", "behind all"])
def test_a_line_without_a_row_makes_the_mart_foreign(engine: Engine, number: int) -> None:
    known = [delivery(1), delivery(3)]
    insert(engine.journal, *known)
    line_of(engine, 1, delivery(number), Account(7))
    with pytest.raises(ForeignMart):
        reconcile(engine.journal, engine.mart)


def test_a_mart_beside_an_empty_journal_is_foreign(engine: Engine) -> None:
    line_of(engine, 1, delivery(0), Account(7))
    with pytest.raises(ForeignMart):
        reconcile(engine.journal, engine.mart)


class Counting(Database):
    """Notes how many rows each of its transactions has changed."""

    changed: list[int]

    def write(self, work: Callable[[sqlite3.Connection], T], *, budget_s: float = 2.0) -> T:
        def counted(connection: sqlite3.Connection) -> T:
            before = _rows_touched(connection)
            result = work(connection)
            self.changed.append(_rows_touched(connection) - before)
            return result

        return super().write(counted, budget_s=budget_s)


def _rows_touched(connection: sqlite3.Connection) -> int:
    """Rows of `delivery` changed by this connection so far; triggers count two tallies each."""
    return connection.total_changes


def _many(engine: Engine, count: int) -> list[Delivery]:
    posted = [delivery(number) for number in range(count)]

    def work(connection: sqlite3.Connection, batch: Sequence[Delivery]) -> None:
        for one in batch:
            rows.insert(connection, one)
            outcomes.write_verdict(connection, one.delivery_id, Verdict(Account(7)))

    for begin in range(0, count, 500):
        engine.journal.write(partial(work, batch=posted[begin : begin + 500]))
    return posted


@pytest.fixture
def counting(engine: Engine, data: Path, clock: FakeClock) -> Iterator[Counting]:
    journal = Counting(data / "journal.db", clock=clock)
    journal.changed = []
    yield journal
    journal.close()


@pytest.mark.scenario("journal", "Row without a folded line becomes pending")
def test_many_rows_without_a_line_become_pending_a_slice_at_a_time(
    engine: Engine, counting: Counting
) -> None:
    _many(engine, 2500)
    assert reconcile(counting, engine.mart) == Reconciled(requeued=2500)
    pending = counting.read(lambda c: c.execute("SELECT parse_status, count(*) FROM delivery "
                                                "GROUP BY parse_status").fetchall())  # fmt: skip
    assert pending == [("pending", 2500)]
    # Of each row the trigger of the tallies changes two more.
    assert [changed // 3 for changed in counting.changed] == [1000, 1000, 500]


def test_copying_goes_a_slice_at_a_time(engine: Engine, counting: Counting) -> None:
    posted = _many(engine, 1200)
    account = Account(8, "day", "declared", Counts(1, 1))

    def lines(connection: sqlite3.Connection) -> None:
        for number, one in enumerate(posted, start=1):
            folded.write(connection, number, one, account)

    engine.mart.write(lines)
    assert reconcile(counting, engine.mart) == Reconciled(copied=1200)
    assert max(counting.changed) <= 1000
    assert {engine.entry(one).account for one in posted[::100]} == {account}


def test_copy_all_gives_every_row_the_account_of_a_new_mart(engine: Engine) -> None:
    posted = [engine.post(one) for one in (TWO_DAYS, PARTIAL)]
    engine.fold_all()
    before = [engine.entry(one) for one in posted]
    for one in posted:
        write_verdict(engine, one, Verdict(Account(7), Failure("internal", "broke")))
    with_lines = Database(engine.mart.path, clock=engine.clock, readonly=True)
    try:
        assert copy_all(engine.journal, with_lines) == 2
    finally:
        with_lines.close()
    assert [engine.entry(one) for one in posted] == before
