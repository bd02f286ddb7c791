"""Records as they are listed: their members, their pages, the span they are asked for in."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from datetime import UTC
from itertools import chain
from typing import Any

import pytest

from healthlog.mart import record_rows
from healthlog.read import records as read_records
from healthlog.read.records import Position
from healthlog.records.record import KINDS
from healthlog.span import Span, edge
from tests.support.accepting import asked
from tests.support.folding import Bench, delivery, open_bench
from tests.support.records import (
    EVERYTHING,
    listed,
    night,
    nights,
    only,
    pages,
    sections,
    without,
    workout,
)

DOSE = {"displayText": "Vitamin D", "start": "2026-06-01 08:10:00 +0200"}


@pytest.fixture
def bench() -> Iterator[Bench]:
    with open_bench() as made:
        yield made


def span(first: str | None = None, last: str | None = None) -> Span:
    return Span(*(None if one is None else edge(one, UTC) for one in (first, last)))


def keys(items: list[dict[str, Any]]) -> list[str]:
    return [item["key"] for item in items]


def followed(bench: Bench, kind: str | None, limit: int) -> list[list[dict[str, Any]]]:
    """All pages, each begun where the one before says."""
    found, behind = [], None
    while True:
        one = pages(bench, kind, EVERYTHING, behind=behind, limit=limit)
        found.append(one.items)
        if one.following is None:
            return found
        behind = one.following


def one(bench: Bench, kind: str, key: str) -> dict[str, Any] | None:
    found: dict[str, Any] | None = bench.mart.read(lambda c: read_records.one(c, kind, key))
    return found


@pytest.mark.scenario("records", "Record has what was sent beside what was derived")
def test_a_record_has_what_was_sent_beside_what_was_derived(bench: Bench) -> None:
    sent = night("2026-05-03 23:50:00 +0200", "2026-05-04 06:20:00 +0200", totalSleep=6.1, inBed=9)
    bench.fold(nights(sent))
    assert listed(bench) == [
        {
            "kind": "sleep",
            "key": "2026-05-03T21:50:00Z|2026-05-04T04:20:00Z|Watch",
            "start": "2026-05-03T23:50:00+02:00",
            "end": "2026-05-04T06:20:00+02:00",
            "day": "2026-05-04",
            "data": sent,
            "derived": {"total_h": 6.1, "in_bed_h": 9, "session": "night"},
            "flags": ["in_bed_exceeds_span"],
            "delivery_ids": [delivery(1, b"", None).delivery_id],
        }
    ]


def test_what_is_not_known_is_left_out(bench: Bench) -> None:
    bench.fold(sections(stateOfMind=[{"id": "A"}]))
    found = only(bench)
    assert found.keys().isdisjoint({"start", "end", "day"})
    assert (found["derived"], found["flags"]) == ({}, [])


def test_times_stand_in_the_offset_of_the_clock(bench: Bench) -> None:
    bench.fold(sections(workouts=[workout()]))
    bench.fold(
        sections(workouts=[workout(start="2026-06-01T10:00:00Z", end="2026-06-01T10:30:00Z")])
    )
    found = only(bench)
    assert (found["start"], found["end"]) == (
        "2026-06-01T12:00:00+02:00",
        "2026-06-01T12:30:00+02:00",
    )


def test_records_are_asked_for_by_kind(bench: Bench) -> None:
    bench.fold(sections(workouts=[workout()], medications=[DOSE], symptoms=[{**DOSE, "name": "X"}]))
    assert [item["kind"] for item in listed(bench)] == ["medication", "symptom", "workout"]
    assert [item["kind"] for item in listed(bench, "symptom")] == ["symptom"]
    assert listed(bench, "ecg") == []


@pytest.mark.parametrize(
    ("first", "last", "found"),
    [
        ("2026-06-01T12:00:00+02:00", None, ["B", "C"]),
        ("2026-06-01T12:00:00.001+02:00", None, ["C"]),
        (None, "2026-06-01T12:00:00+02:00", ["A"]),
        ("2026-06-01", "2026-06-02", ["B"]),
        (None, None, ["Z", "A", "B", "C"]),
    ],
)
def test_a_span_has_its_start_and_not_its_end(
    bench: Bench, first: str | None, last: str | None, found: list[str]
) -> None:
    days = {"A": "2026-05-31", "B": "2026-06-01", "C": "2026-06-02"}
    starts = [{"id": one, "start": f"{day} 12:00:00 +0200"} for one, day in days.items()]
    bench.fold(sections(stateOfMind=[*starts, {"id": "Z"}]))
    assert keys(listed(bench, None, span(first, last))) == found
    assert keys(listed(bench, "state_of_mind", span(first, last))) == found


@pytest.mark.scenario("records", "Pages of records join without gap or double")
@pytest.mark.parametrize("kind", [None, "symptom", "cycle"])
def test_pages_join_without_gap_or_double(bench: Bench, kind: str | None) -> None:
    chance = random.Random(4)
    some = [
        {
            "name": f"N{chance.randint(1, 9)}",
            "start": f"2026-06-01 08:0{chance.randint(0, 3)}:00 +0200",
        }
        for _ in range(40)
    ]
    bench.fold(sections(symptoms=some[:20], cycleTracking=some[20:], stateOfMind=[{"id": "A"}]))
    whole = listed(bench, kind)
    assert len(whole) > 10
    for limit in (1, 2, 3, 7, len(whole), 99):
        found = followed(bench, kind, limit)
        assert list(chain(*found)) == whole
        assert {len(items) for items in found[:-1]} <= {limit}


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_may_begin_behind_a_record_of_another_kind(bench: Bench, kind: str) -> None:
    at = {"name": "X", "start": "2026-06-01 08:10:00 +0200"}
    bench.fold(sections(symptoms=[at]))
    at_ms = 1_780_294_200_000
    behind = Position(at_ms, kind, "~")
    expected = ["symptom"] if kind < "symptom" else []
    for asked_for in (None, "symptom"):
        items = listed(bench, asked_for, behind=behind)
        assert [item["kind"] for item in items] == expected


@pytest.mark.slow
def test_a_page_of_heavy_records_ends_sooner(bench: Bench) -> None:
    chance = random.Random(6)
    noise = [{"date": n, "voltage": chance.random()} for n in range(60_000)]
    starts = [f"2026-06-01 08:{minute:02}:00 +0200" for minute in range(7)]
    bench.fold(sections(ecg=[{"start": one, "voltageMeasurements": noise} for one in starts]))
    found = followed(bench, "ecg", 1_000)
    assert 1 < len(found) < len(starts)
    assert len(list(chain(*found))) == len(starts)


# What is shown together


@pytest.mark.scenario("records", "Workout without id fills the gaps of one with id")
def test_a_workout_without_id_fills_gaps_and_is_not_listed(bench: Bench) -> None:
    old = without(workout(distance={"qty": 2}, intensity={"qty": 4}), "id")
    bench.fold(sections(workouts=[old]))
    assert len(listed(bench)) == 1
    bench.fold(sections(workouts=[workout(2, distance={"qty": 3}), workout(1)]))
    first, second = listed(bench, "workout")
    assert first["data"] == workout(1, distance={"qty": 2}, intensity={"qty": 4})
    assert second["data"] == workout(2, distance={"qty": 3})
    assert len(first["delivery_ids"]) == 2
    assert keys(listed(bench)) == [first["key"], second["key"]]
    assert bench.mart.read(record_rows.counts) == {"workout": 3}


@pytest.mark.scenario("records", "Dose without scheduled date fills the gaps of the scheduled one")
def test_a_dose_without_scheduled_date_is_shown_with_the_scheduled_one(bench: Bench) -> None:
    scheduled = {**DOSE, "scheduledDate": "2026-06-01 08:00:00 +0200"}
    bench.fold(sections(medications=[{**DOSE, "status": "Taken"}]))
    bench.fold(sections(medications=[scheduled]))
    found = only(bench, "medication")
    assert found["key"] == "Vitamin D|2026-06-01T06:00:00Z"
    assert (found["data"], found["derived"]) == (
        {**scheduled, "status": "Taken"},
        {"status": "taken"},
    )


def test_what_fills_gaps_does_not_fill_a_page(bench: Bench) -> None:
    loose = [without(workout(name=f"N{n}"), "id") for n in range(5)]
    bench.fold(sections(workouts=[*loose, workout(), workout(2, start="2026-06-01T10:05:00Z")]))
    assert [len(items) for items in followed(bench, "workout", 1)] == [1, 1]


# One record


def test_one_record_is_asked_for_by_kind_and_key(bench: Bench) -> None:
    bench.fold(sections(workouts=[workout(), without(workout(more=1), "id")]))
    found = one(bench, "workout", str(workout()["id"]))
    assert found == only(bench)
    loose = one(bench, "workout", "Walking|2026-06-01T10:00:00Z|2026-06-01T10:30:00Z")
    assert loose is not None
    assert loose["data"] == without(workout(more=1), "id")


@pytest.mark.parametrize(("kind", "key"), [("ecg", "A"), ("workout", "B"), ("", "")])
def test_another_is_not_there(bench: Bench, kind: str, key: str) -> None:
    bench.fold(sections(workouts=[{"id": "A"}]))
    assert one(bench, kind, key) is None


def test_all_of_a_stretch_are_given_for_other_readers(bench: Bench) -> None:
    bench.fold(
        sections(
            workouts=[workout(), without(workout(more=1), "id")], symptoms=[{**DOSE, "name": "X"}]
        )
    )
    found = bench.mart.read(lambda c: list(read_records.records(c, "workout", EVERYTHING)))
    assert [one.data for one in found] == [workout(more=1)]


# What SQLite does for it


def plans(bench: Bench, call: Any) -> list[str]:
    def explain(connection: sqlite3.Connection) -> list[str]:
        return [
            row[3]
            for statement, given in asked(connection, call)
            for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", given)
        ]

    return bench.mart.read(explain)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (None, "USING INDEX record_place ((at_ms,kind,key)>(?,?,?) AND at_ms<?)"),
        ("sleep", "USING INDEX record_kind_place (kind=? AND (at_ms,key)>(?,?) AND at_ms<?)"),
    ],
)
def test_a_page_is_searched_in_an_index(bench: Bench, kind: str | None, expected: str) -> None:
    behind = Position(1_777_777_777_777, "sleep", "x")
    found = plans(
        bench, lambda c: read_records.page(c, kind, span("2026-06-01"), behind=behind, limit=9)
    )
    searches = [plan for plan in found if plan.startswith(("SEARCH", "SCAN"))]
    assert searches[0] == f"SEARCH record {expected}"
    assert any("USING COVERING INDEX record_mate (kind=? AND mate=?" in plan for plan in searches)
    assert not any(plan.startswith("SCAN") and "quarter" not in plan for plan in searches)


def test_mates_are_searched_in_an_index(bench: Bench) -> None:
    bench.fold(sections(workouts=[workout()]))
    found = plans(bench, lambda c: read_records.one(c, "workout", str(workout()["id"])))
    assert found[0] == "SEARCH record USING INDEX sqlite_autoindex_record_1 (kind=? AND key=?)"
    assert "SEARCH record USING INDEX record_mate (kind=? AND mate=?)" in found
    assert "SEARCH field USING INDEX sqlite_autoindex_field_1 (record=?)" in found
    assert not any(plan.startswith("SCAN") and "quarter" not in plan for plan in found)
