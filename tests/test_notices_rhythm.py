"""Silence that is beyond the own rhythm of an automation, and silence that is not."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from healthlog.notices.rhythm import (
    DAY_US,
    HOUR_US,
    LEAST_US,
    WINDOW_US,
    Outage,
    Rhythm,
    rhythm,
    silence_us,
)
from tests.support.phones import MINUTE_US, Habit, arrivals

MANY, FEW = range(20), range(3)
HABITS = {
    "every five minutes": Habit(5 * MINUTE_US),
    "every hour": Habit(HOUR_US),
    "every hour, switched off at night": Habit(HOUR_US, off_at_night=True),
    "every hour, a traveller's": Habit(HOUR_US, flies_every=6),
    "every six hours, a traveller's": Habit(6 * HOUR_US, flies_every=11),
    "once a day": Habit(DAY_US),
    "once a day, a traveller's": Habit(DAY_US, off_at_night=True, flies_every=9),
    "once a week": Habit(7 * DAY_US),
}


TYPICAL = {
    "every five minutes": 38,
    "every hour": 42,
    "every hour, switched off at night": 44,
    "every hour, a traveller's": 48,
    "every six hours, a traveller's": 60,
    "once a day": 110,
    "once a week": 22 * 24,
}
"""Hours until half of the phones' owners are told."""


def seeds(habit: Habit) -> range:
    """Of a beat of five minutes sixty days are many."""
    return MANY if habit.every_us >= HOUR_US else FEW


def of(heard: list[int], until: int, outages: tuple[Outage, ...] = ()) -> Rhythm | None:
    """The rhythm as it is known after the arrival of that number."""
    begin = heard[until] - WINDOW_US
    return rhythm([at for at in heard[: until + 1] if at >= begin], outages)


def alarms(heard: list[int]) -> list[float]:
    """Hours of each pause that somebody would have been told of."""
    found = []
    for number, (before, at) in enumerate(pairwise(heard)):
        if at - before > LEAST_US:
            known = of(heard, number)
            if known is not None and at - before > known.patience_us:
                found.append((at - before) / HOUR_US)
    return found


@pytest.mark.scenario("notices", "No alarm in sixty ordinary days")
@pytest.mark.parametrize("habit", HABITS.values(), ids=list(HABITS))
def test_ordinary_days_alarm_nobody(habit: Habit) -> None:
    found = {seed: alarms(arrivals(habit, seed)) for seed in seeds(habit)}
    assert {seed: hours for seed, hours in found.items() if hours} == {}


@pytest.mark.scenario("notices", "Real silence is noticed in time")
@pytest.mark.parametrize(
    ("name", "hours"),
    [
        ("every five minutes", 50),
        ("every hour", 50),
        ("every hour, switched off at night", 55),
        ("every hour, a traveller's", 60),
        ("every six hours, a traveller's", 72),
        ("once a day", 7 * 24),
        ("once a week", 43 * 24),
    ],
)
def test_real_silence_is_noticed_in_time(name: str, hours: int) -> None:
    typical = []
    for seed in seeds(HABITS[name]):
        every = arrivals(HABITS[name], seed)
        for days in (20, 40, 60):
            heard = [at for at in every if at < days * DAY_US]
            known = of(heard, len(heard) - 1) if len(heard) >= 3 else None
            if known is not None:
                assert known.patience_us <= hours * HOUR_US
                typical.append(known.patience_us / HOUR_US)
    # What a beat now and then left out costs is paid by few.
    assert sorted(typical)[len(typical) // 2] <= TYPICAL[name]


@pytest.mark.slow
@pytest.mark.scenario("notices", "No alarm in sixty ordinary days")
@pytest.mark.parametrize("habit", HABITS.values(), ids=list(HABITS))
def test_ordinary_days_of_many_phones_alarm_nobody(habit: Habit) -> None:
    found = {seed: alarms(arrivals(habit, seed)) for seed in range(20 * len(seeds(habit)))}
    assert {seed: hours for seed, hours in found.items() if hours} == {}


def test_ordinary_phones_are_worth_the_name() -> None:
    longest = {}
    for name, habit in HABITS.items():
        pauses = [at - before for seed in FEW for before, at in pairwise(arrivals(habit, seed))]
        longest[name] = max(pauses) / HOUR_US
    assert longest["every five minutes"] > 12
    assert longest["every hour, a traveller's"] > 18
    assert longest["once a day"] > 47


def steady(every_us: int, number: int, begin_us: int = 0) -> list[int]:
    return [begin_us + n * every_us for n in range(number)]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_too_few_arrivals_have_no_rhythm(number: int) -> None:
    assert rhythm(steady(HOUR_US, number)) is None


def test_somebody_trying_has_no_rhythm() -> None:
    heard = steady(MINUTE_US, 50)
    assert rhythm(heard, named=False) is None
    young = rhythm(heard)
    assert young is not None
    assert young.patience_us == 72 * HOUR_US
    assert rhythm(steady(HOUR_US, 30), named=False) is not None


def test_nobody_is_told_of_less_than_thirty_hours() -> None:
    found = rhythm(steady(HOUR_US, 24 * 10))
    assert found == Rhythm(HOUR_US, LEAST_US)


def test_one_outage_does_not_make_deaf_to_the_next() -> None:
    heard = steady(HOUR_US, 24 * 10)
    heard += steady(HOUR_US, 24 * 10, heard[-1] + 10 * DAY_US)
    assert rhythm(heard) == Rhythm(HOUR_US, LEAST_US)


def test_a_new_setting_is_learned_after_three_alarms() -> None:
    heard = steady(HOUR_US, 24 * 10)
    weekly = steady(7 * DAY_US, 9, heard[-1])[1:]
    assert alarms(heard + weekly) == [168.0, 168.0, 168.0]


def test_a_rare_long_pause_widens_the_patience() -> None:
    heard = steady(HOUR_US, 24 * 20)
    heard += steady(HOUR_US, 24 * 20, heard[-1] + 28 * HOUR_US)
    found = rhythm(heard)
    assert found is not None
    assert found.patience_us == 48 * HOUR_US
    assert found.usual_us == HOUR_US


@pytest.mark.scenario("notices", "Time without the service is no silence")
def test_time_in_which_nobody_listened_is_no_silence() -> None:
    outages = [Outage(10, 20), Outage(30, 100)]
    assert silence_us(0, 40, outages) == 20
    assert silence_us(12, 18, outages) == 0
    assert silence_us(50, 40, outages) == 0
    heard = steady(HOUR_US, 24 * 10)
    later = heard[-1] + 29 * HOUR_US
    off = Outage(heard[-1] + HOUR_US, later - HOUR_US)
    both = heard + steady(HOUR_US, 24 * 10, later)
    deaf, listening = rhythm(both, [off]), rhythm(both)
    assert deaf is not None
    assert listening is not None
    assert (deaf.patience_us, listening.patience_us) == (
        LEAST_US,
        29 * HOUR_US * 3 // 2 + 6 * HOUR_US,
    )


def test_the_rhythm_of_many_arrivals_is_found_quickly() -> None:
    chance = random.Random(3)
    heard = sorted(chance.randrange(WINDOW_US) for _ in range(20_000))
    assert rhythm(heard) is not None
