"""A delivery folded again by rules that cover more: what it said before is history."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from healthlog.coverage import COVERED, Coverage
from healthlog.fold import Folder, MartDamaged
from healthlog.mart import folded
from healthlog.mart.folded import Line
from healthlog.model import COVERAGE, PARSED, PARSER, PARTIAL, Account, Counts, Delivery
from healthlog.planning import Plan
from tests.support.counting import elements
from tests.support.earlier import POORER, RICHER, VO2, without
from tests.support.folding import (
    DAYS,
    Bench,
    body,
    delivery,
    metric,
    no_check,
    open_bench,
    planned,
    point,
)


@pytest.fixture
def bench() -> Iterator[Bench]:
    with open_bench() as made:
        yield made


def day(number: int, qty: object) -> dict[str, object]:
    return point(f"2026-05-{number:02} 00:00:00 +0200", qty)


def fold(bench: Bench, one: Delivery, plan: Plan, coverage: Coverage) -> Account:
    return Folder(bench.mart, bench.clock, coverage=coverage).fold(one, plan, no_check)


def line_of(bench: Bench, one: Delivery) -> Line:
    line = bench.mart.read(lambda c: folded.find(c, one.delivery_id))
    assert line is not None
    return line


CONTENT = body(
    metric("step_count", day(1, 10), day(2, 20), day(3, 30), {"qty": 5}),
    metric("vo2_max", day(1, 41), day(2, 42)),
)
ONE = delivery(5, CONTENT, DAYS)
BEFORE = Counts(received=4, new=1, changed=1, same=1, rejected=1)


def told_before(bench: Bench) -> None:
    """What makes the fates of step_count in CONTENT differ."""
    bench.fold(body(metric("step_count", day(1, 10), day(2, 19))))


@pytest.mark.scenario("fold", "Refold by wider coverage keeps fates")
def test_a_refold_by_wider_coverage_keeps_the_fates_and_adds_the_news(bench: Bench) -> None:
    told_before(bench)
    plan = planned(ONE, CONTENT)
    first = fold(bench, ONE, without(plan, VO2), POORER)
    assert (first.counts, first.status) == (BEFORE, PARTIAL)
    # A later word on what is in both: met again, the old elements would be something else.
    later = body(metric("step_count", day(3, 31)), metric("vo2_max", day(2, 43)))
    fold(bench, delivery(6, later, DAYS), planned(delivery(6, later, DAYS), later), RICHER)
    again = fold(bench, ONE, plan, RICHER)
    assert again.counts == BEFORE + Counts(received=2, new=1, outdated=1)
    assert again.counts.received == elements(CONTENT)
    assert again.uncovered == ("metrics.step_count",)
    assert line_of(bench, ONE).parts == {
        "metrics": BEFORE,
        VO2: Counts(received=2, new=1, outdated=1),
    }


def test_a_refold_reaches_the_mart_of_one_fold(bench: Bench) -> None:
    plan = planned(ONE, CONTENT)
    fold(bench, ONE, without(plan, VO2), POORER)
    fold(bench, ONE, plan, RICHER)
    with open_bench() as other:
        fold(other, ONE, plan, RICHER)
        assert bench.digest() == other.digest()


def test_a_second_refold_changes_nothing(bench: Bench) -> None:
    plan = planned(ONE, CONTENT)
    fold(bench, ONE, without(plan, VO2), POORER)
    account = fold(bench, ONE, plan, RICHER)
    bench.clock.advance(60)
    assert fold(bench, ONE, plan, RICHER) == account


def test_a_program_that_covers_less_leaves_the_account(bench: Bench) -> None:
    plan = planned(ONE, CONTENT)
    account = fold(bench, ONE, plan, RICHER)
    assert fold(bench, ONE, without(plan, VO2), POORER) == account


def test_a_part_that_moved_out_of_another_is_not_counted_twice(bench: Bench) -> None:
    told_before(bench)
    plan = planned(ONE, CONTENT)
    first = fold(bench, ONE, plan, POORER)  # vo2_max counted among the metrics
    again = fold(bench, ONE, plan, RICHER)
    assert again.counts.received == first.counts.received == 6
    assert again.counts.taken + again.counts.rejected == 6


def test_a_delivery_of_which_no_metric_was_known_gets_its_layer(bench: Bench) -> None:
    content = body(metric("vo2_max", day(1, 41)))
    one = delivery(5, content, DAYS)
    plan = planned(one, content)
    nothing = replace(without(plan, VO2), layer=None, layer_origin=None)
    assert fold(bench, one, nothing, POORER).layer is None
    again = fold(bench, one, plan, RICHER)
    assert (again.layer, again.counts, again.status) == ("day", Counts(1, new=1), PARSED)


def test_another_layer_means_a_damaged_mart_all_the_same(bench: Bench) -> None:
    plan = planned(ONE, CONTENT)
    fold(bench, ONE, without(plan, VO2), POORER)
    with pytest.raises(MartDamaged):
        fold(bench, ONE, replace(plan, layer="week"), RICHER)


@pytest.mark.scenario("reindex", "Rows of another parser wait for the swap")
@pytest.mark.parametrize("layer", ["day", "hour"])
def test_what_another_parser_folded_is_left_until_the_mart_is_made_anew(
    bench: Bench, layer: str
) -> None:
    plan = planned(ONE, CONTENT)
    earlier = Folder(bench.mart, bench.clock, parser=PARSER - 1)
    account = earlier.fold(ONE, replace(plan, layer=layer), no_check)
    assert account.parser == PARSER - 1
    before = bench.digest()
    assert bench.merge(ONE, plan) == account
    assert bench.digest() == before


def test_a_fold_says_by_which_rules_it_was_made(bench: Bench) -> None:
    account = bench.merge(ONE, planned(ONE, CONTENT))
    assert (account.parser, account.coverage) == (PARSER, COVERAGE)
    assert line_of(bench, ONE).parts == {COVERED.part(VO2): account.counts}
