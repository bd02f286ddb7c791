"""What a record of sleep adds up to."""

from __future__ import annotations

from typing import Any

import pytest

from healthlog.records.derive_night import of_sleep
from tests.support.records import night, segment

# Eight hours of sleep at most.
BARE = night("2026-05-03 22:00:00 +0200", "2026-05-04 06:00:00 +0200")
STAGES = {"core": 4.0, "deep": 1.0, "rem": 1.5}
IN_BED = {"inBedStart": "2026-05-03 21:30:00 +0200", "inBedEnd": "2026-05-04 06:15:00 +0200"}


def derived(**more: object) -> tuple[dict[str, Any], set[str]]:
    return of_sleep({**BARE, **more})


@pytest.mark.scenario("records", "Sleep that may be the same sleep is not added")
@pytest.mark.parametrize(
    ("said", "total"),
    [
        ({"totalSleep": 6.48, **STAGES, "asleep": 0}, 6.48),
        ({"totalSleep": 6.48, **STAGES, "asleep": 3}, 6.48),
        ({"totalSleep": 0, **STAGES, "asleep": 0}, 6.5),
        ({**STAGES}, 6.5),
        ({"asleep": 6.1}, 6.1),
        ({"asleep": 6.1, "core": 0, "deep": 0, "rem": 0}, 6.1),
        ({**STAGES, "asleep": 0.75}, 7.25),
        ({**STAGES, "asleep": 1.5}, 8.0),
        ({**STAGES, "asleep": 1.5 + 1 / 60}, 8.016667),
        ({"core": 3.3, "deep": 0.86, "rem": 1.26, "asleep": 0}, 5.42),
    ],
)
def test_the_total_is_said_in_the_words_of_each_version(
    said: dict[str, object], total: float
) -> None:
    values, flags = derived(**said)
    assert (values["total_h"], flags) == (total, set())


@pytest.mark.parametrize("said", [{}, {"awake": 0.4}, {"totalSleep": 0, "asleep": 0, "core": 0}])
def test_a_night_that_says_nothing_has_no_total(said: dict[str, object]) -> None:
    assert derived(**said) == ({}, set())


@pytest.mark.scenario("records", "Sleep that may be the same sleep is not added")
@pytest.mark.parametrize(
    "more",
    [
        {"asleep": 1.5 + 2 / 60},
        {"asleep": 0.1, "source": "Watch|iPhone"},
        {"asleep": 0.1, "source": None},
        {"asleep": 1.0, "inBed": 7.0},
        {"asleep": 2.5, **IN_BED},
    ],
    ids=range(5),
)
def test_sleep_that_may_be_the_same_sleep_is_not_added(more: dict[str, object]) -> None:
    values, flags = derived(**STAGES, **more)
    assert values["total_h"] == 6.5
    assert flags == {"asleep_overlaps_stages"}


def test_time_in_bed_leaves_more_room_than_time_asleep() -> None:
    values, flags = derived(**STAGES, asleep=2.2, **IN_BED)
    assert (values["total_h"], flags) == (8.7, set())


@pytest.mark.parametrize(
    ("said", "in_bed"),
    [
        ({**IN_BED, "inBed": 0}, 8.75),
        ({**IN_BED, "inBed": 8.7}, 8.75),
        ({"inBed": 7.9}, 7.9),
        ({"inBed": 7.9, "inBedStart": "Invalid Date", "inBedEnd": "Invalid Date"}, 7.9),
        ({"inBed": 0}, None),
        ({}, None),
    ],
)
def test_time_in_bed_is_from_start_to_end_else_as_said(
    said: dict[str, object], in_bed: float | None
) -> None:
    values, flags = derived(**said)
    assert (values.get("in_bed_h"), flags) == (in_bed, set())


@pytest.mark.parametrize("said", [{**IN_BED, "inBed": 13.7}, {"inBed": 8.1}])
def test_more_time_in_bed_than_there_was_is_doubted(said: dict[str, object]) -> None:
    assert derived(**said)[1] == {"in_bed_exceeds_span"}


def test_a_minute_more_in_bed_is_no_doubt() -> None:
    assert derived(inBed=8 + 1 / 60)[1] == set()


def test_time_in_bed_that_ends_before_it_begins_is_doubted() -> None:
    turned = {"inBedStart": IN_BED["inBedEnd"], "inBedEnd": IN_BED["inBedStart"]}
    values, flags = derived(**turned, inBed=7)
    assert (values, flags) == ({"in_bed_h": 7}, {"in_bed_ends_before_start"})


@pytest.mark.parametrize(
    "hours",
    [{"awake": 24.5}, {"core": -1.0, "deep": 3}, {"inBed": 808_742_334_249_947, "asleep": 7}],
)
def test_hours_that_cannot_be_are_doubted(hours: dict[str, object]) -> None:
    assert "hours_implausible" in derived(**hours)[1]


@pytest.mark.parametrize(
    ("units", "total"), [("min", 390), ("minutes", 390), ("s", 23_400), ("h", 6.5)]
)
def test_another_unit_is_reckoned_in_hours(units: str, total: float) -> None:
    assert derived(totalSleep=total, units=units) == ({"total_h": 6.5}, set())


def test_a_unit_that_nobody_knows_is_taken_for_hours_and_doubted() -> None:
    assert derived(totalSleep=6.5, units="moons") == ({"total_h": 6.5}, {"unit_doubtful"})


@pytest.mark.parametrize("text", ["6.5", True, ["6"]])
def test_what_is_no_number_counts_nothing(text: object) -> None:
    assert derived(totalSleep=text) == ({}, set())


def test_a_segment_has_a_stage() -> None:
    one = segment("2026-05-03 22:00:00 +0200", "2026-05-03 22:30:00 +0200", "Tief")
    assert of_sleep(one) == ({"stage": "deep"}, set())
    assert of_sleep({**one, "value": "Halbschlaf"}) == ({}, {"stage_unknown"})
