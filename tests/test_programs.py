"""The recipes for other programs, run as they stand in the documents."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.metrics import Registry
from healthlog.gauges import Gauges
from healthlog.meters import Meters
from healthlog.series.source_order import SourceOrder
from healthlog.summaries.keeper import Summaries
from tests.support.bodies import TWO_DAYS
from tests.support.clock import FakeClock
from tests.support.folding import CASES
from tests.support.reading import MINUTES, SECONDS, Desk, body, metric, open_desk, steps
from tests.support.records import night, nights
from tests.support.serviced import posted, running
from tests.support.sources import ROOT

PROGRAMS = (ROOT / "docs" / "programs.md").read_text(encoding="utf-8")
VIEWS = (ROOT / "docs" / "views.md").read_text(encoding="utf-8")
FROM_MS, TO_MS = 1_577_836_800_000, 1_893_456_000_000


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


SQL = [one for page in (VIEWS, PROGRAMS) for one in blocks(page, "sql") if "-- duckdb" not in one]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    data = tmp_path_factory.mktemp("programs") / "data"
    data.mkdir(mode=0o700)
    with open_desk(data, FakeClock()) as desk:
        for path in sorted(CASES.iterdir()):
            desk.send(path.read_bytes(), MINUTES)
        at = "2026-08-02 09:30:00 +0200"
        pair = {"date": at, "systolic": 120, "diastolic": 80}
        pulse = {"date": at, "Min": 50, "Avg": 60, "Max": 70}
        glucose = {"date": at, "qty": 5.5, "mealTime": "Before Meal"}
        sugar = metric("blood_glucose", "mmol/L", glucose)
        desk.send(body(metric("blood_pressure", "mmHg", pair), sugar), SECONDS)
        others = (("active_energy", "kJ", 418.4), ("walking_running_distance", "km", 1.5),
                  ("weight_body_mass", "lb", 180))  # fmt: skip
        several = [metric(name, unit, {"date": at, "qty": qty}) for name, unit, qty in others]
        desk.send(body(metric("heart_rate", "count/min", pulse), *several), MINUTES)
        desk.send(steps((at, 4210)), MINUTES)
        asleep = night("2026-08-01 23:00:00 +0200", "2026-08-02 07:00:00 +0200", totalSleep=7.25)
        desk.send(nights(asleep | {"deep": 1.25, "core": 4, "rem": 2}), MINUTES)
        clock, log = desk.house.clock, desk.house.log
        Summaries(desk.mart, SourceOrder(), log=log, clock=clock).keep_up(lambda _: False)
        yield desk


@pytest.mark.scenario("programs", "Recipes in SQL run as they stand")
@pytest.mark.parametrize("query", SQL, ids=[re.sub(r"\s+", " ", one)[:60] for one in SQL])
def test_every_recipe_in_sql_finds_something(filled: Desk, query: str) -> None:
    asked = query.replace("$__from", str(FROM_MS)).replace("$__to", str(TO_MS))

    def work(connection: Any) -> list[Any]:
        # Own connections trust no schema and no function of views; other programs' do.
        connection.execute("PRAGMA trusted_schema=OFF")
        found: list[Any] = connection.execute(asked).fetchall()
        return found

    rows = filled.mart.read(work)
    assert rows
    assert any(value is not None for value in rows[0])
    if re.search(r" AS time\b", query):
        assert all(FROM_MS // 1000 <= row[0] < TO_MS // 1000 for row in rows)


def test_there_are_recipes_enough() -> None:
    assert len(SQL) >= 14
    assert set(re.findall(r"\bv_\w+", " ".join(SQL))) == {
        "v_days", "v_nights", "v_workouts", "v_points", "v_state",
    }  # fmt: skip


@pytest.mark.scenario("programs", "Every column of a view is documented")
@pytest.mark.parametrize("view", ["v_days", "v_nights", "v_workouts", "v_points", "v_state"])
def test_every_column_of_a_view_is_documented(filled: Desk, view: str) -> None:
    _, _, section = VIEWS.partition(f"\n## {view}\n")
    section = section.partition("\n## ")[0]
    names = filled.mart.read(
        lambda c: [row[1] for row in c.execute(f"PRAGMA table_info({view})").fetchall()]
    )
    cells = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", section, re.MULTILINE)
    if view == "v_state":  # in a sentence
        cells = [section.partition("```")[0]]
    assert set(names) == {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


@pytest.mark.scenario("programs", "Recipe for Home Assistant finds its values")
def test_the_sensors_of_home_assistant_find_their_values(filled: Desk) -> None:
    [yaml] = [one for one in blocks(PROGRAMS, "yaml") if one.startswith("rest:")]
    told = filled.get("/api/v1/now").json()
    templates = re.findall(r"value_template: \"\{\{ value_json\.([\w.]+)", yaml)
    units = re.findall(r"unit_of_measurement: (\S+)", yaml)
    available = re.findall(r"availability: \"\{\{ '(\w+)' in value_json\.(\w+)", yaml)
    assert len(templates) == len(units) == 5
    found = [_at(told, path) for path in templates]
    assert found == [4210, pytest.approx(100), 60, pytest.approx(81.6466, abs=1e-3), 7.25]
    for metric_name, part in available:
        assert metric_name in told[part]
    assert told["totals"]["active_energy"]["unit"] == "kcal"
    assert told["latest"]["weight_body_mass"]["unit"] == "kg"
    assert "scan_interval: 300" in yaml


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value[name]
    return value


@pytest.mark.scenario("programs", "Recipes for Prometheus name what there is")
def test_the_recipes_for_prometheus_name_what_there_is(desk: Desk) -> None:
    registry = Registry()
    Meters(registry)
    Gauges(desk.house.journal, desk.mart, desk.house.clock, lambda: None).register(registry)
    desk.keep(steps(("2026-08-02 09:00:00 +0200", 1)), MINUTES)
    served = set(re.findall(r"^# TYPE (\w+)", registry.text(), re.MULTILINE))
    named = set(re.findall(r"\bhealthlog_[a-z_]+", PROGRAMS)) - {"healthlog_authorization"}
    sensors = set(re.findall(r"unique_id: (\w+)", PROGRAMS))
    parts = {re.sub(r"_(bucket|sum|count)$", "", name) for name in named - sensors}
    assert parts
    assert parts - served == set()


@pytest.mark.scenario("programs", "Service keeps the views up to date")
def test_a_service_keeps_the_views_up_to_date(data: Path) -> None:
    with running(data) as (service, log):
        assert posted(service, TWO_DAYS).status == 200
        log.until("delivery folded")
    # The worker ends no pass without a look at what is stale.
    with closing(sqlite3.connect(f"{(data / 'mart.db').as_uri()}?mode=ro", uri=True)) as connection:
        days = connection.execute("SELECT day, value FROM v_days ORDER BY day").fetchall()
        assert days == [("2026-05-03", 8123), ("2026-05-04", 6044)]
        assert connection.execute("SELECT behind FROM v_state").fetchone() == (0,)
