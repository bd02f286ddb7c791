"""The outermost shape of a body."""

from __future__ import annotations

import json

import pytest

from healthlog.hae.depth import DEEPEST
from healthlog.hae.envelope import SECTIONS, Malformed, sections
from healthlog.hae.parse import parse
from tests.support.folding import body, metric, no_check, point


def names(text: str | bytes) -> list[str]:
    return [name for name, _ in sections(text.encode() if isinstance(text, str) else text)]


def test_sections_are_the_members_of_data() -> None:
    assert sections(b'{"data":{"metrics":[1],"news":{"a":2}}}') == [
        ("metrics", [1]),
        ("news", {"a": 2}),
    ]


def test_without_data_they_are_the_members_of_the_body() -> None:
    assert names('{"metrics":[1],"news":[2]}') == ["metrics", "news"]


def test_known_sections_beside_data_count_too() -> None:
    assert names('{"data":{"metrics":[1]},"workouts":[2],"version":3}') == ["metrics", "workouts"]
    assert names('{"data":{"metrics":[1]},"metrics":[2]}') == ["metrics", "metrics"]
    assert names('{"data":null,"ecg":[1],"symptoms":[]}') == ["ecg"]


def test_sections_come_in_the_order_of_the_body() -> None:
    text = '{"metrics":[1],"data":{"news":[2],"metrics":[3]},"ecg":[4]}'
    assert sections(text.encode()) == [
        ("metrics", [1]),
        ("news", [2]),
        ("metrics", [3]),
        ("ecg", [4]),
    ]


@pytest.mark.parametrize("empty", ["null", "{}", "[]"])
def test_data_may_be_empty(empty: str) -> None:
    assert names('{"data":' + empty + "}") == []


@pytest.mark.parametrize("value", ['""', '" "', '"text"', "0", "1", "false", "true", "[1]", "[[]]"])
def test_data_of_any_other_kind_is_malformed(value: str) -> None:
    with pytest.raises(Malformed, match="`data`"):
        sections(b'{"data":' + value.encode() + b"}")


@pytest.mark.parametrize("value", ["null", '""', '" "', "[]", "{}"])
def test_an_empty_section_is_none(value: str) -> None:
    assert names('{"data":{"metrics":' + value + ',"news":' + value + "}}") == []


@pytest.mark.parametrize("value", ["0", "false", '"x"', "[null]", '{"a":null}'])
def test_anything_else_is_a_section(value: str) -> None:
    assert names('{"data":{"news":' + value + "}}") == ["news"]


def test_of_equal_keys_the_last_counts() -> None:
    assert names('{"data":{"metrics":[1]},"data":{"news":[2]}}') == ["news"]
    assert sections(b'{"data":{"news":[1],"news":[2]}}') == [("news", [2])]


def test_a_byte_order_mark_is_skipped() -> None:
    assert names(b'\xef\xbb\xbf{"metrics":[1]}') == ["metrics"]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"null",
        b'"data"',
        b"{",
        b'{"data":{}}x',
        b"{'data':{}}",
        b'{"data":{"metrics":[1,]}}',
        b'{"data":{"metrics":["\xff"]}}',
        b'{"data":{"metrics":["\xed\xa0\x80"]}}',
        '{"data":{}}'.encode("utf-16"),
    ],
)
def test_what_is_no_json_object_is_malformed(text: bytes) -> None:
    with pytest.raises(Malformed):
        sections(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"data":{"news":["\\ud800"]}}',
        '{"data":{"news":["\\uDFFF x"]}}',
        '{"data":{"news":["\\udc00\\ud800"]}}',
        '{"data":{"\\ud83d":1}}',
        '{"data":{"metrics":[]},"unread":"\\ud800"}',
    ],
)
def test_half_a_surrogate_pair_is_malformed(text: str) -> None:
    with pytest.raises(Malformed, match="surrogate"):
        sections(text.encode())


def test_a_whole_surrogate_pair_is_a_character() -> None:
    assert sections(b'{"news":["\\ud83d\\ude00","\\\\ud800"]}') == [
        ("news", ["\U0001f600", "\\ud800"])
    ]


def test_an_integer_of_ten_thousand_digits_is_malformed() -> None:
    with pytest.raises(Malformed, match="number"):
        sections(b'{"news":[' + b"9" * 10_000 + b"]}")


@pytest.mark.parametrize("brackets", [("[", "]"), ('{"a":', "}")])
def test_a_hundred_thousand_levels_are_malformed(brackets: tuple[str, str]) -> None:
    left, right = brackets
    text = '{"news":' + left * 100_000 + "1" + right * 100_000 + "}"
    with pytest.raises(Malformed, match="deep"):
        sections(text.encode())


def test_nan_and_infinity_are_read() -> None:
    assert names('{"news":[NaN,Infinity,-Infinity]}') == ["news"]


def test_no_message_holds_data_of_the_body() -> None:
    for text in (b'{"secret":1', b'{"data":"secret"}', b'{"secret":"\\ud800"}', b'"secret"'):
        with pytest.raises(Malformed) as caught:
            sections(text)
        assert "secret" not in str(caught.value)


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("levels", [DEEPEST + 1, DEEPEST + 100, 980, 2_000])
@pytest.mark.parametrize("place", range(11))
def test_too_deep_is_malformed_wherever_it_stands(levels: int, place: int) -> None:
    deep, good = "@", point("2026-05-03 07:00:00 +0200")
    text = [
        body(news=deep),
        body(metric("step_count", {**good, "note": deep})),
        body(metric("step_count", {**good, "qty": deep})),
        body(metric("step_count", {"qty": 1, "note": deep})),
        body(metric("step_count", deep)),
        body(metric("step_count", good, note=deep)),
        body(metric("step_count", good, units=deep)),
        body(metric(deep, good)),
        body(deep),
        body(metric("sleep_analysis", deep)),
        body({"name": "step_count", "data": {"a": deep}}),
    ][place]
    deep_text = text.replace(b'"@"', b"[" * levels + b"]" * levels)
    with pytest.raises(Malformed, match="deep"):
        parse(deep_text, None, no_check)


def test_sixty_levels_are_no_matter() -> None:
    good = point("2026-05-03 07:00:00 +0200", note=nested(60))
    found = parse(body(metric("step_count", good), news=nested(60)), None, no_check)
    assert found.unread == {"news"}
    assert found.metrics.rejections.listed == []


def test_the_known_sections_are_the_phones() -> None:
    assert json.dumps(sorted(SECTIONS)) == json.dumps(
        ["cycleTracking", "ecg", "heartRateNotifications", "medications", "metrics",
         "stateOfMind", "symptoms", "workouts"]
    )  # fmt: skip
