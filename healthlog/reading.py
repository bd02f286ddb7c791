"""What a body says of a metric, element by element, before anything is decided about it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple, cast

from healthlog.layer import Times
from healthlog.moment import Moment, instant_text
from healthlog.outline import LISTED, QUARTER_MS, Outline
from healthlog.values import shortest

Sources = tuple[str, ...]
"""The devices of a reading: sorted, without doubles."""

_offset_min = itemgetter(3)


class Reading(NamedTuple):
    """One element of a metric's `data`, as sent: numbers in the metric's unit, `end_ms` where an
    end was sent, `extra` the canonical JSON of every other field or ""."""

    moment: Moment
    qty: float | None
    min: float | None
    avg: float | None
    max: float | None
    sources: Sources
    end_ms: int | None
    extra: str


class Columns(NamedTuple):
    """Readings side by side, one column for each field of `Reading`: what is done to thousands
    of them is done to a column at once. `at_ms` are the instants of the moments."""

    moments: Sequence[Moment]
    qty: Sequence[float | None]
    min: Sequence[float | None]
    avg: Sequence[float | None]
    max: Sequence[float | None]
    sources: Sequence[Sources]
    end_ms: Sequence[int | None]
    extra: Sequence[str]
    at_ms: Sequence[int | None]

    def reading(self, index: int) -> Reading:
        return Reading._make(column[index] for column in self[:-1])


NONE = Columns([], [], [], [], [], [], [], [], [])


def columns(readings: Iterable[Reading]) -> Columns:
    """The same readings as columns."""
    rows = list(readings)
    if not rows:
        return NONE
    fields = [list(column) for column in zip(*rows, strict=True)]
    return Columns._make((*fields, [row.moment.at_ms for row in rows]))


def joined(parts: Sequence[Columns]) -> Columns:
    """The columns of several parts, one below the other."""
    if len(parts) == 1:
        return parts[0]
    together: list[list[Any]] = [[] for _ in Columns._fields]
    for part in parts:
        for column, more in zip(together, part, strict=True):
            column.extend(more)
    return Columns._make(together)


class Places(NamedTuple):
    """Places of readings in the data of their metric: the first LISTED of them, and how many there
    are."""

    first: Sequence[int]
    total: int


@dataclass(frozen=True, slots=True)
class Block:
    """One metric object of a body, as far as it could be read: `ordinal` orders the blocks of a
    body, `places` says where each reading stands in the metric's data."""

    ordinal: int
    sent_as: str
    unit: str | None
    places: Sequence[int]
    readings: Columns

    def __len__(self) -> int:
        return len(self.places)

    def only(self, stays: Sequence[bool]) -> Block:
        """The block without the readings that don't stay."""
        kept = Columns._make(list(compress(column, stays)) for column in self.readings)
        places = list(compress(self.places, stays))
        return Block(self.ordinal, self.sent_as, self.unit, places, kept)

    def pieces(self) -> Iterator[Columns]:
        """The readings, at once."""
        yield self.readings

    def only_timed(self) -> Block:
        """The block without the readings that have a date alone."""
        return self.only([at_ms is not None for at_ms in self.readings.at_ms])

    def all_places(self) -> Places:
        return Places(self.places[:LISTED], len(self.places))

    def places_alone(self) -> Places:
        """Of the readings that have a date alone."""
        instants = self.readings.at_ms
        if None not in instants:
            return Places((), 0)
        found = [at for at, at_ms in zip(self.places, instants, strict=True) if at_ms is None]
        return Places(found[:LISTED], len(found))

    def named(self, quarters: int = 1) -> dict[int, int]:
        """Offset of each quarter of an hour that the block names, by its first word, where each
        reading names so many."""
        moments = self.readings.moments
        offsets = {*map(_offset_min, moments)}
        if len(offsets) == 1 and None not in offsets:
            instants = cast("Sequence[int]", self.readings.at_ms)
            first = {at_ms // QUARTER_MS for at_ms in instants}
            named = first.union(*({one + step for one in first} for step in range(1, quarters)))
            return dict.fromkeys(named, offsets.pop())
        # Backwards, so that the first word is the one that stays.
        return {
            at_ms // QUARTER_MS + step: offset_min
            for _, _, at_ms, offset_min in reversed(moments)
            if at_ms is not None and offset_min is not None
            for step in range(quarters)
        }


@dataclass(frozen=True, slots=True)
class LongBlock:
    """A metric object whose readings are not held: `again` reads them once more. `first` is the
    place of its first element. `timed`: without those that have a date alone."""

    ordinal: int
    sent_as: str
    unit: str | None
    first: int
    outline: Outline
    again: Callable[[], Iterator[Columns]]
    timed: bool = False

    def __len__(self) -> int:
        return self.outline.count - (self.outline.count_alone if self.timed else 0)

    def only_timed(self) -> LongBlock:
        """The block without the readings that have a date alone."""
        return replace(self, timed=True)

    def all_places(self) -> Places:
        places = [self.first + place for place in self.outline.places]
        return Places(places, self.outline.count)

    def places_alone(self) -> Places:
        """Of the readings that have a date alone."""
        places = [self.first + place for place in self.outline.alone]
        return Places(places, self.outline.count_alone)

    def named(self, quarters: int = 1) -> dict[int, int]:
        """As of a block that is held."""
        return self.outline.quarters.offsets(quarters)

    def pieces(self) -> Iterator[Columns]:
        """The readings, some at a time."""
        for piece in self.again():
            if not self.timed:
                yield piece
                continue
            stays = [at_ms is not None for at_ms in piece.at_ms]
            if any(stays):
                yield Columns._make(list(compress(column, stays)) for column in piece)


@dataclass(slots=True)
class Metric:
    """All that one body says of one metric, under its canonical name: blocks, and those that are
    too long to be held."""

    name: str
    blocks: list[Block] = field(default_factory=list)
    elements: int = 0
    long: list[LongBlock] = field(default_factory=list)

    def add(self, block: Block | LongBlock) -> None:
        """Append a block, whatever its kind."""
        if isinstance(block, Block):
            self.blocks.append(block)
        else:
            self.long.append(block)

    def in_order(self) -> list[Block | LongBlock]:
        """All blocks in the order of the body."""
        every: list[Block | LongBlock] = [*self.blocks, *self.long]
        return sorted(every, key=attrgetter("ordinal"))

    def __len__(self) -> int:
        """How many readings there are."""
        return sum(map(len, self.blocks)) + sum(map(len, self.long))

    def times(self) -> Times:
        """When all its readings are."""
        outlined = [block.outline.times for block in self.long]
        if len(outlined) == 1 and not self.blocks:
            return outlined[0]
        found = Times()
        for block in self.blocks:
            if len(block):
                found.add(block.readings.moments, block.readings.at_ms)
        for times in outlined:
            found.join(times)
        return found


def reading_text(reading: Reading, unit: str | None) -> str:
    """Canonical text of a reading: JSON, sorted keys, no blanks, nothing absent. The offset is
    left out: spelled in another zone the same reading stays the same."""
    members = (
        ("avg", _number_text(reading.avg)),
        ("end", _instant(reading.end_ms)),
        ("extra", reading.extra),
        ("instant", _instant(reading.moment.at_ms)),
        ("max", _number_text(reading.max)),
        ("min", _number_text(reading.min)),
        ("qty", _number_text(reading.qty)),
        ("sources", _json(list(reading.sources)) if reading.sources else ""),
        ("unit", _json(unit) if unit else ""),
    )
    return "{" + ",".join(f'"{key}":{text}' for key, text in members if text) + "}"


def _instant(at_ms: int | None) -> str:
    return "" if at_ms is None else f'"{instant_text(at_ms)}"'


def _number_text(value: float | None) -> str:
    return "" if value is None else _json(shortest(value))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
