"""Bodies read piece by piece: what they say, and whether they are malformed, is as if whole."""

from __future__ import annotations

import random
from typing import Any

import pytest

from healthlog.hae.arrays import LongArray, Rereader
from healthlog.hae.envelope import Malformed, walked
from healthlog.hae.room import Room
from healthlog.hae.scanner import LONG
from tests.support import whole_body
from tests.support.folding import CASES, no_check
from tests.support.sprouts import Sprout, cut, hurt

BODIES = 250
SEED = 20_261_202


def in_pieces(body: bytes, chance: random.Random) -> list[tuple[str, Any]] | Malformed:
    """What a reading finds that can hold little, looks at little at a time, and gets its bytes by
    the handful."""
    room, span = Room(chance.choice((0, 300, 5_000, 1 << 20))), chance.choice((32, 48, 100, 700))
    rereader = Rereader(lambda: cut(body, random.Random(span)), no_check, span)
    try:
        return [(name, held(value)) for name, value in walked(rereader, room)]
    except Malformed as malformed:
        return malformed


def whole(body: bytes) -> list[tuple[str, Any]] | Malformed:
    try:
        return whole_body.sections(body)
    except Malformed as malformed:
        return malformed


def held(value: Any) -> Any:
    """The same with what was left to be read again."""
    if isinstance(value, LongArray):
        again = [held(one) for one in value]
        assert len(again) == len(value)
        return again
    if isinstance(value, list):
        return [held(one) for one in value]
    return {key: held(one) for key, one in value.items()} if isinstance(value, dict) else value


def agree(read: Any, expected: Any, *, section: str = "") -> bool:
    """Whether a value read in pieces says what it says whole, as far as anybody asks for it."""
    if read is LONG:
        return isinstance(expected, dict | list)
    if section == "appleHealth" and isinstance(read, dict) and isinstance(expected, dict):
        return list(read) == list(expected) and all(
            agree(read[key], expected[key]) for key in expected
        )
    if section == "metrics" and isinstance(expected, list):
        return len(read) == len(expected) and all(map(_same_metric, read, expected))
    return repr(read) == repr(expected)


def _same_metric(read: Any, expected: Any) -> bool:
    if read is LONG:
        return isinstance(expected, list)
    if not isinstance(expected, dict):
        return repr(read) == repr(expected)
    return isinstance(read, dict) and all(
        (key in read) == (key in expected) and agree(read.get(key), expected.get(key))
        for key in ("name", "units", "data")
    )


def check(body: bytes, chance: random.Random) -> bool:
    """Whether a body is malformed, both ways."""
    expected, found = whole(body), in_pieces(body, chance)
    if isinstance(expected, Malformed) or isinstance(found, Malformed):
        assert isinstance(expected, Malformed), body
        assert isinstance(found, Malformed), body
        # Of two faults the other may be told. Later Pythons have another word for a last comma.
        excused = any(word in f"{found}{expected}" for word in ("deep", "trailing comma"))
        assert str(found) == str(expected) or excused, body
        return True
    assert [name for name, _ in found] == [name for name, _ in expected], body
    for (name, read), (_, said) in zip(found, expected, strict=True):
        assert agree(read, said, section=name), (body, name)
    return False


def check_many(seed: int) -> None:
    chance = random.Random(SEED + seed)
    sprout = Sprout(chance)
    malformed = 0
    for _ in range(BODIES):
        body = sprout.body().encode()
        malformed += check(body, chance)
        malformed += check(hurt(body, chance), chance)
    # Of each a good part.
    assert BODIES // 2 < malformed < BODIES * 3 // 2


@pytest.mark.scenario("fold", "Body in pieces says what it says whole")
@pytest.mark.parametrize("seed", range(4))
def test_a_random_body_says_in_pieces_what_it_says_whole(seed: int) -> None:
    check_many(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4, 84))
def test_twenty_thousand_bodies_say_in_pieces_what_they_say_whole(seed: int) -> None:
    check_many(seed)


@pytest.mark.parametrize("name", sorted(path.name for path in CASES.glob("*.json")))
def test_every_case_says_in_pieces_what_it_says_whole(name: str) -> None:
    body = (CASES / name).read_bytes()
    for seed in range(20):
        check(body, random.Random(seed))
        check(hurt(body, random.Random(seed)), random.Random(seed))
