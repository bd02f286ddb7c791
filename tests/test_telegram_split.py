"""Texts as messages: in UTF-16 units, cut where a person would cut them."""

from __future__ import annotations

from random import Random

import pytest

from healthlog.transcriber.telegram.split import LONGEST, split, units


@pytest.mark.scenario("telegram", "Text of any length arrives whole")
def test_a_text_of_any_length_arrives_whole() -> None:
    rng = Random(7)
    alphabet = ["ab", "я", "語", "😀", "é", ".", "!", " ", "  ", "\n", "\n\n", "。", "x" * 50]
    for _ in range(300):
        text = "".join(rng.choice(alphabet) for _ in range(rng.randrange(400)))
        longest = rng.randrange(2, 120)
        parts = split(text, longest)
        assert all(0 < units(part) <= longest for part in parts)
        assert all(part == part.strip() for part in parts)
        assert "".join("".join(parts).split()) == "".join(text.split())


def test_a_short_text_is_one_message() -> None:
    assert split("hello there") == ["hello there"]
    assert split("") == []
    assert split(" \n ") == []
    assert split("x" * LONGEST) == ["x" * LONGEST]


def test_the_limit_is_counted_in_utf_16_units() -> None:
    assert units("a😀é") == 4
    assert [units(part) for part in split("😀" * 3000)] == [4000, 2000]
    # Half of a pair of units does not fit.
    assert split("a" + "😀" * 2, 4) == ["a😀", "😀"]


@pytest.mark.parametrize(
    ("text", "longest", "parts"),
    [
        ("One two. Three four\nfive six", 22, ["One two. Three four", "five six"]),
        ("One two. Three four five six", 16, ["One two.", "Three four five", "six"]),
        ("One two three four five six", 16, ["One two three", "four five six"]),
        ("Aaaaa bbbbb", 5, ["Aaaaa", "bbbbb"]),
        ("Ab cdefghijklmnop", 8, ["Ab", "cdefghij", "klmnop"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("晴れた。雨だ。曇りだ", 8, ["晴れた。雨だ。", "曇りだ"]),
        # Too little before it: the paragraph's end is no place to cut.
        ("A.\nBbbb cccc dddd", 14, ["A.\nBbbb cccc", "dddd"]),
    ],
)
def test_it_is_cut_where_a_person_would(text: str, longest: int, parts: list[str]) -> None:
    assert split(text, longest) == parts


def test_half_a_character_is_no_reason_to_lose_the_rest() -> None:
    assert split("a\ud800b") == ["a?b"]
