"""How the amounts of a day lie in its minutes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.demo.life import Day

MINUTES = 1_440

Sample = tuple[int, float]
"""Minute of the day, value."""

Spread = Callable[[], list[Sample]]
"""The minutes of an amount, worked out only where they are sent; their sum is the day's."""


def shared(total: float, weights: Sequence[float]) -> list[Sample]:
    """Every minute by its weight."""
    whole = sum(weights)
    if not whole:
        return []
    return [(n, total * weight / whole) for n, weight in enumerate(weights) if weight]


def picked(chance: random.Random, total: float, count: int, among: range) -> list[Sample]:
    """So many minutes, each with its share."""
    return [(minute, total / count) for minute in times(chance, among, count)]


def times(chance: random.Random, among: range, count: int) -> list[int]:
    """Different minutes, in their order."""
    return sorted(chance.sample(among, min(count, len(among))))


def always() -> list[float]:
    return [1.0] * MINUTES


def on_foot(chance: random.Random, day: Day) -> list[float]:
    found = [0.0] * MINUTES
    for start, length, weight in day.bursts:
        for minute in range(start, min(start + length, MINUTES)):
            found[minute] += weight * chance.uniform(0.6, 1.1)
    return found


def moving(chance: random.Random, day: Day) -> list[float]:
    """On foot, in a workout, a little in every minute awake."""
    found = on_foot(chance, day)
    for minute in range(day.awake, MINUTES - 60):
        found[minute] += 0.06
    if day.outing is not None:
        for minute in range(day.outing.start, day.outing.end):
            found[minute] = 2.4 * chance.uniform(0.8, 1.1)
    return found


def in_the_outing(day: Day) -> list[float]:
    outing = day.outing
    assert outing is not None
    return [float(outing.start <= minute < outing.end) for minute in range(MINUTES)]
