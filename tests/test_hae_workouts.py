"""The section `workouts`."""

from __future__ import annotations

import pytest

from tests.support.records import parsed, rejected, sections, without, word, workout

V2 = workout()
V1 = without(V2, "id")


def key(**element: object) -> str:
    return word(sections(workouts=[element])).key


@pytest.mark.parametrize(
    ("own", "expected"),
    [("0c0c-a", "0C0C-A"), (" 0C0C-A ", "0C0C-A"), (7, "7")],
)
def test_a_workout_with_an_id_is_known_by_it_in_upper_case(own: object, expected: str) -> None:
    assert key(**{**V2, "id": own}) == expected


@pytest.mark.parametrize("own", [None, "", " ", True, ["A"]])
def test_without_an_id_it_is_known_by_name_start_and_end(own: object) -> None:
    assert key(**{**V1, "id": own}) == "Walking|2026-06-01T10:00:00Z|2026-06-01T10:30:00Z"


def test_of_its_name_blanks_are_folded() -> None:
    assert key(**{**V1, "name": " Outdoor\u00a0\u202f Run "}).startswith("Outdoor Run|")


def test_another_offset_is_the_same_workout() -> None:
    moved = {"start": "2026-06-01 06:00:00 -0400", "end": "2026-06-01 06:30:00 -0400"}
    assert key(**{**V1, **moved}) == key(**V1)


def test_with_an_id_nothing_else_is_needed() -> None:
    assert key(id="A") == "A"


@pytest.mark.parametrize(
    ("part", "value", "reason"),
    [
        ("name", None, "no_identity"),
        ("name", " ", "no_identity"),
        ("name", 5, "no_identity"),
        ("start", None, "no_identity"),
        ("end", "", "no_identity"),
        ("start", "yesterday", "unreadable_date"),
        ("end", 5, "unreadable_date"),
        ("end", ["x"], "unreadable_date"),
        ("start", "2026-06-01", "date_without_time"),
    ],
)
def test_without_identity_it_is_rejected(part: str, value: object, reason: str) -> None:
    found = parsed(sections(workouts=[{**V1, part: value}]))
    assert rejected(found) == {"workouts[0]": reason}
    assert found.metrics.rejections.sections == {"workouts"}
