"""The queue: what waits, in which order it comes, how it comes back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from healthlog.base.db import Database
from healthlog.base.errors import Busy
from healthlog.journal import outcomes, queue, rows
from healthlog.model import Account, Counts, Delivery, Failure, Rejected, Verdict
from tests.support.accepting import asked, delivery, entry, insert, open_journal, plans
from tests.support.clock import FakeClock

T = TypeVar("T")
LEFT = Account(
    9, "day", "declared", Counts(received=1, rejected=1), ("b",), (Rejected("b[0]", "no_date"),)
)


@pytest.fixture
def journal(data: Path, clock: FakeClock) -> Iterator[Database]:
    with open_journal(data, clock) as journal:
        yield journal


def judge(journal: Database, one: Delivery, verdict: Verdict) -> None:
    journal.write(lambda c: outcomes.write_verdict(c, one.delivery_id, verdict))


def waiting(
    journal: Database, after: tuple[int, str] = queue.ZERO, limit: int = 100
) -> list[tuple[int, str]]:
    return journal.read(lambda c: queue.pending_page(c, after, limit))


def test_pending_deliveries_come_in_the_order_of_the_journal(journal: Database) -> None:
    some = [delivery(number) for number in range(4)]
    insert(journal, some[2], some[0], some[3], some[1])
    judge(journal, some[1], Verdict(Account(1)))
    assert waiting(journal) == [some[0].position, some[2].position, some[3].position]


def test_the_zero_cursor_stands_before_the_first_instant(journal: Database) -> None:
    first = delivery(0, received_at_us=0, delivery_id="0")
    insert(journal, first)
    assert waiting(journal) == [first.position]


def test_a_page_begins_strictly_behind_its_cursor(journal: Database) -> None:
    some = [delivery(number) for number in range(4)]
    insert(journal, *some)
    assert waiting(journal, some[1].position, 1) == [some[2].position]
    assert waiting(journal, some[3].position) == []


@pytest.mark.scenario("worker", "Queue is searched in its covering index")
@pytest.mark.parametrize("analysed", [False, True])
def test_the_queue_is_searched_in_its_covering_index(journal: Database, analysed: bool) -> None:
    insert(journal, *(delivery(number) for number in range(50)))
    judge(journal, delivery(0), Verdict(Account(1)))
    if analysed:
        journal.write(lambda c: c.execute("ANALYZE").fetchall())
    found = plans(journal, lambda c: queue.pending_page(c, (5, "x"), 10))
    assert found == [
        "SEARCH delivery USING COVERING INDEX delivery_pending ((received_at_us,delivery_id)>(?,?))"
    ]


@pytest.mark.scenario("worker", "Queue is searched in its covering index")
def test_the_queue_is_not_asked_with_or(journal: Database) -> None:
    spelled_out = (
        "SELECT received_at_us, delivery_id FROM delivery WHERE parse_status = 'pending'"
        " AND (received_at_us > ? OR (received_at_us = ? AND delivery_id > ?))"
        " ORDER BY received_at_us, delivery_id LIMIT 10"
    )
    [scan] = plans(journal, lambda c: c.execute(spelled_out, (5, 5, "x")))
    assert scan.startswith("SCAN")
    [(statement, _)] = journal.read(
        lambda c: asked(c, lambda connection: queue.pending_page(connection, (5, "x"), 10))
    )
    assert "(received_at_us, delivery_id) > (?, ?)" in statement
    assert " OR " not in statement.upper()


def test_what_waits_is_counted_without_a_scan(journal: Database) -> None:
    insert(journal, *(delivery(number) for number in range(5)))
    judge(journal, delivery(2), Verdict(Account(1)))
    assert journal.read(queue.pending_count) == 4
    [plan] = plans(journal, queue.pending_count)
    assert plan.startswith("SEARCH tally")


def test_the_oldest_that_waits_has_its_clock(journal: Database) -> None:
    assert journal.read(queue.oldest_pending) is None
    insert(journal, delivery(2), delivery(1, clock_at_us=77), delivery(0))
    judge(journal, delivery(0), Verdict(Account(1)))
    one = delivery(1)
    oldest = queue.Waiting(one.delivery_id, one.received_at_us, 77)
    assert journal.read(queue.oldest_pending) == oldest
    [plan] = plans(journal, queue.oldest_pending)
    assert plan == "SCAN delivery USING INDEX delivery_pending"


# Back to the queue


@pytest.mark.scenario("storage", "Newly covered section returns its partial rows")
def test_rows_that_name_the_news_come_back(journal: Database) -> None:
    some = [delivery(number) for number in range(3)]
    insert(journal, *some)
    for one, name in zip(some, ("ecg", "ecg", "symptoms"), strict=True):
        judge(journal, one, Verdict(Account(1, uncovered=(name,))))
    assert queue.requeue_matching(journal, names_ecg) == 2
    assert [entry(journal, one.delivery_id).parse_status for one in some] == [
        "pending",
        "pending",
        "partial",
    ]
    assert waiting(journal) == [some[0].position, some[1].position]


def names_ecg(one: rows.Entry) -> bool:
    return (
        one.parse_status == "partial" and one.account is not None and "ecg" in one.account.uncovered
    )


def test_a_row_that_comes_back_keeps_its_account(journal: Database) -> None:
    one = delivery()
    insert(journal, one)
    judge(journal, one, Verdict(LEFT))
    assert queue.requeue(journal, [one.delivery_id]) == 1
    assert entry(journal, one.delivery_id) == rows.Entry(one, "pending", LEFT)


def test_a_failed_row_comes_back_without_its_failure(journal: Database) -> None:
    one = delivery()
    insert(journal, one)
    judge(journal, one, Verdict(Account(1), Failure("internal", "broke")))
    assert queue.requeue(journal, [one.delivery_id]) == 1
    found = entry(journal, one.delivery_id)
    assert (found.parse_status, found.failure) == ("pending", None)


def test_unknown_or_pending_rows_are_passed_over(journal: Database) -> None:
    insert(journal, delivery())
    assert queue.requeue(journal, [delivery().delivery_id, "unknown"]) == 0


class Watched(Database):
    """Writes down how many rows wait after each transaction; fails when told to."""

    waiting: list[int]
    busy_at: int | None = None

    def write(self, work: Callable[[sqlite3.Connection], T], *, budget_s: float = 2.0) -> T:
        if self.busy_at == len(self.waiting):
            raise Busy("somebody else is writing")
        result = super().write(work, budget_s=budget_s)
        self.waiting.append(self.read(queue.pending_count))
        return result


@pytest.fixture
def parsed(data: Path, clock: FakeClock) -> Iterator[Watched]:
    """A journal of 2,500 rows that were parsed."""
    with open_journal(data, clock) as journal:
        journal.write(lambda c: [rows.insert(c, delivery(number)) for number in range(2_500)])
        journal.write(lambda c: c.execute("UPDATE delivery SET parse_status = 'parsed'").rowcount)
    watched = Watched(data / "journal.db", clock=clock)
    watched.waiting = []
    yield watched
    watched.close()


def all_ids() -> Iterator[str]:
    return (delivery(number).delivery_id for number in range(2_500))


def test_rows_come_back_in_slices(parsed: Watched) -> None:
    assert queue.requeue(parsed, all_ids()) == 2_500
    assert parsed.waiting == [1_000, 2_000, 2_500]


def test_matching_walks_the_whole_journal(parsed: Watched) -> None:
    assert queue.requeue_matching(parsed, lambda one: one.delivery.bytes % 2 == 0) == 1_250
    assert parsed.waiting == [500, 1_000, 1_250]


def test_slices_before_a_busy_one_are_done(parsed: Watched) -> None:
    parsed.busy_at = 2
    with pytest.raises(Busy):
        queue.requeue(parsed, all_ids())
    assert parsed.read(queue.pending_count) == 2_000
