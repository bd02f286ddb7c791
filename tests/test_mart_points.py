"""Winners of the coordinates, and what rows keep beside them."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from healthlog import planning
from healthlog.base.clock import parse_us
from tests.support.folding import (
    DAYS,
    DEFAULT,
    HOURS,
    MINUTES,
    Bench,
    body,
    delivery,
    metric,
    no_check,
    open_bench,
    point,
)

MIDNIGHT = "2026-05-03 00:00:00 +0200"
DAY_OVER_US = parse_us("2026-05-03T22:00:00Z")


def spoken(bench: Bench, number: int, spoke_at_us: int, content: bytes, aggregation: str) -> str:
    """Fold a delivery of that rank that spoke then; its id."""
    one = delivery(number, content, aggregation, clock_at_us=spoke_at_us)
    bench.play(one, content)
    return one.delivery_id


def steps(date: str = MIDNIGHT, qty: float = 1, **more: object) -> bytes:
    return body(metric("step_count", point(date, qty, **more)))


@pytest.mark.parametrize(
    ("aggregation", "date", "over"),
    [
        (DAYS, MIDNIGHT, "2026-05-03T22:00:00Z"),
        (DAYS, "2026-05-03 00:00:00 -0400", "2026-05-04T04:00:00Z"),
        (DAYS, "2026-05-02 23:00:00 +0200", "2026-05-03T22:00:00Z"),
        (DAYS, "2026-05-03", "2026-05-04T12:00:00Z"),
        (HOURS, "2026-05-03 07:00:00 +0200", "2026-05-03T06:00:00Z"),
    ],
)
def test_who_spoke_at_a_buckets_end_has_closed_it(
    bench: Bench, aggregation: str, date: str, over: str
) -> None:
    spoken(bench, 1, parse_us(over) - 1, steps(date, 1), aggregation)
    assert bench.only().closed_by is None
    closer = spoken(bench, 2, parse_us(over), steps(date, 2), aggregation)
    assert bench.only().closed_by == closer
    spoken(bench, 3, parse_us(over) + 1, steps(date, 3), aggregation)
    assert (bench.only().qty, bench.only().closed_by) == (3, closer)


@pytest.mark.parametrize("aggregation", [MINUTES, DEFAULT, "Weeks", "Months", "Years"])
def test_other_layers_keep_no_closer(bench: Bench, aggregation: str) -> None:
    bench.fold(steps(), aggregation)
    assert bench.only().closed_by is None


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_the_first_closer_is_the_one_of_least_rank_in_any_order(
    bench: Bench, order: tuple[int, ...]
) -> None:
    # Of these the second was on time, but its clock was slow; equal words close a day, too.
    said = [(1, -5, 1.0), (2, -1, 2.0), (3, 0, 2.0), (4, 7, 1.0)]
    for number, after_us, qty in (said[place] for place in order):
        spoken(bench, number, DAY_OVER_US + after_us, steps(MIDNIGHT, qty), DAYS)
    found = bench.only()
    assert found.qty == 1.0
    assert found.closed_by == delivery(3, b"", None).delivery_id
    assert found.said_by == delivery(4, b"", None).delivery_id


def test_a_loser_may_have_closed_the_bucket(bench: Bench) -> None:
    spoken(bench, 2, DAY_OVER_US - 1, steps(qty=2), DAYS)
    closer = spoken(bench, 1, DAY_OVER_US, steps(qty=1), DAYS)
    found = bench.only()
    assert (found.qty, found.closed_by) == (2, closer)
    assert found.said_by != closer


def test_every_reading_of_a_bucket_has_the_same_closer(bench: Bench) -> None:
    several = body(metric("step_count", point(MIDNIGHT, 1), point(MIDNIGHT, 2)))
    spoken(bench, 2, DAY_OVER_US - 1, several, DAYS)
    closer = spoken(bench, 1, DAY_OVER_US, steps(), DAYS)
    assert [(found.qty, found.closed_by) for found in bench.points()] == [(1, closer), (2, closer)]


def test_an_imported_word_spoke_when_it_was_said(bench: Bench) -> None:
    content = steps()
    one = delivery(1, content, DAYS, imported=True, said_at_us=DAY_OVER_US - 1)
    bench.play(one, content)
    assert bench.only().closed_by is None
    other = delivery(
        2, content, DAYS, imported=True, said_at_us=DAY_OVER_US, clock_at_us=0, clock_doubtful=True
    )
    bench.play(other, content)
    assert bench.only().closed_by == other.delivery_id


def test_sent_again_in_another_zone_a_day_has_the_offset_of_the_last_word(bench: Bench) -> None:
    bench.fold(steps("2026-10-25 00:00:00 +0200"))
    account = bench.fold(steps("2026-10-24 23:00:00 +0100"))
    assert account.counts.same == 1
    assert bench.only().at == "2026-10-24T23:00:00+01:00"


def test_sources_tell_seconds_apart_but_not_minutes(bench: Bench) -> None:
    pair = [
        point("2026-05-03 07:00:00 +0200", n, source=s) for n, s in ((1, "Watch"), (2, "iPhone"))
    ]
    for one in pair:
        bench.fold(body(metric("step_count", one)), DEFAULT)
        bench.fold(body(metric("step_count", one)), MINUTES)
    assert len(bench.points(layer="raw")) == 2
    assert bench.only(layer="minute").sources == ("iPhone",)


def test_samples_of_one_start_stand_apart_by_their_end(bench: Bench) -> None:
    ends = [point(MIDNIGHT, end=f"2026-05-03 00:00:0{n} +0200") for n in (1, 2)]
    for one in (*ends, ends[0]):
        content = body(metric("step_count", one))
        told = delivery(bench.folded, content, None)
        heard = planning.hear(told, content, no_check)
        bench.folded += 1
        bench.merge(told, planning.plan(replace(heard, own_layer="sample"), lambda: None))
    first_ms = 1_777_759_200_000
    found = [(sample.end_ms, sample.extra) for sample in bench.points("step_count", "sample")]
    assert found == [(first_ms + 1_000, {}), (first_ms + 2_000, {})]


def test_doses_of_two_reasons_stand_side_by_side(bench: Bench) -> None:
    doses = [point("2026-05-03 07:00:00 +0200", 4, reason=reason) for reason in ("Bolus", "Basal")]
    for aggregation, rows in ((DEFAULT, 2), (MINUTES, 2), (HOURS, 2), (DAYS, 2)):
        with open_bench() as made:
            made.fold(body(metric("insulin_delivery", *doses)), aggregation)
            assert len(made.points()) == rows
            made.fold(body(metric("insulin_delivery", doses[0])), aggregation)
            assert len(made.points()) == (1 if made.points()[0].layer == "day" else 2)


def test_the_summary_of_a_series_is_that_of_its_rows(bench: Bench) -> None:
    for qtys in ((1, 2, 3), (4,), (5, 6)):
        points = [point(MIDNIGHT, qty) for qty in qtys] + [point("2026-05-01 00:00:00 +0200")]
        bench.fold(body(metric("step_count", *points)), DAYS)
        rows = bench.mart.read(
            lambda c: c.execute(
                "SELECT points, first_at_ms, last_at_ms, count(*), min(at_ms), max(at_ms)"
                " FROM series JOIN point USING (series) GROUP BY series"
            ).fetchall()
        )
        assert [row[:3] for row in rows] == [row[3:] for row in rows]
        assert rows[0][0] == len(qtys) + 1


def test_who_spoke_of_what_is_kept(bench: Bench) -> None:
    twice = metric("step_count", point(MIDNIGHT, 1), point("2026-05-04 00:00:00 +0200", 2))
    bench.fold(body(twice, twice))
    assert bench.mart.read(lambda c: c.execute("SELECT * FROM spoke").fetchall()) == [
        (1, 1, 1777759200000, 1777845600000, 2)
    ]
