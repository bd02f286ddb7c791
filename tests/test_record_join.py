"""Records that tell of one thing twice, shown as one."""

from __future__ import annotations

from typing import Any

import pytest

from healthlog.records.derive import derived
from healthlog.records.join import is_loose, joined, mate, shown
from healthlog.records.record import Record
from tests.support.records import without, workout

V2 = workout()
V1 = without(V2, "id")
DOSE = {"displayText": "Vitamin D ", "start": "2026-06-01 08:10:00 +0200"}
SCHEDULED = {**DOSE, "displayText": "Vitamin D", "scheduledDate": "2026-06-01 08:00:00 +0200"}
OTHER_OFFSET = {"start": "2026-06-01 06:00:00 -0400", "end": "2026-06-01 06:30:00 -0400"}


def record(kind: str, key: str, data: dict[str, Any], *speakers: str) -> Record:
    found = derived(kind, data)
    return Record(
        kind, key, found.start_ms, found.end_ms, data, found.values, found.flags, speakers
    )


def keys(records: list[Record]) -> list[str]:
    return [one.key for one in records]


def test_workouts_of_one_start_and_end_are_mates() -> None:
    assert mate("workout", V2) == mate("workout", {**V1, **OTHER_OFFSET}) is not None
    assert mate("workout", {**V2, "end": "2026-06-01 12:30:01 +0200"}) != mate("workout", V2)
    assert mate("workout", without(V2, "end")) is None


def test_doses_of_one_name_and_start_are_mates() -> None:
    assert mate("medication", DOSE) == mate("medication", SCHEDULED) is not None
    assert mate("medication", {**DOSE, "displayText": "Iron"}) != mate("medication", DOSE)
    assert mate("medication", without(SCHEDULED, "start")) is None


@pytest.mark.parametrize("kind", ["sleep", "ecg", "symptom"])
def test_nothing_else_has_mates(kind: str) -> None:
    assert mate(kind, {**V2, **DOSE}) is None
    assert not is_loose(kind, {})


def test_loose_is_what_has_no_identity_of_its_own() -> None:
    assert [is_loose("workout", one) for one in (V1, V2)] == [True, False]
    assert [is_loose("medication", one) for one in (DOSE, SCHEDULED)] == [True, False]
    assert is_loose("medication", {**DOSE, "scheduledDate": "soon"})


def test_a_workout_without_id_fills_the_gaps_of_one_that_has_it() -> None:
    host = record("workout", "A", {**V2, "distance": 5}, "2", "3")
    loose = record("workout", "x", {**V1, "distance": 4, "speed": {"qty": 5, "units": "m/hr"}}, "1")
    [one] = shown([loose, host])
    assert one.data == {**host.data, "speed": {"qty": 5, "units": "m/hr"}}
    assert (one.key, one.flags, one.delivery_ids) == ("A", ("unit_doubtful",), ("1", "2", "3"))


def test_of_several_with_an_id_the_least_is_filled() -> None:
    loose = record("workout", "x", {**V1, "more": 1})
    found = shown([record("workout", "B", V2), loose, record("workout", "A", V2)])
    assert [(one.key, "more" in one.data) for one in found] == [("B", False), ("A", True)]


def test_of_several_without_an_id_the_first_key_that_has_a_field_fills_it() -> None:
    loose = [record("workout", key, {**V1, key: 1, "more": key}) for key in ("z", "y")]
    [one] = shown([*loose, record("workout", "A", V2)])
    assert one.data == {**V2, "z": 1, "y": 1, "more": "y"}


def test_without_a_mate_everything_is_listed_in_its_order() -> None:
    some = [
        record("workout", "x", {**V1, "end": "2026-06-01 13:00:00 +0200"}),
        record("workout", "A", V2),
        record("medication", "y", DOSE),
        record("workout", "B", without(V2, "start")),
    ]
    assert keys(shown(some)) == ["x", "A", "y", "B"]


def test_two_without_identity_of_their_own_are_both_listed() -> None:
    both = [record("workout", "x", V1), record("workout", "y", {**V1, "name": "Gehen"})]
    assert shown(both) == both


def test_a_dose_without_scheduled_date_fills_the_gaps_of_the_one_that_has_it() -> None:
    host = record("medication", "b", {**SCHEDULED, "dosage": 1}, "2")
    [one] = shown([host, record("medication", "a", {**DOSE, "status": "Taken"}, "1")])
    assert (one.key, one.derived) == ("b", {"status": "taken"})
    assert one.data["displayText"] == "Vitamin D"


def test_with_nothing_to_fill_a_record_stays_as_it_is() -> None:
    one = record("workout", "A", V2)
    assert joined(one, []) is one
