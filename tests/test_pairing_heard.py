"""What has come of a pairing, told from the journal."""

from __future__ import annotations

import pytest

from healthlog.journal import rows
from healthlog.pairing.heard import MOST, Refused, heard, words
from healthlog.pairing.links import BY_NAME
from tests.support.accepting import plans
from tests.support.engine import Engine
from tests.support.reading import DAYS, steps

GOOD = steps(("2026-08-01 00:00:00 +0200", 8_000))


def last(engine: Engine) -> int:
    """The stamp behind which the wait begins."""
    return engine.journal.read(rows.last_stamp) or 0


@pytest.mark.scenario("pairing", "First delivery after an instant is told")
def test_the_first_delivery_after_an_instant_is_told(engine: Engine) -> None:
    engine.post(GOOD, automation_name="healthlog metrics", aggregation=DAYS)
    since = last(engine)
    assert heard(engine.journal, since).words == ()
    assert not heard(engine.journal, since).paired
    came = engine.post(GOOD, automation_name="healthlog workouts", aggregation=DAYS)
    found = heard(engine.journal, since)
    assert found.paired
    [word] = found.words
    assert (word.delivery_id, word.data_type) == (came.delivery_id, BY_NAME["workouts"])
    assert (word.parse_status, word.failure) == ("pending", None)
    engine.fold_all()
    [word] = heard(engine.journal, since).words
    assert (word.received_at_us, word.parse_status) == (came.received_at_us, "parsed")


@pytest.mark.scenario("pairing", "First delivery after an instant is told")
def test_a_delivery_that_can_not_be_read_is_no_pairing(engine: Engine) -> None:
    engine.post(b'{"data": nonsense}', automation_name="mine")
    engine.fold_all()
    found = heard(engine.journal, 0)
    assert not found.paired
    [word] = found.words
    assert word.failure is not None
    assert (word.failure.kind, word.data_type) == ("malformed", None)


def test_what_somebody_imports_meanwhile_says_nothing(engine: Engine) -> None:
    engine.post(GOOD, automation_name="export.zip", imported=True, said_at_us=1)
    assert heard(engine.journal, 0).words == ()


@pytest.mark.scenario("pairing", "Refused request says what to change")
@pytest.mark.parametrize(
    ("status", "word"),
    [(401, "Authorization"), (404, "/ingest"), (413, "max_body"), (415, "JSON"), (418, "log")],
)
def test_a_refused_request_says_what_to_change(engine: Engine, status: int, word: str) -> None:
    asked: list[int] = []

    def refusals(since_us: int) -> list[Refused]:
        asked.append(since_us)
        return [Refused(since_us + 1, 400), Refused(since_us + 2, status)]

    since = last(engine)
    found = heard(engine.journal, since, refusals)
    assert asked == [since]
    assert found.wrong == Refused(since + 2, status)
    assert word in found.wrong.advice
    engine.post(GOOD, automation_name="healthlog metrics", aggregation=DAYS)
    found = heard(engine.journal, since, refusals)
    assert found.paired
    assert found.wrong is None


def test_a_refusal_after_a_delivery_still_counts(engine: Engine) -> None:
    came = engine.post(GOOD, automation_name="healthlog metrics", aggregation=DAYS)
    found = heard(engine.journal, 0, lambda _: [Refused(came.received_at_us + 1, 401)])
    assert found.paired
    assert found.wrong is not None


def test_only_the_first_ones_are_told(engine: Engine) -> None:
    ids = [engine.post(GOOD, automation_name=str(n)).delivery_id for n in range(MOST + 1)]
    assert [word.delivery_id for word in heard(engine.journal, 0).words] == ids[:MOST]


def test_asking_walks_the_journal_s_order_alone(engine: Engine) -> None:
    [plan] = plans(engine.journal, lambda c: words(c, 0))
    assert plan == "SEARCH delivery USING INDEX delivery_order (received_at_us>?)"
