"""Points as folded: their members, their flags, their layers, the span they are asked for in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from healthlog.read.points import Page
from tests.support.clock import FakeClock
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

NOON = "2026-06-01 12:00:00 +0200"


def items(desk: Desk, name: str = "step_count", **asked_for: Any) -> list[dict[str, Any]]:
    return desk.page(name, **asked_for).items


# ---- a point


def test_a_point_has_what_was_sent_next_to_who_said_it(desk: Desk) -> None:
    sent = {"date": NOON, "qty": 61.0, "source": "Watch|iPhone", "context": "rest"}
    delivery = desk.send(body(metric("heart_rate", "count/min", sent)), SECONDS)
    assert items(desk, "heart_rate") == [
        {
            "metric": "heart_rate",
            "layer": "raw",
            "at": "2026-06-01T12:00:00+02:00",
            "day": "2026-06-01",
            "qty": 61,
            "unit": "count/min",
            "sources": ["Watch", "iPhone"],
            "delivery_id": delivery.delivery_id,
            "extra": {"context": "rest"},
        }
    ]


@pytest.mark.scenario("reading", "Point leaves absent values out")
def test_absent_values_are_left_out(desk: Desk) -> None:
    sent = {"date": "2026-05-04 00:00:00 +0200", "Min": 48, "Max": 165}
    desk.send(body(metric("heart_rate", "count/min", sent)), DAYS)
    [item] = items(desk, "heart_rate")
    assert (item["min"], item["max"], item["sources"]) == (48, 165, [])
    assert item.keys().isdisjoint({"avg", "qty", "end", "extra", "flags"})


def test_a_metric_without_unit_has_none(desk: Desk) -> None:
    desk.send(body(metric("mystery", None, {"date": NOON, "qty": 1})), SECONDS)
    assert "unit" not in items(desk, "mystery")[0]


def test_zero_is_a_value(desk: Desk) -> None:
    desk.send(steps((NOON, 0)), MINUTES)
    assert items(desk)[0]["qty"] == 0


def test_an_end_is_written_in_the_offset_of_its_own_instant(desk: Desk) -> None:
    sent = {"date": NOON, "endDate": "2026-06-01 06:30:00 -0400", "qty": 1}
    desk.send(body(metric("mystery", "count", sent)), SECONDS)
    assert values(items(desk, "mystery"), "at", "end") == [
        ("2026-06-01T12:00:00+02:00", "2026-06-01T12:30:00+02:00")
    ]


def test_a_finer_point_has_offset_and_day_from_the_clock(desk: Desk) -> None:
    desk.send(steps(("2026-06-01 02:00:00 +0200", 5)), HOURS)
    desk.send(steps(("2026-05-31 20:00:00 -0400", 7)), HOURS)
    assert values(items(desk), "at", "day", "qty") == [
        ("2026-06-01T02:00:00+02:00", "2026-06-01", 7)
    ]


def test_a_time_in_z_stands_at_utc_where_no_quarter_is_named(desk: Desk) -> None:
    desk.send(steps(("2026-06-01T23:30:00Z", 5)), MINUTES)
    assert values(items(desk), "at", "day") == [("2026-06-01T23:30:00+00:00", "2026-06-01")]


def test_a_day_keeps_the_offset_it_was_sent_with(desk: Desk) -> None:
    desk.send(steps(("2026-06-01 00:00:00 +0530", 5)), DAYS)
    assert values(items(desk), "at", "day") == [("2026-06-01T00:00:00+05:30", "2026-06-01")]


def test_a_date_alone_has_a_day_but_no_instant(desk: Desk) -> None:
    desk.send(steps(("2026-06-01", 5)), DAYS)
    [item] = items(desk)
    assert item["day"] == "2026-06-01"
    assert "at" not in item


@pytest.mark.parametrize(
    ("aggregation", "date"),
    [("Weeks", "2026-06-01"), ("Months", "2026-06-01"), ("Years", "2026-01-01")],
)
def test_a_longer_bucket_begins_at_its_start_as_sent(
    desk: Desk, aggregation: str, date: str
) -> None:
    desk.send(steps((f"{date} 00:00:00 +0200", 5)), aggregation)
    assert values(items(desk), "at", "day") == [(f"{date}T00:00:00+02:00", date)]
    desk.send(steps((date, 6)), aggregation)
    assert values(items(desk), "at", "day", "qty") == [(None, date, 6)]


def test_day_bucket_off_midnight_counts_for_the_nearest_date(desk: Desk) -> None:
    desk.send(steps(("2025-10-25 23:00:00 +0100", 5)), DAYS)
    assert values(items(desk), "at", "day") == [("2025-10-25T23:00:00+01:00", "2025-10-26")]


def test_readings_of_one_second_are_all_shown_with_a_doubt(desk: Desk) -> None:
    pair = [{"date": NOON, "qty": 1}, {"date": NOON, "qty": 2}]
    alone = {"date": "2026-06-01 12:00:01 +0200", "qty": 3}
    desk.send(body(metric("heart_rate", "count/min", *pair, alone)), SECONDS)
    flags = ["ambiguous_second"]
    whole = values(items(desk, "heart_rate"), "qty", "flags")
    assert whole == [(1, flags), (2, flags), (3, None)]
    first = desk.page("heart_rate", limit=1)
    rest = items(desk, "heart_rate", behind=first.following)
    assert values([*first.items, *rest], "qty", "flags") == whole


def test_two_sources_of_one_second_leave_no_doubt(desk: Desk) -> None:
    pair = [{"date": NOON, "qty": 1, "source": one} for one in ("Watch", "iPhone")]
    desk.send(body(metric("heart_rate", "count/min", *pair)), SECONDS)
    assert values(items(desk, "heart_rate"), "qty", "flags") == [(1, None), (1, None)]


def test_several_readings_of_a_bucket_are_no_doubt(desk: Desk) -> None:
    desk.send(steps((NOON, 1), (NOON, 2)), MINUTES)
    assert values(items(desk), "qty", "flags") == [(1, None), (2, None)]


# ---- layers and ranges


@pytest.mark.scenario("reading", "Layers are kept apart")
def test_each_layer_is_read_alone(desk: Desk) -> None:
    desk.send(steps(("2026-05-03 00:00:00 +0200", 8123)), DAYS)
    minutes = [(f"2026-05-03 09:0{minute}:00 +0200", 40 + minute) for minute in (0, 1)]
    desk.send(steps(*minutes), MINUTES)
    assert values(items(desk, layer="day"), "layer", "qty") == [("day", 8123)]
    assert values(items(desk, layer="minute"), "qty") == [(40,), (41,)]
    assert items(desk, layer="hour") == []


def test_several_layers_are_merged_by_instant_finest_first(desk: Desk) -> None:
    desk.send(steps(("2026-05-03 11:00:00 +0200", 9)), HOURS)
    minutes = (
        "2026-05-03 10:59:00 +0200",
        "2026-05-03 11:00:00 +0200",
        "2026-05-03 11:01:00 +0200",
    )
    desk.send(steps(*((at, 1) for at in minutes)), MINUTES)
    layers = [item["layer"] for item in items(desk)]
    assert layers == ["minute", "minute", "hour", "minute"]


def test_a_metric_nobody_sent_has_no_points(desk: Desk) -> None:
    assert desk.page("nothing") == Page([], None)


@pytest.mark.scenario("reading", "Range has its start and not its end")
def test_a_range_has_its_start_without_its_end(data: Path, clock: FakeClock) -> None:
    with open_desk(data, clock, timezone="Europe/Berlin") as desk:
        nights = ("2026-05-02 23:59:00 +0200", "2026-05-03 00:00:00 +0200")
        desk.send(steps(*((at, 0) for at in nights)), MINUTES)
        mornings = ("2026-05-03 07:00:00 +0000", "2026-05-03 07:01:00 +0000")
        desk.send(steps(*((at, 1) for at in mornings)), MINUTES)
        [point] = desk.points(
            "step_count", from_="2026-05-03T07:00:00Z", to="2026-05-03T09:01:00+02:00"
        )
        assert point["at"] == "2026-05-03T07:00:00+00:00"
        after_midnight = desk.points("step_count", from_="2026-05-03")
        assert values(after_midnight, "at") == [
            ("2026-05-03T00:00:00+02:00",),
            ("2026-05-03T07:00:00+00:00",),
            ("2026-05-03T07:01:00+00:00",),
        ]
        assert len(desk.points("step_count", to="2026-05-03")) == 1


def test_days_are_compared_by_their_start(desk: Desk) -> None:
    days = [f"2026-05-0{day} 00:00:00 +0200" for day in (3, 4, 5)]
    desk.send(steps(*((day, 1) for day in days)), DAYS)
    found = items(desk, first="2026-05-03T00:00:01+02:00", last="2026-05-05T00:00:00+02:00")
    assert values(found, "day") == [("2026-05-04",)]


@pytest.mark.parametrize("aggregation", [DAYS, "Weeks"])
def test_dates_without_a_time_are_compared_as_dates(desk: Desk, aggregation: str) -> None:
    desk.send(steps(("2026-05-04", 1), ("2026-05-11", 2), ("2026-05-18", 3)), aggregation)
    found = items(desk, first="2026-05-04T00:00:01-05:00", last="2026-05-18T00:00:00-05:00")
    assert values(found, "day") == [("2026-05-11",)]
    assert values(items(desk, first="2026-05-11", last="2026-05-12"), "day") == [("2026-05-11",)]


def test_neighbouring_ranges_share_no_day_however_it_was_sent(desk: Desk) -> None:
    mixed = ("2026-05-04", "2026-05-05 00:00:00 +0200", "2026-05-06", "2026-05-06 00:00:00 -0500")
    desk.send(steps(*((date, 1) for date in mixed)), DAYS)
    cut = "2026-05-05T00:00:00+02:00"
    before, after = items(desk, last=cut), items(desk, first=cut)
    assert len(before) + len(after) == len(items(desk)) == 4
    assert values(before, "day") == [("2026-05-04",)]
