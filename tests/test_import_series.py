"""Imported history and the live feed, read as one series."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from healthlog.read import records
from healthlog.read.series import Question, page
from healthlog.span import Span
from tests.support import apple
from tests.support.apple import END, body, category, quantity
from tests.support.bodies import days, metric
from tests.support.clock import FakeClock
from tests.support.engine import Engine, open_engine
from tests.support.records import sections, workout

EXPORTED_US = 1_780_297_200_000_000  # 2026-06-01
LATER = "2026-05-03 09:00:00 +0200"
LATER_US = EXPORTED_US + 60 * 86_400_000_000


@pytest.fixture
def engine(data: Path) -> Iterator[Engine]:
    with open_engine(data, FakeClock(wall_us=LATER_US)) as opened:
        yield opened


def imported(engine: Engine, *inside: str) -> None:
    engine.post(body(*inside), imported=True, said_at_us=EXPORTED_US)


def by_day(engine: Engine, name: str, **more: Any) -> dict[str, object]:
    engine.fold_all()
    found = engine.mart.read(lambda c: page(c, Question(name, "day", **more), limit=100))
    return {str(item["start"])[:10]: item.get("value") for item in found.items}


def walk(value: float, source: str, day: int = 3) -> str:
    start, end = f"2026-05-{day:02} 08:00:00 +0200", f"2026-05-{day:02} 08:10:00 +0200"
    return quantity("StepCount", value, start=start, end=end, source=source)


@pytest.mark.scenario("import", "History and live feed are one series")
def test_history_and_live_feed_are_one_series(engine: Engine) -> None:
    imported(engine, walk(600, "Apple\u00a0Watch"), walk(580, "iPhone"), walk(90, "iPhone", 4))
    engine.post(days({"2026-05-04": 5_000, "2026-05-05": 7_000}), automation_id="A")
    assert by_day(engine, "step_count") == {
        "2026-05-03": 600,
        "2026-05-04": 5_000,
        "2026-05-05": 7_000,
    }


@pytest.mark.scenario("import", "Workout of the export is of the live feed's kind")
def test_a_workout_of_the_export_is_of_the_live_feed_s_kind(engine: Engine) -> None:
    runs = [
        workout(number, name=name, start=f"2026-06-0{number} 12:00:00 +0200", end=None)
        for number, name in enumerate(("Outdoor Ausführen", "Running", "Indoor Run"), 1)
    ]
    imported(engine, apple.workout("Running"), apple.workout("Swimming", start=END, end=LATER))
    engine.post(sections(workouts=runs), automation_id="A")
    engine.fold_all()
    found: list[dict[str, Any]] = engine.mart.read(
        lambda c: records.page(c, "workout", Span(), limit=10)
    ).items
    kinds = ("running", "swimming", "running", "running", "running")
    assert [one["derived"] for one in found] == [{"type": kind} for kind in kinds]
    assert [one["data"]["name"] for one in found[2:]] == [
        *("Outdoor Ausführen", "Running", "Indoor Run"),
    ]


def test_a_second_export_adds_nothing_to_any_day(engine: Engine) -> None:
    imported(engine, walk(600, "Apple\u00a0Watch"))
    once = by_day(engine, "step_count")
    imported(engine, walk(600, "Apple\u00a0Watch"), walk(580, "iPhone"))
    assert by_day(engine, "step_count") == once == {"2026-05-03": 600}


@pytest.mark.scenario("import", "History and live feed are one series")
def test_units_of_history_and_live_feed_are_one(engine: Engine) -> None:
    start, end = "2026-05-03 08:00:00 +0200", "2026-05-03 08:10:00 +0200"
    imported(
        engine,
        quantity("ActiveEnergyBurned", "100", unit="Cal", start=start, end=end),
        quantity("OxygenSaturation", "0.97", unit="%", start=start, end=start),
        quantity("DistanceWalkingRunning", "1", unit="mi", start=start, end=end),
    )
    live = (
        metric("active_energy", {"2026-05-04 00:00:00 +0200": 418.4}, "kJ"),
        metric("blood_oxygen_saturation", {"2026-05-04 00:00:00 +0200": 96}, "%"),
        metric("walking_running_distance", {"2026-05-04 00:00:00 +0200": 1.5}, "km"),
    )
    engine.post(json.dumps({"data": {"metrics": live}}).encode(), aggregation="Days")
    both = ("2026-05-03", "2026-05-04")
    assert by_day(engine, "active_energy") == dict(zip(both, (100, 100), strict=True))
    assert by_day(engine, "blood_oxygen_saturation") == dict(zip(both, (97, 96), strict=True))
    assert by_day(engine, "walking_running_distance") == dict(
        zip(both, (1.609344, 1.5), strict=True)
    )


def test_mindful_minutes_of_history_add_up(engine: Engine) -> None:
    imported(
        engine,
        category("MindfulSession", "HKCategoryValueNotApplicable"),
        category(
            "MindfulSession",
            "HKCategoryValueNotApplicable",
            start="2026-05-03 20:00:00 +0200",
            end="2026-05-03 20:05:00 +0200",
        ),
    )
    assert by_day(engine, "mindful_minutes") == {"2026-05-03": 15}
