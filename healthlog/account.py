"""The account of a delivery, part by part: which elements of which section had which fate."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from healthlog import merge
from healthlog.coverage import Coverage
from healthlog.model import Counts


class Fates:
    """Fates of the elements of one body, as they are met."""

    def __init__(self, coverage: Coverage) -> None:
        self._coverage = coverage
        self._taken: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._incomparable: Counter[str] = Counter()
        self._rejected: Counter[str] = Counter()

    def take(self, name: str, fates: Mapping[str, int], incomparable: int = 0) -> None:
        """Count elements of the section or metric `name` (`workouts`, `metrics.heart_rate`)."""
        part = self._coverage.part(name)
        self._taken[part].update(fates)
        self._incomparable[part] += incomparable

    def reject(self, by_section: Mapping[str, int]) -> None:
        """Count elements that were not taken, by the names they are uncovered under."""
        for name, elements in by_section.items():
            self._rejected[self._coverage.part(name)] += elements

    def by_part(self) -> dict[str, Counts]:
        """The counts of each part that has any, in the order of the names."""
        parts = sorted({*self._taken, *self._rejected})
        return {part: counts for part in parts if (counts := self._counts(part)).received}

    def _counts(self, part: str) -> Counts:
        taken, rejected = self._taken[part], self._rejected[part]
        return Counts(
            received=sum(taken.values()) + rejected,
            new=taken[merge.NEW],
            changed=taken[merge.CHANGED],
            same=taken[merge.SAME],
            outdated=taken[merge.OUTDATED],
            rejected=rejected,
            incomparable=self._incomparable[part],
        )


def with_history(now: Mapping[str, Counts], before: Mapping[str, Counts]) -> dict[str, Counts]:
    """The counts of a delivery that is folded again by rules that cover more. What was counted
    before keeps its fates, which are history: met again it would all be the same. A part whose
    elements aren't those that were counted then has none."""
    return {
        part: stood if (stood := before.get(part)) and _of_the_same(stood, counts) else counts
        for part, counts in now.items()
    }


def _of_the_same(one: Counts, other: Counts) -> bool:
    return (one.received, one.rejected) == (other.received, other.rejected)
