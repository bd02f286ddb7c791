"""The heart through a day, as a watch measures it."""

from __future__ import annotations

from tests.demo.life import Day, drawn

Beat = tuple[int, float, float, float]
"""Minute of the day, least, average, greatest."""


def resting(seed: int, day: Day) -> float:
    """Falls a little through a year of running; rises with a fever."""
    chance = drawn(seed, day.date, "resting")
    return round(58.5 - 3.5 * day.progress + (8 if day.ill else 0) + chance.gauss(0, 1.1))


def beats(seed: int, day: Day) -> list[Beat]:
    """Every minute of a workout, every few minutes else; nothing unless the watch was worn."""
    if not day.worn:
        return []
    chance = drawn(seed, day.date, "beats")
    rest = resting(seed, day)
    moving = {start + n: weight for start, length, weight in day.bursts for n in range(length + 1)}
    found: list[Beat] = []
    minute = chance.randrange(5)
    while minute < 1_440:
        outing = day.outing
        if outing is not None and outing.start <= minute < outing.end:
            level, spread, step = outing_level(day, minute), 4.0, 1
        elif minute < day.awake:
            level, spread, step = rest - 4 + chance.gauss(0, 2.2), 2.0, chance.randint(4, 7)
        else:
            level = rest + 11 + 30 * moving.get(minute, 0.0) + chance.gauss(0, 4)
            spread, step = 3.5, chance.randint(3, 6)
        low, high = level - chance.uniform(0, spread), level + chance.uniform(0, spread)
        found.append((minute, round(low), round(level, 2), round(high)))
        minute += step
        if outing is not None and minute > outing.start > minute - step:
            minute = outing.start
    return [(minute, min(low, average), average, max(high, average))
            for minute, low, average, high in found]  # fmt: skip


def outing_level(day: Day, minute: int) -> float:
    """Up within ten minutes, then slowly further up, with a wave."""
    outing = day.outing
    assert outing is not None
    into = minute - outing.start
    warm = min(1.0, 0.72 + 0.028 * into)
    drift = 5 * into / outing.minutes
    wave = 3.2 * ((into % 9) / 4 - 1)
    return round(outing.heart_rate * warm + drift + wave, 2)
