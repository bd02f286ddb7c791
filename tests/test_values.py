"""Strict readers of JSON values."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from healthlog.values import (
    NotFinite,
    canonical,
    canonical_object,
    is_empty,
    number,
    shortest,
    source_set,
    words,
)


def nested(levels: int, inner: object = 1) -> Any:
    """`inner` below that many lists and objects, by turns."""
    value = inner
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


@pytest.mark.parametrize(
    ("value", "double"),
    [(5, 5.0), (5.5, 5.5), (0, 0.0), (2**53 + 1, float(2**53)), (10**300, 1e300)],
)
def test_a_number_is_a_double(value: object, double: float) -> None:
    read = number(value)
    assert (read, type(read)) == (double, float)


def test_minus_zero_is_zero() -> None:
    read = number(-0.0)
    assert read is not None
    assert math.copysign(1, read) == 1


@pytest.mark.parametrize("value", [None, True, False, "5", "", [], {}, [5], {"qty": 5}])
def test_what_is_no_number_is_none(value: object) -> None:
    assert number(value) is None


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, -(10**400)])
def test_what_a_double_cannot_hold_is_not_finite(value: object) -> None:
    with pytest.raises(NotFinite):
        number(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("count/min", "count/min"),
        (" a \u00a0 b\u202fc\t", "a b c"),
        ("", None),
        (" \u00a0", None),
        (None, None),
        (5, None),
        (["kcal"], None),
    ],
)
def test_blanks_of_words_are_folded(value: object, text: str | None) -> None:
    assert words(value) == text


@pytest.mark.parametrize(
    ("value", "sources"),
    [
        ("Watch", ("Watch",)),
        ("iPhone|Watch", ("Watch", "iPhone")),
        ("Watch|iPhone", ("Watch", "iPhone")),
        ("Watch|Watch| Watch ", ("Watch",)),
        ("My\u00a0Watch|My Watch", ("My Watch",)),
        ("|Watch||", ("Watch",)),
        ("", ()),
        (" | ", ()),
        (None, ()),
        (5, ()),
        (["Watch"], ()),
        ({"name": "Watch"}, ()),
    ],
)
def test_sources_are_a_sorted_set(value: object, sources: tuple[str, ...]) -> None:
    assert source_set(value) == sources


@pytest.mark.parametrize("value", [None, "", "  ", "\u202f", [], {}])
def test_nothing_is_empty(value: object) -> None:
    assert is_empty(value)


@pytest.mark.parametrize("value", [0, 0.0, False, "0", [None], {"a": None}, [[]]])
def test_zero_and_false_say_something(value: object) -> None:
    assert not is_empty(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5.0, "5"),
        (-0.0, "0"),
        (1e2, "100"),
        (5.5, "5.5"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e22, "1e+22"),
        (2**53, "9007199254740992"),
        (2**60, "1.152921504606847e+18"),
        (True, "true"),
        ("\u00e4", '"\u00e4"'),
        ("\x00\n", '"\\u0000\\n"'),
        ([1.0, None, "", True], '[1,null,"",true]'),
        ({"b": 1, "a": 2.0}, '{"a":2,"b":1}'),
        ({"a": None, "b": "", "c": [], "d": {}, "e": 0}, '{"e":0}'),
        ({"a": {"b": {"c": None}}, "d": [{"e": ""}]}, '{"d":[{}]}'),
        ({"a": math.nan, "b": [math.inf], "c": 10**400}, '{"b":[null]}'),
    ],
)
def test_canonical_text_is_sorted_short_and_without_nothing(value: object, text: str) -> None:
    assert canonical(value) == text


def test_canonical_text_of_canonical_text_is_itself() -> None:
    value = {"b": [1.0, {"z": -0.0, "y": None}], "a": {"k": 1e300, "j": ""}}
    once = canonical(value)
    assert canonical(json.loads(once)) == once


def test_an_object_with_nothing_in_it_has_no_text() -> None:
    assert canonical_object({}) == ""
    assert canonical_object({"a": None, "b": {"c": ""}}) == ""
    assert canonical_object({"a": 0}) == '{"a":0}'


@pytest.mark.parametrize(
    ("value", "short"),
    [(5.0, 5), (5.25, 5.25), (-0.0, 0), (math.inf, None), (math.nan, None), (10**400, None)],
)
def test_the_shortest_number_is_an_integer_where_it_can_be(
    value: float, short: float | None
) -> None:
    assert shortest(value) == short
    assert type(shortest(value)) is type(short)
