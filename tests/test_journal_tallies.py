"""Tallies: numbers that stay right whatever happens to the rows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from healthlog.base.db import Database
from healthlog.journal import outcomes, queue, rows, tallies
from healthlog.model import STATUSES, Account, Failure, Verdict
from tests.support.accepting import delivery, insert, open_journal, plans
from tests.support.clock import FakeClock

VERDICTS = (
    Verdict(Account(1)),
    Verdict(Account(1, uncovered=("x",))),
    Verdict(Account(1), Failure("internal", "broke")),
)


@pytest.fixture
def journal(data: Path, clock: FakeClock) -> Iterator[Database]:
    with open_journal(data, clock) as journal:
        yield journal


def counted(journal: Database) -> tuple[dict[str, int], tuple[int, int]]:
    """The same numbers by looking at every row."""
    found = journal.read(lambda c: rows.page(c, None, None, None, None, 10_000))
    by_status = Counter(one.parse_status for one in found)
    statuses = {name: by_status[name] for name in STATUSES}
    return statuses, (len(found), sum(one.delivery.bytes for one in found))


def test_an_empty_journal_has_four_zeros(journal: Database) -> None:
    assert journal.read(tallies.by_status) == dict.fromkeys(STATUSES, 0)
    assert journal.read(tallies.archived) == (0, 0)


def test_tallies_equal_a_count_after_a_random_history(journal: Database) -> None:
    dice = random.Random(3)
    for _ in range(300):
        one = delivery(dice.randrange(60))
        deed = dice.randrange(3)
        if deed == 0:
            insert(journal, one)
        elif deed == 1 and journal.read(partial(rows.exists, delivery_id=one.delivery_id)):
            verdict = dice.choice(VERDICTS)
            write = partial(outcomes.write_verdict, delivery_id=one.delivery_id, verdict=verdict)
            journal.write(write)
        else:
            queue.requeue(journal, [one.delivery_id])
    both = (journal.read(tallies.by_status), journal.read(tallies.archived))
    assert both == counted(journal)
    assert all(both[0].values())


def test_a_removed_row_leaves_the_tally(journal: Database) -> None:
    insert(journal, delivery(1), delivery(2))
    gone = delivery(1).delivery_id
    journal.write(
        lambda c: c.execute("DELETE FROM delivery WHERE delivery_id = ?", (gone,)).rowcount
    )
    assert journal.read(tallies.archived) == (1, delivery(2).bytes)


def test_a_failed_insert_counts_nothing(journal: Database) -> None:
    insert(journal, delivery(1), delivery(1))
    assert journal.read(tallies.archived) == (1, delivery(1).bytes)


def test_each_automation_has_its_last_word(journal: Database) -> None:
    insert(
        journal,
        delivery(1, automation_id="A", automation_name="old"),
        delivery(3, automation_id="A", automation_name="new", clock_at_us=77),
        delivery(2, automation_id="B"),
        delivery(4),
    )
    assert journal.read(tallies.last_deliveries) == [
        tallies.LastDelivery("", None, *last(4), delivery(4).clock_at_us),
        tallies.LastDelivery("A", "new", *last(3), 77),
        tallies.LastDelivery("B", None, *last(2), delivery(2).clock_at_us),
    ]


def test_an_adopted_row_is_no_last_word(journal: Database) -> None:
    insert(
        journal,
        delivery(3, automation_id="A", automation_name="new"),
        delivery(1, automation_id="A", automation_name="old"),
    )
    [found] = journal.read(tallies.last_deliveries)
    assert (found.name, found.delivery_id) == ("new", delivery(3).delivery_id)


def last(number: int) -> tuple[str, int]:
    return delivery(number).delivery_id, delivery(number).received_at_us


def test_only_the_automations_heard_last_are_listed(journal: Database) -> None:
    most = tallies.LISTED_AUTOMATIONS
    sent = [delivery(number, automation_id=f"{999 - number}") for number in range(most + 5)]
    insert(journal, *sent)
    listed = [one.delivery_id for one in journal.read(tallies.last_deliveries)]
    assert listed == [one.delivery_id for one in reversed(sent[5:])]


def test_the_automations_heard_last_are_found_without_a_sort(journal: Database) -> None:
    insert(journal, *(delivery(number, automation_id=f"{number}") for number in range(50)))
    [found] = plans(journal, tallies.last_deliveries)
    assert found.startswith("SCAN automation USING INDEX automation_heard;")
    assert "TEMP B-TREE" not in found


def test_no_number_scans_the_deliveries(journal: Database) -> None:
    insert(journal, *(delivery(number, automation_id="A") for number in range(50)))
    found = plans(
        journal, lambda c: (tallies.by_status(c), tallies.archived(c), tallies.last_deliveries(c))
    )
    assert not [plan for plan in found if "SCAN delivery" in plan]
