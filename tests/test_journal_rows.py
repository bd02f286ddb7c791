"""Rows of the journal: written once, read back page by page."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from healthlog.base.db import Database
from healthlog.journal import outcomes, rows
from healthlog.model import Account, Delivery, Failure, Verdict
from tests.support.accepting import (
    SECOND_US,
    delivery,
    entry,
    insert,
    journal_ids,
    open_journal,
    plans,
)
from tests.support.clock import FakeClock

FULL = delivery(
    7,
    clock_at_us=5,
    said_at_us=6,
    clock_doubtful=True,
    imported=True,
    content_type="application/json",
    remote="192.0.2.7",
    automation_id="A",
    automation_name="Täglich \u2013 Minuten",
    aggregation="Minutes",
    period="Default",
    session_id="S",
    packed_sha256="f" * 64,
)
BOUNDS = (FULL.received_at_us, "x")


@pytest.fixture
def journal(data: Path, clock: FakeClock) -> Iterator[Database]:
    with open_journal(data, clock) as journal:
        yield journal


def page(
    journal: Database,
    status: str | None = None,
    *,
    from_us: int | None = None,
    to_us: int | None = None,
    cursor: tuple[int, str] | None = None,
    limit: int = 100,
) -> list[str]:
    found = journal.read(lambda c: rows.page(c, status, from_us, to_us, cursor, limit))
    return [one.delivery.delivery_id for one in found]


def judge(journal: Database, one: Delivery, status: str) -> None:
    """Gives a delivery an outcome of that status."""
    account = Account(1, uncovered=("x",) if status == "partial" else ())
    failure = Failure("malformed", "no JSON") if status == "failed" else None
    verdict = Verdict(account, failure)
    journal.write(lambda c: outcomes.write_verdict(c, one.delivery_id, verdict))


def ids(*deliveries: Delivery) -> list[str]:
    return [one.delivery_id for one in deliveries]


@pytest.mark.parametrize("one", [delivery(), FULL], ids=["plain", "full"])
def test_a_delivery_reads_back_as_it_was(journal: Database, one: Delivery) -> None:
    insert(journal, one)
    assert entry(journal, one.delivery_id) == rows.Entry(one, "pending")


def test_an_unknown_id_has_no_entry(journal: Database) -> None:
    assert journal.read(lambda c: rows.get(c, "x")) is None
    assert not journal.read(lambda c: rows.exists(c, "x"))


def test_a_known_id_exists(journal: Database) -> None:
    insert(journal, FULL)
    assert journal.read(lambda c: rows.exists(c, FULL.delivery_id))


def test_a_second_insert_changes_nothing(journal: Database) -> None:
    insert(journal, FULL)
    judge(journal, FULL, "partial")
    before = entry(journal, FULL.delivery_id)
    again = replace(FULL, bytes=99, automation_name="other", received_at_us=0)
    assert journal.write(lambda c: rows.insert(c, again)) is False
    assert entry(journal, FULL.delivery_id) == before


def test_a_first_insert_says_so(journal: Database) -> None:
    assert journal.write(lambda c: rows.insert(c, FULL)) is True


def test_the_last_stamp_is_the_greatest(journal: Database) -> None:
    assert journal.read(rows.last_stamp) is None
    assert journal.read(rows.last_position) is None
    insert(journal, delivery(1), delivery(9), delivery(4))
    assert journal.read(rows.last_stamp) == delivery(9).received_at_us
    assert journal.read(rows.last_position) == delivery(9).position


def test_known_ids_are_those_between_both_ends(journal: Database) -> None:
    some = [delivery(number) for number in range(0, 10, 2)]
    insert(journal, *some)
    first, last = delivery(2).delivery_id, delivery(7).delivery_id
    found = journal.read(lambda c: rows.known(c, first, last))
    assert found == {delivery(number).delivery_id for number in (2, 4, 6)}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("parse_status", "done"),
        ("bytes", -1),
        ("bytes", "many"),
        ("clock_doubtful", 2),
        ("sha256", None),
        ("parse_status", "failed"),
        ("failure_kind", "internal"),
    ],
)
def test_the_schema_refuses_what_is_no_row(journal: Database, column: str, value: object) -> None:
    insert(journal, FULL)
    with pytest.raises(sqlite3.IntegrityError):
        journal.write(lambda c: c.execute(f"UPDATE delivery SET {column} = ?", (value,)).rowcount)


# Pages


def test_a_page_is_in_the_order_of_the_journal(journal: Database) -> None:
    twins = [
        delivery(3),
        replace(delivery(3), delivery_id="z"),
        replace(delivery(3), delivery_id="a"),
    ]
    some = [*twins, *(delivery(number) for number in (0, 1, 2, 4))]
    insert(journal, *random.Random(1).sample(some, len(some)))
    assert page(journal) == [one.delivery_id for one in sorted(some, key=lambda one: one.position)]


def test_pages_join_without_gap_or_double(journal: Database) -> None:
    some = [delivery(number) for number in range(10)]
    insert(journal, *some)
    cursor: tuple[int, str] | None = None
    joined: list[str] = []
    while found := page(journal, cursor=cursor, limit=3):
        joined += found
        cursor = entry(journal, found[-1]).delivery.position
    assert joined == ids(*some)


def test_a_page_has_its_start_and_not_its_end(journal: Database) -> None:
    some = [delivery(number) for number in range(6)]
    insert(journal, *some)
    start, end = some[2].received_at_us, some[4].received_at_us
    assert page(journal, from_us=start, to_us=end) == ids(*some[2:4])
    assert page(journal, from_us=start + 1) == ids(*some[3:])
    assert page(journal, to_us=end + SECOND_US) == ids(*some[:5])


def test_the_later_of_cursor_or_start_counts(journal: Database) -> None:
    some = [delivery(number) for number in range(6)]
    insert(journal, *some)
    assert page(journal, from_us=some[1].received_at_us, cursor=some[3].position) == ids(*some[4:])
    assert page(journal, from_us=some[4].received_at_us, cursor=some[1].position) == ids(*some[4:])


@pytest.mark.parametrize("status", ["pending", "parsed", "partial", "failed"])
def test_a_page_can_be_of_one_status(journal: Database, status: str) -> None:
    some = [delivery(number) for number in range(8)]
    insert(journal, *some)
    for number, other in enumerate(("pending", "parsed", "partial", "failed") * 2):
        if other != "pending":
            judge(journal, some[number], other)
    expected = [one for one in some if entry(journal, one.delivery_id).parse_status == status]
    assert page(journal, status) == ids(*expected)
    assert page(journal, status, cursor=expected[0].position) == ids(expected[1])
    assert len(expected) == 2


def test_a_status_that_does_not_exist_is_an_error(journal: Database) -> None:
    with pytest.raises(ValueError, match="no status"):
        page(journal, "done")


# How the rows are found


BETWEEN = "(received_at_us,delivery_id)>(?,?) AND received_at_us<?"


@pytest.mark.parametrize(
    ("status", "index"),
    [
        (None, f"delivery_order ({BETWEEN})"),
        ("pending", f"delivery_pending ({BETWEEN})"),
        ("failed", f"delivery_status (parse_status=? AND {BETWEEN})"),
    ],
)
@pytest.mark.parametrize("analysed", [False, True])
def test_a_page_is_searched_in_its_index(
    journal: Database, status: str | None, index: str, analysed: bool
) -> None:
    insert(journal, *(delivery(number) for number in range(50)))
    for number in range(45):
        judge(journal, delivery(number), "parsed" if number % 9 else "failed")
    if analysed:
        journal.write(lambda c: c.execute("ANALYZE").fetchall())
    found = plans(journal, lambda c: rows.page(c, status, 0, 9, BOUNDS, 5))
    assert found == [f"SEARCH delivery USING INDEX {index}"]


def test_the_last_stamp_is_read_off_the_index(journal: Database) -> None:
    insert(journal, FULL)
    found = plans(journal, rows.last_stamp)
    assert found == ["SEARCH delivery USING COVERING INDEX delivery_order"]


def test_known_ids_are_read_off_the_index(journal: Database) -> None:
    [found] = plans(journal, lambda c: rows.known(c, "a", "b"))
    assert found.startswith("SEARCH delivery USING COVERING INDEX")


def test_ids_are_listed_as_they_were_written(journal: Database) -> None:
    insert(journal, delivery(2), delivery(1))
    assert journal_ids(journal) == ids(delivery(1), delivery(2))
