"""Buckets: where they begin by the clock, on which dates, how long a local day is."""

from __future__ import annotations

import pytest

from healthlog.layer import DAY, MONTH, WEEK, YEAR
from healthlog.moment import HOUR_MS, MINUTE_MS, day_text
from healthlog.series.buckets import (
    Change,
    Stretch,
    Zones,
    begins_on,
    first_date,
    hour_of,
    hours_of,
    instants_of,
    is_open,
    local_day,
    midnight_ms,
    minute_of,
    next_date,
)
from tests.support.lines import at, day_of


def zones(*changes: tuple[str, int]) -> Zones:
    """A clock that changes at these instants (wall time in UTC) to these offsets in minutes."""
    return Zones([Change(at(when, 0), offset_min) for when, offset_min in changes])


def length_h(clock: Zones, date: str) -> float:
    day = day_of(date)
    return instants_of(clock, day, day + 1).length_ms / HOUR_MS


@pytest.mark.parametrize(
    ("bucket", "date", "first", "following"),
    [
        (DAY, "2026-06-03", "2026-06-03", "2026-06-04"),
        (WEEK, "2026-06-03", "2026-06-01", "2026-06-08"),
        (WEEK, "2026-06-07", "2026-06-01", "2026-06-08"),
        (WEEK, "2026-06-08", "2026-06-08", "2026-06-15"),
        (WEEK, "1969-12-31", "1969-12-29", "1970-01-05"),
        (MONTH, "2026-06-30", "2026-06-01", "2026-07-01"),
        (MONTH, "2026-12-31", "2026-12-01", "2027-01-01"),
        (MONTH, "2028-02-29", "2028-02-01", "2028-03-01"),
        (YEAR, "2028-12-31", "2028-01-01", "2029-01-01"),
        (YEAR, "2026-01-01", "2026-01-01", "2027-01-01"),
    ],
)
def test_a_bucket_of_dates_begins_and_ends(
    bucket: str, date: str, first: str, following: str
) -> None:
    begin = first_date(bucket, day_of(date))
    assert (day_text(begin), day_text(next_date(bucket, begin))) == (first, following)
    assert begins_on(bucket, begin)
    assert begins_on(bucket, day_of(date)) == (date == first)


def test_the_last_buckets_of_the_calendar_end_with_it() -> None:
    for bucket in (MONTH, YEAR):
        last = first_date(bucket, day_of("9999-12-31"))
        assert next_date(bucket, last) == day_of("9999-12-31") + 1


def test_minutes_begin_at_any_offset_alike() -> None:
    assert minute_of(at("06-01 12:30:59")) == at("06-01 12:30")
    assert minute_of(-1) == -MINUTE_MS


@pytest.mark.parametrize(
    ("offset_min", "begun"), [(120, "06-01 12:00"), (330, "06-01 11:30"), (345, "06-01 12:15")]
)
def test_hours_begin_on_the_wall(offset_min: int, begun: str) -> None:
    clock = Zones([Change(0, offset_min)])
    assert hour_of(at("06-01 12:20", 0), clock) == at(begun, 0)


def test_an_hour_in_which_the_clock_changes_lasts_its_sixty_minutes() -> None:
    # From Delhi to Dubai at half past twelve (UTC): the hour begun at 11:30 goes on to 12:30.
    clock = zones(("05-01 00:00", 330), ("06-01 12:15", 240))
    assert hour_of(at("06-01 12:20", 0), clock) == at("06-01 11:30", 0)
    assert hour_of(at("06-01 12:40", 0), clock) == at("06-01 12:00", 0)
    assert hour_of(at("06-01 13:05", 0), clock) == at("06-01 13:00", 0)


def test_a_change_by_whole_hours_leaves_the_hours_where_they_are() -> None:
    clock = zones(("05-01 00:00", 120), ("06-01 12:15", -240))
    assert hour_of(at("06-01 12:20", 0), clock) == at("06-01 12:00", 0)


def test_the_clock_has_the_offset_of_the_change_before_else_of_the_first() -> None:
    clock = zones(("06-01 12:00", 120), ("06-02 12:00", -240))
    times = ("05-01 00:00", "06-01 12:00", "06-02 11:59", "06-02 12:00", "07-01 00:00")
    offsets = [clock.offset_min(at(when, 0)) for when in times]
    assert offsets == [120, 120, 120, -240, -240]
    assert Zones([]).offset_min(at("06-01 12:00")) == 0


@pytest.mark.scenario("series", "Days of a clock change are whole")
def test_days_of_a_clock_change_have_23_and_25_hours() -> None:
    spring = zones(("03-01 00:00", 60), ("03-29 01:00", 120))
    assert [length_h(spring, f"03-{day}") for day in (28, 29, 30)] == [24, 23, 24]
    autumn = zones(("10-01 00:00", 120), ("10-25 01:00", 60))
    assert [length_h(autumn, f"10-{day}") for day in (24, 25, 26)] == [24, 25, 24]
    assert instants_of(autumn, day_of("10-25"), day_of("10-26")) == Stretch(
        at("10-25 00:00"), at("10-26 00:00", 1)
    )


def test_a_flight_makes_a_day_longer_or_shorter() -> None:
    west = zones(("05-01 00:00", 120), ("06-01 14:00", -240))
    assert length_h(west, "06-01") == 30
    east = zones(("05-01 00:00", 120), ("06-01 14:00", 540))
    assert length_h(east, "06-01") == 17


def test_a_date_that_comes_twice_reaches_from_its_first_to_its_last_instant() -> None:
    # Back over the date line at 01:00 of 2 June: the first of June is lived once more.
    clock = zones(("05-01 00:00", 840), ("06-01 11:00", -600))
    first_ms, last_ms = instants_of(clock, day_of("06-01"), day_of("06-02"))
    assert (first_ms, last_ms) == (at("06-01 00:00", 14), at("06-02 00:00", -10))
    assert local_day(at("06-01 10:30", 0), clock) == day_of("06-02")


def test_a_date_that_the_clock_skips_has_no_instants() -> None:
    clock = zones(("05-01 00:00", -600), ("06-02 10:00", 840))
    assert length_h(clock, "06-02") == 0
    assert [length_h(clock, date) for date in ("06-01", "06-03")] == [24, 24]


def test_without_a_clock_days_are_those_of_utc() -> None:
    assert instants_of(Zones([]), 0, 2) == Stretch(0, 48 * HOUR_MS)
    assert midnight_ms(1, 120) == 22 * HOUR_MS


def test_a_bucket_is_open_until_somebody_speaks_after_its_end() -> None:
    end_ms = at("06-02 00:00")
    assert is_open(end_ms, end_ms * 1000 - 1)
    assert not is_open(end_ms, end_ms * 1000)


def test_stretches_that_touch_do_not_overlap() -> None:
    one = Stretch(0, 10)
    assert one.overlaps(Stretch(9, 20))
    assert not one.overlaps(Stretch(10, 20))
    assert one.length_ms == 10


@pytest.mark.parametrize("offset_min", [0, 120, 330, 345, -210, -720])
def test_hours_of_a_steady_clock_are_those_of_any(offset_min: int) -> None:
    clock = Zones([Change(at("06-01 00:00", 0), offset_min)])
    hour = hours_of(clock)
    for minute in range(0, 3_000, 7):
        at_ms = at("05-31 22:00", 0) + minute * MINUTE_MS + 31_000
        assert hour(at_ms) == hour_of(at_ms, clock)
