"""Answers of hours, of minutes: by their own rows, by what is finer."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from healthlog.layer import HOUR, MINUTE, RAW, SAMPLE
from healthlog.moment import HOUR_MS, MINUTE_MS
from healthlog.series.answer import Answer, Gathering, decided, heard_last, joined_answers
from healthlog.series.buckets import Offsets, Stretch, Zones, hours_of, minute_of
from healthlog.series.catalogue import SUM
from healthlog.series.line import Figure, Line
from healthlog.series.measure import Measure
from healthlog.series.resolve import LASTS_MS, LONGEST_MS, Part, raws, samples
from healthlog.series.shelf import Shelf
from healthlog.series.source_order import SourceOrder

_BEYOND_MS = HOUR_MS
"""Hours that begin so long before a stretch may reach into it."""

_OVERLAPPING_MS = 3 * HOUR_MS
"""How far rows of hours are looked at to find which of overlapping ones answer."""

_EVER_MS = -(2**62)
"""Before any reading."""

_ONE_QUESTION_MS = 6 * HOUR_MS
"""Gaps of a layer closer than this are asked for at once."""

Said = tuple[Line, Sequence[Figure], int]
"""A reading, the numbers of it that count, where they begin."""


@dataclass(frozen=True, slots=True)
class Timed:
    """Answers of buckets that are instants, made from the readings of a shelf."""

    shelf: Shelf
    measure: Measure
    order: SourceOrder

    def minutes(self, stretch: Stretch, offsets: Offsets) -> list[Answer]:
        """Answers of the minutes that begin within a stretch, in their order."""
        own: dict[int, Answer] = {}
        if MINUTE in self.shelf.layers:
            own = _by_start(self.shelf.timed(MINUTE, stretch), MINUTE, MINUTE_MS, offsets)
        grid = _Grid(own, MINUTE_MS, minute_of, offsets)
        return self._answers(grid, stretch, (RAW, SAMPLE))

    def hours(self, stretch: Stretch, offsets: Zones) -> list[Answer]:
        """Answers of the hours that begin within a stretch, in their order. The clock must be
        known an hour more before and behind it."""
        own: dict[int, Answer] = {}
        if HOUR in self.shelf.layers:
            rows = self.shelf.timed(HOUR, _wider(stretch, _OVERLAPPING_MS, _OVERLAPPING_MS))
            own = _by_start(apart(rows), HOUR, HOUR_MS, offsets)
        grid = _Grid(own, HOUR_MS, hours_of(offsets), offsets)
        wider = _wider(stretch, _BEYOND_MS, _BEYOND_MS)
        found = self._answers(grid, wider, (MINUTE, RAW, SAMPLE), self._before_feed(grid, wider))
        return [one for one in found if stretch.first_ms <= one.start < stretch.last_ms]

    def _answers(
        self,
        grid: _Grid,
        stretch: Stretch,
        finer: tuple[str, ...],
        history: Answer | None = None,
    ) -> list[Answer]:
        """Answers of a grid's buckets, by their own rows or one of the layers `finer`, which stand
        coarsest first. `history` belongs to what a live layer tells of the same bucket."""
        parts: defaultdict[int, list[Answer]] = defaultdict(list)
        for layer in finer:
            if layer in self.shelf.layers:
                for gap in grid.gaps(stretch):
                    for one in self._of_layer(grid, layer, gap):
                        parts[one.start].append(one)
        answers = []
        for start in sorted({*grid.own, *parts}):
            own = grid.own.get(start)
            answer = decided(self.measure, own, _with(history, heard_last(parts.get(start, ()))))
            assert answer is not None
            answer.day = answer.day if own is None else own.day
            answers.append(answer)
        return answers

    def _before_feed(self, grid: _Grid, stretch: Stretch) -> Answer | None:
        """What imported samples tell of the hour in which the live feed begins: the amounts wholly
        before its first reading. Without them that hour would be a step between the two."""
        live = self.shelf.layers & {MINUTE, RAW}
        if not live or SAMPLE not in self.shelf.layers or self.measure.entry.aggregate != SUM:
            return None
        begin_ms = self.shelf.next_ms(live, _EVER_MS)
        if begin_ms is None or not stretch.first_ms <= begin_ms < stretch.last_ms:
            return None
        start = grid.bucket(begin_ms)
        lines = self.shelf.timed(SAMPLE, Stretch(start, minute_of(begin_ms)))
        wholly = [line for line in lines if line.at_ms + line.length_ms <= begin_ms]
        gathering = Gathering()
        for part in samples(wholly, self.order, grid.bucket):
            gathering.add(part.line, part.figures, part.at_ms)
        return gathering.of_instant(start, grid.width_ms, SAMPLE, grid.offsets) if wholly else None

    def _of_layer(self, grid: _Grid, layer: str, stretch: Stretch) -> Iterator[Answer]:
        """What a finer layer says of the buckets of a stretch that aren't closed."""
        gathered: defaultdict[int, Gathering] = defaultdict(Gathering)
        for start, (line, figures, at_ms) in self._said(grid, layer, stretch):
            gathered[start].add(line, figures, at_ms)
        for start, gathering in gathered.items():
            if not grid.is_closed(start):
                yield gathering.of_instant(start, grid.width_ms, layer, grid.offsets)

    def _said(self, grid: _Grid, layer: str, stretch: Stretch) -> Iterator[tuple[int, Said]]:
        """Readings of a stretch with the buckets they count in: amounts that several sources may
        tell resolved, all others as they are."""
        if layer == MINUTE or self.measure.entry.aggregate != SUM:
            for line in self.shelf.timed(layer, stretch):
                yield grid.bucket(line.at_ms), (line, line.figures, line.at_ms)
            return
        for part in self._resolved(grid, layer, stretch):
            if stretch.first_ms <= part.at_ms < stretch.last_ms:
                yield part.bucket_ms, (part.line, part.figures, part.at_ms)

    def _resolved(self, grid: _Grid, layer: str, stretch: Stretch) -> list[Part]:
        if layer == RAW:
            # What is told a little before may last into it, what is told after ends what is told
            # in it.
            wider = _wider(stretch, LASTS_MS, 2 * LASTS_MS)
            return raws(self.shelf.timed(RAW, wider), self.order, grid.bucket)
        wider = _wider(stretch, LONGEST_MS, 0)
        return samples(self.shelf.timed(SAMPLE, wider), self.order, grid.bucket)


class _Grid:
    """Where buckets begin: at their own rows, where there is none as the clock has it."""

    def __init__(
        self,
        own: Mapping[int, Answer],
        width_ms: int,
        by_clock: Callable[[int], int],
        offsets: Offsets,
    ) -> None:
        self.own = own
        self.width_ms = width_ms
        self.offsets = offsets
        self._by_clock = by_clock
        self._starts = sorted(own)
        self._known: dict[int, int] = {}

    def bucket(self, at_ms: int) -> int:
        """Where the bucket begins that an instant lies in."""
        if not self._starts:
            return self._by_clock(at_ms)
        minute_ms = minute_of(at_ms)
        found = self._known.get(minute_ms)
        if found is None:
            found = self._known[minute_ms] = self._found(at_ms)
        return found

    def _found(self, at_ms: int) -> int:
        number = bisect_right(self._starts, at_ms) - 1
        if number >= 0 and at_ms < self._starts[number] + self.width_ms:
            return self._starts[number]
        return self._by_clock(at_ms)

    def is_closed(self, start: int) -> bool:
        own = self.own.get(start)
        return own is not None and not own.open

    def gaps(self, stretch: Stretch) -> list[Stretch]:
        """The stretches in which no closed row of the grid answers, close ones made one."""
        gaps: list[Stretch] = []
        begin_ms = stretch.first_ms
        closed = [start for start in self._starts if self.is_closed(start)]
        for start in (*closed, stretch.last_ms):
            end_ms = min(start, stretch.last_ms)
            if end_ms > begin_ms:
                if gaps and begin_ms - gaps[-1].last_ms < _ONE_QUESTION_MS:
                    begin_ms = gaps.pop().first_ms
                gaps.append(Stretch(begin_ms, end_ms))
            begin_ms = max(begin_ms, start + self.width_ms)
        return gaps


def _with(history: Answer | None, found: Answer | None) -> Answer | None:
    """What a live layer tells of the hour in which it begins, with what is older in it."""
    if history is None or found is None or history.start != found.start or SAMPLE in found.layers:
        return found
    return joined_answers(history, found)


def apart(lines: Iterable[Line]) -> list[Line]:
    """Rows of hours without those that overlap one that answers: the one first closed, of those
    not closed the one said last."""
    together: defaultdict[int, list[Line]] = defaultdict(list)
    for line in lines:
        together[line.at_ms].append(line)
    answering: list[int] = sorted(together)
    if any(b - a < HOUR_MS for a, b in pairwise(answering)):
        answering = []
        for start in _by_weight(together):
            number = bisect_left(answering, start)
            neighbours = answering[max(number - 1, 0) : number + 1]
            if all(abs(start - one) >= HOUR_MS for one in neighbours):
                answering.insert(number, start)
    return [line for start in answering for line in together[start]]


def _by_weight(together: Mapping[int, Sequence[Line]]) -> list[int]:
    """Starts of hours: the first closed first, then those not closed from the last said on."""
    closed = {
        start: min(line.closed for line in lines if line.closed is not None)
        for start, lines in together.items()
        if any(line.closed is not None for line in lines)
    }
    running = [start for start in sorted(together) if start not in closed]
    running.sort(key=lambda start: max(one.word.rank for one in together[start]), reverse=True)
    return [*sorted(closed, key=lambda start: (closed[start], start)), *running]


def _by_start(
    lines: Iterable[Line], layer: str, width_ms: int, offsets: Offsets
) -> dict[int, Answer]:
    """Answers of a layer's own rows. Several readings at one start count each."""
    gathered: defaultdict[int, Gathering] = defaultdict(Gathering)
    for line in lines:
        gathered[line.at_ms].add(line, line.figures, line.at_ms)
    return {
        start: one.of_instant(start, width_ms, layer, offsets) for start, one in gathered.items()
    }


def _wider(stretch: Stretch, before_ms: int, behind_ms: int) -> Stretch:
    return Stretch(stretch.first_ms - before_ms, stretch.last_ms + behind_ms)
