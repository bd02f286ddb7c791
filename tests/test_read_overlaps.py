"""Workouts that two apps have recorded at one time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from healthlog.read import records as read_records
from healthlog.span import Span
from tests.support.clock import FakeClock
from tests.support.reading import Desk, open_desk
from tests.support.records import sections, without, workout

RECORDS, CHANGES = "/api/v1/records", "/api/v1/changes"


@pytest.fixture
def desk(data: Path, clock: FakeClock) -> Iterator[Desk]:
    with open_desk(data, clock) as desk:
        yield desk


def at(number: int, start: str, end: str, **more: object) -> dict[str, object]:
    return workout(number, start=f"2026-06-01 {start} +0200", end=f"2026-06-01 {end} +0200", **more)


def marked(desk: Desk) -> dict[str, bool]:
    """The workouts as they are listed, by the end of their keys, with whether they overlap."""
    items = desk.items(RECORDS, kind="workout")
    return {item["key"][-1]: "overlaps" in item["flags"] for item in items}


@pytest.mark.scenario("records", "Workouts at one time are marked")
def test_workouts_at_one_time_are_both_kept_with_a_mark(desk: Desk) -> None:
    desk.send(sections(workouts=[at(1, "12:00:00", "12:30:00")]))
    assert marked(desk) == {"1": False}
    desk.send(sections(workouts=[at(2, "12:01:10", "12:29:00", name="Hiking")]))
    desk.send(sections(workouts=[at(3, "14:00:00", "14:30:00")]))
    assert marked(desk) == {"1": True, "2": True, "3": False}
    found = desk.get("/api/v1/days/2026-06-01").json()
    assert [one["flags"] for one in found["workouts"]] == [["overlaps"], ["overlaps"], []]
    # No total is made of workouts, so that nothing of the hour counts twice.
    assert (found["totals"], found["levels"]) == ({}, {})


@pytest.mark.scenario("records", "Workouts at one time are marked")
@pytest.mark.parametrize(
    ("start", "end", "overlaps"),
    [
        ("12:30:00", "13:00:00", False),
        ("12:29:00", "13:00:00", False),
        ("12:28:59", "13:00:00", True),
        ("11:00:00", "12:01:00", False),
        ("11:00:00", "12:01:01", True),
        ("12:10:00", "12:10:30", False),
        ("12:10:00", "12:12:00", True),
        ("12:00:00", "12:30:00", True),
        ("09:00:00", "23:00:00", True),
    ],
)
def test_a_minute_may_be_shared(desk: Desk, start: str, end: str, overlaps: bool) -> None:
    desk.send(sections(workouts=[at(1, "12:00:00", "12:30:00"), at(2, start, end)]))
    assert marked(desk) == {"1": overlaps, "2": overlaps}


@pytest.mark.parametrize("place", range(6))
def test_the_mark_is_the_same_in_any_order(desk: Desk, place: int) -> None:
    told = [
        at(1, "12:00:00", "13:00:00"),
        at(2, "12:50:00", "13:30:00"),
        at(3, "13:30:00", "14:00:00"),
    ]
    for one in list(itertools.permutations(told))[place]:
        desk.send(sections(workouts=[one]))
    assert marked(desk) == {"1": True, "2": True, "3": False}


def test_one_workout_told_twice_overlaps_nothing(desk: Desk) -> None:
    whole = at(1, "12:00:00", "12:30:00")
    desk.send(sections(workouts=[whole, without(whole, "id")]))
    assert marked(desk) == {"1": False}
    alone = quote("Walking|2026-06-01T10:00:00Z|2026-06-01T10:30:00Z", safe="")
    assert desk.get(f"{RECORDS}/workout/{alone}").json()["flags"] == []


def test_without_a_time_nothing_overlaps(desk: Desk) -> None:
    lost: list[dict[str, object]] = [{"id": f"A{n}", "start": None, "end": None} for n in (1, 2)]
    open_ended: list[dict[str, object]] = [
        {"id": f"B{n}", "start": "2026-06-01 12:00:00 +0200"} for n in (3, 4)
    ]
    desk.send(sections(workouts=[*lost, *open_ended]))
    assert marked(desk) == {"1": False, "2": False, "3": False, "4": False}


def test_a_workout_of_years_overlaps_only_what_is_near_its_start(desk: Desk) -> None:
    endless = workout(1, start="2024-06-01 12:00:00 +0200", end="2026-06-30 12:00:00 +0200")
    near = workout(2, start="2024-06-03 11:00:00 +0200", end="2024-06-03 11:30:00 +0200")
    desk.send(sections(workouts=[endless, near, at(3, "12:00:00", "12:30:00")]))
    assert marked(desk) == {"1": True, "2": True, "3": False}


@pytest.mark.scenario("reading", "Changes name the records that are shown otherwise")
def test_changes_name_what_has_got_a_mark_or_lost_it(desk: Desk) -> None:
    cursors: list[str] = []

    def changed() -> list[str]:
        page = desk.get(CHANGES, **({"since": cursors[-1]} if cursors else {})).json()
        cursors.append(page["cursor"])
        return sorted(item["key"][-1] for item in page["items"] if item["what"] == "record")

    desk.send(sections(workouts=[at(1, "12:00:00", "12:30:00"), at(3, "15:00:00", "15:30:00")]))
    assert changed() == []
    desk.send(sections(workouts=[at(2, "12:10:00", "12:40:00")]))
    assert changed() == ["1", "2"]
    desk.send(sections(workouts=[at(2, "12:10:00", "12:40:00")]))
    assert changed() == []
    # It was in the afternoon, after all.
    desk.send(sections(workouts=[at(2, "15:10:00", "15:40:00")]))
    assert changed() == ["1", "2", "3"]
    assert marked(desk) == {"1": False, "2": True, "3": True}


@pytest.mark.scenario("reading", "Changes name the records that are shown otherwise")
def test_changes_name_the_record_whose_gaps_are_filled(desk: Desk) -> None:
    whole = at(1, "12:00:00", "12:30:00")
    desk.send(sections(workouts=[whole, at(3, "15:00:00", "15:30:00")]))
    cursor = desk.get(CHANGES).json()["cursor"]
    desk.send(sections(workouts=[without({**whole, "intensity": {"qty": 4}}, "id")]))
    named = [item["key"] for item in desk.items(CHANGES, since=cursor) if item["what"] == "record"]
    assert whole["id"] in named
    assert len(named) == 2
    [host, _] = desk.items(RECORDS, kind="workout")
    assert host["data"]["intensity"] == {"qty": 4}


def test_the_mark_is_looked_up_and_not_searched_for(desk: Desk) -> None:
    desk.send(sections(workouts=[at(1, "12:00:00", "12:30:00"), at(2, "12:10:00", "12:40:00")]))

    def call(connection: Any) -> object:
        return read_records.page(connection, "workout", Span(), limit=10)

    plans = desk.plans(call)
    index = "record USING INDEX record_kind_place (kind=? AND at_ms>? AND at_ms<?)"
    assert [plan for plan in plans if "SCAN record" in plan] == []
    assert len([plan for plan in plans if plan.endswith(index)]) >= 2
