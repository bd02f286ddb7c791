"""Stretches of a series that are read at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import sub

from healthlog import layer as layers
from healthlog.moment import DAY_MS, HOUR_MS

# Few enough that a stretch is mostly either all new or all known, which is quick, even where
# a delivery repeats a day and adds an hour to it.
_STRETCH = 256
# Room for about sixty rows: reading these costs no more than looking up one more stretch.
_WIDEST_GAP_MS = {
    **dict.fromkeys((*layers.UNGROUPED, layers.MINUTE), HOUR_MS),
    layers.HOUR: 60 * HOUR_MS,
    **dict.fromkeys(layers.DATED, 60 * DAY_MS),
}


def stretches(at_ms: Sequence[int], layer: str) -> Iterator[tuple[int, int]]:
    """Begins and ends of stretches without wide gaps, so that reading one reads little that isn't
    spoken of. One instant is never cut in two."""
    widest_ms = _WIDEST_GAP_MS[layer]
    begin = 0
    while begin < len(at_ms):
        end = min(begin + _STRETCH, len(at_ms))
        steps_ms = list(map(sub, at_ms[begin + 1 : end], at_ms[begin:end]))
        if max(steps_ms, default=0) > widest_ms:
            end = begin + 1 + next(at for at, step_ms in enumerate(steps_ms) if step_ms > widest_ms)
        while end < len(at_ms) and at_ms[end] == at_ms[end - 1]:
            end += 1
        yield begin, end
        begin = end
