"""Candidates of a metric that is too long to be held, one stretch of time after the other."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import compress, pairwise
from math import inf

from healthlog import layer as layers
from healthlog.candidates import Candidates, candidates, starts
from healthlog.reading import Block, Columns, LongBlock, Metric, joined

SLICE = 8_192
"""Readings of a slice, about, where they come in the order of time."""

RANGE = 50_000
"""Readings of a slice, about, where they don't: then all are read again for each."""

MOST_AT_ONCE = 200_000
"""Readings of a slice when they can't be told apart by time; MemoryError for more."""

_LOOKS = 4_096


def slices(
    metric: Metric, layer: str, *, slice_: int = SLICE, range_: int = RANGE
) -> Iterator[Candidates]:
    """All candidates of a metric in a layer, in the order of time, `slice_` or `range_` readings at
    a time. Those of one coordinate begin together, and what begins together is never parted. The
    body is read again for it."""
    timed = metric.times().timed
    is_one = len(metric.long) == 1 and not metric.blocks
    if is_one and timed.ordered and layer not in layers.DATED:
        return _in_order(metric, layer, slice_)
    return _range_by_range(metric, layer, range_)


def _in_order(metric: Metric, layer: str, most: int) -> Iterator[Candidates]:
    [block] = metric.long
    held: list[Columns] = []
    count = 0
    for piece in block.pieces():
        held.append(piece)
        count += len(piece.moments)
        if count < most:
            continue
        together = joined(held)
        instants = starts(layer, together)
        # What begins with the last of them may go on in the next piece.
        cut = bisect_left(instants, instants[-1])
        if cut:
            before = Columns._make(column[:cut] for column in together)
            yield _said(metric.name, layer, [_block(block, [before])])
        held = [Columns._make(column[cut:] for column in together)]
        count -= cut
        _admit(count)
    if held:
        yield _said(metric.name, layer, [_block(block, held)])


def _range_by_range(metric: Metric, layer: str, most: int) -> Iterator[Candidates]:
    blocks = metric.in_order()
    for first_ms, end_ms in pairwise(_bounds(metric, most)):
        within: list[Block] = []
        count = 0
        for block in blocks:
            parts = []
            for piece in block.pieces():
                stays = [first_ms <= at_ms < end_ms for at_ms in starts(layer, piece)]
                if any(stays):
                    parts.append(Columns._make(list(compress(one, stays)) for one in piece))
                    count += len(parts[-1].moments)
                    _admit(count)
            if parts:
                within.append(_block(block, parts))
        if within:
            yield _said(metric.name, layer, within)


def _bounds(metric: Metric, most: int) -> list[float]:
    """Instants between which about so many readings begin each, told from a sample."""
    times = metric.times()
    count = len(times.timed.instants) + len(times.alone.instants)
    step = count // _LOOKS + 1
    sample = sorted((*times.timed.instants[::step], *times.alone.instants[::step]))
    inner = sorted({*sample[:: max(1, most // step)][1:]})
    return [-inf, *inner, inf]


def _block(block: Block | LongBlock, parts: list[Columns]) -> Block:
    """A part of a block that is held."""
    readings = joined(parts)
    places = range(len(readings.moments))
    return Block(block.ordinal, block.sent_as, block.unit, places, readings)


def _said(name: str, layer: str, blocks: list[Block]) -> Candidates:
    return candidates(Metric(name, blocks), layer)


def _admit(count: int) -> None:
    if count > MOST_AT_ONCE:
        raise MemoryError(f"more than {MOST_AT_ONCE} readings of a metric begin together")
