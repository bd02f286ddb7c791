"""Quirks of the phone that no other test speaks of (docs/quirks.md)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from healthlog.model import PARSED, Counts
from tests.support.folding import DAYS, MINUTES, Bench, body, metric, open_bench, point
from tests.support.records import listed, only, sections, workout


@pytest.fixture
def bench() -> Iterator[Bench]:
    with open_bench() as made:
        yield made


def test_a_part_that_is_absent_erases_nothing(bench: Bench) -> None:
    morning, evening = "2026-06-01 08:00:00 +0200", "2026-06-01 20:00:00 +0200"
    bench.fold(sections(workouts=[workout()]))
    bench.fold(body(metric("step_count", point(morning, 10))), MINUTES)
    bench.fold(body(metric("step_count", point(evening, 20)), workouts=[]), MINUTES)
    bench.fold(body(metric("step_count", point(evening, 20))), MINUTES)
    assert [found.qty for found in bench.points()] == [10, 20]
    assert only(bench, "workout")["data"]["name"] == "Walking"


def test_workouts_of_two_apps_are_both_kept(bench: Bench) -> None:
    bench.fold(sections(workouts=[workout(1)]))
    bench.fold(sections(workouts=[workout(2, name="Hiking")]))
    assert [one["data"]["name"] for one in listed(bench, "workout")] == ["Walking", "Hiking"]


def test_points_of_several_offsets_come_by_instant(bench: Bench) -> None:
    # As texts they would stand the other way round.
    later, earlier = "2026-06-01 09:00:00 -0700", "2026-06-01 10:00:00 +0200"
    bench.fold(body(metric("step_count", point(later, 2), point(earlier, 1))), MINUTES)
    assert [found.qty for found in bench.points()] == [1, 2]


def test_a_workout_with_a_pause_keeps_both_lengths(bench: Bench) -> None:
    bench.fold(sections(workouts=[workout(duration=1200)]))
    found = only(bench)
    assert (found["data"]["duration"], found["flags"]) == (1200, [])
    assert (found["start"], found["end"]) == (
        "2026-06-01T12:00:00+02:00",
        "2026-06-01T12:30:00+02:00",
    )


def test_odd_but_readable_elements_are_taken(bench: Bench) -> None:
    below = {"date": "2026-06-01 00:00:00 +0200", "qty": -0.4}
    content = body(metric("apple_sleeping_wrist_temperature", below), workouts=[workout()])
    account = bench.fold(content, DAYS)
    assert (account.status, account.counts) == (PARSED, Counts(received=2, new=2))
    assert bench.only().qty == -0.4
