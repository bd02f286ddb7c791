"""Datasette and DuckDB on a real `mart.db`."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from healthlog.series.source_order import SourceOrder
from healthlog.summaries.keeper import Summaries
from tests.programs.conftest import ran
from tests.support.clock import FakeClock
from tests.support.patience import PATIENCE_S
from tests.support.reading import DAYS, Desk, open_desk, steps
from tests.support.records import night, nights
from tests.support.shell import run
from tests.support.sources import ROOT

HERE = ROOT / "tests" / "programs"
PAGE = (ROOT / "docs" / "programs.md").read_text(encoding="utf-8")
STEPS = {f"2026-07-{n:02}": 8000.0 + n for n in range(1, 8)}


@pytest.fixture
def filled(data: Path) -> Iterator[Desk]:
    with open_desk(data, FakeClock()) as desk:
        desk.send(steps(*((f"{day} 00:00:00 +0200", qty) for day, qty in STEPS.items())), DAYS)
        many = [
            night(f"{day} 00:10:00 +0200", f"{day} 07:00:00 +0200", totalSleep=6, deep=1 + n / 10)
            for n, day in enumerate(STEPS)
        ]
        desk.send(nights(*many), DAYS)
        clock, log = desk.house.clock, desk.house.log
        Summaries(desk.mart, SourceOrder(), log=log, clock=clock).keep_up(lambda _: False)
        yield desk


@pytest.mark.slow
@pytest.mark.scenario("programs", "Datasette serves the views")
def test_datasette_serves_the_views(programs: Path, filled: Desk) -> None:
    datasette = programs.with_name("datasette")
    query = "metric=step_count&_sort=day_ms&_shape=array"
    done = subprocess.run(
        [datasette, filled.house.data / "mart.db", "--get", f"/mart/v_days.json?{query}"],
        capture_output=True, text=True, timeout=PATIENCE_S, check=True,
    )  # fmt: skip
    rows = json.loads(done.stdout)
    assert {row["day"]: row["value"] for row in rows} == STEPS
    sql = quote("SELECT count(*) AS n FROM v_points WHERE metric = 'step_count'")
    done = subprocess.run(
        [datasette, filled.house.data / "mart.db", "--get", f"/mart.json?sql={sql}&_shape=array"],
        capture_output=True, text=True, timeout=PATIENCE_S, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == [{"n": len(STEPS)}]


@pytest.mark.slow
@pytest.mark.scenario("programs", "DuckDB reads the views")
def test_duckdb_reads_the_views(programs: Path, filled: Desk, tmp_path: Path) -> None:
    recipes = [one for one in re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL) if "duckdb" in one]
    lines = tmp_path / "steps.ndjson"
    exported = run(
        "export", "series", "--data", filled.house.data, "--metric", "step_count",
        "--bucket", "day", "--format", "ndjson", "--output", lines,
    )  # fmt: skip
    assert exported.status == 0, exported.err
    script = "\n".join(recipes).replace("/srv/healthlog/data", str(filled.house.data))
    script = script.replace("steps.ndjson", str(lines))
    script = script.replace("days.parquet", str(tmp_path / "days.parquet"))
    found = json.loads(ran(programs, HERE / "duckdb_client.py", script))
    days, correlated, by_month = found["answers"]
    assert days == [["step_count", 7, 8004.0]]
    assert correlated[0][0] == pytest.approx(1.0)
    assert by_month == [[7, 8004.0]]
    # What SQLite computed comes as text.
    assert [[number, float(qty)] for number, qty in found["points"]] == [[7, 8001.0]]
    assert (tmp_path / "days.parquet").stat().st_size > 0
