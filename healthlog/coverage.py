"""What the parser covers: names of sections, each with the number by which it was learned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from healthlog.hae.names import canonical_name

LEARNED: Mapping[int, frozenset[str]] = {
    1: frozenset(
        (
            "metrics",
            "metrics.sleep_analysis",
            "workouts",
            "stateOfMind",
            "medications",
            "symptoms",
            "cycleTracking",
            "ecg",
            "heartRateNotifications",
            "appleHealth",
        )
    )
}
"""Sections, and metrics that have a reader of their own (`metrics.NAME`, spelled as they are
stored). Whoever teaches the parser one adds it here under the next number, which becomes that of
the coverage; what stands here under a released number stays as it is."""


class Coverage:
    """All that was ever learned, `number` being the number of the last."""

    def __init__(self, learned: Mapping[int, frozenset[str]]) -> None:
        self._learned = learned
        self.number = max(learned)
        self.names = frozenset[str]().union(*learned.values())

    def has_news(self, uncovered: Iterable[str], number: int) -> bool:
        """Whether a delivery folded under that number, which left these names uncovered, holds
        anything that was learned since."""
        news = frozenset[str]().union(
            *(names for learned, names in self._learned.items() if learned > number)
        )
        return any(_stored(name) in news for name in uncovered)

    def part(self, sent_as: str) -> str:
        """The part of a body that a section or metric (`metrics.NAME`) belongs to: what has a
        reader of its own is a part of its own, `metrics.heart_rate` belongs to `metrics`."""
        name = _stored(sent_as)
        return name if name in self.names else name.partition(".")[0]


COVERED = Coverage(LEARNED)


def _stored(name: str) -> str:
    """A name as sent, spelled as metrics are stored."""
    section, dot, metric = name.partition(".")
    return f"{section}.{canonical_name(metric)}" if dot else section
