"""The value of counted readings in the unit that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

from healthlog.series import units
from healthlog.series.catalogue import AVG, SUM, Entry
from healthlog.series.tally import Stat, Tally
from healthlog.values import shortest, total


class Measured(NamedTuple):
    """One number of an answer: value, least, greatest, each None where there is none."""

    value: float | None
    low: float | None
    high: float | None


class InUnit(NamedTuple):
    """All numbers of an answer in one unit, side by side as the readings have them."""

    unit: str | None
    numbers: tuple[Measured, ...]


@dataclass(frozen=True, slots=True)
class Measure:
    """How a metric is measured: its function, and the unit answers are given in."""

    entry: Entry
    unit: str | None

    def amount(self, tally: Tally) -> float | None:
        """The sum of what can be given in the unit; None where nothing can."""
        found = []
        for sent, stats in tally.by_unit.items():
            convert = units.converter(self.entry.metric, sent, self.unit)
            value = stats[0].value(SUM)
            if convert is not None and value is not None:
                found.append(convert(value))
        return total(_there(found)) if found else None

    def of(self, tally: Tally) -> list[InUnit]:
        """The numbers of an answer in its unit, then as sent what can't be converted, by the name
        of its unit."""
        kept: dict[str | None, list[tuple[str | None, Sequence[Stat]]]] = {}
        for sent, stats in tally.by_unit.items():
            can = units.converter(self.entry.metric, sent, self.unit) is not None
            kept.setdefault(self.unit if can else units.spelled(sent), []).append((sent, stats))
        order = sorted(kept, key=lambda unit: (unit != self.unit, unit or ""))
        return [InUnit(unit, self._numbers(unit, kept[unit])) for unit in order]

    def shown(self, found: InUnit) -> dict[str, object]:
        """Numbers as an answer shows them: `value`, `min`, `max`; of a metric that is measured by
        field, each by field. What isn't there is left out."""
        names = self.entry.by_field
        members: dict[str, object] = {}
        for place, member in enumerate(("value", "min", "max")):
            values = [_plain(one[place]) for one in found.numbers]
            if names:
                by_field = dict(zip(names, values, strict=True))
                there = {name: value for name, value in by_field.items() if value is not None}
                members |= {member: there} if there else {}
            elif values[0] is not None:
                members[member] = values[0]
        return members

    def _numbers(
        self, unit: str | None, kept: Sequence[tuple[str | None, Sequence[Stat]]]
    ) -> tuple[Measured, ...]:
        width = len(kept[0][1])
        return tuple(
            self._number(unit, [(sent, stats[number]) for sent, stats in kept])
            for number in range(width)
        )

    def _number(self, unit: str | None, stats: Sequence[tuple[str | None, Stat]]) -> Measured:
        """One number of readings that were sent in several spellings or sizes of a unit."""
        lows, highs, values = [], [], []
        for sent, stat in stats:
            convert = units.converter(self.entry.metric, sent, unit)
            assert convert is not None
            value = stat.value(self.entry.aggregate)
            if value is not None and isfinite(value):
                values.append((stat, convert(value)))
            lows += [convert(stat.low)] if stat.low is not None else []
            highs += [convert(stat.high)] if stat.high is not None else []
        return Measured(
            self._together([(stat, value) for stat, value in values if value is not None]),
            min(_there(lows), default=None) if self.entry.aggregate == AVG else None,
            max(_there(highs), default=None) if self.entry.aggregate == AVG else None,
        )

    def _together(self, values: Sequence[tuple[Stat, float]]) -> float | None:
        if not values:
            return None
        if len(values) == 1:
            found = values[0][1]
        elif self.entry.aggregate == SUM:
            found = total([value for _, value in values])
        elif self.entry.aggregate == AVG:
            weighed = total([stat.count * value for stat, value in values])
            found = weighed / sum(stat.count for stat, _ in values)
        else:
            found = max(values, key=lambda pair: pair[0].last_ms or 0)[1]
        return found if isfinite(found) else None


def _plain(value: float | None) -> int | float | None:
    return None if value is None else shortest(value)


def _there(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]
