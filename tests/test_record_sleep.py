"""Whose sleep a record tells of, in which stage."""

from __future__ import annotations

import pytest

from healthlog.records.sleep import sources, stage, stage_word


def test_sources_are_those_of_the_sleep() -> None:
    both = {"sleepSource": "Watch", "inBedSource": "iPhone"}
    assert sources(both) == ("Watch",)
    assert sources({**both, "source": "B|A"}) == ("A", "B")
    assert sources({}) == ()


@pytest.mark.parametrize(
    ("value", "word", "canonical"),
    [("REM ", "REM", "rem"), ("Half\u00a0asleep", "Half asleep", None), (5, "5", None)],
)
def test_a_stage_is_a_word(value: object, word: str, canonical: str | None) -> None:
    assert stage_word({"value": value}) == word
    assert stage({"value": value}) == canonical
