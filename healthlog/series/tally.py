"""Readings counted together: their sum, average, extremes, latest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from healthlog.reading import Sources
from healthlog.series.catalogue import LAST, SUM
from healthlog.series.line import Figure
from healthlog.values import total


@dataclass(slots=True)
class Stat:
    """What one number of many readings adds up to, in one unit. `values` are those of readings,
    or sums of them, of `count` readings in all."""

    values: list[float] = field(default_factory=list)
    count: int = 0
    low: float | None = None
    high: float | None = None
    last_ms: int | None = None
    last: float | None = None

    def add(self, figure: Figure, at_ms: int) -> None:
        value, low, high = figure
        if value is not None:
            self.values.append(value)
            self.count += 1
            if self.last_ms is None or at_ms >= self.last_ms:
                self.last_ms, self.last = at_ms, value
        self._reach(low, high)

    def take_in(self, other: Stat) -> None:
        """All of another one."""
        self.values += other.values
        self.count += other.count
        if other.last_ms is not None and (self.last_ms is None or other.last_ms >= self.last_ms):
            self.last_ms, self.last = other.last_ms, other.last
        self._reach(other.low, other.high)

    def value(self, aggregate: str) -> float | None:
        """The sum, the average or the latest; None where no reading has a value."""
        if not self.count:
            return None
        if aggregate == LAST:
            return self.last
        of_all = total(self.values)
        return of_all if aggregate == SUM else of_all / self.count

    def _reach(self, low: float | None, high: float | None) -> None:
        if low is not None and (self.low is None or low < self.low):
            self.low = low
        if high is not None and (self.high is None or high > self.high):
            self.high = high


@dataclass(slots=True)
class Tally:
    """Readings counted together, by the unit they were sent in: one Stat for each number that a
    reading of the metric has."""

    by_unit: dict[str | None, tuple[Stat, ...]] = field(default_factory=dict)
    sources: set[Sources] = field(default_factory=set)

    def add(
        self, unit: str | None, figures: Sequence[Figure], at_ms: int, sources: Sources
    ) -> None:
        stats = self._of(unit, len(figures))
        for stat, figure in zip(stats, figures, strict=True):
            stat.add(figure, at_ms)
        self.sources.add(sources)

    def take_in(self, other: Tally) -> None:
        """All that another one counts: an average goes on counting each reading once."""
        for unit, theirs in other.by_unit.items():
            for mine, stat in zip(self._of(unit, len(theirs)), theirs, strict=True):
                mine.take_in(stat)
        self.sources |= other.sources

    def settle(self) -> None:
        """Let values that won't be looked at again be one sum."""
        for stats in self.by_unit.values():
            for stat in stats:
                if len(stat.values) > 1:
                    stat.values = [total(stat.values)]

    def _of(self, unit: str | None, width: int) -> tuple[Stat, ...]:
        found = self.by_unit.get(unit)
        if found is None:
            found = self.by_unit[unit] = tuple(Stat() for _ in range(width))
        return found


def joined(tallies: Iterable[Tally]) -> Tally:
    """One tally of several, which stay as they are."""
    found = Tally()
    for one in tallies:
        found.take_in(one)
    return found
