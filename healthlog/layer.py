"""Which layer a delivery speaks in: told by its header, else by the times of its points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import repeat
from math import inf
from operator import mod, sub

from healthlog.moment import (
    DAY_MS,
    DAY_S,
    EPOCH_ORDINAL,
    HOUR_MS,
    HOUR_S,
    MINUTE_MS,
    Moment,
)

SAMPLE, RAW, MINUTE, HOUR = "sample", "raw", "minute", "hour"
DAY, WEEK, MONTH, YEAR = "day", "week", "month", "year"
LAYERS: tuple[str, ...] = (SAMPLE, RAW, MINUTE, HOUR, DAY, WEEK, MONTH, YEAR)
"""Finest first. The same data arrives in several, so numbers of two are never added."""

UNGROUPED = frozenset((SAMPLE, RAW))
DATED = frozenset((DAY, WEEK, MONTH, YEAR))

DENSE = frozenset(
    (
        "step_count",
        "active_energy",
        "basal_energy_burned",
        "heart_rate",
        "walking_running_distance",
        "apple_stand_time",
        "apple_exercise_time",
        "physical_effort",
    )
)
"""Metrics measured all day long, so that the spacing of their points tells the grouping."""

TRAPS = frozenset(
    (
        "sexual_activity",
        "resting_heart_rate",
        "apple_stand_hour",
        "apple_sleeping_wrist_temperature",
        "breathing_disturbances",
        "sleep_analysis",
    )
)
"""Metrics on grids of their own: their times prove nothing about the grouping."""

WIDTH_MS: Mapping[str, int] = {
    MINUTE: MINUTE_MS,
    HOUR: HOUR_MS,
    DAY: 23 * HOUR_MS,
    WEEK: 167 * HOUR_MS,
    MONTH: 27 * DAY_MS + 23 * HOUR_MS,
    YEAR: 364 * DAY_MS + 23 * HOUR_MS,
}
"""Least distance of two buckets: an hour short of the day's multiples, for clock changes."""

_DECLARED: Mapping[str, str] = {
    **dict.fromkeys(("default", "none", "off", "second", "seconds"), RAW),
    **{layer: layer for layer in (MINUTE, HOUR, DAY, WEEK, MONTH, YEAR)},
    **{layer + "s": layer for layer in (MINUTE, HOUR, DAY, WEEK, MONTH, YEAR)},
}
_DAY_GRID_S = frozenset((0, HOUR_S, DAY_S - HOUR_S))


def declared(aggregation: str | None) -> str | None:
    """Layer named by the `automation-aggregation` header, by its letters only, in any case."""
    letters = "".join(char for char in aggregation or "" if char.isalpha()).lower()
    return _DECLARED.get(letters)


def derived(moments: Mapping[str, Sequence[Moment]]) -> str | None:
    """Layer shown by the dense metrics of a body (metric name to its moments): for each with two
    different instants the coarsest it keeps, of these the finest; None when none has two."""
    dense = [_timed(all_of_it) for name, all_of_it in moments.items() if name in DENSE]
    found = [_coarsest(timed) for timed in dense if len(_instants(timed)) > 1]
    return LAYERS[min(map(LAYERS.index, found))] if found else None


def of_metric(name: str, layer: str | None, moments: Sequence[Moment]) -> str | None:
    """Layer of one metric in a delivery whose own layer is `layer` (None: not known)."""
    if layer in UNGROUPED or name in TRAPS:
        return layer
    timed = _timed(moments)
    instants = _instants(timed)
    if _is_off(MINUTE_MS, instants):
        return RAW
    is_sparse = name not in DENSE and (layer is None or layer in DATED)
    if is_sparse and any(moment.second > HOUR_S for moment in timed):
        return RAW
    if layer is not None and _closest_ms(instants) < WIDTH_MS[layer]:
        return _coarsest(timed)
    return layer


def _timed(moments: Sequence[Moment]) -> Sequence[Moment]:
    # A date alone has no instant; it speaks only where the metric has nothing better.
    return [moment for moment in moments if moment.at_ms is not None] or moments


def _at_ms(moment: Moment) -> int:
    return moment.day * DAY_MS if moment.at_ms is None else moment.at_ms


def _instants(timed: Iterable[Moment]) -> list[int]:
    """The different instants in their order, those of dates alone as if in UTC."""
    return sorted(dict.fromkeys(map(_at_ms, timed)))


def _is_off(grid_ms: int, instants: Iterable[int]) -> bool:
    return any(map(mod, instants, repeat(grid_ms)))


def _closest_ms(instants: Sequence[int]) -> float:
    return min(map(sub, instants[1:], instants), default=inf)


def _coarsest(timed: Sequence[Moment]) -> str:
    """The coarsest layer whose grid and width all moments keep."""
    closest_ms = _closest_ms(_instants(timed))
    for layer in reversed(LAYERS[2:]):
        if closest_ms >= WIDTH_MS[layer] and _on_grid(layer, timed):
            return layer
    return RAW


def _on_grid(layer: str, timed: Sequence[Moment]) -> bool:
    if layer == MINUTE:
        return not _is_off(MINUTE_MS, map(_at_ms, timed))
    if _is_off(1000, map(_at_ms, timed)):
        return False
    if layer == HOUR:
        return not any(moment.second % HOUR_S for moment in timed)
    if any(moment.second not in _DAY_GRID_S for moment in timed):
        return False
    days = {moment.nearest_day for moment in timed}
    if layer == DAY:
        return True
    if layer == WEEK:
        return len({day % 7 for day in days}) == 1
    dates = [date.fromordinal(day + EPOCH_ORDINAL) for day in days]
    if layer == MONTH:
        return all(day.day == 1 for day in dates)
    return all(day.day == 1 and day.month == 1 for day in dates)
