"""The metric `sleep_analysis`: nights of five generations, segments."""

from __future__ import annotations

from typing import Any

import pytest

from healthlog.hae.sleep import TOTALS
from tests.support.records import night, nights, parsed, rejected, segment, without, word

START, END = "2026-05-03 23:50:00 +0200", "2026-05-04 06:20:00 +0200"
SPAN = "2026-05-03T21:50:00Z|2026-05-04T04:20:00Z"
NIGHT, SEGMENT = night(START, END), segment(START, END)


def key(element: dict[str, object]) -> str:
    found = word(nights(element))
    assert found.kind == "sleep"
    return found.key


@pytest.mark.parametrize(
    "generation",
    [
        {"asleep": 6.1, "inBed": 7, "inBedStart": START, "inBedEnd": END, "inBedSource": "iPhone"},
        {"asleep": 0, "awake": 0.1, "core": 3, "deep": 1, "rem": 1, "inBed": 8},
        {"core": 3, "deep": 1, "rem": 1, "inBed": 8, "inBedStart": START, "inBedEnd": END},
        {"totalSleep": 5, "core": 3, "deep": 1, "rem": 1, "asleep": 0, "inBed": 0},
        {"date": "2026-05-04"},
        {"date": "2026-05-04 09:03:36 +0200"},
    ],
    ids=range(6),
)
def test_a_night_of_any_generation_is_known_by_start_end_and_sources(
    generation: dict[str, Any],
) -> None:
    assert key({**NIGHT, **generation}) == f"{SPAN}|Watch"


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ({"source": "iPhone|My\u00a0Watch |iPhone"}, "My Watch,iPhone"),
        ({"source": "", "sleepSource": "Watch", "inBedSource": "iPhone"}, "Watch"),
        ({"source": None, "inBedSource": "iPhone"}, "iPhone"),
        ({"source": None}, ""),
        ({"source": 5}, ""),
    ],
)
def test_sources_of_a_night_are_a_set(sources: dict[str, object], expected: str) -> None:
    assert key({**NIGHT, **sources}) == f"{SPAN}|{expected}"


@pytest.mark.parametrize("word_", ["Core", "core", "Kern", "コア睡眠", "Kern\u00a0"])
def test_a_segment_is_known_by_start_end_stage_and_source(word_: str) -> None:
    assert key({**SEGMENT, "value": word_}) == f"{SPAN}|core|Watch"


def test_an_unknown_word_is_kept_in_the_key() -> None:
    assert key({**SEGMENT, "value": "Half  asleep"}) == f"{SPAN}|Half asleep|Watch"
    assert key({**SEGMENT, "value": 3.0}) == f"{SPAN}|3|Watch"


def test_a_body_may_hold_both_kinds() -> None:
    found = parsed(nights(NIGHT, SEGMENT))
    assert [one.key for one in found.records] == [f"{SPAN}|Watch", f"{SPAN}|core|Watch"]


@pytest.mark.parametrize("spelled", [("start", "end"), ("startDate", "endDate")])
def test_a_segment_may_say_start_and_end_in_two_ways(spelled: tuple[str, str]) -> None:
    bare = without(SEGMENT, "startDate", "endDate")
    assert key({**bare, "date": None, spelled[0]: START, spelled[1]: END}).startswith(SPAN)


@pytest.mark.parametrize(
    ("element", "reason"),
    [
        ({"date": "2026-05-05", "totalSleep": 0, "core": 0}, "no_identity"),
        (without(NIGHT, "sleepEnd"), "no_identity"),
        (without(SEGMENT, "endDate"), "no_identity"),
        ({**SEGMENT, "value": ""}, "no_identity"),
        ({**NIGHT, "sleepStart": "2026-05-03"}, "date_without_time"),
        ({**NIGHT, "sleepEnd": "Invalid Date"}, "unreadable_date"),
        ({**NIGHT, "sleepEnd": START, "sleepStart": END}, "ends_before_start"),
        ({**SEGMENT, "startDate": END, "endDate": START}, "ends_before_start"),
    ],
)
def test_without_identity_it_is_rejected(element: dict[str, object], reason: str) -> None:
    found = parsed(nights(element, name="Sleep_Analysis"))
    assert rejected(found) == {"metrics.Sleep_Analysis[0]": reason}
    assert found.metrics.rejections.sections == {"metrics.Sleep_Analysis"}


@pytest.mark.parametrize("nothing", [0, 0.0, -0.0, None, "", float("nan")])
def test_a_night_of_zeros_states_none_of_the_totals(nothing: object) -> None:
    totals = dict.fromkeys(TOTALS, nothing)
    found = word(nights({**NIGHT, **totals, "awake": 0.4, "inBed": 0}))
    assert found.fields.keys() == {*NIGHT, "awake", "inBed"}


def test_absent_totals_are_zeros() -> None:
    found = word(nights({**NIGHT, "core": 0, "deep": 0}))
    assert found.fields.keys() == NIGHT.keys()


@pytest.mark.parametrize("total", TOTALS)
def test_with_one_total_above_zero_the_zeros_are_stated(total: str) -> None:
    totals: dict[str, object] = dict.fromkeys(TOTALS, 0)
    found = word(nights({**NIGHT, **totals, total: 0.5}))
    assert found.fields.keys() >= set(TOTALS)


def test_zeros_of_a_segment_are_kept() -> None:
    assert word(nights({**SEGMENT, "deep": 0})).fields["deep"] == "0"


@pytest.mark.parametrize("units", ["hr", None, ""])
def test_hours_are_understood(units: object) -> None:
    assert "units" not in word(nights(NIGHT, units=units)).fields


def test_another_unit_of_the_metric_is_said_of_each_night() -> None:
    assert word(nights(NIGHT, units="min")).fields["units"] == '"min"'
