"""Answers of days as texts."""

from __future__ import annotations

import pytest

from healthlog.base.errors import Damaged
from healthlog.series.answer import Answer
from healthlog.series.buckets import midnight_ms
from healthlog.series.counted import answer_of, text_of
from healthlog.series.tally import Stat, Tally

DATE = 20_605


def an_answer() -> Answer:
    tally = Tally(
        {
            None: (Stat([0.1, 0.2, -0.0], 3, None, 1e300, 5, 0.2), Stat()),
            "kJ": (Stat([float("inf")], 1, -1.5, 7.25, None, None), Stat([5e-324], 9)),
        },
        {("Watch", "Часы\u00a0— проба")},
    )
    end_ms = midnight_ms(DATE + 1, 120)
    rank = (1_780_000_000_000_000, -7, "20260601T000000Z-00000000")
    return Answer(DATE, end_ms, frozenset(("hour", "raw")), tally, rank, 5, 120, 3)


def test_an_answer_comes_back_as_it_was() -> None:
    before = an_answer()
    [sources] = before.tally.sources
    assert answer_of(text_of(before), DATE, before.layers, sources) == before


@pytest.mark.parametrize(
    "text", ["", "[", "{}", "[1,2,3]", "[1,2,3,[1,2],[]]", "[1,2,3,4,5]", "[1,2,3,[1,2,3],[[1]]]"]
)
def test_a_spoiled_text_is_damage_and_never_quoted(text: str) -> None:
    with pytest.raises(Damaged) as caught:
        answer_of(text, DATE, (), ())
    assert caught.value.__cause__ is None
