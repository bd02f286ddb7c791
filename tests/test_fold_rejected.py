"""What is not taken of a body: element by element, with place and reason."""

from __future__ import annotations

import pytest

from healthlog.base.clock import parse_us
from healthlog.hae.metrics import LISTED_REJECTED
from healthlog.model import PARTIAL, Account, Counts
from healthlog.planning import LayerUnknown
from tests.support.folding import (
    DAYS,
    DEFAULT,
    HOURS,
    MINUTES,
    Bench,
    body,
    case,
    metric,
    point,
)

MIDNIGHT = "2026-05-03 00:00:00 +0200"


def reasons(account: Account) -> dict[str, str]:
    return {one.where: one.reason for one in account.rejected}


@pytest.mark.scenario("storage", "Rejected elements are named once")
def test_rejected_elements_are_named_once(bench: Bench) -> None:
    bad = {"qty": 1}
    account = bench.fold(
        body(metric("zeta", bad, bad, bad), metric("alpha", bad), mystery={"a": 1})
    )
    assert account.status == PARTIAL
    assert account.uncovered == ("metrics.alpha", "metrics.zeta", "mystery")


@pytest.mark.scenario("fold", "Bad points are rejected one by one")
def test_bad_points_are_rejected_one_by_one(bench: Bench) -> None:
    account = bench.fold(case("14_bad_points.json"), HOURS)
    assert bench.only("step_count", "hour").qty == 300
    assert account.counts == Counts(received=7, new=1, rejected=6)
    assert account.uncovered == ("metrics.step_count",)
    assert reasons(account) == {
        "metrics.step_count[1]": "no_number",
        "metrics.step_count[2]": "no_number",
        "metrics.step_count[3]": "no_number",
        "metrics.step_count[4]": "not_a_number",
        "metrics.step_count[5]": "no_date",
        "metrics.step_count[6]": "unreadable_date",
    }


@pytest.mark.scenario("fold", "Bad points are rejected one by one")
def test_the_first_thousand_rejected_are_listed(bench: Bench) -> None:
    account = bench.fold(body(metric("step_count", *[{"qty": 1}] * 1_200)))
    assert account.counts == Counts(received=1_200, rejected=1_200)
    assert [one.where for one in account.rejected] == [
        f"metrics.step_count[{place}]" for place in range(LISTED_REJECTED)
    ]


@pytest.mark.scenario("fold", "Impossible dates are rejected")
def test_impossible_dates_are_rejected(bench: Bench) -> None:
    points = [
        point("2026-05-04T12:00:00Z"),
        point("2026-05-04T12:00:01Z"),
        point("1899-12-31 12:00:00 +0000"),
        point("2026-05-03T12:00:00Z", end="2026-05-03T11:00:00Z"),
        point("2026-05-03"),
    ]
    clock_at_us = parse_us("2026-05-03T12:00:00Z")
    account = bench.fold(body(metric("step_count", *points)), MINUTES, clock_at_us=clock_at_us)
    assert bench.only().at == "2026-05-04T12:00:00+00:00"
    assert list(reasons(account).values()) == [
        "future", "before_1900", "ends_before_start", "date_without_time",
    ]  # fmt: skip


def test_of_a_doubtful_clock_nothing_is_in_the_future(bench: Bench) -> None:
    content = body(metric("step_count", point("9999-12-29 23:00:00 -1800"), point("9999-12-31")))
    account = bench.fold(content, MINUTES, clock_at_us=0, clock_doubtful=True)
    assert account.counts == Counts(received=2, new=1, rejected=1)
    assert reasons(account) == {"metrics.step_count[1]": "unreadable_date"}
    assert bench.digest()


def test_bodies_far_from_today_can_be_folded_twice(bench: Bench) -> None:
    far = [point("9999-12-29 23:00:00 +0000", n) for n in (1, 2)]
    content = body(metric("heart_rate", *far, *far))
    for aggregation in (DEFAULT, DAYS):
        account = bench.fold(content, aggregation, clock_doubtful=True)
        assert account.counts.received == account.counts.new == 4
    assert bench.digest()


def test_layer_unknown_is_told_without_data_of_the_body(bench: Bench) -> None:
    with pytest.raises(LayerUnknown) as caught:
        bench.fold(body(metric("secret", point(MIDNIGHT))), None)
    assert "secret" not in str(caught.value)
