"""Quirks of the phone that no other test speaks of (docs/quirks.md): what becomes of bodies."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from healthlog.model import PARSED, Counts
from tests.support.folding import (
    CASES,
    DAYS,
    DEFAULT,
    HOURS,
    MINUTES,
    Bench,
    body,
    metric,
    open_bench,
    point,
)
from tests.support.records import listed, only, sections, workout

LAYERS = {"raw": DEFAULT, "minute": MINUTES, "hour": HOURS, "day": DAYS}


@pytest.fixture
def bench() -> Iterator[Bench]:
    with open_bench() as made:
        yield made


def respelled(value: Any, chance: random.Random) -> Any:
    """The same content with its keys in another order and its numbers spelled otherwise."""
    if isinstance(value, dict):
        keys = [*value]
        chance.shuffle(keys)
        return {key: respelled(value[key], chance) for key in keys}
    if isinstance(value, list):
        return [respelled(one, chance) for one in value]
    return float(value) if type(value) is int else value


def test_no_reading_of_a_large_body_is_lost(bench: Bench) -> None:
    # More than the parameters that any database takes in one statement.
    days, count = [f"2026-0{month}-{day:02}" for month in (1, 2) for day in range(1, 28)], 66_000
    told = [
        {"date": f"{days[n // 1440]} {n // 60 % 24:02}:{n % 60:02}:00 +0200", "qty": n}
        for n in range(count)
    ]
    account = bench.fold(body(metric("step_count", *told)), MINUTES)
    assert account.counts == Counts(received=count, new=count)
    [stored] = bench.mart.read(
        lambda c: c.execute(
            "SELECT count(DISTINCT at_ms), count(*), sum(qty) FROM point"
        ).fetchall()
    )
    assert stored == (count, count, count * (count - 1) / 2)


def test_no_record_of_a_large_body_is_lost(bench: Bench) -> None:
    at = "2026-06-01 12:00:00 +0200"
    fields = {f"field_{n}": n for n in range(3_000)}
    many = [{"name": f"Ache {n}", "start": at, "end": at} for n in range(1_000)]
    whole = sections(workouts=[workout(**fields)], symptoms=many)
    assert bench.fold(whole).counts == Counts(received=1_001, new=1_001)
    assert bench.fold(whole).counts == Counts(received=1_001, same=1_001)
    assert only(bench, "workout")["data"].items() >= fields.items()
    assert len(listed(bench, "symptom")) == 1_000


@pytest.mark.parametrize("path", sorted(CASES.glob("*.json")), ids=lambda path: path.stem[:2])
def test_the_same_content_in_other_bytes_says_the_same(bench: Bench, path: Any) -> None:
    try:
        content = json.loads(path.read_bytes())
    except ValueError:
        return  # a body cut short has no content
    before = bench.fold(path.read_bytes(), HOURS).counts
    stands, records = bench.points(), listed(bench)
    chance = random.Random(6)
    for number in range(5):
        other = respelled(content, chance)
        text = json.dumps(other, ensure_ascii=bool(number % 2), indent=number or None)
        again = bench.fold(text.replace("/", "\\/").encode(), HOURS).counts
        assert again == Counts(before.received, same=before.taken, rejected=before.rejected)
    # Those of the last word, they are what they were.
    assert [one._replace(said_by="", closed_by=None) for one in bench.points()] == [
        one._replace(said_by="", closed_by=None) for one in stands
    ]
    assert [one["data"] for one in listed(bench)] == [one["data"] for one in records]


def test_a_part_that_is_absent_erases_nothing(bench: Bench) -> None:
    morning, evening = "2026-06-01 08:00:00 +0200", "2026-06-01 20:00:00 +0200"
    bench.fold(sections(workouts=[workout()]))
    bench.fold(body(metric("step_count", point(morning, 10))), MINUTES)
    bench.fold(body(metric("step_count", point(evening, 20)), workouts=[]), MINUTES)
    bench.fold(body(metric("step_count", point(evening, 20))), MINUTES)
    assert [found.qty for found in bench.points()] == [10, 20]
    assert only(bench, "workout")["data"]["name"] == "Walking"


@pytest.mark.parametrize("layer", LAYERS)
def test_another_value_takes_the_place_of_the_one_before(bench: Bench, layer: str) -> None:
    at = "2026-06-01 00:00:00 +0200"
    for value in (70, 104, 65.5):
        bench.fold(body(metric("step_count", point(at, value, source="Watch"))), LAYERS[layer])
    assert bench.only("step_count", layer).qty == 65.5


@pytest.mark.parametrize("aggregation", [DEFAULT, MINUTES])
def test_every_reading_of_a_day_is_kept(bench: Bench, aggregation: str) -> None:
    width = 1 if aggregation == DEFAULT else 60
    seconds = random.Random(24).sample(range(0, 86_400, width), 300)
    told = [
        point(f"2026-06-01 {at // 3600:02}:{at // 60 % 60:02}:{at % 60:02} +0200", at)
        for at in seconds
    ]
    for first in range(0, 300, 50):
        bench.fold(body(metric("step_count", *told[first : first + 50])), aggregation)
    assert [found.qty for found in bench.points()] == sorted(seconds)


@pytest.mark.parametrize(
    "moved",
    [
        {"start": "2026-06-01 06:00:00 -0400", "end": "2026-06-01 06:30:00 -0400"},
        {"start": "2026-06-01 13:00:00 +0200", "end": "2026-06-01 13:30:00 +0200"},
    ],
    ids=["zone", "time"],
)
def test_a_workout_sent_with_another_start_stands_once(bench: Bench, moved: dict[str, str]) -> None:
    bench.fold(sections(workouts=[workout()]))
    bench.fold(sections(workouts=[{**workout(), **moved}]))
    assert only(bench)["data"]["start"] == moved["start"]


def test_a_bucket_outside_the_period_asked_for_is_taken(bench: Bench) -> None:
    told = [point(f"2026-06-0{day} 00:00:00 +0200", 55) for day in (1, 2, 3)]
    content = body(metric("environmental_audio_exposure", *told, units="dBASPL"))
    account = bench.fold(content, DAYS, period="Today")
    assert account.counts == Counts(received=3, new=3)


def test_series_of_a_workout_that_are_not_aligned_stay_as_sent(bench: Bench) -> None:
    beats = [{"date": f"2026-06-01 12:0{n}:00 +0200", "Avg": 100 + n} for n in range(5)]
    steps = [{"date": f"2026-06-01 12:0{n}:25 +0200", "qty": n + 0.5} for n in range(5)]
    bench.fold(sections(workouts=[workout(heartRateData=beats, stepCount=steps)]))
    found = only(bench)
    assert (found["data"]["heartRateData"], found["data"]["stepCount"]) == (beats, steps)
    # They are laid beside the workout by its time, not by equal times.
    assert found["flags"] == []


def test_kilocalories_and_kilojoules_of_one_body_keep_their_units(bench: Bench) -> None:
    at, later = "2026-06-01 08:00:00 +0200", "2026-06-01 09:00:00 +0200"
    energy = [
        metric("active_energy", point(at, 20), units="kcal"),
        metric("basal_energy_burned", point(at, 41.84), units="kJ"),
        metric("active_energy", point(later, 83.68), units="kJ"),
    ]
    bench.fold(body(*energy), HOURS)
    assert [(one.metric, one.qty, one.unit) for one in bench.points()] == [
        ("active_energy", 20, "kcal"),
        ("active_energy", 83.68, "kJ"),
        ("basal_energy_burned", 41.84, "kJ"),
    ]


@pytest.mark.parametrize("series_first", [True, False])
def test_an_energy_may_be_a_number_or_a_series(bench: Bench, series_first: bool) -> None:
    number = {"qty": 80.5, "units": "kcal"}
    series = [{"date": "2026-06-01 12:00:10 +0200", "qty": 0.7, "units": "kJ"}]
    order = (series, number) if series_first else (number, series)
    for energy in order:
        bench.fold(sections(workouts=[workout(activeEnergy=energy)]))
        bench.fold(sections(workouts=[workout(2, activeEnergy=energy, start=None, end=None)]))
    # The series says more, whenever it came.
    assert [one["data"]["activeEnergy"] for one in listed(bench)] == [series, series]
    bench.fold(sections(workouts=[workout(3, activeEnergy=number)]))
    assert listed(bench)[-1]["data"]["activeEnergy"] == number


def test_a_workout_with_a_pause_keeps_both_lengths(bench: Bench) -> None:
    bench.fold(sections(workouts=[workout(duration=1200)]))
    found = only(bench)
    assert (found["data"]["duration"], found["flags"]) == (1200, [])
    assert (found["start"], found["end"]) == (
        "2026-06-01T12:00:00+02:00",
        "2026-06-01T12:30:00+02:00",
    )


def test_segments_with_or_without_a_distance_stay_as_they_are(bench: Bench) -> None:
    span = {"start": "2026-06-01 12:00:00 +0200", "end": "2026-06-01 12:05:00 +0200"}
    segments = [
        {**span, "metrics": {"distance": {"qty": 1, "units": "km"}, "paceKilometre": 300}},
        {**span, "metrics": {"heartRateAverage": {"qty": 139, "units": "bpm"}}},
        span,
    ]
    bench.fold(sections(workouts=[workout(segments=segments, activities=[span])]))
    assert only(bench)["data"]["segments"] == segments


def test_odd_but_readable_elements_are_taken(bench: Bench) -> None:
    below = {"date": "2026-06-01 00:00:00 +0200", "qty": -0.4}
    content = body(metric("apple_sleeping_wrist_temperature", below), workouts=[workout()])
    account = bench.fold(content, DAYS)
    assert (account.status, account.counts) == (PARSED, Counts(received=2, new=2))
    assert bench.only().qty == -0.4
