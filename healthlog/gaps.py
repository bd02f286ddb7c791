"""What is missing of a metric, against its own rhythm."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import accumulate, pairwise
from math import ceil
from typing import NamedTuple

_AROUND = 14
"""Intervals before and behind that tell the rhythm: what was usual then, not years ago."""

_LEAST_INTERVALS = 5
_USUAL_SHARE = 0.9
_MOSTLY = 0.75
_PATIENCE = 1.5
"""How much longer than usual an interval may be where a metric doesn't come daily anyway."""

_HOUR_SHARE = 0.8
HOUR_DAYS = 14
"""So many dates with readings before and behind one tell at which hours it should have some."""

_LEAST_HOURS = 2
HOURS = 24


class Days(NamedTuple):
    """Local dates without a reading, both included (days since 1970)."""

    first: int
    last: int

    @property
    def days(self) -> int:
        return self.last - self.first + 1


class Hours(NamedTuple):
    """Hours of one local date without a reading, `first` to before `end` (0 to 24)."""

    day: int
    first: int
    end: int


def absent_days(present: Collection[int], first: int, until: int) -> list[Days]:
    """The stretches from `first` to before `until` without a reading, whatever is usual."""
    edges = [first - 1, *sorted({day for day in present if first <= day < until}), until]
    return [Days(a + 1, b - 1) for a, b in pairwise(edges) if b - a > 1]


def usual_days(present: Collection[int]) -> int | None:
    """How many days mostly pass, at most, from one date with a reading to the next; None where
    there are too few to tell."""
    intervals = sorted(later - earlier for earlier, later in pairwise(sorted(present)))
    return intervals[int(len(intervals) * _MOSTLY)] if intervals else None


def missing_days(present: Collection[int], until: int) -> list[Days]:
    """Stretches of dates without a reading that are longer than is usual around them.

    `present` are the dates that have one, `until` the date that is not over yet: it is never
    missed. Nothing is told of what has no rhythm yet.
    """
    known = sorted(one for one in present if one < until)
    intervals = [later - earlier for earlier, later in pairwise([*known, until])]
    found = []
    for place, interval in enumerate(intervals):
        allowed = _allowed(intervals[:-1], place)
        # The last one goes on: it counts from where it would be too long anyway.
        if allowed is not None and interval > allowed:
            found.append(Days(known[place] + 1, known[place] + interval - 1))
    return found


def _allowed(intervals: Sequence[int], place: int) -> int | None:
    """The longest interval that is nothing unusual at a place; None without a rhythm."""
    around = [*intervals[max(0, place - _AROUND) : place], *intervals[place + 1 : place + _AROUND]]
    if len(around) < _LEAST_INTERVALS:
        return None
    usual = sorted(around)[ceil(_USUAL_SHARE * len(around)) - 1]
    return usual if usual == 1 else ceil(usual * _PATIENCE)


def missing_hours(present: Collection[tuple[int, int]], until: tuple[int, int]) -> list[Hours]:
    """Stretches of at least two hours without a reading that mostly have one at that time of day.

    `present` are (date, hour of the wall clock), `until` the hour that is not over yet. Dates
    without any reading are not looked at: they are missing as days.
    """
    there: defaultdict[int, set[int]] = defaultdict(set)
    for day, hour in present:
        there[day].add(hour)
    known = sorted(there)
    over = bisect_left(known, until[0])
    # On how many of the dates before each one every hour has a reading.
    before = [
        list(accumulate((hour in there[day] for day in known), initial=0)) for hour in range(HOURS)
    ]
    found: list[Hours] = []
    for place, day in enumerate(known):
        first, last = max(0, place - HOUR_DAYS), min(place + HOUR_DAYS + 1, over)
        around = last - first - (place < last)
        if around < _LEAST_INTERVALS or len(there[day]) == HOURS:
            continue
        missed = [
            hour not in there[day]
            and (day, hour) < until
            and before[hour][last] - before[hour][first] >= _HOUR_SHARE * around
            for hour in range(HOURS)
        ]
        found += _of_day(day, missed)
    return found


def _of_day(day: int, missed_at: Sequence[bool]) -> list[Hours]:
    found = []
    first: int | None = None
    for hour in range(HOURS + 1):
        missed = hour < HOURS and missed_at[hour]
        if missed and first is None:
            first = hour
        if not missed and first is not None:
            if hour - first >= _LEAST_HOURS:
                found.append(Hours(day, first, hour))
            first = None
    return found
