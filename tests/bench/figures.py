"""What the bench found: each figure beside its floor and its bar."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Bar:
    """What a figure must not pass: at most `limit`, or at least where `least`. `of` says of what:
    `×` a ratio to the floor, else a unit."""

    limit: float
    of: str = "×"
    least: bool = False

    def __str__(self) -> str:
        return f"{'≥' if self.least else '≤'} {self.limit:g} {self.of}"

    def reached(self, figure: float) -> bool:
        return figure >= self.limit if self.least else figure <= self.limit


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `figure` is what is held against the bar; `ours` and `floor` are the
    medians that it comes from, in `unit`."""

    what: str
    unit: str
    ours: float
    floor: float | None
    figure: float
    bar: Bar | None
    rounds: int
    note: str = ""

    def fields(self) -> dict[str, Any]:
        plain = asdict(self)
        plain["bar"] = None if self.bar is None else str(self.bar)
        plain["reached"] = None if self.bar is None else self.bar.reached(self.figure)
        return plain

    def cells(self) -> tuple[str, ...]:
        if self.bar is None:
            bar, reached = "", ""
        else:
            bar, reached = str(self.bar), "yes" if self.bar.reached(self.figure) else "NO"
        ours = f"{_short(self.ours)} {self.unit}"
        floor = "" if self.floor is None else f"{_short(self.floor)} {self.unit}"
        return (self.what, ours, floor, _short(self.figure), bar, reached, self.note)


HEAD = ("what", "here", "floor", "figure", "bar", "reached", "note")


@dataclass(slots=True)
class Pairs:
    """Figures measured in turn with their floors."""

    ours: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)

    def add(self, ours: float, floor: float) -> None:
        self.ours.append(ours)
        self.floor.append(floor)

    def ratio(self) -> float:
        """The median of the ratios, pair by pair."""
        pairs = zip(self.ours, self.floor, strict=True)
        return statistics.median(ours / floor for ours, floor in pairs)

    def row(self, what: str, bar: Bar | None, *, note: str = "") -> Row:
        """Of times in seconds."""
        ours, floor = (statistics.median(one) * 1000 for one in (self.ours, self.floor))
        return Row(what, "ms", ours, floor, self.ratio(), bar, len(self.ours), note)


def ninety_ninth(values: Sequence[float]) -> float:
    """The value that 99 of a hundred do not pass."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]


def table(rows: Iterable[Row]) -> str:
    """The rows below a head, in columns."""
    lines = [HEAD, *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        + "\n"
        for line in lines
    )


def _short(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"
