"""Bodies found again in the journal by their checksum."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from healthlog.base.db import Database
from healthlog.journal import outcomes, rows
from healthlog.model import Account, Failure, Verdict
from tests.support.accepting import delivery, insert, open_journal, plans
from tests.support.clock import FakeClock


@pytest.fixture
def journal(data: Path, clock: FakeClock) -> Iterator[Database]:
    with open_journal(data, clock) as opened:
        yield opened


def holds(journal: Database, sha256: str) -> bool:
    return journal.read(partial(rows.holds, sha256=sha256))


def fail(journal: Database, number: int, kind: str) -> None:
    verdict = Verdict(Account(0), Failure(kind, "x"))
    one = delivery(number).delivery_id
    journal.write(lambda c: outcomes.write_verdict(c, one, verdict))


def test_a_body_is_known_by_its_checksum(journal: Database) -> None:
    insert(journal, delivery(1))
    assert holds(journal, delivery(1).sha256)
    assert not holds(journal, delivery(2).sha256)


def test_a_body_that_failed_is_known(journal: Database) -> None:
    insert(journal, delivery(1))
    fail(journal, 1, "malformed")
    assert holds(journal, delivery(1).sha256)


def test_a_body_that_can_t_be_read_any_more_may_come_again(journal: Database) -> None:
    insert(journal, delivery(1))
    fail(journal, 1, "unreadable")
    assert not holds(journal, delivery(1).sha256)
    insert(journal, delivery(2, sha256=delivery(1).sha256))
    assert holds(journal, delivery(1).sha256)


def test_looking_for_a_checksum_never_scans(journal: Database) -> None:
    [plan] = plans(journal, partial(rows.holds, sha256="0" * 64))
    assert "USING INDEX delivery_sha256" in plan
