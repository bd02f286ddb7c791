"""One day put together from what is known of it."""

from __future__ import annotations

from typing import Any

import pytest

from healthlog.days import Told, day, night_view
from healthlog.nights.nights import Night
from healthlog.records.record import WORKOUT, Record
from healthlog.series.buckets import Stretch
from healthlog.series.catalogue import entry
from tests.support.lines import CEST, at, day_of

JUNE = day_of("06-02")


def night(start: str, end: str, slept_h: float | None, **more: Any) -> Night:
    plain: dict[str, Any] = {
        "sources": ("Watch",),
        "slept": Stretch(at(start), at(end)),
        "bed": None,
        "day": JUNE,
        "is_nap": False,
        "asleep_h": slept_h,
        "in_bed_h": None,
        "hours": {},
        "keys": ("k",),
    }
    return Night(**{**plain, **more})


def workout(start: str, **data: Any) -> Record:
    at_ms = at(start)
    return Record(WORKOUT, start, at_ms, at_ms + 1, data, {}, (), ("d",))


def shown(**parts: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {"told": (), "nights": (), "workouts": ()}
    return day(
        JUNE,
        **{**plain, **parts},
        view=lambda one: {"key": one.key, "data": one.data},
        offsets=CEST,
    )


def test_a_day_of_which_nothing_is_known_is_empty() -> None:
    assert shown() == {
        "day": "2026-06-02",
        "totals": {},
        "levels": {},
        "night": None,
        "naps": [],
        "workouts": [],
        "notes": [],
    }


@pytest.mark.scenario("series", "Day shows totals, levels, night, workouts")
def test_amounts_are_totals_all_else_is_a_level() -> None:
    told = [
        Told(entry("step_count", None), "count", [{"start": "2026-06-02", "value": 8000}]),
        Told(entry("heart_rate", None), "count/min", [{"start": "2026-06-02", "value": 61}]),
        Told(entry("weight_body_mass", None), "kg", [{"value": 80}, {"value": 3, "unit": "st?"}]),
        Told(entry("height", None), "cm", []),
    ]
    found = shown(told=told)
    assert found["totals"] == {"step_count": {"value": 8000, "unit": "count"}}
    assert found["levels"] == {
        "heart_rate": {"value": 61, "unit": "count/min", "aggregate": "avg"},
        "weight_body_mass": {
            "value": 80,
            "unit": "kg",
            "aggregate": "last",
            "also": [{"value": 3, "unit": "st?"}],
        },
    }


def test_the_night_is_the_longest_that_ended_on_the_day() -> None:
    nights = [
        night("06-01 23:00", "06-02 02:00", 3),
        night("06-02 04:00", "06-02 08:30", 4),
        night("06-02 14:00", "06-02 14:30", 0.5, is_nap=True),
        night("06-02 23:00", "06-03 07:00", 8, day=JUNE + 1),
    ]
    found = shown(nights=nights)
    assert found["night"]["total_h"] == 4
    assert [(one["session"], one["total_h"]) for one in found["naps"]] == [
        ("night", 3),
        ("nap", 0.5),
    ]


def test_a_nap_is_never_the_night() -> None:
    found = shown(nights=[night("06-02 14:00", "06-02 16:00", 2, is_nap=True)])
    assert (found["night"], len(found["naps"])) == (None, 1)


def test_a_night_shows_its_times_in_the_offset_of_then() -> None:
    one = night(
        "06-01 23:00",
        "06-02 07:00",
        7.5,
        bed=Stretch(at("06-01 22:30"), at("06-02 07:10")),
        in_bed_h=8.666667,
        hours={"deep": 1, "core": 5, "rem": 1.5, "awake": 0},
        flags=("in_bed_exceeds_span",),
    )
    assert night_view(one, CEST) == {
        "session": "night",
        "day": "2026-06-02",
        "start": "2026-06-01T23:00:00+02:00",
        "end": "2026-06-02T07:00:00+02:00",
        "bed_start": "2026-06-01T22:30:00+02:00",
        "bed_end": "2026-06-02T07:10:00+02:00",
        "total_h": 7.5,
        "in_bed_h": 8.666667,
        "deep_h": 1,
        "core_h": 5,
        "rem_h": 1.5,
        "awake_h": 0,
        "sources": ["Watch"],
        "keys": ["k"],
        "flags": ["in_bed_exceeds_span"],
    }


def test_what_nobody_measured_is_left_out_of_a_night() -> None:
    found = night_view(night("06-01 23:00", "06-02 07:00", None), CEST)
    assert found.keys() == {"session", "day", "start", "end", "sources", "keys"}


def test_workouts_of_the_day_are_shown_without_their_series() -> None:
    runs = [
        workout("06-02 00:10", name="Run", route=[{"latitude": 1}], avgSpeed={"qty": 9}),
        workout("06-01 23:50", name="Walk"),
    ]
    assert shown(workouts=runs)["workouts"] == [
        {"key": "06-02 00:10", "data": {"name": "Run", "avgSpeed": {"qty": 9}}}
    ]
