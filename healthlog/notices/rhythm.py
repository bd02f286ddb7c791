"""How long an automation may be silent before that is worth a notice: its own rhythm tells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

HOUR_US = 3_600_000_000
DAY_US = 24 * HOUR_US

WINDOW_US = 60 * DAY_US
"""So far back the rhythm is looked for."""

LEAST_US = 30 * HOUR_US
"""A night, a day of flights, a phone left at home: nobody is told of less silence than this."""

_YOUNG_US, _YOUNG_LEAST_US = 3 * DAY_US, 72 * HOUR_US
_FEWEST = 3
_USUAL = 0.8  # one day in five may have a longer pause than the usual ones
_BEYOND = 1.5
_MARGIN_US = 6 * HOUR_US
_CHANGED = 2


class Outage(NamedTuple):
    """A time in which nothing could have been heard, because the service was not running."""

    from_us: int
    to_us: int


@dataclass(frozen=True, slots=True)
class Rhythm:
    """`usual_us` is the longest pause of an ordinary day, `patience_us` the silence that is
    beyond everything ordinary."""

    usual_us: int
    patience_us: int


class _Pause(NamedTuple):
    end_us: int
    length_us: int


def silence_us(from_us: int, to_us: int, outages: Iterable[Outage]) -> int:
    """Time between two instants in which somebody listened."""
    deaf = (min(to_us, one.to_us) - max(from_us, one.from_us) for one in outages)
    return max(0, to_us - from_us - sum(length for length in deaf if length > 0))


def rhythm(
    arrivals_us: Sequence[int], outages: Sequence[Outage] = (), *, named: bool = True
) -> Rhythm | None:
    """The rhythm of arrivals, which come in their order; None where there is none to be seen.

    A pause that was long enough for a notice is no part of it, or one outage would make deaf to
    the next; unless such pauses come again, for then the automation was set to another rhythm.
    A sender that is not `named` may be somebody trying: it must have gone on for a day.
    """
    if len(arrivals_us) < _FEWEST:
        return None
    first_us, last_us = arrivals_us[0], arrivals_us[-1]
    if last_us - first_us < DAY_US and not named:
        return None
    accepted: list[_Pause] = []
    beyond = 0
    for before_us, at_us in pairwise(arrivals_us):
        length_us = silence_us(before_us, at_us, outages)
        found = None if length_us <= LEAST_US else _of(accepted, before_us - first_us)
        if found is not None and length_us > found.patience_us and beyond < _CHANGED:
            beyond += 1
        else:
            accepted.append(_Pause(at_us, length_us))
    return _of(accepted, last_us - first_us)


def _of(pauses: Sequence[_Pause], span_us: int) -> Rhythm | None:
    if len(pauses) + 1 < _FEWEST:
        return None
    last_us = pauses[-1].end_us
    longest: dict[int, int] = {}
    for end_us, length_us in pauses:
        day = (last_us - end_us) // DAY_US
        longest[day] = max(longest.get(day, 0), length_us)
    by_length = sorted(longest.values())
    usual_us = by_length[int((len(by_length) - 1) * _USUAL)]
    # Of an hourly beat two long nights in a row are too much, of a daily one three beats, of a
    # weekly one two.
    beat_us = sorted(pause.length_us for pause in pauses)[len(pauses) // 2]
    missed_us = 2 * usual_us + min(usual_us, DAY_US) + min(beat_us, DAY_US)
    patience_us = max(missed_us, round(_BEYOND * by_length[-1])) + _MARGIN_US
    least_us = _YOUNG_LEAST_US if span_us < _YOUNG_US else LEAST_US
    return Rhythm(usual_us, max(least_us, patience_us))
