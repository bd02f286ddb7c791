"""Readings counted together."""

from __future__ import annotations

import random
from math import inf

from healthlog.series.catalogue import AVG, LAST, SUM
from healthlog.series.line import Figure
from healthlog.series.tally import Stat, Tally, joined
from healthlog.values import total


def stat(*values: float) -> Stat:
    found = Stat()
    for at_ms, value in enumerate(values):
        found.add(Figure(value, value, value), at_ms)
    return found


def test_a_stat_has_sum_average_and_latest() -> None:
    found = stat(3, 9, 6)
    assert [found.value(one) for one in (SUM, AVG, LAST)] == [18, 6, 6]
    assert (found.low, found.high) == (3, 9)


def test_without_a_value_there_is_none_of_them() -> None:
    found = Stat()
    found.add(Figure(None, 48, 165), 0)
    assert [found.value(one) for one in (SUM, AVG, LAST)] == [None, None, None]
    assert (found.low, found.high) == (48, 165)


def test_the_latest_is_that_of_the_latest_start_whatever_the_order() -> None:
    found = Stat()
    for at_ms, value in ((5, 80.5), (9, 81.0), (7, 79.0)):
        found.add(Figure(value), at_ms)
    assert found.value(LAST) == 81.0


def test_sums_are_exact_whatever_the_order() -> None:
    values = [0.1] * 10 + [1e16, -1e16]
    random.Random(1).shuffle(values)
    assert stat(*values).value(SUM) == 1.0


def test_what_no_double_holds_is_infinite() -> None:
    assert total([1e308, 1e308]) == inf
    assert total([inf, -inf]) == inf


def test_joined_tallies_go_on_counting_each_reading_once() -> None:
    first, second = Tally(), Tally()
    for value in (60, 62, 64):
        first.add("bpm", [Figure(value, value, value)], value, ("Watch",))
    second.add("bpm", [Figure(102, 90, 110)], 200, ("Strap",))
    both = joined([first, second])
    [found] = both.by_unit["bpm"]
    assert found.value(AVG) == (60 + 62 + 64 + 102) / 4
    assert (found.low, found.high, found.value(LAST)) == (60, 110, 102)
    assert both.sources == {("Watch",), ("Strap",)}


def test_joining_leaves_the_parts_as_they_are() -> None:
    part = Tally()
    part.add(None, [Figure(1)], 0, ())
    whole = joined([part, part])
    whole.settle()
    assert (part.by_unit[None][0].values, whole.by_unit[None][0].values) == ([1], [2])


def test_a_settled_tally_says_the_same() -> None:
    tally = Tally()
    for value in (0.1, 0.2, 0.3):
        tally.add("kg", [Figure(value, value, value)], 0, ())
    before = [tally.by_unit["kg"][0].value(one) for one in (SUM, AVG, LAST)]
    tally.settle()
    assert [tally.by_unit["kg"][0].value(one) for one in (SUM, AVG, LAST)] == before


def test_units_are_counted_apart() -> None:
    tally = Tally()
    tally.add("kg", [Figure(80)], 0, ())
    tally.add("lb", [Figure(180)], 1, ())
    assert {unit: stats[0].count for unit, stats in tally.by_unit.items()} == {"kg": 1, "lb": 1}
