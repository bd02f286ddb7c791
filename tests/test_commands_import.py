"""`import` as a person runs it: twice, beside a service, with files that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.lock import FileLock
from tests.support.apple import (
    category,
    ecg,
    export,
    gpx,
    note,
    quantity,
    route,
    statistic,
    tag,
    workout,
    zipped,
)
from tests.support.bodies import TWO_DAYS, minutes
from tests.support.folding import body, metric, point
from tests.support.process import INGEST, READ, TOKENS, command, serving
from tests.support.shell import run

EXPORT = zipped(
    {
        "apple_health_export/exportar.xml": export(
            *(quantity("StepCount", n, start=f"2026-05-03 08:{n:02}:00 +0200") for n in range(10)),
            quantity("OxygenSaturation", "0.97", unit="%"),
            category("SleepAnalysis", "HKCategoryValueSleepAnalysisAsleepREM"),
            category("Headache", "HKCategoryValueSeverityMild"),
            tag("ActivitySummary", {"dateComponents": "2026-05-03"}),
            workout(
                "Running",
                note("HKIndoorWorkout", 0),
                statistic("HeartRate", "count/min", average="140"),
                route("/workout-routes/a.gpx"),
            ),
        ),
        "apple_health_export/workout-routes/a.gpx": gpx((51.5, -0.1), (51.6, -0.2)),
        "apple_health_export/electrocardiograms/ecg_1.csv": ecg("1", "2").encode(),
    }
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "export.zip"
    path.write_bytes(EXPORT)
    return path


def brought(data: Path, *more: str | Path) -> dict[str, Any]:
    ran = run("import", "--data", data, *more)
    assert (ran.status, ran.err) == (0, "")
    report: dict[str, Any] = json.loads(ran.out)
    return report


def digest(data: Path) -> dict[str, Any]:
    assert run("reindex", "--data", data).status == 0
    ran = run("digest", "--data", data)
    found: dict[str, Any] = json.loads(ran.out)
    return found


@pytest.mark.scenario("import", "Export becomes deliveries")
def test_an_export_is_brought_into_the_log(data: Path, file: Path) -> None:
    report = brought(data, file)
    assert (report["deliveries"], report["elements"], report["skipped"]) == (1, 16, 0)
    assert (report["routes"], report["recordings"], report["problems"]) == (1, 1, 0)
    assert (digest(data)["points"], digest(data)["records"]) == (11, 4)
    assert run("check", "--rebuild", "--data", data).status == 0


@pytest.mark.scenario("import", "Second import changes nothing")
def test_a_second_import_changes_nothing(data: Path, file: Path) -> None:
    brought(data, file)
    before = digest(data)
    files = sorted(path.name for path in (data / "archive").rglob("*"))
    report = brought(data, file, file)
    assert (report["files"], report["deliveries"], report["skipped"]) == (2, 0, 2)
    assert digest(data) == before
    assert sorted(path.name for path in (data / "archive").rglob("*")) == files


def test_what_was_imported_comes_back_from_the_archive_alone(data: Path, file: Path) -> None:
    brought(data, file)
    before = digest(data)
    for path in data.iterdir():
        if path.is_file():
            path.unlink()
    assert digest(data) == before
    assert brought(data, file)["skipped"] == 1


@pytest.mark.scenario("import", "Body that lacked its time grouping is taken with it")
def test_a_body_that_lacked_its_time_grouping_is_taken_with_it(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_bytes(body(metric("step_count", point("2026-05-03 08:00:00 +0200", 5))))
    assert brought(data, file)["deliveries"] == 1
    assert digest(data)["points"] == 0
    assert brought(data, file)["skipped"] == 1
    assert brought(data, file, "--aggregation", "Minutes")["deliveries"] == 1
    assert brought(data, file, "--aggregation", "Minutes")["skipped"] == 1
    assert digest(data)["points"] == 1
    assert brought(data, file, "--aggregation", "Days")["skipped"] == 1


@pytest.mark.scenario("import", "History and live feed are one metric")
def test_history_stands_beside_what_the_phone_sent(data: Path, file: Path) -> None:
    with serving(data) as child:
        assert child.post(TWO_DAYS)[0] == 200
        child.until("delivery folded")
        assert child.stop() == 0
    brought(data, file)
    with serving(data) as child:
        child.until("delivery folded")
        [steps] = [
            one for one in child.get("/api/v1/metrics")[1]["items"] if one["name"] == "step_count"
        ]
        assert child.stop() == 0
    assert (steps["layers"], steps["points"]) == (["sample", "day"], 12)


@pytest.mark.scenario("import", "Import goes through a running service")
def test_beside_a_service_the_import_goes_through_it(data: Path, file: Path) -> None:
    with serving(data) as child:
        flags = ("--data", data, "--listen", f"127.0.0.1:{child.port}")
        for expected in ((1, 0), (0, 1)):
            ran = run("import", *flags, "--read-token", READ, "--ingest-token", INGEST, file)
            report = json.loads(ran.out)
            assert (ran.status, report["deliveries"], report["skipped"]) == (0, *expected)
        child.until("delivery folded", layer="sample")
        [item] = child.get("/api/v1/deliveries")[1]["items"]
        assert (item["automation_name"], item["layer"]) == ("export.zip", "sample")
        assert child.get("/stats")[1]["last_delivery"] == {}
        assert child.stop() == 0


@pytest.mark.scenario("import", "Live deliveries don't wait behind an import")
def test_a_long_import_goes_on_as_the_service_folds(data: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.json" for number in range(40)]
    for number, path in enumerate(files):
        path.write_bytes(minutes(3, begin_hour=number % 24, name=f"m{number}"))
    with serving(data) as child:
        ran = command(
            "import", "--data", data, "--listen", f"127.0.0.1:{child.port}",
            "--aggregation", "Minutes", *files, env=TOKENS,
        )  # fmt: skip
        assert json.loads(ran.stdout)["deliveries"] == 40
        assert child.stop() == 0
    assert [line for line in child.lines if line["level"] == "ERROR"] == []


def test_the_token_of_the_data_directory_will_do(data: Path, file: Path) -> None:
    with serving(data, HEALTHLOG_READ_TOKEN="", HEALTHLOG_INGEST_TOKEN="") as child:
        ran = run("import", "--data", data, "--listen", f"0.0.0.0:{child.port}", file)
        assert (ran.status, json.loads(ran.out)["deliveries"]) == (0, 1)
        assert child.stop() == 0


@pytest.mark.scenario("import", "Service of another directory refuses")
def test_a_service_of_another_directory_takes_nothing(
    data: Path, tmp_path: Path, file: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    brought(data, file)
    with serving(other) as child, FileLock(data / "lock"):
        (tmp_path / "b.json").write_bytes(TWO_DAYS)
        ran = run(
            "import", "--data", data, "--listen", f"127.0.0.1:{child.port}",
            "--read-token", READ, tmp_path / "b.json",
        )  # fmt: skip
        assert ran.refused(1, "another data directory")
        assert child.get("/api/v1/deliveries")[1]["items"] == []
        assert child.stop() == 0


def test_a_service_that_can_t_be_found_is_asked_for(data: Path, file: Path) -> None:
    brought(data, file)
    (data / "b.json").write_bytes(TWO_DAYS)
    with FileLock(data / "lock"):
        ran = run("import", "--data", data, "--listen", "127.0.0.1:1", data / "b.json")
    assert ran.refused(1, "127.0.0.1:1", "--listen")


@pytest.mark.scenario("import", "File of the app is taken byte for byte")
def test_files_of_the_app_are_deliveries(data: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(TWO_DAYS)
    (tmp_path / "b.zip").write_bytes(zipped({"x/one.json": minutes(5), "x/two.json": TWO_DAYS}))
    report = brought(data, tmp_path / "a.json", tmp_path / "b.zip")
    assert (report["deliveries"], report["skipped"]) == (2, 1)
    assert digest(data)["points"] == 7


def test_a_declared_grouping_counts(data: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(minutes(1))
    brought(data, "--aggregation", "hours", tmp_path / "a.json")
    digest(data)
    ran = run("export", "points", "--data", data, "--format", "ndjson")
    assert json.loads(ran.out)["layer"] == "hour"


@pytest.mark.scenario("import", "What is not read is said")
def test_what_is_not_read_is_said_and_the_rest_taken(data: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"hello")
    (tmp_path / "good.json").write_bytes(TWO_DAYS)
    ran = run("import", "--data", data, tmp_path / "bad.txt", tmp_path / "good.json")
    assert ran.status == 1
    assert ran.err.startswith("healthlog: bad.txt: it is neither")
    assert json.loads(ran.out)["deliveries"] == 1


def test_a_file_that_is_not_there_stops_before_anything(data: Path, tmp_path: Path) -> None:
    (tmp_path / "good.json").write_bytes(TWO_DAYS)
    ran = run("import", "--data", data, tmp_path / "good.json", tmp_path / "gone.json")
    assert ran.refused(2, "gone.json")
    assert not (data / "archive").exists()


def test_a_grouping_that_nobody_knows_is_refused(data: Path, file: Path) -> None:
    assert run("import", "--data", data, "--aggregation", "often", file).refused(2, "often")


def test_a_new_directory_is_made(tmp_path: Path, file: Path) -> None:
    assert brought(tmp_path / "new", file)["deliveries"] == 1
