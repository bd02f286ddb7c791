"""The gap ledger over a mart."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from healthlog.read.gaps import gaps
from healthlog.web.scale import day_of
from tests.support.clock import FakeClock
from tests.support.reading import DAYS, MINUTES, SECONDS, Desk, body, metric, open_desk, steps

FIRST = date(2026, 5, 1)
BERLIN = timezone(timedelta(hours=2))
NOW_US = 1_783_000_000_000_000


@pytest.fixture
def desk(data: Path) -> Iterator[Desk]:
    with open_desk(data, FakeClock(wall_us=NOW_US)) as desk:
        yield desk


def found(desk: Desk, first: str = "2026-05-01", now: str = "2026-06-20T12:30") -> list[Any]:
    now_ms = round(datetime.fromisoformat(now).replace(tzinfo=BERLIN).timestamp() * 1000)
    begin = day_of(date.fromisoformat(first))
    return desk.mart.read(lambda c: gaps(c, begin, now_ms // 86_400_000 + 1, now_ms))


def at(day: int, hour: int = 0, minute: int = 0) -> str:
    one = datetime(2026, 5, 1, hour, minute, tzinfo=BERLIN) + timedelta(days=day)
    return one.strftime("%Y-%m-%d %H:%M:%S %z")


@pytest.mark.scenario("gaps", "Ledger names the export that heals")
def test_the_ledger_names_the_export_that_heals(desk: Desk) -> None:
    daily = [(at(day), 5000.0) for day in range(50) if day not in {20, 21, 30}]
    desk.send(steps(*daily), DAYS)
    assert found(desk) == [
        {
            "metric": "step_count",
            "kind": "days",
            "from": "2026-05-21",
            "to": "2026-05-23",
            "missing": 2,
            "export": {"first": "2026-05-21", "last": "2026-05-22"},
        },
        {
            "metric": "step_count",
            "kind": "days",
            "from": "2026-05-31",
            "to": "2026-06-01",
            "missing": 1,
            "export": {"first": "2026-05-31", "last": "2026-05-31"},
        },
    ]
    desk.send(steps((at(30), 1.0)), DAYS)
    assert [one["from"] for one in found(desk)] == ["2026-05-21"]
    assert found(desk, "2026-05-25") == []


@pytest.mark.scenario("gaps", "What is usual behind the dates tells of them, too")
def test_what_is_usual_behind_the_dates_tells_of_them_too(desk: Desk) -> None:
    days = [day for day in range(50) if day not in {5, 19, 20, 21}]
    desk.send(steps(*((at(day), 1.0) for day in days)), DAYS)
    pulse = [
        {"date": at(day, hour, 30), "qty": 60}
        for day in range(50)
        for hour in range(8, 22)
        if day != 4 or hour not in {12, 13}
    ]
    desk.send(body(metric("heart_rate", "bpm", *pulse)), SECONDS)

    def asked(first: int, until: int) -> list[str]:
        begin = day_of(FIRST)
        items = desk.mart.read(lambda c: gaps(c, begin + first, begin + until, NOW_US // 1000))
        return [f"{one['metric']} {one['from']} {one['missing']}" for one in items]

    early = ["heart_rate 2026-05-05T12:00 2", "step_count 2026-05-06 1"]
    assert asked(0, 50)[:3] == [early[0], early[1], "step_count 2026-05-20 3"]
    assert asked(3, 7) == early
    # Days are told whole, from either end.
    for stretch in ((10, 20), (20, 21), (21, 30)):
        assert asked(*stretch) == ["step_count 2026-05-20 3"]
    assert asked(22, 30) == asked(10, 19) == []


def test_hours_are_missed_only_of_what_is_measured_all_day(desk: Desk) -> None:
    hours = [(day, hour) for day in range(50) for hour in range(8, 22)]
    gone = {(30, hour) for hour in range(10, 14)} | {(50, hour) for hour in range(8, 11)}
    pulse = [{"date": at(*one, 30), "qty": 60} for one in hours if one not in gone]
    glucose = [{"date": at(*one, 30), "qty": 90} for one in hours if one not in gone]
    desk.send(
        body(metric("heart_rate", "bpm", *pulse), metric("blood_glucose", "mg/dL", *glucose)),
        SECONDS,
    )
    assert [(one["metric"], one["from"], one["to"]) for one in found(desk)] == [
        ("heart_rate", "2026-05-31T10:00", "2026-05-31T14:00")
    ]


def test_what_came_in_any_layer_is_there(desk: Desk) -> None:
    desk.send(steps(*((at(day), 5000.0) for day in range(0, 50, 2))), DAYS)
    desk.send(steps(*((at(day, 9, 1), 5.0) for day in range(1, 50, 2))), MINUTES)
    assert found(desk) == []


def test_nothing_is_told_of_an_empty_mart(desk: Desk) -> None:
    assert found(desk) == []


def test_ten_years_are_not_read_for_it(desk: Desk) -> None:
    desk.send(steps(*((at(day), 1.0) for day in range(50))), DAYS)
    plans = desk.plans(lambda c: gaps(c, day_of(FIRST), day_of(FIRST) + 60, NOW_US // 1000))
    assert not any("SCAN point" in plan for plan in plans)
