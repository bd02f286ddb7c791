"""Series, days, latest values, who said what: over HTTP, with all their parameters."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from healthlog.params import cursor_text
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
    problem,
    steps,
    values,
)

SERIES, WHY, LATEST, DAY = "/api/v1/series", "/api/v1/why", "/api/v1/latest", "/api/v1/days"
JUNE = [(f"2026-06-{day:02} 00:00:00 +0200", 1000.25 + day) for day in range(1, 8)]


@pytest.fixture
def desk(data: Path, clock: FakeClock) -> Iterator[Desk]:
    with open_desk(data, clock) as desk:
        yield desk


def series(desk: Desk, **params: str) -> list[dict[str, Any]]:
    return desk.items(SERIES, **{"metric": "step_count", "bucket": "day", **params})


# ---- series


@pytest.mark.scenario("series", "Series names function, unit, layers")
def test_a_series_is_the_object_of_the_contract(desk: Desk) -> None:
    desk.send(steps(*JUNE, source="Watch"), DAYS)
    reply = desk.get(SERIES, metric="Step_Count", bucket="day", from_="2026-06-02", to="2026-06-03")
    assert reply.status == 200
    assert reply.json() == {
        "metric": "step_count",
        "unit": "count",
        "bucket": "day",
        "aggregate": "sum",
        "items": [
            {
                "start": "2026-06-02",
                "value": 1002.25,
                "layer": "day",
                "open": False,
                "sources": ["Watch"],
            }
        ],
        "next": None,
    }


def test_an_empty_series_has_its_head_all_the_same(desk: Desk) -> None:
    found = desk.get(SERIES, metric="step_count", bucket="hour").json()
    assert found == {
        "metric": "step_count",
        "unit": "count",
        "bucket": "hour",
        "aggregate": "sum",
        "items": [],
        "next": None,
    }


@pytest.mark.scenario("series", "Pages join without gap or double")
@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_pages_are_followed_by_their_cursor(desk: Desk, form: str) -> None:
    desk.send(steps(*JUNE), DAYS)
    found, cursor = [], ""
    while True:
        more = {"cursor": cursor} if cursor else {}
        reply = desk.get(SERIES, metric="step_count", bucket="day", limit="3", format=form, **more)
        if form == "ndjson":
            found += reply.body.decode().splitlines()
            link = reply.headers.get("link", "")
            cursor = link.partition("cursor=")[2].partition(">")[0]
        else:
            found += reply.json()["items"]
            cursor = reply.json()["next"] or ""
        if not cursor:
            break
    assert len(found) == 7


@pytest.mark.scenario("series", "Series as CSV")
def test_a_series_as_csv_names_its_unit(desk: Desk) -> None:
    desk.send(steps(*JUNE[:1], source="Watch|iPhone"), DAYS)
    reply = desk.get(SERIES, metric="step_count", bucket="day", format="csv")
    assert reply.body.decode().split("\r\n") == [
        "start,value [count],min [count],max [count],unit,layer,open,sources",
        "2026-06-01,1001.25,,,,day,false,Watch|iPhone",
        "",
    ]


@pytest.mark.scenario("series", "Series as CSV")
def test_blood_pressure_as_csv_has_a_column_for_each_field(desk: Desk) -> None:
    pressure = {"date": "2026-06-01 07:10:20 +0200", "systolic": 121, "diastolic": 79}
    desk.send(body(metric("blood_pressure", "mmHg", pressure)), SECONDS)
    reply = desk.get(SERIES, metric="blood_pressure", bucket="day", format="csv")
    header, line, _ = reply.body.decode().split("\r\n")
    assert header.startswith("start,value.systolic [mmHg],value.diastolic [mmHg],min.systolic")
    assert line.startswith("2026-06-01,121,79,121,79,121,79,")


def test_the_unit_and_the_layer_may_be_chosen(desk: Desk) -> None:
    data = {"date": "2026-06-01 12:00:00 +0200", "qty": 100}
    desk.send(body(metric("active_energy", "kcal", data)), HOURS)
    chosen = {"metric": "active_energy", "unit": "kJ", "layer": "hour"}
    reply = desk.get(SERIES, bucket="day", **chosen).json()
    assert (reply["unit"], reply["items"][0]["value"]) == ("kJ", 418.4)
    assert series(desk, metric="active_energy", layer="day") == []


@pytest.mark.scenario("series", "Range holds the buckets that begin in it")
def test_bare_dates_are_those_of_tz(desk: Desk) -> None:
    desk.send(steps(*((f"2026-06-01 {h:02}:00:00 +0200", h) for h in range(24))), HOURS)
    ends = {"from_": "2026-06-01", "to": "2026-06-02", "bucket": "hour"}
    assert len(series(desk, **ends)) == 22
    assert len(series(desk, **ends, tz="Europe/Berlin")) == 24
    assert series(desk, **ends, tz="Europe/Berlin")[0]["start"] == "2026-06-01T00:00:00+02:00"
    # Days are the local days as recorded, whatever the zone.
    assert series(desk, tz="Asia/Tokyo")[0]["start"] == "2026-06-01"


@pytest.mark.scenario("series", "Order of the sources can be set")
def test_the_setting_rules_the_order_of_the_sources(data: Path, clock: FakeClock) -> None:
    told = [
        {"date": "2026-06-01 12:00:00 +0200", "qty": qty, "source": source}
        for source, qty in (("Watch", 7), ("iPhone", 5))
    ]
    with open_desk(data, clock, source_order="iPhone, Watch") as desk:
        desk.send(body(metric("step_count", "count", *told)), SECONDS)
        assert values(series(desk), "value", "sources") == [(5, ["iPhone"])]
        assert desk.get(f"{DAY}/2026-06-01").json()["totals"]["step_count"]["value"] == 5


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"metric": ""}, "metric"),
        ({"bucket": ""}, "bucket"),
        ({"bucket": "fortnight"}, "bucket"),
        ({"layer": "fortnight"}, "layer"),
        ({"layer": "month"}, "layer"),
        ({"bucket": "month", "layer": "week"}, "layer"),
        ({"unit": "kg"}, "unit"),
        ({"unit": "furlong"}, "unit"),
        ({"unit": ""}, "unit"),
        ({"tz": "Atlantis"}, "tz"),
        ({"tz": "../../etc/passwd"}, "tz"),
        ({"from_": "yesterday"}, "from"),
        ({"cursor": "xyz"}, "cursor"),
        ({"limit": "0"}, "limit"),
        ({"format": "xml"}, "format"),
        ({"zone": "UTC"}, "zone"),
    ],
)
@pytest.mark.scenario("series", "Wrong parameter of a series is named")
def test_a_wrong_parameter_is_named(desk: Desk, params: dict[str, str], named: str) -> None:
    desk.send(steps(*JUNE), DAYS)
    given = {"metric": "step_count", "bucket": "day", **params}
    assert named in problem(desk.get(SERIES, **given), 400)


@pytest.mark.parametrize("bucket", ["minute", "hour", "day", "week", "month", "year"])
@pytest.mark.parametrize("place", [(-(2**63), -(2**63)), (2**63 - 1, 2**63 - 1), (0, -1), (-1, 5)])
def test_a_cursor_of_any_place_is_answered(desk: Desk, bucket: str, place: tuple[int, int]) -> None:
    desk.send(steps(*JUNE), DAYS)
    asked = {"metric": "step_count", "bucket": bucket, "cursor": cursor_text("s", *place)}
    assert desk.get(SERIES, **asked).status == 200


# ---- days


@pytest.mark.scenario("series", "Day shows totals, levels, night, workouts")
def test_a_day_is_answered(desk: Desk) -> None:
    desk.send(steps(*JUNE), DAYS)
    found = desk.get(f"{DAY}/2026-06-03").json()
    assert found["day"] == "2026-06-03"
    assert found["totals"]["step_count"]["value"] == 1003.25
    assert sorted(found) == ["day", "levels", "naps", "night", "notes", "totals", "workouts"]


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "2026-06-31", "20260601", "2026-6-1"])
def test_a_day_that_there_is_not_is_refused(desk: Desk, day: str) -> None:
    assert "YYYY-MM-DD" in problem(desk.get(f"{DAY}/{day}"), 400)


@pytest.mark.parametrize("day", ["0001-01-01", "1969-12-31", "9999-12-31"])
def test_any_day_of_the_calendar_may_be_asked_for(desk: Desk, day: str) -> None:
    desk.send(steps(*JUNE), DAYS)
    assert desk.get(f"{DAY}/{day}").json()["totals"] == {}


# ---- latest values


@pytest.mark.scenario("series", "Latest value carries its age")
def test_latest_values_are_listed_by_name(desk: Desk) -> None:
    for name in ("heart_rate", "vo2_max", "respiratory_rate"):
        data = {"date": "2026-08-02 09:00:42 +0200", "qty": 50}
        desk.send(body(metric(name, None, data)), SECONDS)
    found = desk.items(LATEST)
    assert [one["metric"] for one in found] == ["heart_rate", "respiratory_rate", "vo2_max"]
    assert {one["age_s"] for one in found} == {3660}
    first = desk.get(LATEST, limit="2").json()
    [last] = desk.items(LATEST, cursor=first["next"])
    assert last["metric"] == "vo2_max"


# ---- who said what


@pytest.mark.scenario("series", "Why comes newest first in pages")
def test_who_said_what_is_listed_newest_first(desk: Desk) -> None:
    for qty in range(25):
        desk.send(steps(("2026-06-01 12:00:00 +0200", qty)), MINUTES)
    asked = {"metric": "step_count", "layer": "minute", "at": "2026-06-01T10:00:00Z"}
    first = desk.get(WHY, **asked).json()
    assert len(first["items"]) == 20
    assert first["items"][0]["readings"][0]["qty"] == 24
    assert [one["verdict"] for one in first["items"]] == ["stands", *["outdated"] * 19]
    rest = desk.get(WHY, **asked, cursor=first["next"]).json()
    assert (len(rest["items"]), rest["next"]) == (5, None)


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"metric": ""}, "metric"),
        ({"layer": ""}, "layer"),
        ({"layer": "fortnight"}, "layer"),
        ({"at": ""}, "at"),
        ({"at": "noon"}, "at"),
        ({"cursor": "xyz"}, "cursor"),
        ({"limit": "10001"}, "limit"),
    ],
)
def test_a_wrong_parameter_of_why_is_named(desk: Desk, params: dict[str, str], named: str) -> None:
    given = {"metric": "step_count", "layer": "day", "at": "2026-06-01", **params}
    assert named in problem(desk.get(WHY, **given), 400)


@pytest.mark.parametrize(
    "path",
    [
        f"{SERIES}?metric=step_count&bucket=day",
        f"{DAY}/2026-06-01",
        LATEST,
        f"{WHY}?metric=step_count&layer=day&at=2026-06-01",
    ],
)
def test_an_empty_log_answers(desk: Desk, path: str) -> None:
    assert desk.get(path).status == 200
