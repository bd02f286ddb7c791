"""Axes: ticks of numbers, ticks of dates."""

from __future__ import annotations

from datetime import date

import pytest

from healthlog.web.scale import (
    Scale,
    date_ticks,
    day_of,
    hour_ticks,
    long_date,
    number_text,
    round_ticks,
)


def days(first: str, last: str) -> tuple[int, int]:
    return day_of(date.fromisoformat(first)), day_of(date.fromisoformat(last))


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0, 9_794, ["0", "2,500", "5,000", "7,500", "10,000"]),
        (47, 162, ["0", "50", "100", "150", "200"]),
        (0, 0.9, ["0", "0.25", "0.5", "0.75", "1"]),
        (79.2, 81.1, ["79", "79.5", "80", "80.5", "81", "81.5"]),
        (-3, 4, ["-4", "-2", "0", "2", "4"]),
        (5, 5, ["4.5", "4.75", "5", "5.25", "5.5"]),
    ],
)
def test_ticks_are_round_and_hold_everything(low: float, high: float, labels: list[str]) -> None:
    ticks = round_ticks(low, high)
    assert [tick.label for tick in ticks] == labels
    assert ticks[0].at <= low <= high <= ticks[-1].at


@pytest.mark.parametrize("power", range(-6, 12))
@pytest.mark.parametrize("span", [1.0, 1.7, 3.3, 6.0, 9.99])
def test_there_are_never_too_many_ticks(power: int, span: float) -> None:
    ticks = round_ticks(0.37 * 10.0**power, (0.37 + span) * 10.0**power)
    assert 2 <= len(ticks) <= 7
    assert len({tick.label for tick in ticks}) == len(ticks)


@pytest.mark.parametrize(
    ("low", "high"),
    [(-1e100, 1e100), (0, 5e-324), (1e100, 1e100), (1e18, 1e18 + 128), (1, 1 + 1e-15), (0, 1e-310)],
)
def test_odd_numbers_have_an_axis_too(low: float, high: float) -> None:
    ticks = round_ticks(low, high)
    assert 2 <= len(ticks) <= 9
    assert all(len(tick.label) < 20 for tick in ticks)


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e308, "1e+308"), (-2.5e15, "-2.5e+15"), (999_999_999_999_999.0, "999,999,999,999,999")],
)
def test_a_number_beyond_reason_is_written_by_its_power(value: float, text: str) -> None:
    assert number_text(value) == text


@pytest.mark.parametrize(("value", "text"), [(0.004, "0.004"), (-0.0012, "-0.0012"), (0.0, "0")])
def test_a_small_number_is_not_shown_as_nothing(value: float, text: str) -> None:
    assert number_text(value) == text


def test_a_scale_maps_on_pixels_and_a_flat_one_on_the_middle() -> None:
    assert Scale(0, 10, 100, 0)(2.5) == 75
    assert Scale(3, 3, 0, 10)(3) == 5


@pytest.mark.parametrize(
    ("first", "last", "labels"),
    [
        ("2026-06-01", "2026-06-04", ["Mon 1", "Tue 2", "Wed 3"]),
        ("2026-02-20", "2026-03-03", ["20 Feb", "22 Feb", "24 Feb", "26 Feb", "28 Feb", "2 Mar"]),
        ("2026-05-01", "2026-06-01", ["1 May", "8 May", "15 May", "22 May", "29 May"]),
        ("2025-11-15", "2026-03-02", ["Dec", "Jan 2026", "Feb", "Mar"]),
        ("2024-06-15", "2026-06-15", ["Jul", "Oct", "Jan 2025", "Apr", "Jul", "Oct"]),
        ("2016-03-01", "2026-03-01", [str(year) for year in range(2017, 2027)]),
    ],
)
def test_dates_have_as_many_ticks_as_can_be_read(first: str, last: str, labels: list[str]) -> None:
    found = [tick.label for tick in date_ticks(*days(first, last))]
    assert found[: len(labels)] == labels
    assert len(found) <= 14


def test_hours_and_dates_in_words() -> None:
    assert [tick.label for tick in hour_ticks()] == ["00:00", "06:00", "12:00", "18:00", "24:00"]
    assert long_date(day_of(date(2026, 6, 1))) == "Mon 1 Jun 2026"


@pytest.mark.parametrize(
    ("value", "text"),
    [(8123, "8,123"), (8110.5, "8,110"), (61.25, "61.2"), (5.0, "5"), (5.678, "5.68"), (-0.0, "0")],
)
def test_numbers_are_as_exact_as_an_eye_wants(value: float, text: str) -> None:
    assert number_text(value) == text
