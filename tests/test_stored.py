"""JSON read back from a database: as it was written, or damage told without it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from healthlog.base.errors import Damaged
from healthlog.base.stored import items, members, pair, pairs


def test_what_was_written_is_read_back() -> None:
    assert items('["a",1]') == ["a", 1]
    assert pair('[null,["Watch"]]') == (None, ["Watch"])
    assert pairs('[["a","b"]]') == [("a", "b")]
    assert members('{"end":1}') == {"end": 1}
    assert members(None) == {}


@pytest.mark.parametrize("read", [items, pair, pairs, members])
@pytest.mark.parametrize("text", ['["canary', '"canary"', '["canary"]' * 2, "[" * 100_000, ""])
def test_anything_else_is_damage_without_a_word_of_it(
    read: Callable[[str], object], text: str
) -> None:
    with pytest.raises(Damaged) as caught:
        read(text)
    assert "canary" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__


@pytest.mark.parametrize("text", ["[1]", "[1,2,3]", "{}", "[[1]]"])
def test_two_are_neither_one_nor_three(text: str) -> None:
    with pytest.raises(Damaged):
        pair(text)
