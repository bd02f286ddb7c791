"""What reading remembers from body to body changes nothing of what is read."""

from __future__ import annotations

import random
from typing import Any

import pytest

from healthlog.hae.memory import Memory, key_of
from healthlog.hae.parse import Parsed, parse
from tests.support.folding import no_check
from tests.support.records import nights, rejected, sections, segment, workout

START, END = "2026-06-01 02:00:00 +0200", "2026-06-01 02:30:00 +0200"
END_MS = 1_780_273_800_000
ONE = segment(START, END)


def read(content: bytes, memory: Memory, latest_ms: int | None = None) -> Parsed:
    return parse(content, latest_ms, no_check, memory=memory)


def told(found: Parsed) -> tuple[object, ...]:
    return found.records, rejected(found), found.metrics.received, found.unread


def is_read_as_ever(memory: Memory, content: bytes, latest_ms: int | None = None) -> bool:
    fresh = parse(content, latest_ms, no_check)
    return told(read(content, memory, latest_ms)) == told(fresh)


@pytest.mark.parametrize(
    "other",
    [
        {**ONE, "qty": 1},
        {**ONE, "qty": 1.0},
        {**ONE, "qty": True},
        {**ONE, "qty": "1"},
        {**ONE, "qty": 0.0},
        {**ONE, "qty": -0.0},
        {**ONE, "qty": False},
        {**ONE, "qty": None},
        {"qty": 1, **ONE},
        {**ONE, "Qty": 1},
        {**ONE, "qty": [1]},
        {**ONE, "qty": {"1": 1}},
        {**ONE, "value": "Deep"},
        {**ONE, "source": "Phone"},
        {**ONE, "endDate": "2026-06-01T00:30:00Z"},
        {**ONE, "endDate": "yesterday"},
        {**ONE, "startDate": None},
    ],
)
def test_another_element_is_read_as_another(other: dict[str, Any]) -> None:
    memory = Memory()
    for one in (ONE, {**ONE, "qty": 1}, {**ONE, "qty": 1.0}, other, ONE):
        assert is_read_as_ever(memory, nights(one))


def test_an_element_is_known_again_wherever_it_stands() -> None:
    memory = Memory()
    read(nights(ONE), memory)
    later = segment(END, "2026-06-01 03:00:00 +0200", "Deep")
    assert is_read_as_ever(memory, nights(later, ONE, ONE, 5))
    assert is_read_as_ever(memory, sections(workouts=[workout()], metrics=[]))


def test_the_same_members_in_another_section_are_another_thing() -> None:
    memory = Memory()
    both: dict[str, object] = {**workout(), "startDate": START, "endDate": END, "value": "Core"}
    for content in (
        nights(both),
        sections(workouts=[both]),
        sections(symptoms=[both]),
        sections(ecg=[both]),
        nights(both, units="min"),
    ):
        assert is_read_as_ever(memory, content)


def test_what_was_believed_once_is_not_for_ever() -> None:
    memory = Memory()
    for latest_ms in (None, END_MS, END_MS - 1, END_MS, None):
        assert is_read_as_ever(memory, nights(ONE), latest_ms)
    assert rejected(read(nights(ONE), memory, END_MS - 1)) != {}


@pytest.mark.scenario("fold", "Element known again is read as ever")
def test_random_elements_are_read_as_ever() -> None:
    chance, memory = random.Random(7), Memory()
    values = [None, "", "x", 0, 0.0, -0.0, 1, 1.0, True, False, 2**53, 2.0**53, 2**53 + 1, "1"]
    for _ in range(400):
        more = {f"m{n}": chance.choice(values) for n in range(chance.randrange(3))}
        names = chance.sample([*ONE, *more], len(ONE) + len(more))
        element = {name: {**ONE, **more}[name] for name in names}
        assert is_read_as_ever(memory, nights(element, *chance.choices([ONE, element], k=2)))


@pytest.mark.parametrize(
    "long", [{"a": "x" * 4_000}, {"a": " " * 4_000}, {"a" * 4_000: 1}, {"a": 10**4_200}]
)
def test_nothing_long_is_remembered(long: dict[str, object]) -> None:
    memory = Memory()
    assert is_read_as_ever(memory, nights({**ONE, **long}))
    assert memory._words == {}


def test_not_more_than_a_few_thousand_are_remembered() -> None:
    memory = Memory()
    for begin in range(0, 5_000, 500):
        read(nights(*({**ONE, "qty": number} for number in range(begin, begin + 500))), memory)
        assert 0 < len(memory._words) <= 2_000


def test_what_is_not_flat_has_no_key() -> None:
    assert key_of("sleep", {"a": []}) is key_of("sleep", {"a": {}}) is None
    assert key_of("sleep", {"a": 1}) == key_of("sleep", {"a": 1}) != key_of("ecg", {"a": 1})
