"""Days, weeks, months, years: their own rows, or their parts."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

import pytest

from healthlog.layer import DAY, HOUR, MINUTE, MONTH, RAW, WEEK, YEAR
from healthlog.moment import day_text
from healthlog.series.buckets import Change, Zones, first_date
from healthlog.series.line import Line
from tests.support.lines import (
    PULSE,
    WEIGHT,
    PlainShelf,
    at,
    dated,
    day_of,
    days,
    instants,
    line,
    many,
    openness,
    series,
    word,
)

FIRST, SECOND = "2026-06-01", "2026-06-02"


def weeks(rows: dict[str, list[Line]], **more: Any) -> dict[str, tuple[float | None, str]]:
    return days(rows, bucket=WEEK, **more)


def months(rows: dict[str, list[Line]], **more: Any) -> dict[str, tuple[float | None, str]]:
    return days(rows, bucket=MONTH, **more)


def years(rows: dict[str, list[Line]], **more: Any) -> dict[str, tuple[float | None, str]]:
    return days(rows, bucket=YEAR, **more)


# ---- a day


@pytest.mark.scenario("series", "Layers of one day are never added")
def test_minutes_hours_and_days_of_one_day_are_never_added() -> None:
    rows = {
        DAY: [dated("06-01", 8000)],
        HOUR: many("06-01 08:00", 10, 60, 800),
        MINUTE: many("06-01 08:00", 600, 1, 13),
    }
    assert days(rows) == {FIRST: (8000, "day")}
    del rows[DAY]
    assert days(rows) == {FIRST: (8000, "hour")}
    del rows[HOUR]
    assert days(rows) == {FIRST: (7800, "minute")}


@pytest.mark.scenario("series", "Stray minute does not beat yesterday's total")
def test_a_stray_late_minute_does_not_beat_yesterday_s_total() -> None:
    rows = {
        DAY: [dated("06-01", 8000, word=word(1, "06-02 06:00"))],
        MINUTE: [line("06-01 23:59", 12, word=word(2, "06-02 07:00"))],
    }
    assert days(rows) == {FIRST: (8000, "day")}


@pytest.mark.scenario("series", "Day of which a part came as hours is whole")
def test_a_day_of_which_only_a_part_came_as_hours_is_whole() -> None:
    rows = {DAY: [dated("06-01", 8000)], HOUR: many("06-01 18:00", 4, 60, 500)}
    assert days(rows) == {FIRST: (8000, "day")}


@pytest.mark.scenario("series", "Open day leaves it to parts that say more")
def test_an_open_day_leaves_it_to_parts_that_say_more() -> None:
    running = dated("06-01", 71, word=word(1, "06-01 08:00"))
    rows = {DAY: [running], HOUR: many("06-01 08:00", 10, 60, 800, word=word(2, "06-01 21:00"))}
    assert days(rows) == {FIRST: (8000, "hour")}
    rows[DAY] = [running._replace(figures=dated("06-01", 8001).figures)]
    assert days(rows) == {FIRST: (8001, "day")}


def test_an_open_day_without_parts_answers() -> None:
    assert days({DAY: [dated("06-01", 71, word=word(1, "06-01 08:00"))]}) == {FIRST: (71, "day")}


@pytest.mark.parametrize(("day_rank", "answers"), [(3, (60, "day")), (1, (80, "minute"))])
def test_of_open_levels_the_one_heard_later_answers(
    day_rank: int, answers: tuple[float, str]
) -> None:
    rows = {
        DAY: [dated("06-01", 60, word=word(day_rank, "06-01 20:00"))],
        MINUTE: [line("06-01 12:00", 80, word=word(2, "06-01 12:30"))],
    }
    assert days(rows, entry=PULSE) == {FIRST: answers}


def test_hours_of_a_day_come_from_whatever_layer_answers_for_each() -> None:
    rows = {
        HOUR: [line("06-01 08:00", 100), line("06-01 10:00", 5, word=word(1, "06-01 08:10"))],
        MINUTE: [line("06-01 08:30", 7), line("06-01 09:30", 30), line("06-01 10:30", 40)],
        RAW: [line("06-01 09:31", 1), line("06-01 11:30:20", 2)],
    }
    assert days(rows) == {FIRST: (100 + 30 + 40 + 2, "hour+minute+raw")}


@pytest.mark.scenario("series", "Average counts each reading once")
def test_an_average_counts_each_reading_once() -> None:
    rows = {
        HOUR: [line("06-01 08:00", 60, low=50, high=70)],
        MINUTE: [line("06-01 09:00", 90), line("06-01 09:01", 90), line("06-01 09:02", 100)],
    }
    assert days(rows, entry=PULSE) == {FIRST: (340 / 4, "hour+minute")}


def test_of_a_state_the_latest_reading_counts() -> None:
    rows = {RAW: [line("06-01 07:00", 80.5), line("06-01 21:00", 81), line("06-01 12:00", 79)]}
    assert days(rows, entry=WEIGHT) == {FIRST: (81, "raw")}
    assert months(rows, entry=WEIGHT) == {FIRST: (81, "raw")}


def test_other_rows_of_a_date_count_each() -> None:
    hours = [dated("06-01", 1, at_ms=at(f"06-01 {hour:02}:00")) for hour in (8, 9, 14)]
    assert days({DAY: hours}) == {FIRST: (3, "day")}


def test_a_day_that_the_clock_puts_elsewhere_answers_only_where_nothing_is_finer() -> None:
    elsewhere = dated("06-01", 9000, elsewhere=True)
    assert days({DAY: [elsewhere]}) == {FIRST: (9000, "day")}
    minute = line("06-01 12:00", 5, word=word(1, "06-01 12:30"))
    assert days({DAY: [elsewhere], MINUTE: [minute]}) == {FIRST: (5, "minute")}
    assert days({DAY: [elsewhere], MINUTE: [line("06-02 12:00", 5)]}) == {
        FIRST: (9000, "day"),
        SECOND: (5, "minute"),
    }


def test_rows_in_their_place_answer_without_those_elsewhere() -> None:
    rows = {DAY: [dated("06-01", 9000, elsewhere=True), dated("06-01", 7)], MINUTE: [
        line("06-01 12:00", 5)
    ]}  # fmt: skip
    assert days(rows) == {FIRST: (7, "day")}


# ---- local days


@pytest.mark.scenario("series", "Days of a clock change are whole")
@pytest.mark.parametrize(
    ("before", "change", "after", "date", "hours"),
    [(60, "03-29 01:00", 120, "2026-03-29", 23), (120, "10-25 01:00", 60, "2026-10-25", 25)],
)
def test_a_day_of_a_clock_change_has_all_its_hours(
    before: int, change: str, after: int, date: str, hours: int
) -> None:
    clock = Zones([Change(0, before), Change(at(change, 0), after)])
    begin = f"{date[5:]} 00:00"
    lines = [line(at(begin, before / 60) + n * 3_600_000, 1) for n in range(-24, hours + 24)]
    for rows in ({HOUR: lines}, {MINUTE: lines}):
        found = days(rows, clock=clock)
        assert found[date][0] == hours
        assert {amount for day, (amount, _) in found.items() if day != date} == {24}


@pytest.mark.scenario("series", "Week of five zones keeps each hour on one day")
def test_a_week_of_five_zones_keeps_each_hour_on_one_day() -> None:
    flights = [
        Change(0, 120),
        Change(at("06-02 10:00", 0), -240),  # to New York
        Change(at("06-03 20:00", 0), -420),  # to California
        Change(at("06-05 06:00", 0), 540),  # to Tokyo, over the date line
        Change(at("06-07 03:00", 0), 330),  # to Delhi
    ]
    clock = Zones(flights)
    # From midnight of 1 June in Berlin to midnight of 9 June in Delhi.
    hours = -(-(at("06-09 00:00", 5.5) - at("06-01 00:00", 2)) // 3_600_000)
    rows = {MINUTE: [line(at("06-01 00:00") + n * 3_600_000, 1) for n in range(hours)]}
    found = days(rows, clock=clock)
    assert list(found) == [f"2026-06-0{day}" for day in range(1, 9)]
    assert sum(amount or 0 for amount, _ in found.values()) == hours
    assert [amount for amount, _ in found.values()] == [24, 30, 27, 23, 9, 24, 28, 24]


def test_an_hour_lies_whole_on_the_day_of_its_first_reading() -> None:
    # A quarter of an hour after midnight in Delhi its clock gives way to that of Dubai.
    clock = Zones([Change(0, 330), Change(at("06-01 18:45", 0), 240)])
    late = [line(at(f"06-01 {when}", 0), 1) for when in ("18:35", "18:50", "19:20")]
    assert days({MINUTE: late}, clock=clock) == {SECOND: (3, "minute")}


# ---- weeks, months, years


def test_a_week_is_answered_by_its_own_closed_row() -> None:
    rows = {WEEK: [dated("06-01", 50_000)], DAY: [dated("06-02", 8000)]}
    assert weeks(rows) == {FIRST: (50_000, "week")}


@pytest.mark.scenario("series", "Row answers only for the bucket of its date")
def test_a_row_answers_only_for_the_bucket_that_begins_on_its_date() -> None:
    # A week from Sunday, a month from the second, a year from February: none of them is asked for.
    assert weeks({WEEK: [dated("05-31", 50_000)]}) == {}
    assert weeks({WEEK: [dated("05-31", 50_000)], DAY: [dated("06-03", 8)]}) == {FIRST: (8, "day")}
    assert months({MONTH: [dated("06-02", 50_000), dated("07-01", 9)]}) == {
        "2026-07-01": (9, "month")
    }
    assert years({YEAR: [dated("02-01", 50_000)]}) == {}


@pytest.mark.scenario("series", "Month in which the setting changed adds up")
def test_a_month_in_which_the_setting_changed_adds_up() -> None:
    rows = {
        DAY: [dated(f"06-{day:02}", 1000) for day in range(1, 16)],
        HOUR: many("06-16 00:00", 24 * 5, 60, 10),
        MINUTE: many("06-21 00:00", 24 * 60 * 10, 1, 0.5),
    }
    assert months(rows) == {FIRST: (15 * 1000 + 5 * 240 + 10 * 720, "day+hour+minute")}


def test_an_open_month_leaves_it_to_its_days() -> None:
    running = dated("06-01", 900, word=word(9, "06-02 12:00"))
    assert months({MONTH: [running], DAY: [dated("06-01", 1000), dated("06-02", 500)]}) == {
        FIRST: (1500, "day")
    }
    assert months({MONTH: [running], DAY: [dated("06-01", 500)]}) == {FIRST: (900, "month")}


def test_months_are_made_of_days_and_years_of_months() -> None:
    rows = {
        MONTH: [dated("01-01", 1), dated("02-01", 2), dated("12-01", 9)],
        DAY: [dated("01-15", 100), dated("03-01", 30), dated("03-31", 3)],
        MINUTE: [line("04-30 23:59", 4)],
    }
    assert months(rows) == {
        "2026-01-01": (1, "month"),
        "2026-02-01": (2, "month"),
        "2026-03-01": (33, "day"),
        "2026-04-01": (4, "minute"),
        "2026-12-01": (9, "month"),
    }
    assert years(rows) == {"2026-01-01": (1 + 2 + 33 + 4 + 9, "day+minute+month")}
    closed = dated("01-01", 7, word=word()._replace(spoke_at_us=at("12-31 22:00", 0) * 1000))
    assert years({**rows, YEAR: [closed]}) == {"2026-01-01": (7, "year")}


def test_weeks_are_no_part_of_months() -> None:
    assert months({WEEK: [dated("06-01", 50_000)]}) == {}
    assert days({WEEK: [dated("06-01", 50_000)], MONTH: [dated("06-01", 9)]}) == {}


def test_a_month_that_begins_before_the_range_is_not_in_it() -> None:
    rows = {DAY: [dated("06-20", 1), dated("07-01", 2)]}
    assert months(rows, first="06-15", last="07-02") == {"2026-07-01": (2, "day")}
    assert months(rows, first="06-01", last="07-01") == {FIRST: (1, "day")}


def test_a_month_counts_each_reading_once() -> None:
    rows = {DAY: [dated("06-01", 60)], MINUTE: [line("06-02 12:00", 90), line("06-02 12:01", 90)]}
    assert months(rows, entry=PULSE) == {FIRST: (80, "day+minute")}


# ---- open


def is_open(bucket: str, rows: dict[str, list[Line]], **more: Any) -> list[bool]:
    return openness(series(rows, **more).dates(bucket, day_of("06-01"), day_of("07-01")))


@pytest.mark.scenario("series", "Open bucket is flagged")
def test_a_day_is_open_that_was_said_before_its_end() -> None:
    for spoke, flag in (("06-01 21:59", True), ("06-01 22:00", False)):  # its midnight in UTC
        said = word(1, spoke)
        assert is_open(DAY, {DAY: [dated("06-01", word=said)]}) == [flag]
        assert is_open(DAY, {MINUTE: [line("06-01 20:00", word=said)]}) == [flag]


def test_a_day_of_parts_is_open_as_its_latest_reading_is() -> None:
    early, late = word(1, "06-01 12:00"), word(2, "06-02 06:00")
    rows = {MINUTE: [line("06-01 09:00", word=early), line("06-01 20:00", word=late)]}
    assert is_open(DAY, rows) == [False]
    rows = {MINUTE: [line("06-01 09:00", word=late), line("06-01 11:00", word=early)]}
    assert is_open(DAY, rows) == [True]


def test_a_month_of_days_is_open_until_the_metric_is_heard_of_after_its_end() -> None:
    rows = {DAY: [dated("06-10", word=word(1, "06-11 06:00"))]}
    assert is_open(MONTH, rows) == [True]
    assert is_open(MONTH, rows, heard="06-30 21:59") == [True]
    assert is_open(MONTH, rows, heard="06-30 22:00") == [False]


def test_a_month_of_its_own_row_is_open_by_what_was_said_of_it() -> None:
    rows = {MONTH: [dated("06-01", word=word(1, "06-11 06:00"))]}
    assert is_open(MONTH, rows, heard="07-11 06:00") == [True]


def test_a_row_is_over_at_midnight_in_the_offset_of_its_last_reading() -> None:
    said = word(1, "06-02 03:00")
    west = dated("06-01", word=said, offset_min=-240, at_ms=at("06-01 00:00", -4))
    assert is_open(DAY, {DAY: [west]}) == [True]
    assert is_open(DAY, {DAY: [dated("06-01", word=said), west]}) == [True]
    assert is_open(DAY, {DAY: [dated("06-01", word=said)]}) == [False]


# ---- what is read


def test_no_more_is_read_than_the_days_that_need_it() -> None:
    rows = [dated(f"06-{day:02}") for day in range(1, 31) if day != 12]
    shelf = PlainShelf({DAY: rows, HOUR: many("06-01 00:00", 24 * 30, 60)})
    found = series({})
    found = type(found)(shelf, found.measure, found.order)
    assert len(list(found.dates(DAY, day_of("06-01"), day_of("07-01")))) == 30
    [_, (layer, first_ms, last_ms)] = shelf.asked
    assert layer == HOUR
    assert first_ms >= at("06-11 18:00")
    assert last_ms <= at("06-13 06:00")


def test_days_that_nobody_speaks_of_are_not_looked_at() -> None:
    shelf = PlainShelf({MINUTE: [line("01-05 12:00"), line("12-20 12:00")]})
    found = series({})
    found = type(found)(shelf, found.measure, found.order)
    assert len(list(found.dates(DAY, day_of("01-01"), day_of("12-31")))) == 2
    assert len(shelf.asked) <= 6


# ---- by definition


def of_chance(seed: int) -> dict[str, list[Line]]:
    """Readings of three weeks in three layers, all closed, in a clock that changes in between."""
    chance = random.Random(seed)
    begin = at("05-25 00:00")
    rows: dict[str, list[Line]] = defaultdict(list)
    for _ in range(chance.randint(1, 60)):
        layer = chance.choice((DAY, HOUR, MINUTE))
        if layer == DAY:
            rows[DAY].append(dated(day_text(day_of("05-25") + chance.randrange(21)), 1.0))
        else:
            width = 3_600_000 if layer == HOUR else 60_000
            rows[layer].append(line(begin + chance.randrange(21 * 86_400_000 // width) * width, 1))
    return rows


@pytest.mark.parametrize("seed", range(30))
def test_longer_buckets_are_the_sums_of_their_days(seed: int) -> None:
    rows = of_chance(seed)
    clock = Zones([Change(0, 120), Change(at("06-04 09:00", 0), -240)])
    of_days = days(rows, clock=clock)
    for bucket in (WEEK, MONTH, YEAR):
        expected: defaultdict[str, float] = defaultdict(float)
        for date, (amount, _) in of_days.items():
            expected[day_text(first_date(bucket, day_of(date)))] += amount or 0
        found = days(rows, clock=clock, bucket=bucket)
        assert {date: amount for date, (amount, _) in found.items()} == expected


@pytest.mark.parametrize("seed", range(30))
def test_days_without_rows_of_their_own_are_the_sums_of_their_hours(seed: int) -> None:
    rows = of_chance(seed)
    del rows[DAY]
    of_hours = instants(rows, HOUR, "05-20 00:00", "06-20 00:00")
    expected: defaultdict[str, float] = defaultdict(float)
    for start, (amount, _) in of_hours.items():
        expected[f"2026-{start[:5]}"] += amount or 0
    assert {date: amount for date, (amount, _) in days(rows).items()} == expected
