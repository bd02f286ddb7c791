"""Outcomes: what a fold said of a delivery, written over what the one before said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from healthlog.base.db import Database
from healthlog.base.errors import is_circumstance
from healthlog.journal import outcomes, rows
from healthlog.journal.outcomes import NoRow
from healthlog.model import Account, Counts, Failure, Rejected, Verdict
from tests.support.accepting import delivery, entry, insert, open_journal
from tests.support.clock import FakeClock

ONE = delivery(automation_id="A")
COUNTS = Counts(received=21, new=6, changed=5, same=4, outdated=3, rejected=3, incomparable=2)
WHOLE = Account(7, "minute", "declared", COUNTS, parser=3, coverage=4)
LEFT = Account(
    8,
    "day",
    "inherited",
    COUNTS,
    ("metrics.step_count", "stateOfMind", "\u00fc"),
    (Rejected("metrics.step_count[3]", "no_date"), Rejected('metrics."x\u2019', "future")),
)
FAILURE = Failure("layer_unknown", "no layer can be known")


@pytest.fixture
def journal(data: Path, clock: FakeClock) -> Iterator[Database]:
    with open_journal(data, clock) as journal:
        insert(journal, ONE)
        yield journal


def write(journal: Database, verdict: Verdict) -> rows.Entry:
    journal.write(lambda c: outcomes.write_verdict(c, ONE.delivery_id, verdict))
    return entry(journal, ONE.delivery_id)


def test_a_whole_delivery_is_parsed(journal: Database) -> None:
    assert write(journal, Verdict(WHOLE)) == rows.Entry(ONE, "parsed", WHOLE)


def test_what_was_left_makes_it_partial(journal: Database) -> None:
    assert write(journal, Verdict(LEFT)) == rows.Entry(ONE, "partial", LEFT)


def test_a_failure_outranks_what_was_left(journal: Database) -> None:
    found = write(journal, Verdict(LEFT, FAILURE))
    assert (found.parse_status, found.failure) == ("failed", FAILURE)
    assert found.account is not None
    assert found.account.uncovered == LEFT.uncovered


def test_a_failed_delivery_counts_nothing(journal: Database) -> None:
    found = write(journal, Verdict(WHOLE, FAILURE))
    assert found.account is not None
    assert found.account.counts == Counts()


def test_an_empty_list_replaces_what_was_left(journal: Database) -> None:
    write(journal, Verdict(LEFT))
    assert write(journal, Verdict(WHOLE)) == rows.Entry(ONE, "parsed", WHOLE)


def test_a_later_success_takes_the_failure_away(journal: Database) -> None:
    write(journal, Verdict(LEFT, FAILURE))
    assert write(journal, Verdict(LEFT)) == rows.Entry(ONE, "partial", LEFT)


def test_the_same_verdict_twice_is_the_same_row(journal: Database) -> None:
    assert write(journal, Verdict(LEFT)) == write(journal, Verdict(LEFT))


def test_the_neighbour_is_left_alone(journal: Database) -> None:
    insert(journal, delivery(1))
    write(journal, Verdict(LEFT))
    assert entry(journal, delivery(1).delivery_id).parse_status == "pending"


def test_without_a_row_the_outcome_is_not_written(journal: Database) -> None:
    with pytest.raises(NoRow) as caught:
        journal.write(lambda c: outcomes.write_verdict(c, "unknown", Verdict(WHOLE)))
    assert is_circumstance(caught.value)
