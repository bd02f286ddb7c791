"""The answer of a bucket: what counts in it, in which layers, by whose words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from healthlog.model import Rank
from healthlog.series.buckets import Offsets, is_open, local_day, midnight_ms
from healthlog.series.catalogue import SUM
from healthlog.series.line import Figure, Line, Word
from healthlog.series.measure import Measure
from healthlog.series.tally import Tally, joined

_EARLIEST, _LATEST = -(2**63), 2**63 - 1
_NOBODY = Word((_EARLIEST, _EARLIEST, ""), _EARLIEST)
_EQUAL = 1e-9
"""Sums that differ by less, of the larger, are equal: the phone adds in another order."""


@dataclass(slots=True)
class Answer:
    """What answers for a bucket.

    `start` is its instant (ms) or first date (days since 1970), `end_ms` the instant it is over.
    `rank` is that of the latest word heard in it. `last_ms` is its latest reading, `offset_min`
    the offset of that, `spoke_at_us` when the word that says it was spoken. `day` is the local
    date of an hour. `heard_at_us` is when the metric was last spoken of at all, where that counts.
    """

    start: int
    end_ms: int
    layers: frozenset[str]
    tally: Tally
    rank: Rank
    last_ms: int
    offset_min: int
    spoke_at_us: int
    day: int = 0
    heard_at_us: int = 0

    @property
    def open(self) -> bool:
        """Whether the bucket was not over yet when it was last heard of."""
        return is_open(self.end_ms, max(self.spoke_at_us, self.heard_at_us))


class Gathering:
    """Readings of one layer on their way to an answer; at least one."""

    def __init__(self) -> None:
        self.first_ms = _LATEST
        self._tally = Tally()
        self._rank = _NOBODY.rank
        self._word = _NOBODY
        self._last: tuple[int, Word] = (_EARLIEST, _NOBODY)

    def add(self, line: Line, figures: Sequence[Figure], at_ms: int) -> None:
        self._tally.add(line.unit, figures, at_ms, line.sources)
        self.first_ms = min(self.first_ms, at_ms)
        word = line.word
        if word is not self._word:  # mostly one delivery says what stands side by side
            self._word = word
            self._rank = max(word.rank, self._rank)
        last_ms, last = self._last
        if at_ms > last_ms or (at_ms == last_ms and word > last):
            self._last = at_ms, word

    def of_instant(self, start: int, width_ms: int, layer: str, offsets: Offsets) -> Answer:
        """The answer of a bucket of this width; its day is that of its first reading."""
        last_ms, word = self._last
        return Answer(
            start,
            start + width_ms,
            frozenset((layer,)),
            self._tally,
            self._rank,
            last_ms,
            offsets.offset_min(last_ms),
            word.spoke_at_us,
            local_day(self.first_ms, offsets),
        )

    def of_dates(self, layer: str, first: int, following: int, offset_min: int) -> Answer:
        """The answer of the bucket from the date `first` to before `following`; it is over at
        midnight in the offset of its last reading."""
        last_ms, word = self._last
        return Answer(
            first,
            midnight_ms(following, offset_min),
            frozenset((layer,)),
            self._tally,
            self._rank,
            last_ms,
            offset_min,
            word.spoke_at_us,
        )


def of_parts(first: int, following: int, parts: Sequence[Answer], heard_at_us: int = 0) -> Answer:
    """The answer that its parts give of the bucket from the date `first` to before `following`."""
    latest = max(parts, key=lambda part: (part.last_ms, part.rank))
    return Answer(
        first,
        midnight_ms(following, latest.offset_min),
        frozenset().union(*(part.layers for part in parts)),
        joined(part.tally for part in parts),
        max(part.rank for part in parts),
        latest.last_ms,
        latest.offset_min,
        latest.spoke_at_us,
        heard_at_us=heard_at_us,
    )


def joined_answers(first: Answer, later: Answer) -> Answer:
    """One bucket's answer by what two layers tell of different times in it, `first` of the earlier;
    it is as open as `later` is."""
    return replace(
        later,
        layers=first.layers | later.layers,
        tally=joined((first.tally, later.tally)),
        rank=max(first.rank, later.rank),
        day=first.day,
    )


def decided(measure: Measure, own: Answer | None, parts: Answer | None) -> Answer | None:
    """Which of two answers a bucket: that of its own layer where it is closed, else that of its
    parts, unless the own says more (amounts) or was heard later (levels). Equal sums: the own."""
    if own is None or parts is None:
        return own or parts
    if not own.open:
        return own
    if measure.entry.aggregate != SUM:
        return own if own.rank > parts.rank else parts
    mine, theirs = measure.amount(own.tally), measure.amount(parts.tally)
    if mine is None or theirs is None:
        return parts if mine is None else own
    return own if mine >= theirs - _EQUAL * abs(theirs) else parts


def heard_last(answers: Iterable[Answer]) -> Answer | None:
    """Of one bucket's answers in several layers, coarsest first: the first that is closed, else
    the one heard from last."""
    found = list(answers)
    for one in found:
        if not one.open:
            return one
    return max(found, key=lambda one: one.rank, default=None)
