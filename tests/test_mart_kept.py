"""Memories that can be taken back."""

from __future__ import annotations

import random

import pytest

from healthlog.mart.kept import Kept


@pytest.mark.parametrize("seed", range(30))
def test_what_was_not_kept_is_taken_back(seed: int) -> None:
    chance = random.Random(seed)
    kept: Kept[int, int] = Kept()
    expected: dict[int, int] = {}
    for _ in range(20):
        now = dict(expected)
        for _ in range(chance.randint(0, 12)):
            key, value = chance.randint(0, 5), chance.randint(0, 9)
            if chance.random() < 0.4:
                kept.drop(key)
                now.pop(key, None)
            else:
                kept.put(key, value)
                now[key] = value
            assert {key: kept.get(key) for key in kept} == now
        if chance.random() < 0.5:
            kept.keep()
            expected = now
        else:
            kept.undo()
        assert {key: kept.get(key) for key in kept} == expected
        assert len(kept) == len(expected)


def test_what_is_cleared_does_not_come_back() -> None:
    kept: Kept[str, int] = Kept()
    kept.put("a", 1)
    kept.keep()
    kept.put("b", 2)
    kept.clear()
    kept.undo()
    assert list(kept) == []
