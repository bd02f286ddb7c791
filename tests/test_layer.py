"""Which layer a delivery speaks in, and each metric in it."""

from __future__ import annotations

import pytest

from healthlog.layer import DENSE, LAYERS, TRAPS, declared, derived, of_metric
from healthlog.moment import Moment, parse


def moments(*texts: str) -> list[Moment]:
    return [parse(text) for text in texts]


def days(*dates: str) -> list[Moment]:
    """Local midnights in summer."""
    return moments(*(f"{date} 00:00:00 +0200" for date in dates))


def times(*clocks: str) -> list[Moment]:
    """Times of one day."""
    return moments(*(f"2026-05-03 {clock} +0200" for clock in clocks))


@pytest.mark.scenario("layer", "Declaration is compared by letters")
@pytest.mark.parametrize(
    ("header", "layer"),
    [
        ("Minutes", "minute"),
        ("minute", "minute"),
        (" MINUTES! ", "minute"),
        ("m-i.n u_t e\u00a0s", "minute"),
        ("Default", "raw"),
        ("None", "raw"),
        ("Off", "raw"),
        ("Second", "raw"),
        ("Seconds", "raw"),
        ("hour", "hour"),
        ("Hours", "hour"),
        ("Day", "day"),
        ("DAYS", "day"),
        ("week", "week"),
        ("weeks", "week"),
        ("Months", "month"),
        ("years", "year"),
    ],
)
def test_a_header_declares_by_its_letters(header: str, layer: str) -> None:
    assert declared(header) == layer


@pytest.mark.scenario("layer", "Unknown word declares nothing")
@pytest.mark.parametrize(
    "header", [None, "", " ", "Tage", "minutely", "0", "raw", "sample", "days hours", "Min\u00fate"]
)
def test_any_other_word_declares_nothing(header: str | None) -> None:
    assert declared(header) is None


@pytest.mark.scenario("layer", "Finest of the dense metrics decides")
def test_the_finest_of_the_dense_metrics_decides() -> None:
    hours = times("07:00:00", "08:00:00")
    assert derived({"step_count": hours}) == "hour"
    assert derived({"step_count": hours, "heart_rate": times("07:00:00", "07:01:00")}) == "minute"
    assert derived({"step_count": hours, "heart_rate": times("07:00:00", "07:00:07")}) == "raw"


@pytest.mark.parametrize(
    ("points", "layer"),
    [
        (days("2026-05-03", "2026-05-04"), "day"),
        (days("2026-05-04", "2026-05-11"), "week"),
        (days("2026-05-04", "2026-05-18", "2026-06-29"), "week"),
        (days("2026-05-04", "2026-05-12"), "day"),
        (days("2026-05-01", "2026-06-01"), "month"),
        (days("2026-05-01", "2026-06-01", "2026-06-02"), "day"),
        (moments("2026-01-01 00:00:00 +0100", "2027-01-01 00:00:00 +0100"), "year"),
        (moments("2026-01-01 00:00:00 +0100", "2026-07-01 00:00:00 +0200"), "month"),
        (moments("2024-01-01 00:00:00 +0100", "2025-01-01 00:00:00 +0100"), "year"),
        (moments("2026-02-01 00:00:00 +0100", "2026-03-01 00:00:00 +0100"), "month"),
        (moments("2026-03-01 00:00:00 +0100", "2026-04-01 00:00:00 +0200"), "month"),
        (times("07:30:00", "08:30:00"), "minute"),
        (times("07:00:00", "07:59:00"), "minute"),
        (times("07:00:00", "08:00:00", "08:00:00"), "hour"),
        (times("00:00:00", "01:00:00"), "hour"),
        (times("00:00:00", "23:00:00"), "day"),
        (times("00:00:00", "22:00:00"), "hour"),
        (times("07:00:00", "07:00:00.250"), "raw"),
        (times("07:00:00.500", "08:00:00.500"), "raw"),
        (moments("2026-05-03T07:00:00Z", "2026-05-03T08:00:00Z"), "hour"),
        (moments("2026-05-03 07:00:00 +0530", "2026-05-03 08:00:00 +0530"), "hour"),
        # A clock change makes a day of 23 hours, and puts a midnight at 23:00 or 01:00.
        (moments("2026-03-29 00:00:00 +0100", "2026-03-30 00:00:00 +0200"), "day"),
        (moments("2026-10-24 00:00:00 +0200", "2026-10-24 23:00:00 +0100"), "day"),
        (moments("2026-03-28 00:00:00 +0100", "2026-03-29 01:00:00 +0200"), "day"),
        (moments("2026-03-23 00:00:00 +0100", "2026-03-30 00:00:00 +0200"), "week"),
        (moments("2026-10-19 00:00:00 +0200", "2026-10-25 23:00:00 +0100"), "week"),
        (moments("2026-10-01 00:00:00 +0200", "2026-10-31 23:00:00 +0100"), "month"),
        # In two zones the same instant is one.
        (
            moments("2026-05-03 07:00:00 +0200", "2026-05-03 05:00:00 +0000", "2026-05-04T07:00Z"),
            "hour",
        ),
    ],
)
def test_a_dense_metric_shows_the_coarsest_layer_it_keeps(points: list[Moment], layer: str) -> None:
    assert derived({"step_count": points}) == layer


@pytest.mark.scenario("layer", "Longer buckets are told by their dates")
def test_longer_buckets_are_told_by_their_dates() -> None:
    assert derived({"step_count": days("2026-05-04", "2026-05-11")}) == "week"
    assert derived({"step_count": days("2026-06-01", "2026-08-01")}) == "month"
    assert derived({"step_count": days("2025-01-01", "2026-01-01")}) == "year"
    change = moments(
        "2026-03-28 00:00:00 +0100", "2026-03-29 00:00:00 +0100", "2026-03-30 00:00:00 +0200"
    )
    assert derived({"step_count": change}) == "day"


@pytest.mark.scenario("layer", "Traps and single instants prove nothing")
def test_traps_and_single_instants_prove_nothing() -> None:
    found = {
        "resting_heart_rate": days("2026-05-03", "2026-05-04"),
        "sexual_activity": days("2026-05-03", "2026-05-04"),
        "apple_stand_hour": times("07:00:00", "08:00:00", "09:00:00"),
        "step_count": times("07:00:00"),
    }
    assert derived(found) is None


@pytest.mark.parametrize(
    "found",
    [
        {},
        {"step_count": []},
        {"step_count": times("07:00:00", "07:00:00")},
        {"step_count": moments("2026-05-03 07:00:00 +0200", "2026-05-03T05:00:00Z")},
        {"step_count": [*times("07:00:00"), *moments("2026-05-03", "2026-05-04")]},
        {"weight_body_mass": times("07:00:00", "07:01:00")},
    ],
)
def test_nothing_is_derived_from_less_than_two_dense_instants(
    found: dict[str, list[Moment]],
) -> None:
    assert derived(found) is None


def test_dates_alone_speak_where_a_metric_has_nothing_better() -> None:
    assert derived({"step_count": moments("2026-05-03", "2026-05-04")}) == "day"
    mixed = [*times("07:00:00", "08:00:00"), *moments("2026-05-03", "2026-05-04")]
    assert derived({"step_count": mixed}) == "hour"


@pytest.mark.parametrize("layer", ["raw", "sample"])
def test_ungrouped_deliveries_know_no_exception(layer: str) -> None:
    assert of_metric("step_count", layer, days("2026-05-03", "2026-05-04")) == layer


@pytest.mark.parametrize("name", sorted(TRAPS))
@pytest.mark.parametrize("layer", ["day", "minute", None])
def test_traps_take_the_deliverys_layer(name: str, layer: str | None) -> None:
    assert of_metric(name, layer, times("07:00:05", "07:00:06")) == layer


@pytest.mark.parametrize("name", ["heart_rate", "vo2_max"])
@pytest.mark.parametrize("layer", ["minute", "hour", "day", "year", None])
@pytest.mark.parametrize("clock", ["10:00:05", "10:00:00.001"])
def test_off_the_minute_grid_it_is_measurements(name: str, layer: str | None, clock: str) -> None:
    assert of_metric(name, layer, times("00:00:00", clock)) == "raw"


@pytest.mark.parametrize(
    ("name", "layer", "clock", "of"),
    [
        ("vo2_max", "day", "07:10:00", "raw"),
        ("vo2_max", "month", "01:01:00", "raw"),
        ("vo2_max", "day", "23:00:00", "raw"),
        ("vo2_max", "day", "01:00:00", "day"),
        ("vo2_max", "day", "00:30:00", "day"),
        ("vo2_max", None, "07:10:00", "raw"),
        ("vo2_max", None, "01:00:00", None),
        ("vo2_max", None, "00:00:00", None),
        ("vo2_max", "hour", "07:10:00", "hour"),
        ("vo2_max", "minute", "07:10:00", "minute"),
        ("step_count", "day", "07:10:00", "day"),
        ("step_count", None, "07:10:00", None),
    ],
)
def test_a_sparse_point_later_than_one_o_clock_is_no_day(
    name: str, layer: str | None, clock: str, of: str | None
) -> None:
    assert of_metric(name, layer, times(clock)) == of


@pytest.mark.scenario("layer", "Push finer than its setting is not taken for days")
def test_a_push_finer_than_its_setting_is_taken_for_what_it_is() -> None:
    assert of_metric("step_count", "day", times("07:00:00", "07:01:00")) == "minute"
    assert of_metric("step_count", "day", times("07:00:00", "08:00:00")) == "hour"
    assert of_metric("step_count", "month", days("2026-05-03", "2026-05-04")) == "day"
    assert of_metric("step_count", "year", days("2026-05-01", "2026-06-01")) == "month"
    assert of_metric("vo2_max", "hour", times("07:00:00", "07:30:00")) == "minute"


def test_wider_than_the_layer_is_no_contradiction() -> None:
    assert of_metric("step_count", "minute", times("07:00:00", "08:00:00")) == "minute"
    assert of_metric("step_count", "day", days("2026-05-01", "2026-06-01")) == "day"


def test_beside_times_a_date_alone_contradicts_nothing() -> None:
    mixed = [*days("2026-05-03"), *moments("2026-05-03", "2026-05-04")]
    assert of_metric("step_count", "day", mixed) == "day"
    assert of_metric("vo2_max", "day", mixed) == "day"


def test_dates_alone_contradict_wider_buckets() -> None:
    assert of_metric("step_count", "week", moments("2026-05-03", "2026-05-04")) == "day"
    assert of_metric("step_count", "week", moments("2026-05-04", "2026-05-11")) == "week"


def test_the_lists_of_metrics_do_not_overlap() -> None:
    assert not DENSE & TRAPS
    assert LAYERS == ("sample", "raw", "minute", "hour", "day", "week", "month", "year")
