"""Where buckets begin: minutes, hours by the clock; days, weeks, months, years by local dates."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import date
from typing import NamedTuple, Protocol

from healthlog.layer import DAY, HOUR, MINUTE, MONTH, WEEK, YEAR
from healthlog.moment import DAY_MS, EPOCH_ORDINAL, HOUR_MS, MINUTE_MS

BUCKETS: tuple[str, ...] = (MINUTE, HOUR, DAY, WEEK, MONTH, YEAR)
"""Narrowest first."""

FAR_MS = 18 * HOUR_MS
"""No local midnight is farther from that of UTC."""

_LAST = date.max.toordinal() - EPOCH_ORDINAL
_MONDAY = 4  # 1970-01-05, the first Monday of the count of days


class Offsets(Protocol):
    """Offset from UTC, in minutes, that the clock gives to an instant."""

    def offset_min(self, at_ms: int) -> int: ...


class Stretch(NamedTuple):
    """Instants from `first_ms`, included, to `last_ms`, excluded."""

    first_ms: int
    last_ms: int

    @property
    def length_ms(self) -> int:
        return self.last_ms - self.first_ms

    def overlaps(self, other: Stretch) -> bool:
        return self.first_ms < other.last_ms and other.first_ms < self.last_ms


class Change(NamedTuple):
    """From `at_ms` on the clock has this offset, as far as the next change."""

    at_ms: int
    offset_min: int


class Zones:
    """The clock of a stretch of time, as far as it changes there: UTC where nobody named it."""

    def __init__(self, changes: Sequence[Change]) -> None:
        self.changes = changes or (Change(0, 0),)
        self._starts = [change.at_ms for change in self.changes]
        self._varies = len({change.offset_min for change in self.changes}) > 1

    @property
    def steady_min(self) -> int | None:
        """The offset of all instants, None where it changes."""
        return None if self._varies else self.changes[0].offset_min

    def offset_min(self, at_ms: int) -> int:
        """Offset at an instant: that of the change before, else of the first."""
        number = bisect_right(self._starts, at_ms) - 1 if self._varies else 0
        return self.changes[max(number, 0)].offset_min

    def ahead(self, minutes: int) -> Zones:
        """A clock that runs ahead of this one: its days begin so much earlier."""
        if not minutes:
            return self
        return Zones([Change(at_ms, offset + minutes) for at_ms, offset in self.changes])


def first_date(bucket: str, day: int) -> int:
    """First date of the week, month or year that a date (days since 1970) lies in; of a day, the
    date itself. Weeks begin on Monday."""
    if bucket == DAY:
        return day
    if bucket == WEEK:
        return day - (day - _MONDAY) % 7
    of_calendar = _date(day)
    return _day(of_calendar.replace(day=1, month=1 if bucket == YEAR else of_calendar.month))


def next_date(bucket: str, first: int) -> int:
    """First date of the bucket that follows the one that begins on `first`."""
    if bucket == DAY:
        return first + 1
    if bucket == WEEK:
        return first + 7
    # From the first of a month or year 31 or 366 days lead into the next one.
    within = first + (366 if bucket == YEAR else 31)
    return first_date(bucket, within) if within <= _LAST else _LAST + 1


def begins_on(bucket: str, day: int) -> bool:
    """Whether a bucket of this kind begins on a date."""
    return first_date(bucket, day) == day


def midnight_ms(day: int, offset_min: int) -> int:
    """The instant at which a date begins in an offset."""
    return day * DAY_MS - offset_min * MINUTE_MS


def local_day(at_ms: int, offsets: Offsets) -> int:
    """Local date of an instant (days since 1970)."""
    return (at_ms + offsets.offset_min(at_ms) * MINUTE_MS) // DAY_MS


def minute_of(at_ms: int) -> int:
    """Where the minute of an instant begins."""
    return at_ms - at_ms % MINUTE_MS


def hour_of(at_ms: int, offsets: Offsets) -> int:
    """Where the hour of an instant begins on the wall. An hour is whole: where the clock changes
    by half an hour within one, it lasts its sixty minutes all the same."""
    before_min = offsets.offset_min(at_ms - HOUR_MS)
    begun = _on_the_wall(at_ms, before_min)
    if (offsets.offset_min(begun) - before_min) % 60 == 0:
        return begun
    return _on_the_wall(at_ms, offsets.offset_min(at_ms))


def instants_of(zones: Zones, first: int, last: int) -> Stretch:
    """The narrowest stretch with every instant of the local dates from `first` to before `last`;
    an empty one where the clock skips them. A day of a clock change has 23 or 25 hours, that of
    a flight has others. `zones` are known from FAR_MS before these dates to FAR_MS after."""
    known = zones.changes
    pieces = []
    for number, (at_ms, offset_min) in enumerate(known):
        begin_ms = midnight_ms(first, offset_min)
        end_ms = midnight_ms(last, offset_min)
        if number > 0:
            begin_ms = max(begin_ms, at_ms)
        if number + 1 < len(known):
            end_ms = min(end_ms, known[number + 1].at_ms)
        if begin_ms < end_ms:
            pieces.append((begin_ms, end_ms))
    if not pieces:
        return Stretch(midnight_ms(first, 0), midnight_ms(first, 0))
    return Stretch(min(begin for begin, _ in pieces), max(end for _, end in pieces))


def is_open(end_ms: int, spoke_us: int) -> bool:
    """Whether a bucket was still running when the last word on it was spoken."""
    return spoke_us < end_ms * 1000


def hours_of(zones: Zones) -> Callable[[int], int]:
    """The same for every instant of a stretch, made at once where the clock doesn't change."""
    steady_min = zones.steady_min
    if steady_min is None:
        return lambda at_ms: hour_of(at_ms, zones)
    ahead_ms = steady_min * MINUTE_MS
    return lambda at_ms: at_ms - (at_ms + ahead_ms) % HOUR_MS


def _on_the_wall(at_ms: int, offset_min: int) -> int:
    return at_ms - (at_ms + offset_min * MINUTE_MS) % HOUR_MS


def _date(day: int) -> date:
    return date.fromordinal(day + EPOCH_ORDINAL)


def _day(of_calendar: date) -> int:
    return of_calendar.toordinal() - EPOCH_ORDINAL
