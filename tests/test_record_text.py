"""The canonical text of a record's field."""

from __future__ import annotations

import json
import math

import pytest

from healthlog.records.text import field_text, meaning, series_length


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5.0, "5"),
        (-0.0, "0"),
        (0, "0"),
        (0.1, "0.1"),
        (False, "false"),
        (True, "true"),
        ("Wörter ", '"Wörter "'),
        ({"b": 1.0, "a": None}, '{"a":null,"b":1}'),
        ([1, [], {"a": ""}], '[1,[],{"a":""}]'),
        ({"a": math.nan, "b": [math.inf, -math.inf]}, '{"a":null,"b":[null,null]}'),
        (2**60, "1.152921504606847e+18"),
        (2**60 + 1, "1152921504606846977"),
        ([10**400], "[null]"),
    ],
)
def test_a_value_is_kept_as_sent(value: object, text: str) -> None:
    assert field_text(value) == text


@pytest.mark.parametrize("value", [None, "", " \u00a0", [], {}, math.nan, math.inf, 10**400])
def test_what_says_nothing_has_no_text(value: object) -> None:
    assert field_text(value) is None


@pytest.mark.parametrize("number", [2**60, 2**60 + 2**40, 10**22])
def test_a_whole_number_is_spelled_as_the_double_it_is(number: int) -> None:
    assert field_text(number) == field_text(float(number))
    assert json.loads(field_text(number) or "") == number


@pytest.mark.parametrize(
    ("value", "length"),
    [
        ([{"date": "x"}, {"timestamp": 5}, {"start": "y"}], 3),
        ([{"date": "x"}, None, {"qty": 1}, {"date": None}], 1),
        ([{"qty": 1}], None),
        (["calm"], None),
        ([], None),
        ({"date": "x"}, None),
        ("date", None),
    ],
)
def test_a_series_is_as_long_as_it_has_samples(value: object, length: int | None) -> None:
    assert series_length(value) == length


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("start", "2026-06-01 12:00:00 +0200", "2026-06-01 06:00:00 -0400"),
        ("start", "2026-06-01 12:00:00 +0200", "2026-06-01T10:00:00Z"),
        ("source", "Watch|iPhone", "iPhone| Watch"),
        ("sleepSource", "A|B", "B|A"),
        ("displayText", "Vitamin D ", "Vitamin D"),
        ("route", [{"timestamp": "2026-06-01 12:00:00 +0200", "source": "A|B", "x": None}],
         [{"timestamp": "2026-06-01T10:00:00Z", "source": "B|A"}]),
    ],
)  # fmt: skip
def test_spellings_of_one_thing_mean_the_same(name: str, one: object, other: object) -> None:
    texts = field_text(one) or "", field_text(other) or ""
    assert texts[0] != texts[1]
    assert meaning(name, texts[0]) == meaning(name, texts[1])


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("start", "2026-06-01 12:00:00 +0200", "2026-06-01 12:00:00 +0100"),
        ("labels", ["a", "b"], ["b", "a"]),
        ("name", "A|B", "B|A"),
        ("qty", 1, True),
        ("date", "2026-06-01", "2026-06-01T00:00:00Z"),
    ],
)
def test_other_things_mean_another(name: str, one: object, other: object) -> None:
    assert meaning(name, field_text(one) or "") != meaning(name, field_text(other) or "")
