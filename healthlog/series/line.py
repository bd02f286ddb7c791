"""One reading of the mart, as a series takes it."""

from __future__ import annotations

from typing import NamedTuple

from healthlog.model import Rank
from healthlog.reading import Sources


class Word(NamedTuple):
    """A delivery that says something: the weight of its word, and when it was spoken
    (microseconds UTC)."""

    rank: Rank
    spoke_at_us: int


class Figure(NamedTuple):
    """A number of a reading, with the least and greatest it stands for; None where not said."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Line(NamedTuple):
    """A reading with its words resolved.

    `at_ms` is its start, of a date without a time the midnight by the clock; `length_ms` that of a
    sample. Rows of days, weeks, months, years have a `date` (days since 1970) with the offset of
    their start; all else has it from the clock. `closed` is the rank of who first spoke of an hour
    after its end. `elsewhere` marks the row of a day that the clock puts elsewhere.
    """

    at_ms: int
    length_ms: int
    date: int
    offset_min: int
    figures: tuple[Figure, ...]
    unit: str | None
    sources: Sources
    word: Word
    closed: Rank | None = None
    elsewhere: bool = False
