"""Which layer a delivery speaks in, from its header and from the times of its points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from healthlog.moment import DAY_MS, DAY_S, EPOCH_ORDINAL, HOUR_MS, MINUTE_MS, Moment

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
_DAY_GRID_S = frozenset((0, 3600, DAY_S - 3600))


def declared(aggregation: str | None) -> str | None:
    """Layer named by the `automation-aggregation` header, by its letters only, in any case."""
    letters = "".join(char for char in aggregation or "" if char.isalpha()).lower()
    return _DECLARED.get(letters)


def derived(moments: Mapping[str, Sequence[Moment]]) -> str | None:
    """Layer shown by the dense metrics of a body (metric name to its moments): for each with two
    different instants the coarsest it keeps, of these the finest; None when none has two."""
    found = [
        _coarsest(timed)
        for name, all_of_it in moments.items()
        if name in DENSE and len(_instants(timed := _timed(all_of_it))) > 1
    ]
    return LAYERS[min(map(LAYERS.index, found))] if found else None


def of_metric(name: str, layer: str | None, moments: Sequence[Moment]) -> str | None:
    """Layer of one metric in a delivery whose own layer is `layer` (None: not known)."""
    if layer in UNGROUPED or name in TRAPS:
        return layer
    timed = _timed(moments)
    if any(_at_ms(moment) % MINUTE_MS for moment in timed):
        return RAW
    if name not in DENSE and (layer is None or layer in DATED):
        if any(moment.second > 3600 for moment in timed):
            return RAW
    if layer is not None and _closest_ms(timed) < WIDTH_MS[layer]:
        return _coarsest(timed)
    return layer


def _timed(moments: Iterable[Moment]) -> list[Moment]:
    # A date alone has no instant; it speaks only where the metric has nothing better.
    all_of_it = list(moments)
    return [moment for moment in all_of_it if moment.at_ms is not None] or all_of_it


def _at_ms(moment: Moment) -> int:
    return moment.day * DAY_MS if moment.at_ms is None else moment.at_ms


def _instants(moments: Iterable[Moment]) -> list[int]:
    return sorted({_at_ms(moment) for moment in moments})


def _closest_ms(moments: Iterable[Moment]) -> float:
    instants = _instants(moments)
    gaps = (later - earlier for earlier, later in zip(instants, instants[1:], strict=False))
    return min(gaps, default=float("inf"))


def _coarsest(moments: Sequence[Moment]) -> str:
    """The coarsest layer whose grid and width all moments keep."""
    closest_ms = _closest_ms(moments)
    for layer in reversed(LAYERS[2:]):
        if closest_ms >= WIDTH_MS[layer] and _on_grid(layer, moments):
            return layer
    return RAW


def _on_grid(layer: str, moments: Sequence[Moment]) -> bool:
    if layer == MINUTE:
        return not any(_at_ms(moment) % MINUTE_MS for moment in moments)
    if layer == HOUR:
        return not any(moment.second % 3600 or _at_ms(moment) % 1000 for moment in moments)
    if any(moment.second not in _DAY_GRID_S or _at_ms(moment) % 1000 for moment in moments):
        return False
    days = {moment.nearest_day for moment in moments}
    if layer == DAY:
        return True
    if layer == WEEK:
        return len({day % 7 for day in days}) == 1
    dates = [date.fromordinal(day + EPOCH_ORDINAL) for day in days]
    if layer == MONTH:
        return all(day.day == 1 for day in dates)
    return all(day.day == 1 and day.month == 1 for day in dates)
