"""What is missing, by a metric's own rhythm."""

from __future__ import annotations

import random

import pytest

from healthlog.gaps import (
    Days,
    Hours,
    absent_days,
    missing_days,
    missing_hours,
    usual_days,
)


def every(step: int, first: int, last: int) -> set[int]:
    return set(range(first, last, step))


@pytest.mark.scenario("gaps", "Day that is missing among daily ones is told")
def test_a_day_that_is_missing_among_daily_ones_is_told() -> None:
    assert missing_days(every(1, 0, 60) - {30, 41, 42}, 60) == [Days(30, 30), Days(41, 42)]


@pytest.mark.scenario("gaps", "What comes now and then is missed later")
def test_what_comes_weekly_is_missed_when_it_is_half_a_week_late() -> None:
    weekly = every(7, 0, 200)
    assert missing_days(weekly, 200) == []
    assert missing_days(weekly - {70}, 200) == [Days(64, 76)]
    late = {one + (3 if one % 3 else 0) for one in weekly}
    assert missing_days(late, 200) == []


def test_working_days_alone_are_a_rhythm() -> None:
    working = {day for day in range(100) if day % 7 < 5}
    assert missing_days(working, 100) == []
    assert missing_days(working - set(range(35, 42)), 100) == [Days(33, 41)]


def test_the_day_that_runs_is_never_missed_but_the_days_before_it_are() -> None:
    assert missing_days(every(1, 0, 50), 50) == []
    assert missing_days(every(1, 0, 50), 51) == [Days(50, 50)]
    assert missing_days(every(1, 0, 50) | {50}, 50) == []


def test_what_has_no_rhythm_is_not_missed() -> None:
    assert missing_days([], 100) == []
    assert missing_days([3], 100) == []
    assert missing_days([3, 40, 41], 100) == []


def test_what_began_yesterday_is_not_missed_before() -> None:
    assert missing_days(every(1, 90, 100), 100) == []


def test_a_rhythm_that_changed_is_judged_by_its_time() -> None:
    """Weekly at first, then daily: a week's pause is nothing in the first half."""
    both = every(7, 0, 140) | every(1, 140, 300)
    assert missing_days(both, 300) == []
    assert missing_days(both - set(range(200, 207)), 300) == [Days(200, 206)]


@pytest.mark.parametrize("seed", range(20))
def test_nothing_told_has_a_reading_in_it(seed: int) -> None:
    chance = random.Random(seed)
    present = {day for day in range(400) if chance.random() < 0.7}
    for gap in missing_days(present, 400):
        assert present.isdisjoint(range(gap.first, gap.last + 1))
        assert gap.first <= gap.last < 400


# ---- hours


def waking(days: range) -> set[tuple[int, int]]:
    return {(day, hour) for day in days for hour in range(7, 23)}


@pytest.mark.scenario("gaps", "Hours are missed by the time of day")
def test_hours_are_missed_where_they_mostly_have_a_reading() -> None:
    present = waking(range(40)) - {(20, hour) for hour in range(12, 16)} - {(25, 9)}
    assert missing_hours(present, (40, 12)) == [Hours(20, 12, 16)]


def test_hours_asleep_and_hours_to_come_are_not_missed() -> None:
    present = waking(range(40)) | {(40, hour) for hour in range(7, 12)}
    assert missing_hours(present, (40, 12)) == []
    assert missing_hours(present, (40, 14)) == [Hours(40, 12, 14)]


def test_whole_days_are_not_told_by_the_hour() -> None:
    present = {one for one in waking(range(40)) if one[0] != 20}
    assert missing_hours(present, (40, 0)) == []


def test_hours_of_a_few_days_are_no_rhythm() -> None:
    assert missing_hours(waking(range(4)) - {(2, 9), (2, 10)}, (4, 0)) == []


@pytest.mark.parametrize(
    ("present", "found"),
    [
        ([], [(0, 9)]),
        (range(10), []),
        ([0, 9], [(1, 8)]),
        ([3], [(0, 2), (4, 9)]),
        ([-5, 4, 4, 20], [(0, 3), (5, 9)]),
    ],
)
def test_absent_days_are_what_no_reading_covers(
    present: list[int], found: list[tuple[int, int]]
) -> None:
    assert absent_days(present, 0, 10) == [Days(*one) for one in found]


def test_of_no_days_none_is_absent() -> None:
    assert absent_days([], 5, 5) == []


@pytest.mark.parametrize(
    ("present", "every"),
    [
        ([], None),
        ([7], None),
        ([1, 2, 3, 9], 6),
        ([1, 2, 3, 4, 5, 9], 1),
        (range(0, 70, 7), 7),
    ],
)
def test_the_usual_distance_is_that_of_most(present: list[int], every: int | None) -> None:
    assert usual_days(present) == every
