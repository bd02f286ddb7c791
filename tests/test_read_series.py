"""Series out of the mart: bodies go in through the real fold, values of buckets come out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.clock import parse_us
from healthlog.read import series as read_series
from healthlog.read.series import Place, Question, WrongUnit
from healthlog.series.source_order import SourceOrder
from healthlog.span import Span, edge
from tests.support.clock import FakeClock
from tests.support.folding import case
from tests.support.reading import (
    DAYS,
    HOURS,
    MINUTES,
    SECONDS,
    Desk,
    body,
    metric,
    open_desk,
    steps,
    values,
)

STEPS, PULSE = "step_count", "heart_rate"


@pytest.fixture
def desk(data: Path, clock: FakeClock) -> Iterator[Desk]:
    with open_desk(data, clock) as desk:
        yield desk


def page(
    desk: Desk,
    name: str,
    bucket: str,
    first: str | None = None,
    last: str | None = None,
    *,
    behind: Place | None = None,
    limit: int = 1_000,
    **more: Any,
) -> read_series.SeriesPage:
    """A page of a series; the ends of its range are texts, dates of UTC."""
    span = Span(*(None if end is None else edge(end, UTC) for end in (first, last)))
    question = Question(name, bucket, span, **more)
    return desk.mart.read(lambda c: read_series.page(c, question, behind=behind, limit=limit))


def items(desk: Desk, name: str, bucket: str, *ends: str, **more: Any) -> list[dict[str, Any]]:
    return page(desk, name, bucket, *ends, **more).items


def told(desk: Desk, name: str, bucket: str, *ends: str, **more: Any) -> list[tuple[Any, ...]]:
    """Start and value of each item."""
    return values(items(desk, name, bucket, *ends, **more), "start", "value")


def at(clock: FakeClock, text: str) -> None:
    """Let it be that time (UTC)."""
    clock.set(parse_us(f"{text}:00Z"))


def walk(source: str, hour: int, minutes: int, qty: float, offset: str = "+0200") -> dict[str, Any]:
    """Steps of every minute of a walk, as seconds are sent."""
    data = [
        {"date": f"2026-06-01 {hour:02}:{minute:02}:00 {offset}", "qty": qty, "source": source}
        for minute in range(minutes)
    ]
    return metric(STEPS, "count", *data)


# ---- what an answer looks like


@pytest.mark.scenario("series", "Series names function, unit, layers")
def test_a_series_names_its_function_its_unit_and_the_layers_that_answer(desk: Desk) -> None:
    desk.send(case("01_days_plain.json"), DAYS)
    found = page(desk, STEPS, "day", "2026-05-03", "2026-05-04")
    assert found.head == {
        "metric": STEPS,
        "unit": "count",
        "bucket": "day",
        "aggregate": "sum",
    }
    [item] = found.items
    assert (item["start"], item["value"], item["layer"], item["open"]) == (
        "2026-05-03",
        8123,
        "day",
        False,
    )
    assert sorted(item) == ["layer", "open", "sources", "start", "value"]


def test_hours_start_at_instants_in_the_offset_as_recorded(desk: Desk) -> None:
    desk.send(steps(("2026-06-01 12:00:00 +0200", 5), ("2026-06-01 12:00:00 -0400", 7)), HOURS)
    assert told(desk, STEPS, "hour") == [
        ("2026-06-01T12:00:00+02:00", 5),
        ("2026-06-01T12:00:00-04:00", 7),
    ]


def test_a_metric_that_nobody_sent_has_an_empty_series(desk: Desk) -> None:
    found = page(desk, "weight_body_mass", "day")
    assert (found.items, found.following, found.head["unit"]) == ([], None, "kg")
    assert page(desk, "moonlight", "day").head == {
        "metric": "moonlight",
        "unit": None,
        "bucket": "day",
        "aggregate": "avg",
    }


def test_sources_of_all_that_counts_are_named(desk: Desk) -> None:
    desk.send(body(walk("Watch", 9, 3, 10), walk("Strap|iPhone", 10, 3, 10)), SECONDS)
    [item] = items(desk, STEPS, "day")
    assert item["sources"] == ["Strap", "Watch", "iPhone"]


def test_levels_have_extremes(desk: Desk) -> None:
    data = [
        {"date": "2026-06-01 12:00:00 +0200", "Min": 50, "Avg": 60, "Max": 90},
        {"date": "2026-06-01 12:01:00 +0200", "qty": 100},
        {"date": "2026-06-01 12:02:00 +0200", "Min": 40, "Max": 45},
    ]
    desk.send(body(metric(PULSE, "bpm", *data)), MINUTES)
    [item] = items(desk, PULSE, "day")
    assert (item["value"], item["min"], item["max"]) == (80, 40, 100)


@pytest.mark.scenario("series", "Range without a value has none")
def test_a_range_without_an_average_has_no_value(desk: Desk) -> None:
    desk.send(case("09_range_for_discrete.json"), DAYS)
    [item] = items(desk, PULSE, "day")
    assert "value" not in item
    assert (item["min"], item["max"]) == (48, 165)


@pytest.mark.scenario("series", "Blood pressure is given by field")
def test_blood_pressure_is_given_by_field(desk: Desk) -> None:
    pairs = [(121, 79), (131, 83)]
    data = [
        {"date": f"2026-06-01 0{hour}:10:20 +0200", "systolic": upper, "diastolic": lower}
        for hour, (upper, lower) in enumerate(pairs, 7)
    ]
    desk.send(body(metric("blood_pressure", "mmHg", *data)), SECONDS)
    found = page(desk, "blood_pressure", "day")
    assert found.items[0]["value"] == {"systolic": 126, "diastolic": 81}
    assert found.items[0]["max"] == {"systolic": 131, "diastolic": 83}
    assert found.fields == ("systolic", "diastolic")


@pytest.mark.scenario("series", "Sexual activity is the sum of its counts")
def test_sexual_activity_is_the_sum_of_its_counts(desk: Desk) -> None:
    data = [
        {"date": "2026-06-01 00:00:00 +0200", "Unspecified": 1, "Protection Used": 2},
        {"date": "2026-06-02 00:00:00 +0200", "Protection Not Used": 1},
    ]
    desk.send(body(metric("sexual_activity", "count", *data)), DAYS)
    assert told(desk, "sexual_activity", "day") == [("2026-06-01", 3), ("2026-06-02", 1)]


# ---- cases of the format


def test_a_metric_named_twice_in_one_body_adds_up(desk: Desk) -> None:
    desk.send(case("18_duplicate_metric_name.json"), MINUTES)
    assert told(desk, "apple_exercise_time", "day") == [("2026-05-03", 50)]


@pytest.mark.scenario("series", "Layers of one day are never added")
def test_the_total_of_a_day_stays_its_day_bucket(desk: Desk) -> None:
    for name, aggregation in (
        ("01_days_plain.json", DAYS),
        ("04_days_closed_corrected_down.json", DAYS),
        ("05_minutes_same_day.json", MINUTES),
    ):
        desk.send(case(name), aggregation)
    assert told(desk, STEPS, "day", "2026-05-03", "2026-05-04") == [("2026-05-03", 8110.5)]


@pytest.mark.scenario("series", "Open bucket is flagged")
def test_a_day_that_was_still_running_is_open(desk: Desk, clock: FakeClock) -> None:
    at(clock, "2026-05-05T09:00")
    desk.send(case("02_days_partial_first.json"), DAYS)
    assert values(items(desk, STEPS, "day"), "value", "open") == [(71, True)]
    at(clock, "2026-05-06T09:00")
    desk.send(case("03_days_partial_later.json"), DAYS)
    assert values(items(desk, STEPS, "day"), "value", "open") == [(9794, False)]


@pytest.mark.scenario("series", "Units are one series")
def test_units_are_given_in_the_canonical_one(desk: Desk) -> None:
    desk.send(case("07_units_mixed.json"), DAYS)
    names = ("active_energy", "basal_energy_burned", "weight_body_mass", "blood_glucose")
    found = [items(desk, name, "day")[0]["value"] for name in names]
    assert found == [410, 6900 / 4.184, 165.5 * 0.45359237, 5.1 * 18.0182]


@pytest.mark.scenario("series", "Days of a clock change are whole")
def test_both_hours_of_the_autumn_night_are_on_one_day(desk: Desk, clock: FakeClock) -> None:
    at(clock, "2026-10-26T09:00")
    desk.send(case("12_dst_autumn.json"), HOURS)
    assert told(desk, STEPS, "hour") == [
        ("2026-10-25T02:00:00+02:00", 14),
        ("2026-10-25T02:00:00+01:00", 9),
    ]
    assert told(desk, STEPS, "day") == [("2026-10-25", 23)]


# ---- several sources


@pytest.mark.scenario("series", "Walk on two devices counts once")
def test_a_walk_on_two_devices_counts_once(desk: Desk) -> None:
    desk.send(
        body(walk("Owner’s Apple\u00a0Watch", 9, 30, 110), walk("Owner’s iPhone", 9, 30, 95)),
        SECONDS,
    )
    assert told(desk, STEPS, "day") == [("2026-06-01", 3300)]
    assert items(desk, STEPS, "day")[0]["sources"] == ["Owner’s Apple Watch"]


@pytest.mark.scenario("series", "Watch that died at noon")
def test_after_the_watch_died_at_noon_the_phone_counts(desk: Desk) -> None:
    watch = [walk("Watch", hour, 60, 10) for hour in range(8, 12)]
    phone = [walk("iPhone", hour, 60, 9) for hour in range(8, 18)]
    desk.send(body(*watch, *phone), SECONDS)
    # Four hours of the watch, six of the phone: not 7,800 by adding, nor 2,400 by choosing one.
    assert told(desk, STEPS, "day") == [("2026-06-01", 4 * 600 + 6 * 540)]
    assert [value for _, value in told(desk, STEPS, "hour")] == [600] * 4 + [540] * 6


@pytest.mark.scenario("series", "Order of the sources can be set")
def test_the_order_of_the_sources_can_be_set(desk: Desk) -> None:
    desk.send(body(walk("Watch", 9, 10, 10), walk("iPhone", 9, 10, 9)), SECONDS)
    order = SourceOrder(("iPhone", "Watch"))
    assert told(desk, STEPS, "day", order=order) == [("2026-06-01", 90)]


# ---- units


@pytest.mark.scenario("series", "Units are one series")
def test_a_series_that_changes_its_unit_midway_stays_one(desk: Desk) -> None:
    for number, (unit, qty) in enumerate((("kg", 80), ("lb", 176), ("kg", 79.5)), 1):
        weigh = {"date": f"2026-06-0{number} 07:10:00 +0200", "qty": qty}
        desk.send(body(metric("weight_body_mass", unit, weigh)), SECONDS)
    found = page(desk, "weight_body_mass", "day")
    assert [item["value"] for item in found.items] == pytest.approx([80, 79.8323, 79.5], abs=1e-4)
    assert found.unit == "kg"
    [pounds, *_] = items(desk, "weight_body_mass", "day", unit="lbs")
    assert pounds["value"] == pytest.approx(176.3698, abs=1e-4)


@pytest.mark.scenario("series", "Units are one series")
def test_glucose_goes_from_one_unit_into_the_other(desk: Desk) -> None:
    for number, (unit, qty) in enumerate((("mg/dL", 99.1001), ("mmol/L", 5.5)), 1):
        measured = {"date": f"2026-06-0{number} 07:10:20 +0200", "qty": qty}
        desk.send(body(metric("blood_glucose", unit, measured)), SECONDS)
    assert [value for _, value in told(desk, "blood_glucose", "day")] == [99.1001, 99.1001]
    assert [value for _, value in told(desk, "blood_glucose", "day", unit="mmol/L")] == [5.5, 5.5]


@pytest.mark.scenario("series", "Units are one series")
def test_kilojoules_beside_kilocalories_are_one_total(desk: Desk) -> None:
    for number, (unit, qty) in enumerate((("kcal", 20), ("kJ", 41.84))):
        data = {"date": f"2026-06-01 0{number}:00:00 +0200", "qty": qty}
        desk.send(body(metric("active_energy", unit, data)), HOURS)
    assert told(desk, "active_energy", "day") == [("2026-06-01", 30)]


@pytest.mark.scenario("series", "What can not be converted is named")
def test_what_can_not_be_converted_is_given_as_sent_and_named(desk: Desk) -> None:
    for hour, (unit, qty) in enumerate((("kg", 80), ("furlong", 3), (None, 7)), 7):
        weigh = {"date": f"2026-06-01 0{hour}:10:20 +0200", "qty": qty}
        desk.send(body(metric("weight_body_mass", unit, weigh)), SECONDS)
    found = page(desk, "weight_body_mass", "day")
    assert values(found.items, "start", "value", "unit") == [
        ("2026-06-01", 80, None),
        ("2026-06-01", 7, None),
        ("2026-06-01", 3, "furlong"),
    ]
    assert ["unit" in item for item in found.items] == [False, True, True]
    assert found.unit is None


@pytest.mark.parametrize("unit", ["km", "furlong", "%"])
def test_a_unit_that_is_none_of_the_metric_is_refused(desk: Desk, unit: str) -> None:
    with pytest.raises(WrongUnit):
        page(desk, "weight_body_mass", "day", unit=unit)


def test_an_unknown_metric_has_the_unit_of_its_latest_reading(desk: Desk) -> None:
    for hour, (unit, qty) in enumerate((("kJ", 4.184), ("kcal", 2)), 7):
        data = {"date": f"2026-06-01 0{hour}:00:00 +0200", "qty": qty}
        desk.send(body(metric("moonlight", unit, data)), HOURS)
    found = page(desk, "moonlight", "day")
    assert (found.head["unit"], found.head["aggregate"]) == ("kcal", "sum")
    assert found.items[0]["value"] == 3
    assert page(desk, "moonlight", "day", unit="kJ").items[0]["value"] == pytest.approx(12.552)


# ---- local days


@pytest.mark.scenario("series", "Days of a date cut in several zones")
def test_of_a_date_cut_in_several_zones_one_start_answers(desk: Desk, clock: FakeClock) -> None:
    at(clock, "2026-06-02T09:00")
    desk.send(steps(("2026-06-01 00:00:00 +0200", 9000)), DAYS)
    # After the flight the phone cuts the same days at midnight in New York.
    at(clock, "2026-06-04T09:00")
    days = [("2026-06-01 00:00:00 -0400", 8800), ("2026-06-03 00:00:00 -0400", 5000)]
    desk.send(steps(*days), DAYS)
    assert told(desk, STEPS, "day") == [("2026-06-01", 9000), ("2026-06-03", 5000)]
    assert told(desk, STEPS, "month") == [("2026-06-01", 14_000)]


@pytest.mark.scenario("series", "Days are those of the offset as recorded")
def test_evening_steps_stay_on_their_day(desk: Desk) -> None:
    desk.send(steps(("2026-06-01 23:30:00 -0700", 40)), MINUTES)
    assert told(desk, STEPS, "day") == [("2026-06-01", 40)]
    # Sent again from elsewhere, as the phone renders its whole window anew.
    desk.send(steps(("2026-06-02 08:30:00 +0200", 41)), MINUTES)
    assert told(desk, STEPS, "day") == [("2026-06-01", 41)]


def test_a_date_alone_is_a_day(desk: Desk, clock: FakeClock) -> None:
    at(clock, "2026-06-02T09:00")
    desk.send(steps(("2026-06-01", 5), ("2026-06-02", 6)), DAYS)
    # Nobody named the clock: the first of June is over when it is over everywhere.
    assert values(items(desk, STEPS, "day"), "start", "value", "open") == [
        ("2026-06-01", 5, True),
        ("2026-06-02", 6, True),
    ]
    at(clock, "2026-06-02T12:00")
    desk.send(steps(("2026-06-01", 5)), DAYS)
    assert values(items(desk, STEPS, "day"), "open") == [(False,), (True,)]


def test_a_date_alone_is_over_by_the_clock_where_there_is_one(desk: Desk, clock: FakeClock) -> None:
    desk.send(body(metric(PULSE, "bpm", {"date": "2026-06-01 12:00:00 +0200", "qty": 1})), HOURS)
    at(clock, "2026-06-01T22:00")
    desk.send(steps(("2026-06-01", 5)), DAYS)
    assert values(items(desk, STEPS, "day"), "open") == [(False,)]


@pytest.mark.scenario("series", "Date told with and without a time counts once")
@pytest.mark.parametrize("alone_first", [True, False])
@pytest.mark.parametrize("offset", ["+0200", "+0000", "-0400"])
def test_a_date_told_with_and_without_a_time_counts_once(
    desk: Desk, clock: FakeClock, alone_first: bool, offset: str
) -> None:
    both = [("2026-06-01", 8000.0), (f"2026-06-01 00:00:00 {offset}", 9000.0)]
    at(clock, "2026-06-03T12:00")
    for one in both if alone_first else reversed(both):
        desk.send(steps(one), DAYS)
    assert told(desk, STEPS, "day") == [("2026-06-01", 9000)]
    assert told(desk, STEPS, "month") == [("2026-06-01", 9000)]


def test_dates_without_a_time_answer_beside_others_with_one(desk: Desk) -> None:
    desk.send(steps(("2026-06-01", 5), ("2026-06-02", 6), ("2026-06-02 00:00:00 +0200", 7)), DAYS)
    desk.send(steps(("2026-06-03 00:00:00 +0200", 8)), DAYS)
    expected = [("2026-06-01", 5), ("2026-06-02", 7), ("2026-06-03", 8)]
    assert told(desk, STEPS, "day") == expected


@pytest.mark.scenario("series", "Date alone answers where no row with a time does")
def test_a_date_alone_answers_where_the_clock_puts_the_other_row_elsewhere(desk: Desk) -> None:
    named = {"date": "2026-06-02 12:00:00 +0200", "qty": 60}
    desk.send(body(metric(PULSE, "bpm", named)), HOURS)
    desk.send(steps(("2026-06-02 00:00:00 -0400", 9000)), DAYS)
    assert told(desk, STEPS, "day") == [("2026-06-02", 9000)]
    desk.send(steps(("2026-06-02", 7000)), DAYS)
    assert told(desk, STEPS, "day") == [("2026-06-02", 7000)]


@pytest.mark.parametrize(
    ("aggregation", "bucket", "date"),
    [
        ("Weeks", "week", "2026-06-01"),
        ("Months", "month", "2026-06-01"),
        ("Years", "year", "2026-01-01"),
    ],
)
def test_weeks_months_and_years_have_rows_of_their_own(
    desk: Desk, aggregation: str, bucket: str, date: str
) -> None:
    desk.send(steps((f"{date} 00:00:00 +0200", 70_000)), aggregation)
    [item] = items(desk, STEPS, bucket)
    assert (item["start"], item["value"], item["layer"]) == (date, 70_000, bucket)
    desk.send(steps((date, 70_001)), aggregation)
    assert told(desk, STEPS, bucket) == [(date, 70_001)]


# ---- ranges, layers


@pytest.mark.scenario("series", "Range holds the buckets that begin in it")
def test_a_range_holds_the_buckets_that_begin_in_it(desk: Desk) -> None:
    days = [f"2026-06-{day:02} 00:00:00 +0200" for day in range(1, 31)]
    desk.send(steps(*((day, 1) for day in days)), DAYS)
    assert len(told(desk, STEPS, "day", "2026-06-10", "2026-06-20")) == 10
    assert told(desk, STEPS, "week", "2026-06-03", "2026-06-22") == [
        ("2026-06-08", 7),
        ("2026-06-15", 7),
    ]
    assert told(desk, STEPS, "month", "2026-06-02") == []
    late = told(desk, STEPS, "day", "2026-06-29T12:00:00+02:00")
    assert late == [("2026-06-30", 1)]


def test_hours_of_a_range_are_those_of_its_instants(desk: Desk) -> None:
    desk.send(steps(*((f"2026-06-01 {hour:02}:00:00 +0200", hour) for hour in range(24))), HOURS)
    found = told(desk, STEPS, "hour", "2026-06-01T10:00:00+02:00", "2026-06-01T11:00:00Z")
    assert [value for _, value in found] == [10, 11, 12]


@pytest.mark.scenario("series", "One layer on request")
def test_one_layer_may_be_asked_for(desk: Desk) -> None:
    desk.send(steps(("2026-06-01 00:00:00 +0200", 8000)), DAYS)
    desk.send(steps(("2026-06-01 12:00:00 +0200", 70), ("2026-06-01 12:01:00 +0200", 30)), MINUTES)
    assert told(desk, STEPS, "day", layer="minute") == [("2026-06-01", 100)]
    assert told(desk, STEPS, "day", layer="day") == [("2026-06-01", 8000)]
    assert told(desk, STEPS, "month", layer="minute") == [("2026-06-01", 100)]
    assert told(desk, STEPS, "day", layer="hour") == []


# ---- pages


def followed(desk: Desk, name: str, bucket: str, limit: int, **more: Any) -> list[dict[str, Any]]:
    """The items of all pages, none of which is longer than it may be."""
    found: list[dict[str, Any]] = []
    behind: Place | None = None
    while True:
        one = page(desk, name, bucket, behind=behind, limit=limit, **more)
        assert len(one.items) <= limit
        found += one.items
        if one.following is None:
            return found
        behind = one.following


def filled(desk: Desk) -> None:
    """A few months of everything: days, then hours, minutes, seconds of two devices, a flight."""
    desk.send(
        steps(*((f"2026-0{m}-{d:02} 00:00:00 +0200", m * d) for m in (3, 4) for d in range(1, 29))),
        DAYS,
    )
    desk.send(
        steps(*((f"2026-05-{d:02} {h:02}:00:00 +0200", h) for d in (1, 2, 9) for h in range(24))),
        HOURS,
    )
    desk.send(
        steps(*((f"2026-05-20 {h:02}:{m:02}:00 -0400", 1) for h in (1, 23) for m in range(60))),
        MINUTES,
    )
    desk.send(body(walk("Watch", 9, 30, 3), walk("iPhone", 9, 50, 2)), SECONDS)
    desk.send(steps(("2026-06-01 00:00:00 +0200", 60_000)), "Months")


@pytest.mark.scenario("series", "Pages join without gap or double")
@pytest.mark.parametrize("bucket", ["minute", "hour", "day", "week", "month", "year"])
def test_pages_join_without_gap_or_double(desk: Desk, bucket: str) -> None:
    filled(desk)
    whole = items(desk, STEPS, bucket, limit=10_000)
    assert whole
    for limit in (1, 7, 50):
        assert followed(desk, STEPS, bucket, limit) == whole


def test_pages_may_end_within_a_bucket_of_several_units(desk: Desk) -> None:
    for hour, unit in enumerate(("kg", "furlong", "stein"), 6):
        weigh = {"date": f"2026-06-01 0{hour}:10:20 +0200", "qty": hour}
        desk.send(body(metric("weight_body_mass", unit, weigh)), SECONDS)
    whole = items(desk, "weight_body_mass", "day")
    assert len(whole) == 3
    for limit in (1, 2):
        assert followed(desk, "weight_body_mass", "day", limit) == whole


@pytest.mark.parametrize(
    ("bucket", "dates"),
    [
        ("day", ["1900-01-01", "2026-08-03"]),
        ("week", ["1900-01-01", "2026-08-03"]),
        ("month", ["1900-01-01", "2026-08-01"]),
        ("year", ["1900-01-01", "2026-01-01"]),
    ],
)
def test_all_of_the_calendar_may_be_asked_for(desk: Desk, bucket: str, dates: list[str]) -> None:
    ends = ("1900-01-01 00:00:00 +0000", "2026-08-03 00:00:00 +0000")
    desk.send(steps(*((end, 1) for end in ends)), DAYS)
    assert told(desk, STEPS, bucket, "0001-01-01", "9999-12-31") == [(date, 1) for date in dates]
    assert told(desk, STEPS, "minute", "0001-01-01", "9999-12-31") == []


# ---- nothing depends on the order of folding


def test_a_rebuild_in_another_order_tells_the_same(data: Path, tmp_path: Path) -> None:
    bodies = [
        (case("01_days_plain.json"), DAYS),
        (case("05_minutes_same_day.json"), MINUTES),
        (body(walk("Watch", 9, 30, 3), walk("iPhone", 9, 50, 2)), SECONDS),
        (body(walk("iPhone", 9, 50, 4)), SECONDS),
    ]
    told_by = []
    for number, order in enumerate((bodies, bodies[::-1])):
        folder = tmp_path / str(number)
        folder.mkdir(mode=0o700)
        with open_desk(folder, FakeClock()) as desk:
            kept = {id(one): desk.keep(*one) for one in bodies}  # the journal's order is the same
            for one in order:
                desk.player().play(kept[id(one)].delivery_id)
            told_by.append(json.dumps([items(desk, STEPS, b) for b in ("minute", "hour", "day")]))
    assert told_by[0] == told_by[1]


@pytest.mark.scenario("series", "Row at home silences one from elsewhere")
def test_an_hour_told_on_two_dates_counts_on_the_one_it_was_on(desk: Desk) -> None:
    def stood(*hours: str) -> bytes:
        data = [{"date": hour, "qty": 1} for hour in hours]
        return body(metric("apple_stand_hour", "count", *data))

    desk.send(steps(("2026-05-31 20:00:00 +0200", 9), ("2026-06-01 08:00:00 +0200", 9)), MINUTES)
    desk.send(stood("2026-05-31 21:00:00 +0200", "2026-05-31 22:00:00 +0200"), DAYS)
    desk.send(stood(*(f"2026-06-01 0{hour}:00:00 +0200" for hour in (1, 2, 8))), DAYS)
    once = told(desk, "apple_stand_hour", "day")
    assert once == [("2026-05-31", 2), ("2026-06-01", 3)]
    # The same hours, as the phone writes them once it has landed.
    later = ("2026-05-31 19:00:00", "2026-05-31 20:00:00", "2026-06-01 02:00:00")
    desk.send(stood(*(f"{hour} -0400" for hour in later)), DAYS)
    assert told(desk, "apple_stand_hour", "day") == once
