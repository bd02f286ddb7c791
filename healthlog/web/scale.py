"""Axes: round ticks for numbers, calendar ticks for time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from healthlog.moment import EPOCH_ORDINAL

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LARGEST = 1e100
"""No axis goes further: what a body may hold and nothing in the world measures is drawn there."""

_ALIKE = 1e-12
"""Numbers that differ by so small a share of them are one to the eye."""

_PLAIN_BELOW = 1e15
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class Tick(NamedTuple):
    """A place on an axis with the words beside it."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values from `low` to `high` on pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        if self.high == self.low:
            return (self.start + self.end) / 2
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def round_ticks(low: float, high: float, most: int = 5) -> list[Tick]:
    """At most `most` + 1 round numbers that hold `low` to `high` between the first and the last
    of them. Steps are 1, 2, 2.5 or 5 times a power of ten. Both ends within LARGEST."""
    if not high - low > _ALIKE * max(1.0, abs(low), abs(high)):
        margin = abs(low) * 0.1 or 1.0
        low, high = low - margin, high + margin
    raw = (high - low) / max(1, most - 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(one * power for one in _STEPS if one * power >= raw * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    places = max(0, -math.floor(math.log10(step) + 1e-9)) + (1 if _halved(step) else 0)
    return [Tick(n * step, number_text(n * step, places)) for n in range(first, last + 1)]


def _halved(step: float) -> bool:
    """Whether the step is 2.5 times a power of ten, which needs one place more to be written."""
    scaled = step / 10.0 ** math.floor(math.log10(step) + 1e-9)
    return abs(scaled - 2.5) < 1e-6 and step < 10


def number_text(value: float, places: int | None = None) -> str:
    """A number for the eye: groups of thousands, at most so many decimals as `places` or its size
    allows."""
    size = abs(value)
    if size >= _PLAIN_BELOW:
        return f"{value:.3g}"
    if places is None:
        if 0 < size < 0.01:
            return f"{value:.2g}"  # it isn't nothing
        places = 0 if size >= 100 or float(value).is_integer() else 1 if size >= 10 else 2
    text = f"{value:,.{places}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def date_of(day: int) -> date:
    """Days since 1970 as a date."""
    return date.fromordinal(day + EPOCH_ORDINAL)


def day_of(one: date) -> int:
    """A date as days since 1970."""
    return one.toordinal() - EPOCH_ORDINAL


def date_ticks(first: int, last: int) -> list[Tick]:
    """Ticks of the dates from `first` to before `last` (days since 1970): a handful of days with
    their weekdays, firsts of months, or of years, by how far it is."""
    days = last - first
    if days <= 8:
        return [Tick(day, _weekday(day)) for day in range(first, last)]
    if days <= 62:
        step = 7 if days > 21 else 2
        return [Tick(day, _day_month(day)) for day in range(first, last, step)]
    firsts = list(_firsts_of_months(first, last))
    if len(firsts) <= 14:
        return [Tick(day_of(one), _month(one)) for one in firsts]
    years = [one for one in firsts if one.month == 1]
    if len(years) < 3:
        quarters = [one for one in firsts if one.month in {1, 4, 7, 10}]
        return [Tick(day_of(one), _month(one)) for one in quarters]
    step = math.ceil(len(years) / 12)
    return [Tick(day_of(one), str(one.year)) for one in years[::step]]


def hour_ticks(hours: Sequence[int] = (0, 6, 12, 18, 24)) -> list[Tick]:
    """Ticks of a day by its hours."""
    return [Tick(hour, f"{hour:02}:00") for hour in hours]


def _firsts_of_months(first: int, last: int) -> Iterator[date]:
    one = date_of(first)
    if one.day > 1:
        one = (one.replace(day=28) + timedelta(days=4)).replace(day=1)
    while day_of(one) < last:
        yield one
        one = (one.replace(day=28) + timedelta(days=4)).replace(day=1)


def _weekday(day: int) -> str:
    one = date_of(day)
    return f"{_WEEKDAYS[one.weekday()]} {one.day}"


def _day_month(day: int) -> str:
    one = date_of(day)
    return f"{one.day} {_MONTHS[one.month - 1]}"


def _month(one: date) -> str:
    return f"{_MONTHS[one.month - 1]} {one.year}" if one.month == 1 else _MONTHS[one.month - 1]


def long_date(day: int) -> str:
    """A date in words: `Mon 1 June 2026`."""
    one = date_of(day)
    return f"{_WEEKDAYS[one.weekday()]} {one.day} {_MONTHS[one.month - 1]} {one.year}"
