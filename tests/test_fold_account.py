"""The account of a delivery: one fate for each element, told once."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from healthlog.fold import MartDamaged
from healthlog.mart import folded
from healthlog.model import PARSED, PARTIAL, Counts
from healthlog.planning import Overdue
from tests.support.counting import elements
from tests.support.folding import (
    CASES,
    DAYS,
    DEFAULT,
    HOURS,
    MINUTES,
    Bench,
    body,
    case,
    delivery,
    metric,
    planned,
    point,
)

MORNING = "2026-05-03 07:00:00 +0200"


def day(number: int, qty: object) -> dict[str, object]:
    return point(f"2026-05-{number:02} 00:00:00 +0200", qty)


def second(*rates: float) -> bytes:
    """What was measured in one second."""
    return body(metric("heart_rate", *(point("2026-05-03 07:00:07 +0200", rate) for rate in rates)))


@pytest.mark.scenario("fold", "Each element has one fate")
def test_each_element_has_one_fate(bench: Bench) -> None:
    bench.folded = 10
    bench.fold(body(metric("step_count", day(1, 10), day(2, 20))))
    account = bench.fold(body(metric("step_count", day(1, 10), day(2, 21), day(3, 30), {"qty": 5})))
    assert account.counts == Counts(received=4, new=1, same=1, changed=1, rejected=1)
    bench.folded = 0
    earlier = bench.fold(body(metric("step_count", day(3, 29))))
    assert earlier.counts == Counts(received=1, outdated=1)
    assert [found.qty for found in bench.points()] == [10, 21, 30]


@pytest.mark.scenario("fold", "Each element has one fate")
def test_fates_and_rejections_of_random_bodies_add_up(bench: Bench) -> None:
    chance = random.Random(11)
    for _ in range(200):
        content = body(*(_random_metric(chance) for _ in range(chance.randint(1, 3))))
        account = bench.fold(content, chance.choice((DAYS, HOURS, MINUTES, DEFAULT)))
        counts = account.counts
        assert counts.received == elements(content) == counts.taken + counts.rejected
        assert counts.incomparable <= counts.taken


def _random_metric(chance: random.Random) -> dict[str, object]:
    def element() -> object:
        clock = f"{chance.randint(6, 8):02}:{chance.choice((0, 1, 30)):02}"
        offset = chance.choice(("+0200", "+0100", "Z"))
        good = point(f"2026-05-{chance.randint(1, 2):02} {clock}:00 {offset}", chance.randint(1, 3))
        bad = [
            {"qty": 1},
            {**good, "qty": None},
            5,
            point("2026-05-01", 2),
            {"date": "x", "qty": 1},
        ]
        return chance.choice(bad) if chance.random() < 0.2 else good

    data = [element() for _ in range(chance.randint(1, 12))]
    if chance.random() < 0.5:
        data += chance.choices(data, k=3)
    name = chance.choice(("step_count", "heart_rate", "weight_body_mass"))
    return metric(name, *data, units=chance.choice(("count", "kg")))


@pytest.mark.parametrize("name", sorted(path.name for path in CASES.glob("*.json")))
def test_every_case_is_counted_twice_alike(bench: Bench, name: str) -> None:
    if not name.startswith("42"):
        counts = bench.fold(case(name), DAYS).counts
        assert counts.received == elements(case(name)) == counts.taken + counts.rejected


@pytest.mark.scenario("fold", "Refold gives back the stored account")
def test_a_refold_gives_back_the_stored_account(bench: Bench) -> None:
    content = body(metric("step_count", day(1, 10), {"qty": 5}), news=[1])
    one = delivery(1, content, DAYS)
    account = bench.play(one, content)
    bench.fold(body(metric("step_count", day(1, 11))), automation_id="B")
    before = bench.digest()
    bench.clock.advance(60)
    assert bench.play(one, content) == account
    assert bench.digest() == before


def test_a_refold_in_another_layer_means_a_damaged_mart(bench: Bench) -> None:
    content = body(metric("vo2_max", day(1, 10)))
    one = delivery(1, content, None)
    bench.play(one, content, inherited="day")
    with pytest.raises(MartDamaged):
        bench.play(one, content, inherited="hour")


@pytest.mark.scenario("storage", "Refold after the section became covered")
def test_a_refold_by_rules_that_cover_more_replaces_the_list(bench: Bench) -> None:
    content = body(metric("step_count", day(1, 10)))
    one = delivery(1, content, DAYS)
    account = bench.play(one, content)
    poorer = replace(account, coverage=account.coverage - 1, uncovered=("metrics.news",))
    assert poorer.status == PARTIAL
    bench.mart.write(lambda c: folded.write(c, 1, one, poorer))
    again = bench.play(one, content)
    assert (again.status, again.uncovered) == (PARSED, ())
    assert again.counts == Counts(received=1, same=1)
    line = bench.mart.read(lambda c: folded.find(c, one.delivery_id))
    assert line is not None
    assert (line.account, line.delivery) == (again, 1)


@pytest.mark.scenario("storage", "Failed delivery leaves no points")
@pytest.mark.parametrize("look", [1, 2, 3])
def test_a_fold_that_breaks_leaves_nothing(bench: Bench, look: int) -> None:
    bench.fold(body(metric("step_count", day(1, 10))))
    before = bench.digest()
    content = body(
        metric("step_count", day(1, 11)), metric("heart_rate", day(1, 60)), metric("x", day(1, 1))
    )
    one = delivery(9, content, DAYS)
    looks = 0

    def check() -> None:
        nonlocal looks
        looks += 1
        if looks == look:
            raise Overdue("too long")

    with pytest.raises(Overdue):
        bench.merge(one, planned(one, content), check)
    assert bench.digest() == before
    assert {found.said_by for found in bench.points()} == {delivery(1, b"", None).delivery_id}
    assert bench.play(one, content).counts == Counts(received=3, new=2, changed=1)


@pytest.mark.scenario("fold", "Later word on a bucket wins up and down")
def test_a_later_word_on_a_bucket_wins_up_and_down(bench: Bench) -> None:
    for name in ("02_days_partial_first", "03_days_partial_later", "01_days_plain"):
        bench.fold(case(f"{name}.json"))
    bench.fold(case("04_days_closed_corrected_down.json"))
    found = {(point.at, point.qty) for point in bench.points("step_count", "day")}
    assert found == {
        ("2026-05-03T00:00:00+02:00", 8110.5),
        ("2026-05-04T00:00:00+02:00", 6044),
        ("2026-05-05T00:00:00+02:00", 9794),
    }


@pytest.mark.scenario("fold", "Fuller second wins over a later poorer one")
def test_a_fuller_second_wins_over_a_later_poorer_one(bench: Bench) -> None:
    bench.fold(second(61, 63), DEFAULT)
    account = bench.fold(second(63), DEFAULT)
    assert account.counts == Counts(received=1, outdated=1)
    assert [found.qty for found in bench.points()] == [61, 63]


@pytest.mark.parametrize("aggregation", [DEFAULT, MINUTES])
def test_a_fuller_word_counts_as_a_whole(bench: Bench, aggregation: str) -> None:
    rates = [point(MORNING, rate) for rate in (61, 62, 63)]
    for count, counts in ((1, Counts(received=1, new=1)), (3, Counts(received=3, changed=3))):
        account = bench.fold(body(metric("heart_rate", *rates[:count])), aggregation)
        assert account.counts == counts
    assert {found.said_by for found in bench.points()} == {delivery(2, b"", None).delivery_id}
    poorer = bench.fold(body(metric("heart_rate", *rates[:2])), aggregation).counts
    assert poorer.same == poorer.new == 0


@pytest.mark.scenario("fold", "Incomparable readings are counted")
def test_incomparable_readings_are_counted(bench: Bench) -> None:
    bench.fold(second(61, 63), DEFAULT)
    account = bench.fold(second(61, 70, 71), DEFAULT)
    assert account.counts == Counts(received=3, changed=3, incomparable=3)
    assert [found.qty for found in bench.points()] == [61, 70, 71]


def test_a_poorer_winner_leaves_none_of_the_readings_it_beat(bench: Bench) -> None:
    minute = point(MORNING, 61), point(MORNING, 63), point(MORNING, 64)
    bench.fold(body(metric("heart_rate", *minute)), MINUTES)
    account = bench.fold(body(metric("heart_rate", point(MORNING, 62))), MINUTES)
    assert account.counts == Counts(received=1, changed=1)
    assert [found.qty for found in bench.points()] == [62]


@pytest.mark.scenario("fold", "Equal later word raises the rank")
@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
@pytest.mark.parametrize("aggregation", [DAYS, HOURS, MINUTES, DEFAULT])
def test_an_equal_later_word_raises_the_rank(
    bench: Bench, order: tuple[int, int], aggregation: str
) -> None:
    content = body(metric("step_count", day(1, 10)))
    for number in order:
        bench.play(delivery(number, content, aggregation), content)
    assert bench.only().said_by == delivery(2, b"", None).delivery_id


@pytest.mark.scenario("fold", "Metric named twice in one body is appended")
def test_a_metric_named_twice_is_appended(bench: Bench) -> None:
    account = bench.fold(case("18_duplicate_metric_name.json"), HOURS)
    assert account.counts == Counts(received=2, new=2)
    assert sum(found.qty or 0 for found in bench.points("apple_exercise_time")) == 50


@pytest.mark.scenario("fold", "Metric named twice in one body is appended")
@pytest.mark.parametrize("aggregation", [DAYS, HOURS, MINUTES, DEFAULT])
def test_a_reading_in_two_blocks_of_a_body_is_one(bench: Bench, aggregation: str) -> None:
    twice = metric("step_count", day(1, 10)), metric("Step_Count", day(1, 10))
    account = bench.fold(body(*twice), aggregation)
    assert account.counts == Counts(received=2, new=1, same=1)
    assert bench.only().qty == 10


def test_doubles_are_the_same_whatever_becomes_of_the_rest(bench: Bench) -> None:
    bench.folded = 10
    bench.fold(body(metric("step_count", day(1, 11))))
    bench.folded = 0
    account = bench.fold(body(metric("step_count", day(1, 10)), metric("step_count", day(1, 10))))
    assert account.counts == Counts(received=2, outdated=1, same=1)


def test_blocks_of_other_metrics_in_between_change_nothing(bench: Bench) -> None:
    content = body(
        metric("step_count", point(MORNING, 1)),
        metric("heart_rate", point(MORNING, 61)),
        metric("step_count", point(MORNING, 1), point("2026-05-03 07:01:00 +0200", 2)),
    )
    account = bench.fold(content, MINUTES)
    assert account.counts == Counts(received=4, new=3, same=1)
    assert [(found.metric, found.qty) for found in bench.points()] == [
        ("heart_rate", 61), ("step_count", 1), ("step_count", 2),
    ]  # fmt: skip


def test_an_imported_word_counts_as_of_when_it_was_said(bench: Bench) -> None:
    live, old = body(metric("step_count", day(1, 10))), body(metric("step_count", day(1, 9)))
    bench.fold(live)
    said_at_us = delivery(0, b"", None).said_at_us
    account = bench.fold(old, imported=True, said_at_us=said_at_us)
    assert account.counts == Counts(received=1, outdated=1)
    assert bench.only().qty == 10


@pytest.mark.parametrize("more", [{"more": 1}, {}])
def test_a_long_body_sent_again_and_again_says_the_same(bench: Bench, more: Any) -> None:
    minutes = [
        point(f"2026-05-{1 + n // 1440:02} {n // 60 % 24:02}:{n % 60:02}:00 +0200", n, **more)
        for n in range(3_000)
    ]
    for length, counts in (
        (2_000, Counts(received=2_000, new=2_000)),
        (2_500, Counts(received=2_500, same=2_000, new=500)),
        (2_500, Counts(received=2_500, same=2_500)),
    ):
        account = bench.fold(body(metric("step_count", *minutes[:length])), MINUTES)
        assert account.counts == counts
    minutes[700] = {**minutes[700], "qty": 0.5}
    account = bench.fold(body(metric("step_count", *minutes[500:])), MINUTES)
    assert account.counts == Counts(received=2_500, changed=1, same=1_999, new=500)
    said_by = [found.said_by for found in bench.points()]
    assert said_by.index(delivery(4, b"", None).delivery_id) == 500
    assert len(set(said_by)) == 2
