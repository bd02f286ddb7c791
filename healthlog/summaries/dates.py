"""Which dates something touches that was said of a stretch of time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from healthlog.layer import DATED, DAY, SAMPLE
from healthlog.moment import DAY_MS, HOUR_MS, MINUTE_MS
from healthlog.series.buckets import FAR_MS
from healthlog.series.resolve import LONGEST_MS
from healthlog.series.shelf import Dates, Piece

DAYS, NIGHTS, WORKOUTS = "day", "night", "workout"

_AROUND_MS = 4 * HOUR_MS
"""So far from a reading others may count in another way for it: what it ends, what it overlaps."""

_TWICE_MS = 30 * HOUR_MS

_FIRST, _LAST = -(2**40), 2**40
"""Before and behind every date there is."""


class Clock(Protocol):
    """The least and the greatest offset (minutes) of a stretch of time."""

    def spread(self, first_ms: int, last_ms: int) -> tuple[int, int]: ...


def of_readings(layer: str, first_ms: int, last_ms: int, clock: Clock) -> Dates | None:
    """The dates that readings of a layer may count for which begin within a stretch, both ends
    included; None for layers that say nothing of days."""
    if layer in DATED - {DAY}:
        return None
    if layer == DAY:
        # Told in whatever zone; from noon on a start belongs to the midnight that follows.
        return Dates((first_ms - FAR_MS) // DAY_MS, (last_ms + FAR_MS + DAY_MS // 2) // DAY_MS + 1)
    first_ms -= _AROUND_MS
    last_ms += _AROUND_MS + (LONGEST_MS if layer == SAMPLE else 0)
    # After a flight to the west a date comes twice.
    least_min, _ = clock.spread(first_ms, first_ms + _TWICE_MS)
    _, greatest_min = clock.spread(last_ms - _TWICE_MS, last_ms)
    return Dates(
        (first_ms + least_min * MINUTE_MS) // DAY_MS,
        (last_ms + greatest_min * MINUTE_MS) // DAY_MS + 1,
    )


def of_nights(first_ms: int, last_ms: int) -> Dates:
    """The dates on which sleep may end that began within a stretch, or that it may be joined to."""
    return _around(first_ms, last_ms, 1, 3)


def of_instants(first_ms: int | None, last_ms: int | None) -> Dates:
    """The dates that instants of a stretch may lie on, in whatever offset; None: without end."""
    return Dates(
        _FIRST if first_ms is None else _around(first_ms, first_ms, 1, 1).first,
        _LAST if last_ms is None else _around(last_ms, last_ms, 1, 1).last,
    )


def within(dates: Dates, all_of_it: Dates) -> Dates | None:
    """What two stretches of dates share."""
    first, last = max(dates.first, all_of_it.first), min(dates.last, all_of_it.last)
    return Dates(first, last) if first < last else None


def merged(found: Iterable[Dates]) -> list[Dates]:
    """The same dates as stretches that neither overlap nor touch, in their order."""
    stretches: list[Dates] = []
    for one in sorted(found):
        if stretches and one.first <= stretches[-1].last:
            stretches[-1] = Dates(stretches[-1].first, max(stretches[-1].last, one.last))
        else:
            stretches.append(one)
    return stretches


def pieces(dates: Dates, stale: Iterable[Dates]) -> Iterator[Piece]:
    """A stretch as pieces in their order, fresh or stale; `stale` stretches come in theirs."""
    at = dates.first
    for one in stale:
        shared = within(one, Dates(at, dates.last))
        if shared is not None:
            if at < shared.first:
                yield Piece(at, shared.first, fresh=True)
            yield Piece(*shared, fresh=False)
            at = shared.last
    if at < dates.last:
        yield Piece(at, dates.last, fresh=True)


def cut(dates: Dates, most: int) -> tuple[Dates, Dates | None]:
    """The last dates of a stretch, at most so many, and what is left of it before them."""
    first = max(dates.first, dates.last - most)
    return Dates(first, dates.last), Dates(dates.first, first) if dates.first < first else None


def _around(first_ms: int, last_ms: int, before: int, behind: int) -> Dates:
    return Dates((first_ms - FAR_MS) // DAY_MS - before, (last_ms + FAR_MS) // DAY_MS + 1 + behind)
