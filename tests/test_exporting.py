"""What is exported, and how `export` writes it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from healthlog.exporting import Wanted, points
from tests.support.apple import category, export, note, quantity, workout
from tests.support.bodies import TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.engine import open_engine
from tests.support.process import serving
from tests.support.shell import Ran, run


def filled(data: Path, clock: FakeClock, *bodies: bytes) -> None:
    with open_engine(data, clock) as engine:
        for body in bodies or (minutes(60), TWO_DAYS, minutes(3, name="heart_rate")):
            engine.post(body, automation_id="A")
        engine.fold_all()


def exported(data: Path, *more: str | Path, what: str = "points") -> Ran:
    ran = run("export", what, "--data", data, *more)
    assert (ran.status, ran.err) == (0, "")
    return ran


def lines(data: Path, *more: str, what: str = "points") -> list[dict[str, Any]]:
    ran = exported(data, "--format", "ndjson", *more, what=what)
    return [json.loads(line) for line in ran.out.splitlines()]


@pytest.mark.scenario("import", "Points are exported as lines")
def test_every_point_is_a_line(data: Path, clock: FakeClock) -> None:
    filled(data, clock)
    found = lines(data)
    assert [one["metric"] for one in found] == ["heart_rate"] * 3 + ["step_count"] * 62
    with serving(data) as child:
        asked = child.get("/api/v1/points?metric=step_count")[1]["items"]
        assert lines(data, "--metric", "Step_Count") == asked
        assert child.stop() == 0


@pytest.mark.scenario("import", "Points are exported as CSV")
def test_csv_names_the_unit_in_its_header(data: Path, clock: FakeClock) -> None:
    filled(data, clock)
    out = exported(data, "--metric", "step_count", "--layer", "day").out
    head, *rows = csv.reader(io.StringIO(out, newline=""))
    assert head[:6] == ["metric", "layer", "at", "end", "day", "qty [count]"]
    assert [(row[4], row[5]) for row in rows] == [("2026-05-03", "8123"), ("2026-05-04", "6044")]
    assert out.count("\r\n") == 3


def test_a_header_names_no_unit_where_there_are_several(data: Path, clock: FakeClock) -> None:
    filled(data, clock)
    assert exported(data).out.splitlines()[0].split(",")[5] == "qty"


def test_a_stretch_of_time_is_exported_alone(data: Path, clock: FakeClock) -> None:
    filled(data, clock)
    first, last = "2026-05-03T00:10:00+02:00", "2026-05-03T00:12:00+02:00"
    found = lines(
        data, "--layer", "minute", "--metric", "step_count", "--from", first, "--to", last
    )
    assert [one["qty"] for one in found] == [11, 12]
    day = lines(data, "--from", "2026-05-04", "--to", "2026-05-05", "--timezone", "Etc/GMT-2")
    assert [one["day"] for one in day] == ["2026-05-04"]


def test_pages_join_without_gap_or_double(data: Path, tmp_path: Path) -> None:
    every = [quantity("StepCount", n, source=f"S{n:05}") for n in range(5_001)]
    (tmp_path / "export.xml").write_bytes(export(*every))
    assert run("import", "--data", data, tmp_path / "export.xml").status == 0
    assert run("reindex", "--data", data).status == 0
    assert [one["qty"] for one in lines(data)] == list(range(5_001))


# ---- series, records


@pytest.mark.scenario("import", "Series and records are exported")
def test_a_series_is_exported_as_it_is_answered(data: Path, clock: FakeClock) -> None:
    filled(data, clock)
    flags = ("--metric", "step_count", "--bucket", "day", "--timezone", "UTC")
    with serving(data) as child:
        asked = child.get("/api/v1/series?metric=step_count&bucket=day")[1]["items"]
        assert lines(data, *flags, what="series") == asked
        assert child.stop() == 0
    assert [one["value"] for one in asked] == [8123, 6044]
    head, first, *_ = exported(data, *flags, what="series").out.splitlines()
    assert head.startswith("start,value [count],")
    assert first.startswith("2026-05-03,8123,") or ",8123," in first


@pytest.mark.scenario("import", "Series and records are exported")
def test_records_are_exported_by_kind(data: Path, tmp_path: Path) -> None:
    inside = (
        workout("Running", note("HKIndoorWorkout", 0)),
        category("Headache", "HKCategoryValueSeverityMild"),
    )
    (tmp_path / "export.xml").write_bytes(export(*inside))
    assert run("import", "--data", data, tmp_path / "export.xml").status == 0
    assert run("reindex", "--data", data).status == 0
    assert {one["kind"] for one in lines(data, what="records")} == {"workout", "symptom"}
    [ran] = lines(data, "--kind", "workout", what="records")
    assert ran["data"]["name"] == "Outdoor Run"
    head, row = exported(data, "--kind", "workout", what="records").out.splitlines()
    assert head == "kind,key,start,end,day,data,derived,flags,delivery_ids"
    assert row.startswith("workout,Outdoor Run|")


@pytest.mark.parametrize(
    ("what", "flags", "words"),
    [
        ("series", ("--metric", "step_count"), "--bucket"),
        ("series", ("--bucket", "day"), "--metric"),
        ("series", ("--metric", "step_count", "--bucket", "day", "--unit", "furlong"), "--unit"),
        ("series", ("--metric", "step_count", "--bucket", "day", "--layer", "year"), "--layer"),
        ("records", ("--metric", "step_count"), "--metric"),
        ("points", ("--kind", "sleep"), "--kind"),
    ],
)
def test_a_flag_too_many_or_too_few_is_named(
    data: Path, clock: FakeClock, what: str, flags: tuple[str, ...], words: str
) -> None:
    filled(data, clock)
    assert run("export", what, "--data", data, *flags).refused(2, words)


def test_an_export_holds_nobody_up(data: Path, clock: FakeClock) -> None:
    with open_engine(data, clock) as engine:
        engine.post(minutes(60), automation_id="A")
        engine.fold_all()
        listing = points(engine.mart, Wanted())
        first = next(iter(listing.items))
        engine.post(minutes(61), automation_id="A")
        engine.fold_all()
        assert first["qty"] == 1


def test_into_a_new_file(data: Path, clock: FakeClock, tmp_path: Path) -> None:
    filled(data, clock)
    target = tmp_path / "points.csv"
    assert exported(data, "--output", target).out == ""
    assert target.read_bytes().decode() == exported(data).out
    assert run("export", "points", "--data", data, "--output", target).refused(2, str(target))


@pytest.mark.parametrize("flag", ["--from", "--to"])
def test_a_bad_time_names_its_flag(data: Path, clock: FakeClock, flag: str) -> None:
    filled(data, clock)
    assert run("export", "points", "--data", data, flag, "soon").refused(2, flag, "soon")


def test_an_unknown_metric_is_an_empty_list(data: Path, clock: FakeClock) -> None:
    filled(data, clock)
    assert lines(data, "--metric", "nothing") == []
    assert len(exported(data, "--metric", "nothing").out.splitlines()) == 1


def test_a_directory_without_a_mart_is_told(data: Path) -> None:
    assert run("export", "points", "--data", data).refused(1, "mart.db")
