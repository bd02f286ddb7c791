"""Where a series finds its readings: what it may ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from healthlog.series.answer import Answer
from healthlog.series.buckets import Stretch, Zones
from healthlog.series.line import Line


class Dates(NamedTuple):
    """Dates (days since 1970) from `first` to before `last`."""

    first: int
    last: int


class Piece(NamedTuple):
    """Dates from `first` to before `last`; `fresh` where all there is to say of them is kept."""

    first: int
    last: int
    fresh: bool


class KeptDays(Protocol):
    """Days of one metric whose answers were made before and kept."""

    def pieces(self, dates: Dates) -> Iterator[Piece]:
        """The dates as stretches in their order."""

    def answers(self, dates: Dates) -> Iterator[Answer]:
        """The answers of fresh dates, in their order."""


class Shelf(Protocol):
    """The readings of one metric. It gives what is asked for, never more of a layer."""

    @property
    def layers(self) -> frozenset[str]:
        """The layers that there are readings of."""

    @property
    def heard_at_us(self) -> int:
        """When the word was spoken that says the metric's latest reading; 0 without any."""

    def dated(self, layer: str, first: int, last: int) -> Sequence[Line]:
        """Rows of days, weeks, months or years, with a local date from `first` to before `last`,
        by their start. Of a date cut in several zones only the start that answers is there, of a
        day told with a time as well as without only what answers."""

    def timed(self, layer: str, stretch: Stretch) -> Sequence[Line]:
        """Readings of the finer layers that begin within a stretch, by their start."""

    def zones(self, stretch: Stretch) -> Zones:
        """The clock of a stretch."""

    def next_date(self, layers: frozenset[str], date: int) -> int | None:
        """A date, not before `date`, with no reading of these layers between the two; None when
        there are no more readings."""

    def next_ms(self, layers: frozenset[str], at_ms: int) -> int | None:
        """The start of the first reading of these layers that isn't before an instant, or may
        reach behind it; None when there are no more."""
