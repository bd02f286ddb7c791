"""What one delivery says at each coordinate of a metric in a layer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from operator import itemgetter, le, lt
from typing import NamedTuple, TypeVar, cast

from healthlog import layer as layers
from healthlog.moment import DAY_MS, HOUR_MS, MINUTE_MS, Moment
from healthlog.reading import Block, Columns, Metric, Sources, reading_text
from healthlog.values import words

_T = TypeVar("_T")
_W = TypeVar("_W", bound=Hashable)

Origin = tuple[Sources | None, str | None]
"""What of a reading is identity besides its time: (sources, reason) in raw and sample, (None,
reason) of a dose in minute and hour."""
NO_ORIGIN: Origin = (None, None)
DATE_ALONE: Origin = (None, "")
"""Of a date without a time in the layer of days: its row stands beside those with one."""

Tag = tuple[str | None, Sources]
"""Unit and sources of a reading."""

CLOSING = frozenset((layers.HOUR, layers.DAY))
"""Layers whose rows keep who spoke first after the bucket's end."""

_REASONED = "insulin_delivery"
_LAST_ZONE_MS = 12 * HOUR_MS
_STARTED = layers.DATED - {layers.DAY}
_at_ms = itemgetter(2)


class Lines(NamedTuple):
    """Readings at their coordinates, side by side: one column for each field, by instant; those
    of one coordinate stand together in canonical order, n = 0, 1, ....

    `at_ms` is the start instant, or the date's midnight as if in UTC where no instant belongs to
    the identity; `sub` the length of a sample in ms, the local date (days since 1970) in layers
    of a day and coarser, else 0. `detail` is JSON of what few readings have: `end` and `start`
    in ms where they are no part of the coordinate, `extra`. `offset_min` is as sent and kept in
    layers of a day and coarser alone: finer ones have it from the clock. `over_ms` says when the
    hour or day of the candidate was over, None in other layers.
    """

    at_ms: Sequence[int]
    sub: Sequence[int]
    origin: Sequence[Origin]
    n: Sequence[int]
    qty: Sequence[float | None]
    min: Sequence[float | None]
    avg: Sequence[float | None]
    max: Sequence[float | None]
    tag: Sequence[Tag]
    detail: Sequence[str | None]
    offset_min: Sequence[int | None]
    over_ms: Sequence[int | None]

    def picked(self, indexes: Sequence[int]) -> Lines:
        return Lines._make([column[index] for index in indexes] for column in self)


@dataclass(frozen=True, slots=True)
class Candidates:
    """All that one delivery says of a metric in a layer: its candidates one after the other, how
    many further elements of the body only repeated a reading, and whether no two begin together."""

    lines: Lines
    doubles: int
    apart: bool = False


def candidates(metric: Metric, layer: str) -> Candidates:
    """The candidates of one metric of one body. No date may stand alone in layers of instants."""
    lines = joined([_lines(metric.name, layer, block) for block in metric.blocks])
    if all(map(lt, lines.at_ms, lines.at_ms[1:])):  # no two begin together, as in most bodies
        return Candidates(lines, 0, apart=True)
    if layer == layers.MINUTE and metric.name != _REASONED:
        keys: Sequence[Hashable] = lines.at_ms
    else:
        keys = list(zip(lines.at_ms, lines.sub, lines.origin, strict=True))
    if len(set(keys)) < len(keys):
        lines = _united(lines, keys, _told(metric.blocks, layer))
    if not all(map(le, lines.at_ms, lines.at_ms[1:])):
        lines = lines.picked(sorted(range(len(lines.at_ms)), key=lines.at_ms.__getitem__))
    return Candidates(lines, len(keys) - len(lines.at_ms))


def joined(parts: Sequence[Lines]) -> Lines:
    """Lines one below the other."""
    return parts[0] if len(parts) == 1 else Lines._make(map(_chained, zip(*parts, strict=True)))


def translated(words: Sequence[_W], to: Callable[[_W], _T]) -> list[_T]:
    """Each word translated. A column mostly repeats one word, else a few; each is asked once."""
    if words and words.count(words[0]) == len(words):
        return [to(words[0])] * len(words)
    known = {word: to(word) for word in dict.fromkeys(words)}
    return [known[word] for word in words]


def _chained(columns: Iterable[Sequence[_T]]) -> list[_T]:
    return list(chain.from_iterable(columns))


def _lines(name: str, layer: str, block: Block) -> Lines:
    """The readings of one block at their coordinates, in the order of the body."""
    readings = block.readings
    moments, nothing = readings.moments, [None] * len(block)
    at_ms, sub = starts(layer, readings), _subs(name, layer, readings)
    return Lines(
        at_ms,
        sub,
        _origins(name, layer, readings),
        [0] * len(block),
        readings.qty,
        readings.min,
        readings.avg,
        readings.max,
        translated(readings.sources, lambda sources: (block.unit, sources)),
        _details(layer, readings),
        [moment.offset_min for moment in moments] if layer in layers.DATED else nothing,
        list(map(_over_ms, repeat(layer), at_ms, sub, moments)) if layer in CLOSING else nothing,
    )


def starts(layer: str, readings: Columns) -> list[int]:
    """Where readings stand in their series, `at_ms` of their lines."""
    if layer not in layers.DATED:
        return cast("list[int]", readings.at_ms)
    if layer in _STARTED:
        return [moment.day * DAY_MS for moment in readings.moments]
    return [day * DAY_MS if at_ms is None else at_ms for day, _, at_ms, _ in readings.moments]


def _subs(name: str, layer: str, readings: Columns) -> list[int]:
    moments = readings.moments
    if layer == layers.SAMPLE:
        begins = starts(layer, readings)
        ends = zip(begins, readings.end_ms, strict=True)
        return [0 if end_ms is None else end_ms - at_ms for at_ms, end_ms in ends]
    if layer not in layers.DATED:
        return [0] * len(moments)
    if layer == layers.DAY and name in layers.DENSE:
        # Around a clock change the phone renders a day's bucket at 23:00 or 01:00.
        return [moment.nearest_day for moment in moments]
    return [moment.day for moment in moments]


def _origins(name: str, layer: str, readings: Columns) -> list[Origin]:
    if layer == layers.DAY:
        return [DATE_ALONE if at_ms is None else NO_ORIGIN for at_ms in readings.at_ms]
    ungrouped = layer in layers.UNGROUPED
    if name == _REASONED and layer in {layers.RAW, layers.MINUTE, layers.HOUR}:
        sources = readings.sources if ungrouped else repeat(None)
        return list(zip(sources, map(_reason, readings.extra), strict=False))
    if not ungrouped:
        return [NO_ORIGIN] * len(readings.moments)
    return translated(readings.sources, lambda sources: (sources, None))


def _reason(extra: str) -> str | None:
    """Why a dose was given (`Bolus`, `Basal`)."""
    return words(json.loads(extra).get("reason")) if extra else None


def _details(layer: str, readings: Columns) -> list[str | None]:
    count = len(readings.moments)
    nothing: list[int | None] = [None] * count
    ends_ms = nothing if layer == layers.SAMPLE else readings.end_ms
    starts_ms = nothing
    if layer in _STARTED:
        starts_ms = list(readings.at_ms)
    if not any(readings.extra) and all(
        times.count(None) == count for times in (ends_ms, starts_ms)
    ):
        return [None] * count
    return list(map(_detail, ends_ms, readings.extra, starts_ms))


def _detail(end_ms: int | None, extra: str, start_ms: int | None) -> str | None:
    """JSON with sorted keys; None when there is nothing to say."""
    members = []
    if end_ms is not None:
        members.append(f'"end":{end_ms}')
    if extra:
        members.append(f'"extra":{extra}')
    if start_ms is not None:
        members.append(f'"start":{start_ms}')
    return "{" + ",".join(members) + "}" if members else None


def _over_ms(layer: str, at_ms: int, day: int, moment: Moment) -> int:
    """When the bucket of a reading was over: a local day ends at the next midnight in the offset
    it was sent with."""
    if layer == layers.HOUR:
        return at_ms + HOUR_MS
    if moment.at_ms is None:  # a date over everywhere on earth
        return (day + 1) * DAY_MS + _LAST_ZONE_MS
    return (day + 1) * DAY_MS - (moment.offset_min or 0) * MINUTE_MS


_Told = tuple[str, tuple[int, int | None]]
"""Canonical text of a reading, and in which breath it was told: its block and its offset."""


def _told(blocks: Iterable[Block], layer: str) -> Callable[[int], _Told]:
    """What an index into the lines of all blocks stands for."""
    owners = [(block, index) for block in blocks for index in range(len(block))]

    def told(index: int) -> _Told:
        block, own_index = owners[index]
        reading = block.readings.reading(own_index)
        if layer == layers.SAMPLE and reading.end_ms is None:
            reading = reading._replace(end_ms=reading.moment.at_ms)
        text = reading_text(reading, block.unit)
        return text, (block.ordinal, reading.moment.offset_min)

    return told


def _united(lines: Lines, keys: Iterable[Hashable], told: Callable[[int], _Told]) -> Lines:
    """The lines with each candidate in one place, in canonical order, without doubles."""
    together: dict[Hashable, list[int]] = {}
    for index, key in enumerate(keys):
        together.setdefault(key, []).append(index)
    picks: list[int] = []
    n: list[int] = []
    over_ms: list[int | None] = []
    for indexes in together.values():
        chosen = indexes if len(indexes) == 1 else _without_doubles(indexes, told)
        picks += chosen
        n += range(len(chosen))
        ends_ms = [over for index in chosen if (over := lines.over_ms[index]) is not None]
        over_ms += [max(ends_ms, default=None)] * len(chosen)
    return lines.picked(picks)._replace(n=n, over_ms=over_ms)


def _without_doubles(indexes: Iterable[int], told: Callable[[int], _Told]) -> list[int]:
    """The readings of one candidate in canonical order. Equal readings of two blocks, or spelled
    in two offsets, are one reading told twice; equal readings told in one breath are as many as
    were told. The first in the body stands for all."""
    first: dict[str, int] = {}
    breaths: Counter[_Told] = Counter()
    for index in indexes:
        text, breath = told(index)
        first.setdefault(text, index)
        breaths[text, breath] += 1
    most: Counter[str] = Counter()
    for (text, _), times in breaths.items():
        most[text] = max(most[text], times)
    return [first[text] for text in sorted(most) for _ in range(most[text])]
