"""Which word wins a field of a record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from healthlog.model import Rank
from healthlog.records.merge import (
    Candidate,
    FieldWord,
    Meeting,
    Standing,
    candidates,
    met,
)
from healthlog.records.text import field_text, series_length
from tests.support.records import parsed, sections, workout

FIRST: Rank = (1, 1, "a")
SECOND: Rank = (2, 2, "b")
LONG = [{"date": "2026-06-01 12:00:00 +0200", "qty": 1}, {"date": "2026-06-01 12:01:00 +0200"}]
SHORT = LONG[:1]


def field(value: object) -> FieldWord:
    text = field_text(value)
    assert text is not None
    return FieldWord(text, series_length(value))


def outcome(meeting: Meeting) -> tuple[str, set[str], set[str]]:
    return meeting.fate, set(meeting.taken), set(meeting.kept)


def said(**fields: Any) -> Candidate:
    return Candidate("workout", "A", {n: field(v) for n, v in fields.items()}, 1, 0)


def stands(rank: Rank, **fields: Any) -> Mapping[str, Standing]:
    return {name: Standing(field(value), rank) for name, value in fields.items()}


def united(*elements: dict[str, object]) -> list[Candidate]:
    return candidates(parsed(sections(workouts=list(elements))).records)


# One delivery against itself


def test_records_are_told_apart_by_their_keys() -> None:
    one, other = united(workout(1), workout(2))
    assert (one.key[-1], other.key[-1]) == ("1", "2")
    assert (one.elements, one.doubles) == (1, 0)


def test_an_element_that_only_repeats_another_is_a_double() -> None:
    [one] = united(workout(), workout(blank=""), workout(name="Walk"), workout())
    assert (one.elements, one.doubles) == (2, 2)


def test_of_two_elements_the_first_place_counts() -> None:
    [one] = united(workout(name="Walk"), workout(name="Run", more=1))
    assert (one.fields["name"].text, one.fields["more"].text) == ('"Walk"', "1")


@pytest.mark.parametrize("order", [(LONG, SHORT), (SHORT, LONG), (LONG, {"qty": 5}), ([5], LONG)])
def test_of_two_elements_the_longer_series_counts(order: tuple[object, object]) -> None:
    [one] = united(*(workout(activeEnergy=value) for value in order))
    assert json.loads(one.fields["activeEnergy"].text) == LONG


# One delivery against what stands


def test_a_record_that_is_not_there_is_new() -> None:
    meeting = met(said(a=1, b=2), FIRST, None)
    assert outcome(meeting) == ("new", {"a", "b"}, set())


@pytest.mark.parametrize(
    ("mine", "theirs", "fate"),
    [(SECOND, FIRST, "changed"), (FIRST, SECOND, "outdated")],
)
def test_a_field_goes_by_rank(mine: Rank, theirs: Rank, fate: str) -> None:
    meeting = met(said(a=1), mine, stands(theirs, a=2))
    assert outcome(meeting)[:2] == (fate, {"a"} if fate == "changed" else set())


@pytest.mark.parametrize("value", [0, False, [1], "x"])
def test_a_field_that_nobody_told_is_taken_whatever_the_rank(value: object) -> None:
    meeting = met(said(a=value), FIRST, stands(SECOND, b=2))
    assert outcome(meeting)[:2] == ("changed", {"a"})


@pytest.mark.parametrize(
    ("mine", "theirs", "wins"),
    [
        (LONG, SHORT, True),
        (SHORT, LONG, False),
        (SHORT, {"qty": 5}, True),
        ({"qty": 5}, SHORT, False),
        (["calm"], SHORT, False),
        (SHORT, ["calm"], True),
    ],
)
@pytest.mark.parametrize("rank", [FIRST, SECOND])
def test_a_series_goes_by_length_and_before_all_else(
    mine: object, theirs: object, wins: bool, rank: Rank
) -> None:
    other = SECOND if rank == FIRST else FIRST
    meeting = met(said(a=mine), rank, stands(other, a=theirs))
    assert outcome(meeting)[:2] == (("changed", {"a"}) if wins else ("outdated", set()))


@pytest.mark.parametrize("value", [[1, 2, 3], [], {"b": 1}])
def test_other_lists_go_by_rank(value: list[object]) -> None:
    mine = said(a=["calm"])
    if value:
        assert met(mine, SECOND, stands(FIRST, a=value)).taken == {"a"}
        assert met(mine, FIRST, stands(SECOND, a=value)).taken == set()


def test_series_of_one_length_go_by_rank() -> None:
    other = [{"date": "2026-06-01 12:00:00 +0200", "qty": 2}]
    assert met(said(a=SHORT), SECOND, stands(FIRST, a=other)).taken == {"a"}
    assert met(said(a=SHORT), FIRST, stands(SECOND, a=other)).taken == set()


def test_an_equal_word_of_higher_rank_is_the_same_and_raises_the_rank() -> None:
    meeting = met(said(a=1, b=LONG), SECOND, stands(FIRST, a=1.0, b=LONG))
    assert outcome(meeting) == ("same", {"a", "b"}, {"a", "b"})
    meeting = met(said(a=1), FIRST, stands(SECOND, a=1))
    assert outcome(meeting) == ("same", set(), set())


@pytest.mark.parametrize("rank", [FIRST, SECOND])
def test_another_spelling_is_the_same_and_stands_by_its_rank(rank: Rank) -> None:
    other = SECOND if rank == FIRST else FIRST
    meeting = met(said(source="B|A"), rank, stands(other, source="A|B"))
    assert (outcome(meeting)[0], outcome(meeting)[2]) == ("same", set())
    assert meeting.taken == ({"source"} if rank == SECOND else set())


def test_one_changed_field_is_enough() -> None:
    theirs = {**stands(SECOND, a=1, c=1), **stands(FIRST, b=1)}
    meeting = met(said(a=1, b=2, c=3), (1, 5, "c"), theirs)
    assert outcome(meeting)[:2] == ("changed", {"b"})


def test_one_outdated_field_among_equal_ones_is_outdated() -> None:
    assert met(said(a=1, b=2), FIRST, stands(SECOND, a=1, b=3)).fate == "outdated"


def test_told_again_by_the_same_delivery_nothing_changes() -> None:
    meeting = met(said(a=1, b=LONG), FIRST, stands(FIRST, a=1, b=LONG))
    assert outcome(meeting)[:2] == ("same", set())
