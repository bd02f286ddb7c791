"""What merging a delivery made of its series."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from healthlog.mart.speaker import Speaker


class Spoken(NamedTuple):
    """Of which stretch of a series a delivery spoke, and with how many readings."""

    series: int
    first_ms: int | None
    last_ms: int | None
    readings: int


@dataclass(slots=True)
class Merged:
    """What merging one series did: of what was spoken, fates of elements, the change in readings
    kept."""

    spoken: Spoken | None = None
    fates: Counter[str] = field(default_factory=Counter)
    incomparable: int = 0
    readings: int = 0
    first_changed_ms: int | None = None
    last_changed_ms: int = 0

    def change(self, first_ms: int, last_ms: int) -> None:
        """Note that what this stretch says is new, differs, or was closed by another. Stretches
        come in the order of time."""
        if self.first_changed_ms is None:
            self.first_changed_ms = first_ms
        self.last_changed_ms = last_ms


def summarise(connection: sqlite3.Connection, speaker: Speaker, every: Iterable[Merged]) -> None:
    """Let the rows of series say what merging a delivery made of them."""
    series: list[tuple[object, ...]] = []
    spoke: list[tuple[object, ...]] = []
    for merged in every:
        assert merged.spoken is not None
        number, first_ms, last_ms, readings = merged.spoken
        series.append((merged.readings, first_ms, first_ms, last_ms, last_ms, number))
        spoke.append((speaker.number, number, first_ms, last_ms, readings))
        if merged.first_changed_ms is not None:
            speaker.changes.points(number, merged.first_changed_ms, merged.last_changed_ms)
    connection.executemany(
        "UPDATE series SET points = points + ?, first_at_ms = min(coalesce(first_at_ms, ?), ?),"
        " last_at_ms = max(coalesce(last_at_ms, ?), ?) WHERE series = ?",
        series,
    )
    connection.executemany("INSERT OR REPLACE INTO spoke VALUES (?, ?, ?, ?, ?)", spoke)
