"""The views against the calls: the same rows in other programs' words."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.clock import parse_us
from healthlog.series.source_order import SourceOrder
from healthlog.summaries.keeper import Summaries
from tests.support.clock import FakeClock
from tests.support.folding import CASES
from tests.support.reading import DAYS, HOURS, MINUTES, SECONDS, Desk, open_desk, steps
from tests.support.records import sections, workout

API = "/api/v1"
NUMBERS = ("qty", "min", "avg", "max")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Every case of the format, in several layers and zones, with its summaries."""
    data = tmp_path_factory.mktemp("views") / "data"
    data.mkdir(mode=0o700)
    with open_desk(data, FakeClock()) as desk:
        for path in sorted(CASES.iterdir()):
            desk.send(path.read_bytes())
            desk.send(path.read_bytes(), MINUTES)
        desk.send(steps(("2026-05-03 09:00:00.250 +0200", 5.5), ("1969-12-30 23:59:59 -0330", 1)),
                  SECONDS)  # fmt: skip
        desk.send(steps(("2026-05-04", 5), ("2026-05-05 00:00:00 -0400", 6)), DAYS)
        desk.send(steps(("2026-05-05 07:00:00 +0545", 7)), HOURS)
        desk.send(steps(("2026-05-04 00:00:00 +0200", 70)), "Weeks")
        desk.send(steps(("2026-05-01", 700)), "Months")
        refresh(desk)
        yield desk


def refresh(desk: Desk) -> None:
    clock = desk.house.clock
    Summaries(desk.mart, SourceOrder(), log=desk.house.log, clock=clock).keep_up(lambda _: False)
    assert rows(desk, "SELECT behind FROM v_state") == [{"behind": 0}]


def rows(desk: Desk, query: str, *given: object) -> list[dict[str, Any]]:
    """Rows by the names of their columns; what is NULL is left out."""

    def work(connection: Any) -> list[dict[str, Any]]:
        cursor = connection.execute(query, given)
        names = [one[0] for one in cursor.description]
        return [
            {name: value for name, value in zip(names, row, strict=True) if value is not None}
            for row in cursor.fetchall()
        ]

    return desk.mart.read(work)


@pytest.mark.scenario("programs", "Points of the view are those of the call")
def test_points_of_the_view_are_those_of_the_call(filled: Desk) -> None:
    seen = 0
    for one in filled.items(f"{API}/metrics"):
        points = filled.items(f"{API}/points", metric=one["name"], limit="10000")
        found = rows(filled, "SELECT * FROM v_points WHERE metric = ?", one["name"])
        kept = sorted(map(_point_of_row, found), key=_place)
        assert kept == sorted(map(_point_of_call, points), key=_place)
        seen += len(found)
    assert seen > 30
    [state] = rows(filled, "SELECT * FROM v_state")
    assert state["points"] == seen


def _place(point: dict[str, Any]) -> str:
    return json.dumps(point, sort_keys=True)


def _point_of_row(row: dict[str, Any]) -> dict[str, Any]:
    return {
        **{name: row.get(name) for name in ("metric", "layer", "day", "unit", "delivery_id")},
        "at": row.get("time"),
        **{name: row.get(name) for name in NUMBERS},
        "at_ms": row.get("at_ms"),
        "end_ms": row.get("end_ms"),
        "sources": json.loads(row["sources"]),
        "extra": json.loads(row.get("detail", "{}")).get("extra"),
    }


def _point_of_call(point: dict[str, Any]) -> dict[str, Any]:
    names = ("metric", "layer", "at", "day", "unit", "delivery_id", "sources", "extra")
    found = {
        **{name: point.get(name) for name in names},
        **{name: None if name not in point else float(point[name]) for name in NUMBERS},
        "at_ms": parse_us(point["at"]) // 1000 if "at" in point else None,
        "end_ms": parse_us(point["end"]) // 1000 if "end" in point else None,
    }
    # Of these the view tells the day alone; what is rare stands in its detail.
    if point["layer"] in {"week", "month", "year"}:
        found |= {"at": None, "at_ms": None}
    return found if point["layer"] == "sample" else {**found, "end_ms": None}


@pytest.mark.scenario("programs", "Days of the view are those of the call")
def test_days_of_the_view_are_those_of_the_call(filled: Desk) -> None:
    seen = 0
    for one in filled.items(f"{API}/metrics"):
        asked = {"metric": one["name"], "bucket": "day", "limit": "10000"}
        series = filled.get(f"{API}/series", **asked).json()
        found = rows(filled, "SELECT * FROM v_days WHERE metric = ?", one["name"])
        seen += len(found)
        expected = []
        for item in series["items"]:
            fields = sorted(item["value"]) if isinstance(item.get("value"), dict) else [None]
            expected += [_day_of_item(item, field, series) for field in fields]
        assert sorted(map(_day_of_row, found), key=_place) == sorted(expected, key=_place)
    assert seen > 15


def _day_of_row(row: dict[str, Any]) -> dict[str, Any]:
    names = ("day", "field", "value", "min", "max", "unit", "aggregate", "layer")
    found = {name: row.get(name) for name in names}
    return {**found, "open": bool(row["open"]), "sources": json.loads(row["sources"])}


def _day_of_item(item: dict[str, Any], field: str | None, series: dict[str, Any]) -> dict[str, Any]:
    numbers: dict[str, float | None] = {}
    for name in ("value", "min", "max"):
        number = item.get(name)
        number = number.get(field) if isinstance(number, dict) else number
        numbers[name] = None if number is None else float(number)
    return {
        "day": item["start"],
        "field": field,
        **numbers,
        "unit": item.get("unit", series["unit"]),
        "aggregate": series["aggregate"],
        **{name: item[name] for name in ("layer", "open", "sources")},
    }


@pytest.mark.scenario("programs", "Nights of the view are those of the call")
def test_nights_of_the_view_are_those_of_the_call(filled: Desk) -> None:
    found = rows(filled, "SELECT * FROM v_nights")
    assert len(found) > 3
    for day in {one["day"] for one in found}:
        told = filled.get(f"{API}/days/{day}").json()
        nights = [*([told["night"]] if told["night"] else []), *told["naps"]]
        for night in nights:
            night.pop("keys")
        assert sorted(
            (_night_of_row(one) for one in found if one["day"] == day), key=repr
        ) == sorted(nights, key=repr)


def _start(night: dict[str, Any]) -> str:
    return str(night["start"])


def _night_of_row(row: dict[str, Any]) -> dict[str, Any]:
    names = {"started": "start", "ended": "end", "lain_down": "bed_start", "got_up": "bed_end"}
    found = {names.get(name, name): one for name, one in row.items() if not name.endswith("_ms")}
    lists: dict[str, Any] = {
        name: json.loads(found[name]) for name in ("sources", "flags") if name in found
    }
    return {**found, **lists}


@pytest.mark.scenario("programs", "Workouts of the view are in fixed units")
def test_workouts_of_the_view_are_those_of_the_call(filled: Desk) -> None:
    found = rows(filled, "SELECT * FROM v_workouts")
    records = filled.items(f"{API}/records", kind="workout")
    assert [(one["key"], one["day"], one["started"], one["ended"]) for one in found] == [
        (one["key"], one["day"], one["start"], one["end"]) for one in records
    ]
    [run] = [one for one in found if one["name"] == "Outdoor Run" and "avg_heart_rate" in one][:1]
    assert run["active_energy_kcal"] == pytest.approx(1620 / 4.184)
    assert (run["distance_km"], run["duration_s"]) == (7.2, 2460.25)
    assert (run["avg_heart_rate"], run["max_heart_rate"], run["location"]) == (148, 169, "Outdoor")
    [walk] = [one for one in found if one["name"] == "Walking"]
    assert (walk["active_energy_kcal"], walk["distance_km"]) == (80.5, 1.75)
    assert "duration_s" not in walk


def test_units_of_workouts_that_nobody_knows_are_left_out(desk: Desk) -> None:
    one = workout(distance={"qty": 3, "units": "furlong"}, avgHeartRate={"qty": 99, "units": "bpm"},
                  activeEnergyBurned={"qty": "x", "units": "kcal"})  # fmt: skip
    other = workout(2, distance={"qty": 1, "units": "mi"}, maxHeartRate=170, duration=None)
    desk.send(sections(workouts=[one, other]), DAYS)
    refresh(desk)
    first, second = rows(desk, "SELECT * FROM v_workouts ORDER BY key")
    assert "distance_km" not in first
    assert "active_energy_kcal" not in first
    assert first["avg_heart_rate"] == 99
    assert (second["distance_km"], second["max_heart_rate"]) == (1.609344, 170)


@pytest.mark.scenario("programs", "Views are read by the index")
def test_filters_go_down_to_the_index(filled: Desk) -> None:
    def plan(query: str) -> list[str]:
        return filled.mart.read(
            lambda c: [row[3] for row in c.execute(f"EXPLAIN QUERY PLAN {query}").fetchall()]
        )

    points = plan("SELECT * FROM v_points WHERE metric = 'x' AND layer = 'minute' AND key_ms >= 5")
    assert points[0].startswith("SEARCH series USING")
    assert points[1].startswith("SEARCH point USING PRIMARY KEY (series=? AND at_ms>?)")
    assert all("SCAN point" not in line for line in points)
    [days] = plan("SELECT * FROM v_days WHERE metric = 'x' AND day_ms >= 5")
    assert days == "SEARCH day USING PRIMARY KEY (metric=? AND day_ms>?)"
    [nights] = plan("SELECT * FROM v_nights WHERE day_ms >= 5")
    assert nights.startswith("SEARCH night USING PRIMARY KEY")


@pytest.mark.scenario("programs", "Views are read with the sqlite3 program")
@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="the program sqlite3 is not there")
def test_the_program_sqlite3_reads_them_beside_a_writer(filled: Desk, tmp_path: Path) -> None:
    path = filled.house.data / "mart.db"
    query = (
        "SELECT day, value, unit FROM v_days WHERE metric = 'step_count' AND day = '2026-05-03';"
    )
    ran = subprocess.run(
        ["sqlite3", "-readonly", "-csv", str(path), query],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    [line] = ran.stdout.splitlines()
    day, value, unit = line.split(",")
    items = filled.items(f"{API}/series", metric="step_count", bucket="day")
    [item] = [one for one in items if one["start"] == "2026-05-03"]
    assert (day, float(value), unit) == ("2026-05-03", item["value"], "count")
    for view in ("v_points", "v_days", "v_nights", "v_workouts", "v_state"):
        done = subprocess.run(
            ["sqlite3", "-readonly", str(path), f"SELECT count(*) FROM {view};"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert int(done.stdout) > 0
