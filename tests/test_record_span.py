"""When a record begins or ends, by its fields."""

from __future__ import annotations

import pytest

from healthlog.records.record import KINDS, MEDICATION, SLEEP
from healthlog.records.span import Instant, is_segment
from tests.support.records import span_of

EARLY, LATE = "2026-06-01 12:00:00 +0200", "2026-06-01T11:00:00Z"
NOON = Instant(1_780_308_000_000, 120)
ONE = Instant(1_780_311_600_000, None)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != SLEEP])
@pytest.mark.parametrize(("first", "last"), [("start", "end"), ("startDate", "endDate")])
def test_start_and_end_have_two_spellings(kind: str, first: str, last: str) -> None:
    assert span_of(kind, {first: EARLY, last: LATE}) == (NOON, ONE)


def test_a_night_is_as_long_as_its_sleep() -> None:
    fields = {"sleepStart": EARLY, "sleepEnd": LATE, "start": LATE, "date": LATE, "value": "Core"}
    assert span_of(SLEEP, fields) == (NOON, ONE)


def test_a_segment_is_as_long_as_it_says() -> None:
    assert span_of(SLEEP, {"startDate": EARLY, "endDate": LATE, "value": "Core"}) == (NOON, ONE)


@pytest.mark.parametrize("sleep_start", [None, "", " "])
def test_a_segment_has_a_value_without_a_start_of_sleep(sleep_start: object) -> None:
    assert is_segment({"value": "Core", "sleepStart": sleep_start})
    assert not is_segment({"value": "", "sleepStart": sleep_start})
    assert not is_segment({"value": "Core", "sleepStart": EARLY})


def test_a_dose_stands_where_it_was_taken_else_where_it_was_scheduled() -> None:
    assert span_of(MEDICATION, {"start": EARLY, "scheduledDate": LATE}).start == NOON
    assert span_of(MEDICATION, {"scheduledDate": LATE}).start == ONE


@pytest.mark.parametrize("nothing", [None, "", "yesterday", 5, [], {}, "2026-06-01"])
def test_what_is_no_instant_is_not_known(nothing: object) -> None:
    assert span_of("ecg", {"start": nothing, "end": nothing}) == (None, None)
    assert span_of("ecg", {"start": nothing, "startDate": EARLY}).start == NOON
