"""The account, part by part: what is counted where, what of it is history."""

from __future__ import annotations

from healthlog.account import Fates, with_history
from healthlog.coverage import Coverage
from healthlog.merge import CHANGED, NEW, OUTDATED, SAME
from healthlog.model import Counts

TWO = Coverage({1: frozenset(("metrics",)), 2: frozenset(("workouts",))})
STOOD = {"metrics": Counts(received=3, new=1, changed=1, rejected=1)}


def test_elements_are_counted_in_the_part_they_belong_to() -> None:
    fates = Fates(TWO)
    fates.take("metrics.step_count", {NEW: 2, SAME: 1})
    fates.take("metrics.heart_rate", {NEW: 1, CHANGED: 2, OUTDATED: 1}, incomparable=2)
    fates.take("workouts", {NEW: 1})
    fates.reject({"metrics.step_count": 1, "workouts": 1})
    assert fates.by_part() == {
        "metrics": Counts(8, new=3, changed=2, same=1, outdated=1, rejected=1, incomparable=2),
        "workouts": Counts(2, new=1, rejected=1),
    }


def test_a_part_without_elements_is_none() -> None:
    fates = Fates(TWO)
    fates.take("metrics.step_count", {NEW: 0})
    assert fates.by_part() == {}


def test_what_was_counted_keeps_its_fates_and_news_have_those_of_now() -> None:
    now = {"metrics": Counts(received=3, same=2, rejected=1), "workouts": Counts(2, new=2)}
    assert with_history(now, STOOD) == {**STOOD, "workouts": Counts(2, new=2)}


def test_a_part_of_other_elements_has_no_history() -> None:
    more = {"metrics": Counts(received=4, same=3, rejected=1)}
    fewer_rejected = {"metrics": Counts(received=3, same=3)}
    for now in (more, fewer_rejected, {}):
        assert with_history(now, STOOD) == now


def test_counts_add_up_field_by_field() -> None:
    assert Counts(3, 1, 1, 1) + Counts(4, 1, outdated=2, rejected=1, incomparable=1) == Counts(
        7, 2, 1, 1, 2, 1, 1
    )
