"""Which layer a delivery speaks in: told by its header, else by the times of its points."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from datetime import date
from math import inf
from operator import itemgetter, sub
from typing import cast

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
_second, _at_ms = itemgetter(1), itemgetter(2)
_FEW = 50


def declared(aggregation: str | None) -> str | None:
    """Layer named by the `automation-aggregation` header, by its letters only, in any case."""
    letters = "".join(char for char in aggregation or "" if char.isalpha()).lower()
    return _DECLARED.get(letters)


class _Grid:
    """What a set of moments shows of the grid they lie on, told moment by moment.

    `instants` are as told, in ms; `ordered` as long as none is earlier than the one before.
    """

    def __init__(self) -> None:
        self.instants: Sequence[int] = ()
        self.ordered = True
        self.off_minute = self.off_second = self.off_hour = self.off_day = False
        self.late = False
        self._least_step_ms: float = inf
        self._weekdays: set[int] = set()
        self._firsts = self._new_years = True

    def add(self, moments: Sequence[Moment], instants: Sequence[int]) -> None:
        # One after the other they mostly keep one distance, so that few are left to look at.
        before = self.instants[-1] if self.instants else instants[0]
        steps = {instants[0] - before, *map(sub, instants[1:], instants)}
        self._hold(instants)
        self.ordered = self.ordered and min(steps) >= 0
        least_ms = min((step for step in steps if step > 0), default=inf)
        self._least_step_ms = min(self._least_step_ms, least_ms)
        self.off_minute = self.off_minute or _is_off(MINUTE_MS, instants[0], steps)
        self.off_second = self.off_second or _is_off(1000, instants[0], steps)
        for some in (moments[:_FEW], moments[_FEW:]):
            # Mostly a few tell all that there is to be told of wall times.
            if some and not (self.late and self.off_hour and self.off_day):
                self._add_walls(some)

    def _hold(self, instants: Sequence[int]) -> None:
        if not self.instants and not isinstance(instants, array):
            self.instants = instants  # mostly all there are, so they aren't copied
            return
        if not isinstance(self.instants, array):
            self.instants = array("q", self.instants)
        self.instants.extend(instants)

    def _add_walls(self, moments: Sequence[Moment]) -> None:
        seconds = {*map(_second, moments)}
        self.late = self.late or max(seconds) > HOUR_S
        self.off_hour = self.off_hour or any(second % HOUR_S for second in seconds)
        self.off_day = self.off_day or not seconds <= _DAY_GRID_S
        if not self.off_day:
            self._add_days({moment.nearest_day for moment in moments})

    def join(self, other: _Grid) -> None:
        """Take in what another grid was told."""
        if self.instants and other.instants:
            step_ms = other.instants[0] - self.instants[-1]
            self.ordered = self.ordered and step_ms >= 0
            self._least_step_ms = min(self._least_step_ms, step_ms if step_ms > 0 else inf)
        self._hold(other.instants)
        self.ordered = self.ordered and other.ordered
        self._least_step_ms = min(self._least_step_ms, other._least_step_ms)
        self.off_minute |= other.off_minute
        self.off_second |= other.off_second
        self.off_hour |= other.off_hour
        self.off_day |= other.off_day
        self.late |= other.late
        self._weekdays |= other._weekdays
        self._firsts &= other._firsts
        self._new_years &= other._new_years

    def _add_days(self, days: set[int]) -> None:
        self._weekdays |= {day % 7 for day in days}
        if self._firsts:
            dates = [date.fromordinal(day + EPOCH_ORDINAL) for day in days]
            self._firsts = all(one.day == 1 for one in dates)
            self._new_years = self._new_years and all(one.month == 1 for one in dates)

    @property
    def closest_ms(self) -> float:
        """Least distance of two different instants."""
        if self.ordered:
            return self._least_step_ms
        found = sorted({*self.instants})
        return min(map(sub, found[1:], found), default=inf)

    def keeps(self, layer: str) -> bool:
        """Whether all lie on the grid of a layer."""
        if layer == MINUTE:
            return not self.off_minute
        if self.off_second or (layer != HOUR and self.off_day):
            return False
        if layer == HOUR:
            return not self.off_hour
        if layer == WEEK:
            return len(self._weekdays) == 1
        return layer == DAY or (self._firsts and (layer == MONTH or self._new_years))


class Times:
    """When the readings of a metric are, as far as it tells their layer: those that have an
    instant, apart from the dates alone."""

    def __init__(self) -> None:
        self.timed = _Grid()
        self.alone = _Grid()

    def add(self, moments: Sequence[Moment], at_ms: Sequence[int | None]) -> None:
        """Take in moments, at least one, and their instants in the order of the body."""
        if None in at_ms:
            alone = [moment for moment in moments if moment.at_ms is None]
            moments = [moment for moment in moments if moment.at_ms is not None]
            self.alone.add(alone, [moment.day * DAY_MS for moment in alone])
            at_ms = [one for one in at_ms if one is not None]
        if at_ms:
            self.timed.add(moments, cast("Sequence[int]", at_ms))

    def join(self, other: Times) -> None:
        """Take in what else there is of the same metric."""
        self.timed.join(other.timed)
        self.alone.join(other.alone)

    @property
    def telling(self) -> _Grid:
        """A date alone has no instant; it speaks only where the metric has nothing better."""
        return self.timed if self.timed.instants else self.alone


def times_of(moments: Sequence[Moment]) -> Times:
    """What these moments tell."""
    found = Times()
    if moments:
        found.add(moments, list(map(_at_ms, moments)))
    return found


def derived(times: Mapping[str, Times | Sequence[Moment]]) -> str | None:
    """Layer shown by the dense metrics of a body (metric name to its moments): for each with two
    different instants the coarsest it keeps, of these the finest; None when none has two."""
    grids = [_grid(of_one) for name, of_one in times.items() if name in DENSE]
    found = [_coarsest(grid) for grid in grids if grid.closest_ms < inf]
    return LAYERS[min(map(LAYERS.index, found))] if found else None


def of_metric(name: str, layer: str | None, times: Times | Sequence[Moment]) -> str | None:
    """Layer of one metric in a delivery whose own layer is `layer` (None: not known)."""
    if layer in UNGROUPED or name in TRAPS:
        return layer
    grid = _grid(times)
    if grid.off_minute:
        return RAW
    is_sparse = name not in DENSE and (layer is None or layer in DATED)
    if is_sparse and grid.late:
        return RAW
    if layer is not None and grid.closest_ms < WIDTH_MS[layer]:
        return _coarsest(grid)
    return layer


def _grid(times: Times | Sequence[Moment]) -> _Grid:
    return (times if isinstance(times, Times) else times_of(times)).telling


def _coarsest(grid: _Grid) -> str:
    """The coarsest layer whose grid and width all moments keep."""
    closest_ms = grid.closest_ms
    for layer in reversed(LAYERS[2:]):
        if closest_ms >= WIDTH_MS[layer] and grid.keeps(layer):
            return layer
    return RAW


def _is_off(grid_ms: int, first_ms: int, steps: set[int]) -> bool:
    """Whether any of the instants that are these steps apart is off a grid."""
    return bool(first_ms % grid_ms) or any(step % grid_ms for step in steps)
