"""The latest values with their ages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.clock import parse_us
from healthlog.read.latest import latest
from tests.support.clock import FakeClock
from tests.support.reading import DAYS, MINUTES, SECONDS, Desk, body, metric, open_desk, steps


@pytest.fixture
def desk(data: Path, clock: FakeClock) -> Iterator[Desk]:
    with open_desk(data, clock) as desk:
        yield desk


def found(desk: Desk, now: str = "2026-08-02T10:00:00Z") -> list[dict[str, Any]]:
    return desk.mart.read(lambda c: latest(c, parse_us(now)))


def only(desk: Desk, now: str = "2026-08-02T10:00:00Z") -> dict[str, Any]:
    [one] = found(desk, now)
    return one


@pytest.mark.scenario("series", "Latest value carries its age")
def test_a_latest_value_says_when_it_was_measured_and_when_it_came(desk: Desk) -> None:
    weigh = {"date": "2026-08-02 07:10:20 +0200", "qty": 176, "source": "Scale"}
    desk.send(body(metric("weight_body_mass", "lb", weigh)), SECONDS)
    assert only(desk) == {
        "metric": "weight_body_mass",
        "unit": "kg",
        "aggregate": "last",
        "value": pytest.approx(79.8323, abs=1e-4),
        "layer": "raw",
        "measured_at": "2026-08-02T07:10:20+02:00",
        "arrived_at": "2026-08-02T08:01:42.123456Z",
        "age_s": 17_380,
        "sources": ["Scale"],
    }


def test_amounts_have_no_latest_value(desk: Desk) -> None:
    desk.send(steps(("2026-08-02 07:00:00 +0200", 5)), MINUTES)
    assert found(desk) == []


def test_the_latest_start_counts_whichever_layer_it_is_in(desk: Desk) -> None:
    days = [{"date": "2026-08-02 00:00:00 +0200", "Min": 50, "Avg": 60, "Max": 70}]
    desk.send(body(metric("heart_rate", "bpm", *days)), DAYS)
    assert (only(desk)["layer"], only(desk)["value"]) == ("day", 60)
    minutes = [{"date": "2026-08-02 09:00:00 +0200", "Min": 80, "Max": 90}]
    desk.send(body(metric("heart_rate", "bpm", *minutes)), MINUTES)
    one = only(desk)
    assert (one["layer"], one["min"], one["max"]) == ("minute", 80, 90)
    assert "value" not in one


def test_of_one_start_the_finest_layer_counts(desk: Desk) -> None:
    at = "2026-08-02 00:00:00 +0200"
    desk.send(body(metric("heart_rate", "bpm", {"date": at, "qty": 60})), DAYS)
    desk.send(body(metric("heart_rate", "bpm", {"date": at, "qty": 55})), MINUTES)
    assert (only(desk)["layer"], only(desk)["value"]) == ("minute", 55)


@pytest.mark.scenario("series", "Date told with and without a time counts once")
@pytest.mark.parametrize("offset", ["+0200", "+0000", "-0400"])
def test_the_row_with_a_time_is_the_latest_of_its_date(desk: Desk, offset: str) -> None:
    weigh = [("2026-08-01", 80), (f"2026-08-01 00:00:00 {offset}", 79)]
    for date, qty in reversed(weigh):
        desk.send(body(metric("weight_body_mass", "kg", {"date": date, "qty": qty})), DAYS)
    assert (only(desk)["value"], only(desk)["layer"]) == (79, "day")
    desk.send(body(metric("weight_body_mass", "kg", {"date": "2026-08-02", "qty": 78})), DAYS)
    assert only(desk)["value"] == 78


def test_a_day_that_the_clock_puts_elsewhere_is_not_the_latest_beside_its_date_alone(
    desk: Desk,
) -> None:
    noon = {"date": "2026-08-01 04:00:00 +0200", "qty": 55}
    desk.send(body(metric("respiratory_rate", "count/min", noon)), SECONDS)
    for date, qty in (("2026-08-01", 80), ("2026-08-01 00:00:00 -0400", 79)):
        desk.send(body(metric("weight_body_mass", "kg", {"date": date, "qty": qty})), DAYS)
    assert [one["value"] for one in found(desk)] == [55, 80]


def test_metrics_come_by_name_with_their_fields(desk: Desk) -> None:
    pressure = {"date": "2026-08-02 07:10:20 +0200", "systolic": 121, "diastolic": 79}
    desk.send(body(metric("blood_pressure", "mmHg", pressure)), SECONDS)
    strange = {"date": "2026-08-02 07:10:20 +0200", "qty": 3}
    desk.send(body(metric("aura", "lx", strange)), SECONDS)
    assert [(one["metric"], one["value"]) for one in found(desk)] == [
        ("aura", 3),
        ("blood_pressure", {"systolic": 121, "diastolic": 79}),
    ]


def test_an_age_is_never_negative(desk: Desk) -> None:
    desk.send(body(metric("heart_rate", "bpm", {"date": "2026-08-02", "qty": 55})), DAYS)
    assert only(desk, "2026-08-01T00:00:00Z")["age_s"] == 0
