"""What is measured on a day: amounts that add up, levels that don't."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.demo import spread
from tests.demo.life import HOUR, Day, drawn
from tests.demo.nights import WATCH
from tests.demo.pulse import resting
from tests.demo.spread import Sample, Spread, picked, shared, times

PHONE, SCALE, DIARY = "iPhone", "Scale", "Food Diary"
CUFF = "Blood Pressure Monitor"
BOTH = f"{WATCH}|{PHONE}"

STATES = frozenset(("body_temperature", "weight_body_mass", "body_fat_percentage"))
"""Levels that the phone gives as one number, and not as a range."""

_EVENING = 22 * HOUR


@dataclass(frozen=True, slots=True)
class Amount:
    """Something that adds up over a day: the total, and how it lies in the minutes."""

    name: str
    unit: str
    source: str
    total: float
    spread: Spread


@dataclass(frozen=True, slots=True)
class Level:
    """Something measured now and then."""

    name: str
    unit: str
    source: str
    samples: tuple[Sample, ...]


def amounts(seed: int, day: Day) -> Iterator[Amount]:
    """What only a watch counts is missing where none was worn."""
    chance = drawn(seed, day.date, "amounts")
    awake = range(day.awake, _EVENING)

    def on_foot(total: float) -> Spread:
        return lambda: shared(total, spread.on_foot(drawn(seed, day.date, "on foot"), day))

    def some(total: float, count: int, what: str) -> Spread:
        return lambda: picked(drawn(seed, day.date, what), total, count, awake)

    own = BOTH if day.worn else PHONE
    yield Amount("step_count", "count", own, day.steps, on_foot(day.steps))
    yield Amount("walking_running_distance", "km", own, day.km, on_foot(day.km))
    if day.flights:
        climbed = some(day.flights, day.flights, "flights")
        yield Amount("flights_climbed", "count", PHONE, day.flights, climbed)
    cups, glasses = chance.randint(1, 3), chance.randint(4, 9)
    yield Amount("dietary_caffeine", "mg", DIARY, cups * 95, some(cups * 95, cups, "coffee"))
    drunk = some(glasses * 250, glasses, "water")
    yield Amount("dietary_water", "mL", DIARY, glasses * 250, drunk)
    if chance.random() < 0.3:
        yield Amount("mindful_minutes", "min", PHONE, 10, lambda: [(20 * HOUR + 40, 10.0)])
    if day.worn:
        yield from _by_the_watch(seed, day, chance, some)


def _by_the_watch(
    seed: int, day: Day, chance: random.Random, some: Callable[[float, int, str], Spread]
) -> Iterator[Amount]:
    outing = day.outing
    active, basal = day.active_kcal, chance.gauss(1_394, 11)

    def burnt() -> list[Sample]:
        return shared(active, spread.moving(drawn(seed, day.date, "moving"), day))

    def at_rest() -> list[Sample]:
        return shared(basal, spread.always())

    yield Amount("active_energy", "kcal", WATCH, active, burnt)
    yield Amount("basal_energy_burned", "kcal", WATCH, basal, at_rest)
    stood = 5 if day.ill else chance.randint(9, 15)
    hours = [(HOUR * (8 + n), 1.0) for n in range(stood)]
    yield Amount("apple_stand_hour", "count", WATCH, stood, lambda: hours)
    sunny = max(8.0, chance.gauss(62 + 48 * day.summer, 22)) * (0.3 if day.ill else 1)
    exercise = (outing.minutes if outing else 0) + max(1, round(day.steps / 620 - 2))
    for name, minutes in (
        ("apple_stand_time", stood * chance.randint(6, 11)),
        ("apple_exercise_time", exercise),
        ("time_in_daylight", round(sunny)),
    ):
        yield Amount(name, "min", WATCH, minutes, some(minutes, minutes, name))
    if outing is None:
        return
    lies = spread.in_the_outing(day)
    if outing.name == "Outdoor Cycling":
        ridden = outing.km
        yield Amount("cycling_distance", "km", WATCH, ridden, lambda: shared(ridden, lies))
    if outing.name == "Pool Swim":
        swum = round(outing.km * 40) * 25
        yield Amount("swimming_distance", "m", WATCH, swum, lambda: shared(swum, lies))


def levels(seed: int, day: Day) -> Iterator[Level]:
    """Everything but the heart rate and the pairs of a cuff."""
    chance = drawn(seed, day.date, "levels")
    awake = range(day.awake + 30, _EVENING)
    speed = [(minute, chance.gauss(4.9, 0.35)) for minute in times(chance, awake, 8)]
    yield Level("walking_speed", "km/hr", PHONE, tuple(speed))
    steps = tuple((minute, 14.2 * kmh) for minute, kmh in speed)
    yield Level("walking_step_length", "cm", PHONE, steps)
    if day.ill:
        fever = [(minute, round(chance.gauss(38.2, 0.4), 1)) for minute in times(chance, awake, 3)]
        yield Level("body_temperature", "degC", DIARY, tuple(fever))
    if day.date.weekday() in {0, 3, 5}:
        morning = day.awake + 14
        kilos = round(67.4 - 2.9 * day.progress + chance.gauss(0, 0.35), 1)
        fat = round(27.5 - 2.2 * day.progress + chance.gauss(0, 0.3), 1)
        yield Level("weight_body_mass", "kg", SCALE, ((morning, kilos),))
        yield Level("body_fat_percentage", "%", SCALE, ((morning, fat),))
    if day.worn:
        yield from _levels_of_the_watch(seed, day, chance)


def _levels_of_the_watch(seed: int, day: Day, chance: random.Random) -> Iterator[Level]:
    rest = resting(seed, day)
    slept = max(0, day.asleep)
    awake = range(day.awake + 30, _EVENING)
    variability = 47 + 9 * day.progress - (14 if day.ill else 0)
    # The phone dates these two at the beginning of their day.
    yield Level("resting_heart_rate", "count/min", WATCH, ((0, rest),))
    yield Level("walking_heart_rate_average", "count/min", WATCH, ((0, rest + 41),))
    measured: dict[tuple[str, str], list[Sample]] = {
        ("heart_rate_variability", "ms"): [
            (minute, round(max(14.0, chance.gauss(variability, 9)), 1))
            for minute in times(chance, awake, 4)
        ],
        ("respiratory_rate", "count/min"): [
            (minute, round(chance.gauss(14.4 + 2 * day.ill, 0.7) * 2) / 2)
            for minute in range(slept + 10, day.awake, 19)
        ],
        ("blood_oxygen_saturation", "%"): [
            (minute, min(100.0, round(chance.gauss(97.1 - day.ill, 0.9))))
            for minute in times(chance, range(30, _EVENING), 9)
        ],
        ("environmental_audio_exposure", "dBASPL"): [
            (minute, round(max(31.0, chance.gauss(57, 8)), 1))
            for minute in times(chance, awake, 34)
        ],
        ("apple_sleeping_wrist_temperature", "degC"): [
            (slept, round(35.6 + 0.9 * day.ill + chance.gauss(0, 0.12), 2))
        ],
    }
    if day.outing is not None and day.outing.name == "Outdoor Run":
        fit = round(38.6 + 2.6 * day.progress + chance.gauss(0, 0.2), 1)
        measured["vo2_max", "ml/(kg·min)"] = [(day.outing.end, fit)]
    for (name, unit), samples in measured.items():
        yield Level(name, unit, WATCH, tuple(samples))


def pressure(seed: int, day: Day) -> list[tuple[int, int, int]]:
    """Minute, systolic, diastolic: twice on Sunday mornings."""
    if day.date.weekday() != 6:
        return []
    chance = drawn(seed, day.date, "pressure")
    return [
        (day.awake + 20 + n * 3, round(chance.gauss(121, 5)), round(chance.gauss(78, 3)))
        for n in range(2)
    ]
