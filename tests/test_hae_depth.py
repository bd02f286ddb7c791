"""How deep a body nests."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from healthlog.hae.depth import DEEPEST, nests_too_deep


def lists(levels: int) -> str:
    return "[" * levels + "]" * levels


def depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        '["text", {}, 1]',
        '{{"a": {}}}',
        '{{"a\\"[[": {}, "b": "]]}}"}}',
        '{{"a\\\\": {}, "b": "\\\\"}}',
        '{{"kcal\\/hr": {}, "\\u005b": 1}}',
        '{{"a": "", "b": ["", {}, "[", "", "]"]}}',
        '{{"data": {}, "data": 1}}',
    ],
)
def test_the_line_is_drawn_at_one_level_whatever_stands_around(frame: str) -> None:
    around = depth(json.loads(frame.format("[]"), object_pairs_hook=list_of_values)) - 1
    assert not nests_too_deep(frame.format(lists(DEEPEST - around)).encode())
    assert nests_too_deep(frame.format(lists(DEEPEST - around + 1)).encode())


def list_of_values(pairs: list[tuple[str, Any]]) -> Any:
    """Keeps what equal keys would hide, for it nests in the text all the same."""
    return [value for _, value in pairs]


def test_brackets_inside_of_strings_do_not_nest() -> None:
    inside = "[" * 500 + "{" * 500
    for text in (inside, inside + '"', inside + "\\", "\\" + inside, '"' + inside):
        assert not nests_too_deep(json.dumps({"a": text, "b": [text, ""]}).encode())


def test_breadth_is_not_depth() -> None:
    assert not nests_too_deep(json.dumps([[{}] * 1_000] * 100).encode())


@pytest.mark.parametrize("levels", [DEEPEST + 1, 1_500, 100_000])
def test_mixed_brackets_nest_alike(levels: int) -> None:
    text = '{"a":[' * (levels // 2 + 1) + "]}" * (levels // 2 + 1)
    assert nests_too_deep(text.encode())


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[]" + "[" * 500, "{" * 101])
def test_what_is_opened_only_nests_too(text: str) -> None:
    """It is no JSON; the decoder would run out of stack before it could say so."""
    assert nests_too_deep(text.encode())


@pytest.mark.parametrize("text", ["[" * 100, "[" * 90 + "}" * 90, "]" * 500, "[}" * 500])
def test_what_the_decoder_can_refuse_is_left_to_it(text: str) -> None:
    assert not nests_too_deep(text.encode())
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)


def test_depth_is_counted_over_pieces() -> None:
    broad = "[" + "[]," * 900_000
    assert nests_too_deep((broad + "[" * DEEPEST + "]" * (DEEPEST + 1)).encode())
    assert not nests_too_deep((broad + "[" * (DEEPEST - 1) + "]" * DEEPEST).encode())


def test_random_texts_are_measured_as_decoded() -> None:
    chance = random.Random(4)
    for _ in range(300):
        value = sprout(chance, chance.choice((3, DEEPEST - 2, DEEPEST + 2)))
        assert nests_too_deep(json.dumps(value).encode()) == (depth(value) > DEEPEST)


def sprout(chance: random.Random, levels: int) -> object:
    value: object = chance.choice((1, "x", '"[', "\\", []))
    for _ in range(levels):
        word = chance.choice(("a", '"', "[{", "\\", "}]", "", "/"))
        value = chance.choice(([word, value], {word: value, "other": word}, [value, [], {}]))
    return value
