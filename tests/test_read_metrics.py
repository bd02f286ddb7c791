"""What metrics there are, how far they reach, how old the last word is."""

from __future__ import annotations

from typing import Any

import pytest

from healthlog.base.clock import parse_us
from healthlog.read import points as read
from tests.support.reading import (
    DAYS,
    MINUTES,
    SECONDS,
    Desk,
    body,
    metric,
    steps,
    values,
)

NOON = "2026-06-01 12:00:00 +0200"


def metrics(desk: Desk, now: str = "2026-08-02T08:00:00Z") -> list[dict[str, Any]]:
    return desk.mart.read(lambda c: read.metrics(c, parse_us(now)))


@pytest.mark.scenario("reading", "Metrics are listed with their extent")
def test_a_metric_is_listed_with_its_extent(desk: Desk) -> None:
    days = ("2026-05-03 00:00:00 +0200", "2026-05-04 00:00:00 +0200")
    desk.send(steps(*((day, 1) for day in days)), DAYS)
    assert metrics(desk, "2026-05-04T08:00:00Z") == [
        {
            "name": "step_count",
            "unit": "count",
            "layers": ["day"],
            "first_at": "2026-05-03T00:00:00+02:00",
            "last_at": "2026-05-04T00:00:00+02:00",
            "points": 2,
            "age_s": 10 * 3600,
        }
    ]


def test_metrics_come_in_the_order_of_their_names(desk: Desk) -> None:
    names = ("step_count", "alpha", "heart_rate")
    desk.send(body(*(metric(name, "x", {"date": NOON, "qty": 1}) for name in names)), SECONDS)
    assert [item["name"] for item in metrics(desk)] == sorted(names)


def test_the_unit_is_that_of_the_latest_point(desk: Desk) -> None:
    early, late = ({"date": f"2026-05-03 0{hour}:00:00 +0200", "qty": 1} for hour in (1, 2))
    desk.send(body(metric("energy", "kJ", late)), SECONDS)
    desk.send(body(metric("energy", "kcal", early)), SECONDS)
    assert values(metrics(desk), "unit", "points") == [("kJ", 2)]


def test_a_metric_without_unit_is_listed_without(desk: Desk) -> None:
    desk.send(body(metric("mystery", None, {"date": NOON, "qty": 1})), SECONDS)
    assert "unit" not in metrics(desk)[0]


def test_layers_are_listed_finest_first_with_one_extent(desk: Desk) -> None:
    desk.send(steps(("2026-05-04 00:00:00 +0200", 1)), DAYS)
    desk.send(steps(("2026-05-03 09:00:00 +0200", 1), ("2026-05-05 09:00:00 +0200", 1)), MINUTES)
    [item] = metrics(desk)
    assert item["layers"] == ["minute", "day"]
    assert (item["first_at"], item["last_at"]) == (
        "2026-05-03T09:00:00+02:00",
        "2026-05-05T09:00:00+02:00",
    )
    assert item["points"] == 3


def test_a_date_alone_counts_as_its_midnight_by_the_clock(desk: Desk) -> None:
    desk.send(body(metric("heart_rate", "x", {"date": NOON, "qty": 1})), SECONDS)
    desk.send(steps(("2026-06-01", 1)), DAYS)
    assert metrics(desk)[1]["last_at"] == "2026-06-01T00:00:00+02:00"


def test_an_age_is_never_below_zero(desk: Desk) -> None:
    desk.send(steps((NOON, 1)), MINUTES)
    assert metrics(desk, "2026-01-01T00:00:00Z")[0]["age_s"] == 0


def test_metrics_are_listed_without_a_look_at_their_points(desk: Desk) -> None:
    desk.send(steps((NOON, 1), ("2026-06-02 12:00:00 +0200", 2)), MINUTES)

    found = {plan for plan in desk.plans(lambda c: read.metrics(c, 0)) if "point" in plan}
    assert found == {"SEARCH point USING PRIMARY KEY (series=? AND at_ms=?)"}
