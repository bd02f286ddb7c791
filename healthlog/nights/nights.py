"""Nights: what all devices together tell of sleep, each hour of it counted once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import isfinite

from healthlog.hae.words import IN_BED, STAGES
from healthlog.moment import HOUR_MS
from healthlog.nights.words import SLEPT, Segment, Summary, is_nap
from healthlog.reading import Sources
from healthlog.records.derive import NAP_SHORTER_MS
from healthlog.series.buckets import Offsets, Stretch, local_day
from healthlog.series.source_order import SourceOrder
from healthlog.values import total

APART_MS = HOUR_MS
"""Pieces of sleep of one source that are less than this apart are one night."""

Piece = Segment | Summary

_DIGITS = 6  # of an hour: a few milliseconds

_ENOUGH = 0.5
"""A source answers if it knows at least this share of what the best one knows; segments, if they
tell at least this share of the sleep that a summary of their source tells."""


@dataclass(frozen=True, slots=True)
class Night:
    """One night, or nap, by the word of one source.

    `slept` is from falling asleep to waking up, `bed` the time in bed, where it is known; `day`
    the local date of waking up (days since 1970). Hours are None, or absent, where nobody has
    measured them. `keys` are the records it is made of.
    """

    sources: Sources
    slept: Stretch
    bed: Stretch | None
    day: int
    is_nap: bool
    asleep_h: float | None
    in_bed_h: float | None
    hours: Mapping[str, float]
    keys: tuple[str, ...]
    flags: tuple[str, ...] = ()

    @property
    def stretch(self) -> Stretch:
        """All of its time."""
        return self.slept if self.bed is None else _around([self.slept, self.bed])


def nights(words: Iterable[Piece], order: SourceOrder, offsets: Offsets) -> list[Night]:
    """All nights that are told of, by when they begin. Of nights of several sources that overlap
    the first source in the order answers that knows at least half of what the best one knows."""
    by_source: defaultdict[Sources, list[Piece]] = defaultdict(list)
    for word in words:
        by_source[word.sources].append(word)
    found = [night for said in by_source.values() for night in _of_source(said, offsets)]
    answering = [night for together in _overlapping(found) for night in _answering(together, order)]
    return sorted(answering, key=lambda night: night.slept)


def _of_source(said: Sequence[Piece], offsets: Offsets) -> Iterator[Night]:
    """The nights of one source. At each time its segments are heard or a summary, never both."""
    segments = [word for word in said if isinstance(word, Segment)]
    painted = _painted(segments)
    asleep = [one.stretch for one in painted if one.stage in SLEPT]
    apart = _apart(word for word in said if isinstance(word, Summary))
    summaries = [one for one in apart if not _yields(one, asleep)]
    in_bed = [one for one in segments if one.stage == IN_BED]
    beds = _united(one.stretch for one in _beside(summaries, in_bed))
    heard = _beside(summaries, painted)
    naps: list[list[Piece]] = [[one] for one in summaries if one.is_nap]
    pieces: list[Piece] = [one for one in summaries if not one.is_nap]
    for piece in heard:
        next((nap for nap in naps if _lain(piece, nap[0])), pieces).append(piece)
    for together in [*_near(pieces), *naps]:
        night = _night(together, beds, offsets)
        if night is not None:
            yield night


def _apart(summaries: Iterable[Summary]) -> list[Summary]:
    """Summaries of which no two overlap: of those that do, the one said last, then the longest."""
    kept: list[Summary] = []
    weighed = sorted(summaries, key=lambda one: (one.rank, one.stretch.length_ms, one.key))
    for one in reversed(weighed):
        if not any(one.stretch.overlaps(other.stretch) for other in kept):
            kept.append(one)
    return kept


def _yields(summary: Summary, asleep: Iterable[Stretch]) -> bool:
    """Whether segments answer in a summary's time: they tell of sleep there, and not of too little.
    Their stretches asleep don't overlap."""
    begin_ms, end_ms = summary.stretch
    within = (min(one.last_ms, end_ms) - max(one.first_ms, begin_ms) for one in asleep)
    told_ms = sum(length_ms for length_ms in within if length_ms > 0)
    return told_ms > 0 and told_ms / HOUR_MS >= _ENOUGH * (summary.asleep_h or 0.0)


def _beside(summaries: Sequence[Summary], segments: Iterable[Segment]) -> list[Segment]:
    """What segments tell outside the time of summaries that answer. Of time in bed that a summary
    doesn't know they are heard in it, too."""
    taken = _united(one.stretch for one in summaries)
    in_bed = _united(one.stretch for one in summaries if one.in_bed_h is not None)
    return [
        replace(one, stretch=piece)
        for one in segments
        for piece in _without(one.stretch, in_bed if one.stage == IN_BED else taken)
    ]


def _lain(piece: Segment, nap: Piece) -> bool:
    """Whether time in bed is a nap's and no night of its own: it touches the nap, and is no longer
    than one may be."""
    begin_ms, end_ms = nap.stretch
    touches = piece.stretch.first_ms <= end_ms and piece.stretch.last_ms >= begin_ms
    return piece.stage == IN_BED and touches and piece.stretch.length_ms < NAP_SHORTER_MS


def _painted(segments: Iterable[Segment]) -> list[Segment]:
    """Segments of which no two overlap: at each instant the one said last, of those said together
    the most specific."""
    ranked = sorted(segments, key=lambda one: (STAGES.index(one.stage), one.key))
    ranked.sort(key=lambda one: one.rank, reverse=True)
    painted: list[Segment] = []
    taken: list[Stretch] = []
    for one in ranked:
        painted += [replace(one, stretch=piece) for piece in _without(one.stretch, taken)]
        taken = _united([*taken, one.stretch])
    return painted


def _near(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Pieces of one source together that are less than an hour apart."""
    groups: list[list[Piece]] = []
    reach_ms = 0
    for piece in sorted(pieces, key=lambda one: one.stretch):
        if not groups or piece.stretch.first_ms - reach_ms >= APART_MS:
            groups.append([])
            reach_ms = piece.stretch.last_ms
        groups[-1].append(piece)
        reach_ms = max(reach_ms, piece.stretch.last_ms)
    return groups


def _night(pieces: Sequence[Piece], beds: Sequence[Stretch], offsets: Offsets) -> Night | None:
    """The night that pieces of one source make together; `beds` are the source's segments in bed.
    None where nobody slept or was in bed."""
    segments = [piece for piece in pieces if isinstance(piece, Segment)]
    summaries = [piece for piece in pieces if isinstance(piece, Summary)]
    asleep = [one.stretch for one in segments if one.stage in SLEPT]
    around = _around([piece.stretch for piece in pieces])
    in_bed = [bed for bed in beds if segments and bed.overlaps(around)]
    if in_bed:
        in_bed = _united([*in_bed, *asleep])
    if not (asleep or in_bed or summaries):
        return None
    slept = _around([*asleep, *(one.slept for one in summaries)] or in_bed)
    bed = [*in_bed, *(one.bed for one in summaries if one.bed is not None)]
    return Night(
        sources=pieces[0].sources,
        slept=slept,
        bed=_around(bed) if bed else None,
        day=local_day(slept.last_ms, offsets),
        is_nap=_is_nap(pieces, slept, offsets),
        asleep_h=_hours(asleep, [one.asleep_h for one in summaries]),
        in_bed_h=_hours(in_bed, [one.in_bed_h for one in summaries]),
        hours=_by_stage(segments, summaries),
        keys=tuple(sorted({piece.key for piece in pieces})),
        flags=tuple(sorted({flag for one in summaries for flag in one.flags})),
    )


def _is_nap(pieces: Sequence[Piece], slept: Stretch, offsets: Offsets) -> bool:
    """A summary that stands alone, or a nap's with its time in bed, says itself what it is."""
    first = pieces[0]
    if isinstance(first, Summary) and (len(pieces) == 1 or first.is_nap):
        return first.is_nap
    return is_nap(slept, offsets)


def _by_stage(segments: Iterable[Segment], summaries: Iterable[Summary]) -> dict[str, float]:
    stretches: defaultdict[str, list[Stretch]] = defaultdict(list)
    told: defaultdict[str, list[float | None]] = defaultdict(list)
    for segment in segments:
        stretches[segment.stage].append(segment.stretch)
    for stage, hours in chain.from_iterable(one.hours.items() for one in summaries):
        told[stage].append(hours)
    found = {stage: _hours(stretches[stage], told[stage]) for stage in STAGES if stage != IN_BED}
    return {stage: hours for stage, hours in found.items() if hours is not None}


def _hours(stretches: Sequence[Stretch], told: Sequence[float | None]) -> float | None:
    """Hours in all, of stretches and as told; None where nothing is known, or no double holds
    them."""
    known = [hours for hours in told if hours is not None]
    if not stretches and not known:
        return None
    found = total([sum(one.length_ms for one in stretches) / HOUR_MS, *known])
    return round(found, _DIGITS) if isfinite(found) else None


def _overlapping(found: Iterable[Night]) -> list[list[Night]]:
    """Nights together that overlap, of whatever source."""
    groups: list[list[Night]] = []
    reach_ms = 0
    for night in sorted(found, key=lambda one: one.stretch):
        if not groups or night.stretch.first_ms >= reach_ms:
            groups.append([])
            reach_ms = night.stretch.last_ms
        groups[-1].append(night)
        reach_ms = max(reach_ms, night.stretch.last_ms)
    return groups


def _answering(together: Sequence[Night], order: SourceOrder) -> list[Night]:
    """The nights of the source that answers."""
    sleep: defaultdict[Sources, float] = defaultdict(float)
    bed: defaultdict[Sources, float] = defaultdict(float)
    for night in together:
        sleep[night.sources] += night.asleep_h or 0.0
        bed[night.sources] += night.in_bed_h or 0.0
    known = sleep if any(sleep.values()) else bed
    enough = _ENOUGH * max(known.values())
    source = min((one for one in known if known[one] >= enough), key=order.place)
    return [night for night in together if night.sources == source]


def _around(stretches: Sequence[Stretch]) -> Stretch:
    return Stretch(min(one.first_ms for one in stretches), max(one.last_ms for one in stretches))


def _united(stretches: Iterable[Stretch]) -> list[Stretch]:
    """The same instants as stretches in their order that neither overlap nor touch."""
    united: list[Stretch] = []
    for one in sorted(stretches):
        if united and one.first_ms <= united[-1].last_ms:
            united[-1] = _around([united[-1], one])
        else:
            united.append(one)
    return united


def _without(stretch: Stretch, taken: Iterable[Stretch]) -> Iterator[Stretch]:
    """What is left of a stretch without others, which come in their order."""
    begin_ms = stretch.first_ms
    for other in taken:
        if other.last_ms <= begin_ms or other.first_ms >= stretch.last_ms:
            continue
        if begin_ms < other.first_ms:
            yield Stretch(begin_ms, other.first_ms)
        begin_ms = other.last_ms
    if begin_ms < stretch.last_ms:
        yield Stretch(begin_ms, stretch.last_ms)
