"""What one merged record says of a night."""

from __future__ import annotations

from typing import Any

import pytest

from healthlog.model import Rank
from healthlog.nights.words import Segment, Summary, is_nap, said
from healthlog.records import derive
from healthlog.records.record import SLEEP, Record
from healthlog.series.buckets import Stretch
from tests.support.lines import CEST, at
from tests.support.records import night, segment

RANK: Rank = (1, 1, "1")
START, END = "2026-06-01 23:00:00 +0200", "2026-06-02 07:00:00 +0200"
SLEPT = Stretch(at("06-01 23:00"), at("06-02 07:00"))


def word(element: dict[str, Any]) -> Segment | Summary | None:
    """What the record of one element says."""
    found = derive.derived(SLEEP, element)
    record = Record(
        SLEEP, "key", found.start_ms, found.end_ms, element, found.values, found.flags, ("1",)
    )
    return said(record, RANK, CEST)


def summary(**more: Any) -> Summary:
    found = word(night(START, END, **more))
    assert isinstance(found, Summary)
    return found


def test_a_segment_says_its_stage() -> None:
    found = word(segment(START, END, "Deep"))
    assert found == Segment("key", ("Watch",), RANK, SLEPT, "deep")


@pytest.mark.parametrize(
    "element",
    [
        segment(START, END, "Moonwalk"),
        segment(START, START, "Core"),
        {"sleepStart": START, "source": "Watch"},
    ],
)
def test_some_records_say_nothing_that_counts(element: dict[str, Any]) -> None:
    assert word(element) is None


def test_a_night_says_its_total_and_stages() -> None:
    found = summary(totalSleep=7.5, core=4.5, deep=1.5, rem=1.5, awake=0.5, asleep=0)
    assert (found.slept, found.asleep_h) == (SLEPT, 7.5)
    assert found.hours == {"core": 4.5, "deep": 1.5, "rem": 1.5, "awake": 0.5}


@pytest.mark.scenario("nights", "Stage that was not measured is absent")
def test_zeros_of_all_stages_mean_that_nobody_measured() -> None:
    found = summary(asleep=6.1, core=0, deep=0, rem=0, awake=0)
    assert (found.asleep_h, found.hours) == (6.1, {"asleep": 6.1})


def test_a_zero_beside_other_stages_was_measured() -> None:
    assert summary(core=6, deep=0, rem=1, awake=0).hours == {
        "core": 6,
        "deep": 0,
        "rem": 1,
        "awake": 0,
    }


def test_a_stage_that_is_not_told_is_absent() -> None:
    assert summary(core=6, rem=1).hours == {"core": 6, "rem": 1}


def test_sleep_that_overlaps_the_stages_is_told_once() -> None:
    found = summary(core=5, deep=1, rem=1, asleep=6)
    assert (found.asleep_h, found.flags) == (7, ("asleep_overlaps_stages",))
    assert "asleep" not in found.hours


def test_hours_are_told_in_whatever_unit() -> None:
    found = summary(totalSleep=420, core=300, rem=120, units="min")
    assert (found.asleep_h, found.hours) == (7, {"core": 5, "rem": 2})


def test_the_time_in_bed_is_what_it_speaks_of_where_it_is_known() -> None:
    bed = {"inBedStart": "2026-06-01 22:30:00 +0200", "inBedEnd": "2026-06-02 07:15:00 +0200"}
    found = summary(totalSleep=7, **bed)
    assert found.stretch == found.bed == Stretch(at("06-01 22:30"), at("06-02 07:15"))
    assert found.in_bed_h == 8.75
    assert summary(totalSleep=7).stretch == SLEPT
    upside_down = {"inBedStart": bed["inBedEnd"], "inBedEnd": bed["inBedStart"]}
    assert summary(totalSleep=7, **upside_down).bed is None


@pytest.mark.parametrize(
    ("start", "end", "nap"),
    [
        ("06-01 09:00", "06-01 12:59", True),
        ("06-01 08:59", "06-01 12:00", False),
        ("06-01 19:59", "06-01 23:00", True),
        ("06-01 20:00", "06-01 21:00", False),
        ("06-01 13:00", "06-01 17:00", False),
    ],
)
def test_a_nap_is_short_by_day(start: str, end: str, nap: bool) -> None:
    assert is_nap(Stretch(at(start), at(end)), CEST) == nap


def test_numbers_of_other_kinds_say_nothing() -> None:
    found = summary(core="much", deep=True, rem=None, totalSleep=7)
    assert (found.asleep_h, found.hours) == (7, {})
