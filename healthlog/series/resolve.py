"""Amounts of several sources: which one answers in each minute, so that nothing counts twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from healthlog.moment import DAY_MS, MINUTE_MS
from healthlog.reading import Sources
from healthlog.series.buckets import minute_of
from healthlog.series.line import Figure, Line
from healthlog.series.source_order import Place, SourceOrder

LASTS_MS = 15 * MINUTE_MS
"""A raw amount lasts until its source's next reading, if that follows within this time."""

LONGEST_MS = DAY_MS
"""A longer sample is not spread: it counts at its start."""

Bucket = Callable[[int], int]
"""Where the bucket of a minute begins."""


class Part(NamedTuple):
    """The share of a reading that counts in a bucket: `counted_ms` of the `whole_ms` it is spread
    over, from the minute `at_ms` on."""

    bucket_ms: int
    at_ms: int
    line: Line
    counted_ms: int
    whole_ms: int

    @property
    def figures(self) -> tuple[Figure, ...]:
        if self.counted_ms == self.whole_ms:
            return self.line.figures
        return tuple(
            Figure(None if value is None else value * self.counted_ms / self.whole_ms)
            for value, _, _ in self.line.figures
        )


class _Time(NamedTuple):
    """A reading's time. `begin_ms` is before `end_ms`."""

    line: Line
    place: Place
    begin_ms: int
    end_ms: int


def samples(lines: Iterable[Line], order: SourceOrder, bucket: Bucket) -> list[Part]:
    """The parts of samples that count. Each is spread evenly over its minutes; of a minute in
    which several sources have samples, the first of them in the order answers."""
    places = _Places(order)
    times = [_of_sample(line, places[line.sources]) for line in lines]
    answering = _answering(times)
    parts = []
    for time in times:
        whole_ms = time.end_ms - time.begin_ms
        counted: dict[int, list[int]] = {}
        for minute_ms, share_ms in _minutes(time):
            if answering[minute_ms] == time.place:
                counted.setdefault(bucket(minute_ms), [minute_ms, 0])[1] += share_ms
        parts += [
            Part(bucket_ms, at_ms, time.line, counted_ms, whole_ms)
            for bucket_ms, (at_ms, counted_ms) in counted.items()
        ]
    return parts


def raws(lines: Sequence[Line], order: SourceOrder, bucket: Bucket) -> list[Part]:
    """The parts of raw amounts that count, each in its own minute: what is left of it without the
    share of its time in which a source answers that comes before its own in the order. `lines`
    come by their start."""
    times = _of_raws(lines, order)
    alone = len({time.place for time in times}) < 2
    answering = {} if alone else _answering(times)
    parts = []
    for time in times:
        whole_ms = time.end_ms - time.begin_ms
        counted_ms = whole_ms
        if not alone:
            counted_ms -= sum(
                share_ms
                for minute_ms, share_ms in _minutes(time)
                if answering[minute_ms] < time.place
            )
        if counted_ms:
            at_ms = minute_of(time.line.at_ms)
            parts.append(Part(bucket(at_ms), at_ms, time.line, counted_ms, whole_ms))
    return parts


class _Places(dict[Sources, Place]):
    """Places of sources in an order, each worked out when it is first asked for."""

    def __init__(self, order: SourceOrder) -> None:
        super().__init__()
        self._order = order

    def __missing__(self, sources: Sources) -> Place:
        place = self[sources] = self._order.place(sources)
        return place


def _of_sample(line: Line, place: Place) -> _Time:
    if 0 < line.length_ms <= LONGEST_MS:
        return _Time(line, place, line.at_ms, line.at_ms + line.length_ms)
    return _own_minute(line, place)


def _of_raws(lines: Sequence[Line], order: SourceOrder) -> list[_Time]:
    by_source: defaultdict[Sources, list[Line]] = defaultdict(list)
    for line in lines:
        by_source[line.sources].append(line)
    times = []
    for sources, of_source in by_source.items():
        place = order.place(sources)
        starts = sorted({line.at_ms for line in of_source})
        following = dict(pairwise(starts))
        times += [_of_raw(line, place, following.get(line.at_ms)) for line in of_source]
    return times


def _of_raw(line: Line, place: Place, next_ms: int | None) -> _Time:
    if next_ms is not None and next_ms - line.at_ms <= LASTS_MS:
        return _Time(line, place, line.at_ms, next_ms)
    return _own_minute(line, place)


def _own_minute(line: Line, place: Place) -> _Time:
    minute_ms = minute_of(line.at_ms)
    return _Time(line, place, minute_ms, minute_ms + MINUTE_MS)


def _answering(times: Iterable[_Time]) -> dict[int, Place]:
    """The first source of the order in each minute that any of them has time in."""
    answering: dict[int, Place] = {}
    for time in times:
        for minute_ms, _ in _minutes(time):
            place = answering.get(minute_ms)
            if place is None or time.place < place:
                answering[minute_ms] = time.place
    return answering


def _minutes(time: _Time) -> Iterator[tuple[int, int]]:
    """The minutes of a time, with how much of it lies in each."""
    begin_ms = time.begin_ms
    while begin_ms < time.end_ms:
        minute_ms = minute_of(begin_ms)
        end_ms = min(minute_ms + MINUTE_MS, time.end_ms)
        yield minute_ms, end_ms - begin_ms
        begin_ms = end_ms
