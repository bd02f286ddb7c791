"""The bench runs: every part of it, in tiny sizes. What it finds is for people to look at."""

from __future__ import annotations

import json
import statistics

import pytest

from tests.bench.figures import Bar, Pairs, Row, ninety_ninth, table
from tests.bench.floors import _rows
from tests.bench.parts import PARTS, rows_of
from tests.bench.phone import KINDS, Phone
from tests.bench.scale import TINY


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PARTS))
def test_each_part_of_the_bench_runs(name: str) -> None:
    rows = rows_of(name, TINY)
    assert rows
    assert all(row.ours > 0 and row.figure > 0 for row in rows)
    assert json.loads(json.dumps([row.fields() for row in rows]))[0]["what"] == rows[0].what


def test_a_ratio_is_the_median_of_the_pairs_and_no_ratio_of_medians() -> None:
    pairs = Pairs([2.0, 30.0, 8.0], [1.0, 10.0, 2.0])
    row = pairs.row("x", Bar(2.5))
    assert row.figure == statistics.median([2.0, 3.0, 4.0])
    assert (row.ours, row.floor, row.rounds) == (8000, 2000, 3)
    assert row.fields()["reached"] is False


def test_a_bar_holds_from_its_own_side() -> None:
    assert [Bar(2).reached(figure) for figure in (1.9, 2, 2.1)] == [True, True, False]
    assert [Bar(2, least=True).reached(figure) for figure in (1.9, 2, 2.1)] == [False, True, True]


def test_ninety_nine_of_a_hundred_stay_below() -> None:
    assert ninety_ninth([*range(100)]) == 99
    assert ninety_ninth([*range(1000)]) == 990
    assert ninety_ninth([5]) == 5


def test_the_table_has_a_line_for_each_row() -> None:
    row = Row("a", "ms", 1, None, 1234.5, Bar(40, "B"), 1)
    assert table([row]).splitlines()[1].split() == ["a", "1", "ms", "1234", "≤", "40", "B", "NO"]


def test_bodies_of_the_bench_are_the_same_each_time_and_have_the_points_asked_for() -> None:
    body = Phone().body(500, workouts=1)
    assert body == Phone().body(500, workouts=1)
    decoded = json.loads(body)
    assert len(_rows(decoded)) == 500
    names = {metric["name"] for metric in decoded["data"]["metrics"]}
    assert names <= {kind.name for kind in KINDS} | {"sleep_analysis"}
    assert not body.isascii()
    assert Phone(plain=True).body(50).isascii()


def test_a_body_of_so_many_bytes_is_hardly_smaller() -> None:
    body, points = Phone().of_bytes(200_000)
    assert 180_000 < len(body) <= 200_000
    assert len(_rows(json.loads(body))) == points
