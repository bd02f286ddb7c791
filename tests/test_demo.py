"""The invented year, from the phone that nobody has to the answers."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from healthlog.records.record import KINDS
from tests.demo import notes
from tests.demo.__main__ import ZONE
from tests.demo.filling import fill
from tests.demo.life import Life
from tests.demo.measures import amounts
from tests.demo.nights import nights
from tests.demo.pulse import resting
from tests.demo.pushes import Phone, Push
from tests.demo.trace import HERTZ, electrocardiogram
from tests.demo.voice import NOTES, sound
from tests.demo.wall import Wall
from tests.demo.workouts import workout
from tests.support.clock import FakeClock
from tests.support.process import environment
from tests.support.reading import open_desk
from tests.support.shell import run
from tests.support.sources import ROOT

BERLIN = ZoneInfo(ZONE)
SUNDAY = date(2026, 8, 9)
UNTIL = datetime(2026, 8, 9, 18, 40, tzinfo=BERLIN)
UNTIL_US = round(UNTIL.timestamp() * 1_000_000)
LIFE = Life(1, SUNDAY - timedelta(days=3), SUNDAY)
YEAR = Life(1, SUNDAY - timedelta(days=364), SUNDAY)


def demo(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The program as `make demo` runs it."""
    return subprocess.run(
        [sys.executable, "-m", "tests.demo", *map(str, arguments)],
        cwd=ROOT, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip


def exported(data: Path, what: str, *flags: str) -> list[dict[str, Any]]:
    ran = run("export", what, "--format", "ndjson", "--data", data, *flags)
    assert (ran.status, ran.err) == (0, "")
    return [json.loads(line) for line in ran.out.splitlines()]


def steps(data: Path, *flags: str) -> list[dict[str, Any]]:
    return exported(data, "series", "--metric", "step_count", "--bucket", "day", *flags)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four invented days, folded."""
    data = tmp_path_factory.mktemp("demo") / "data"
    ran = demo(data, "--days", "4", "--until", "2026-08-09T18:40")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert f"python -m healthlog serve --data {data}" in ran.stdout
    return data


@pytest.mark.scenario("operations", "Invented days read as they were lived")
def test_closed_days_have_the_steps_that_were_walked(filled: Path) -> None:
    days = [LIFE.first + timedelta(days=n) for n in range(3)]
    walked = {str(day): LIFE.day(day).steps for day in days}
    *closed, today = steps(filled)
    by_minutes = steps(filled, "--layer", "minute")
    # Of yesterday the watch may still have kept something when the day was told.
    assert {one["start"]: one["value"] for one in closed[:2]} == dict(list(walked.items())[:2])
    assert {one["start"]: one["value"] for one in by_minutes[:3]} == pytest.approx(walked)
    assert closed[2]["value"] == pytest.approx(walked[str(days[2])], rel=0.04)
    assert (today["start"], today["open"]) == (str(SUNDAY), True)
    assert 0 < today["value"] < LIFE.day(SUNDAY).steps


@pytest.mark.scenario("operations", "Invented days read as they were lived")
def test_stages_of_a_night_add_up_to_its_summary(filled: Path) -> None:
    slept = exported(filled, "records", "--kind", "sleep")
    summed = [one for one in slept if "sleepStart" in one["data"]]
    assert len(summed) >= 4
    for one in summed:
        inside = [
            segment for segment in slept
            if "value" in segment["data"] and one["start"] <= segment["start"] < one["end"]
        ]  # fmt: skip
        asleep = [part["data"]["qty"] for part in inside if part["data"]["value"] != "Awake"]
        assert sum(asleep) == pytest.approx(one["derived"]["total_h"])
        assert 4 < one["derived"]["total_h"] < 11 or one["derived"]["session"] == "nap"


@pytest.mark.scenario("operations", "Invented days read as they were lived")
def test_notes_were_spoken_on_these_days(filled: Path) -> None:
    with open_desk(filled, FakeClock()) as desk:
        listed = desk.items("/api/v1/recordings")
        assert {one["title"] for one in listed} == {"Slept well", "New shoes", "Headache"}
        for one in listed:
            assert one["stage"] == "done"
            assert one["topics"]
            [told] = [note for note in NOTES if note.title == one["title"]]
            path = f"/api/v1/recordings/{one['recording_id']}"
            assert desk.get(f"{path}/transcript?format=txt").body.decode().strip() == told.text
            assert desk.get(f"{path}/audio").body == sound(told.text)
        day = desk.get(f"/api/v1/days/{SUNDAY}").json()
        assert [one["title"] for one in day["notes"]] == ["Slept well"]


@pytest.mark.scenario("operations", "Invented days read as they were lived")
def test_everything_was_taken_and_the_clock_was_right(filled: Path) -> None:
    status = json.loads(run("status", "--data", filled).out)
    assert status["deliveries"].items() >= {"pending": 0, "failed": 1, "partial": 1}.items()
    assert run("check", "--data", filled).status == 0
    assert {"workout", "sleep", "medication", "ecg"} <= {
        kind for kind, count in status["mart"]["records"].items() if count
    }
    metas = [json.loads(path.read_bytes()) for path in (filled / "archive").rglob("*.meta.json")]
    assert len(metas) > 20
    assert not any(meta.get("clock_doubtful") for meta in metas)
    assert max(meta["received_at"] for meta in metas) < f"{UNTIL.astimezone(ZoneInfo('UTC')):%FT%T}"


def test_the_settings_name_the_zone_of_these_days(filled: Path) -> None:
    assert (filled / "healthlog.toml").read_text().endswith(f'timezone = "{ZONE}"\n')


@pytest.mark.scenario("operations", "Same seed invents the same days")
def test_one_seed_is_one_life() -> None:
    life = Life(1, SUNDAY - timedelta(days=1), SUNDAY)
    first, again = (list(Phone(life, BERLIN).pushes(UNTIL_US)) for _ in range(2))
    assert first == again
    assert [one.at_us for one in first] == sorted(one.at_us for one in first)
    other = Phone(Life(2, life.first, life.last), BERLIN).pushes(UNTIL_US)
    assert not told(first) & told(other)


def told(pushes: Iterable[Push]) -> set[bytes]:
    """The bodies of the automations that tell of what was lived."""
    return {one.body for one in pushes if (one.facts.automation_name or "").startswith("healthlog")}


@pytest.mark.scenario("operations", "Same seed invents the same days")
def test_one_seed_gives_the_same_archive(tmp_path: Path) -> None:
    names = []
    for name in ("a", "b"):
        pushes = Phone(Life(1, SUNDAY, SUNDAY), BERLIN).pushes(UNTIL_US)
        assert fill(tmp_path / name, pushes, seed=1, zone=ZONE).deliveries > 3
        names.append([path.name for path in sorted((tmp_path / name / "archive").rglob("*.gz"))])
    assert names[0] == names[1]


@pytest.mark.scenario("operations", "Invented data goes beside nothing else")
@pytest.mark.parametrize("inside", ["data/tokens.json", "data"])
def test_only_an_empty_directory_is_filled(tmp_path: Path, inside: str) -> None:
    path = tmp_path / inside
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    ran = demo(tmp_path / "data", "--days", "1")
    assert ran.returncode == 1
    [sentence] = ran.stderr.splitlines()
    assert str(tmp_path / "data") in sentence
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [path]


def lived() -> Iterator[date]:
    """Every day of the year."""
    return (YEAR.first + timedelta(days=n) for n in range(365))


@pytest.mark.scenario("operations", "Invented year has every kind")
def test_a_year_has_notes_of_every_kind() -> None:
    found: dict[str, list[Any]] = {}
    for day_ in lived():
        day, wall = YEAR.day(day_), Wall(day_, BERLIN)
        for told in (notes.moods, notes.doses, notes.symptoms, notes.cycle, notes.warnings):
            found.setdefault(told.__name__, []).extend(told(1, day, wall))
    assert all(len(elements) > 5 for elements in found.values()), found.keys()
    fates = Counter(dose["status"] for dose in found["doses"])
    assert fates["Taken"] > 5 * fates["Skipped"] > 0
    begun = [one["start"][:10] for one in found["cycle"] if one["isCycleStart"]]
    apart = {(date.fromisoformat(b) - date.fromisoformat(a)).days
             for a, b in pairwise(begun)}  # fmt: skip
    assert len(begun) in (13, 14)
    assert apart <= set(range(24, 33))


@pytest.mark.scenario("operations", "Invented year has every kind")
def test_workouts_run_as_far_as_they_say() -> None:
    routes, without = 0, 0
    for day_ in list(lived())[::9]:
        day = YEAR.day(day_)
        if day.outing is None:
            continue
        found = workout(1, day, Wall(day_, BERLIN))
        assert found["heartRate"]["min"]["qty"] < found["heartRate"]["max"]["qty"] < 190
        assert len(found["heartRateData"]) == day.outing.minutes
        if "route" not in found:
            without += 1
            continue
        routes += 1
        # Every fourth point: the wobble of the receiver would make the way longer.
        points = found["route"][::4]
        assert found["distance"]["qty"] == pytest.approx(length_km(points), rel=0.15)
    assert min(routes, without) > 2


def length_km(points: list[dict[str, Any]]) -> float:
    """Of a line through these points."""
    pairs = pairwise(points)
    shrink = math.cos(math.radians(points[0]["latitude"]))
    return sum(
        111.2 * math.hypot(
            b["latitude"] - a["latitude"], (b["longitude"] - a["longitude"]) * shrink
        )
        for a, b in pairs
    )  # fmt: skip


def test_a_year_is_neither_too_lazy_nor_too_sleepless() -> None:
    days = [YEAR.day(day) for day in lived()]
    assert 7_000 < sum(day.steps for day in days) / 365 < 13_000
    slept = [sum(h for stage, h in night.hours().items() if stage != "Awake")
             for day in days for night in nights(1, day)[:1]]  # fmt: skip
    assert 7 < sum(slept) / len(slept) < 8.5
    assert 3 < min(slept) < max(slept) < 12
    assert 10 < sum(day.ill for day in days) < 40
    assert 2 < sum(not day.worn for day in days) < 10
    assert len({resting(1, day) for day in days}) > 6


def test_minutes_of_an_amount_add_up_to_its_day() -> None:
    for day_ in list(lived())[:28:3]:
        for one in amounts(1, YEAR.day(day_)):
            samples = one.spread()
            assert sum(qty for _, qty in samples) == pytest.approx(one.total), one.name
            minutes = [minute for minute, _ in samples]
            assert minutes == sorted(set(minutes))
            assert 0 <= minutes[0] <= minutes[-1] < 1_440


def test_a_trace_beats_as_fast_as_it_says() -> None:
    day = YEAR.day(date(2026, 5, 5))
    trace = electrocardiogram(1, day, 735, Wall(day.date, BERLIN))
    voltages = [one["voltage"] for one in trace["voltageMeasurements"]]
    peaks = sum(low <= 450 < high for low, high in pairwise(voltages))
    assert peaks * 2 == pytest.approx(trace["averageHeartRate"], abs=5)
    times = [one["date"] for one in trace["voltageMeasurements"]]
    assert times[-1] - times[0] == pytest.approx(len(times) / HERTZ, abs=0.01)
    assert datetime.fromtimestamp(times[0], BERLIN).strftime("%F %T") in trace["start"]


@pytest.mark.parametrize(
    ("day", "second", "text"),
    [
        (date(2026, 8, 1), 0, "2026-08-01 00:00:00 +0200"),
        (date(2026, 8, 1), -60, "2026-07-31 23:59:00 +0200"),
        (date(2026, 8, 1), 86_400, "2026-08-02 00:00:00 +0200"),
        (date(2026, 3, 29), 2 * 3_600, "2026-03-29 03:00:00 +0200"),
        (date(2026, 10, 25), 3 * 3_600, "2026-10-25 02:00:00 +0100"),
    ],
)
def test_the_clock_on_the_wall_follows_the_zone(day: date, second: int, text: str) -> None:
    wall = Wall(day, BERLIN)
    assert wall.text(second) == text
    assert datetime.strptime(text, "%Y-%m-%d %H:%M:%S %z").timestamp() * 1e6 == wall.us(second)


@pytest.mark.slow
@pytest.mark.scenario("operations", "Invented year has every kind")
def test_a_whole_year_goes_through_the_intake(tmp_path: Path) -> None:
    assert demo(tmp_path / "data", "--until", "2026-08-09T18:40").returncode == 0
    status = json.loads(run("status", "--data", tmp_path / "data").out)
    assert {kind for kind, count in status["mart"]["records"].items() if count} == set(KINDS)
    outcomes = status["deliveries"]
    assert outcomes["pending"] == 0
    assert outcomes["parsed"] > 1_000
    assert outcomes["partial"] > 0
    assert outcomes["failed"] == 1
    assert len(steps(tmp_path / "data")) == 365
