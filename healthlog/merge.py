"""Which candidate wins a coordinate: a total order, so that the winner depends on the set alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from healthlog import layer as layers
from healthlog.model import Rank
from healthlog.moment import DAY_MS, HOUR_MS, MINUTE_MS
from healthlog.reading import Metric, Reading, reading_text

_REASONED = "insulin_delivery"
_LAST_ZONE_MS = 12 * HOUR_MS
CLOSING = frozenset((layers.HOUR, layers.DAY))
"""Layers whose rows keep who spoke first after the bucket's end."""

NEW, CHANGED, SAME, OUTDATED = "new", "changed", "same", "outdated"

_V = TypeVar("_V", bound=Hashable)

Origin = tuple[tuple[str, ...] | None, str | None]


class Coordinate(NamedTuple):
    """Where in a metric's layer something is said.

    `at_ms` is the start instant, or the date's midnight as if in UTC where no instant belongs to
    the identity; `day` the local date in layers of a day and coarser, else 0; `end_ms` the end
    of a sample, else 0; `origin` what else is identity: (sources, reason) in raw and sample,
    (None, reason) for a dose in minute and hour, else None; `dated` marks a date alone, whose
    row stands beside those with a time.
    """

    at_ms: int
    day: int
    end_ms: int
    origin: Origin | None
    dated: bool


@dataclass(slots=True)
class Candidate:
    """All that one delivery says at one coordinate: its readings in canonical order, and how
    many further elements of the body only repeated one of them."""

    readings: list[Reading]
    doubles: int = 0


Candidates = dict[Coordinate, Candidate]
_Cell = Reading | list[Reading]


def candidates(metric: Metric, layer: str) -> Candidates:
    """The candidates of one metric of one body, by coordinate in the order of the body."""
    cells = [_cells(metric.name, layer, block.readings) for block in metric.blocks]
    if len(cells) == 1:
        return {at: _candidate([cell]) for at, cell in cells[0].items()}
    gathered: dict[Coordinate, list[_Cell]] = {}
    for of_block in cells:
        for at, cell in of_block.items():
            gathered.setdefault(at, []).append(cell)
    return {at: _candidate(of_blocks) for at, of_blocks in gathered.items()}


def _cells(name: str, layer: str, readings: Iterable[Reading]) -> dict[Coordinate, _Cell]:
    place = _PLACES[layer]
    reasoned = name == _REASONED
    dense = name in layers.DENSE
    cells: dict[Coordinate, _Cell] = {}
    for reading in readings:
        at = place(reading, reasoned, dense)
        there = cells.setdefault(at, reading)
        if there is not reading:
            if isinstance(there, list):
                there.append(reading)
            else:
                cells[at] = [there, reading]
    return cells


def _candidate(of_blocks: list[_Cell]) -> Candidate:
    first = of_blocks[0]
    if len(of_blocks) == 1 and isinstance(first, Reading):
        return Candidate([first])
    # Equal readings of two blocks, or spelled in two offsets, are one reading told twice; equal
    # readings told in one breath are as many as were told.
    most: Counter[str] = Counter()
    example: dict[str, Reading] = {}
    elements = 0
    for cell in of_blocks:
        readings = [cell] if isinstance(cell, Reading) else cell
        breath: Counter[tuple[str, int | None]] = Counter()
        for reading in readings:
            text = reading_text(reading)
            example.setdefault(text, reading)
            breath[text, reading.moment.offset_min] += 1
        elements += len(readings)
        for (text, _), times in breath.items():
            most[text] = max(most[text], times)
    united = [example[text] for text in sorted(most) for _ in range(most[text])]
    return Candidate(united, elements - len(united))


_Place = Callable[[Reading, bool, bool], Coordinate]


def _at(reading: Reading) -> int:
    at_ms = reading.moment.at_ms
    assert at_ms is not None, "a date alone has no place in a layer of instants"
    return at_ms


def _sample(reading: Reading, reasoned: bool, dense: bool) -> Coordinate:
    at_ms = _at(reading)
    end_ms = at_ms if reading.end_ms is None else reading.end_ms
    return Coordinate(at_ms, 0, end_ms, (reading.sources, None), False)


def _raw(reading: Reading, reasoned: bool, dense: bool) -> Coordinate:
    reason = reading.reason() if reasoned else None
    return Coordinate(_at(reading), 0, 0, (reading.sources, reason), False)


def _bucket(reading: Reading, reasoned: bool, dense: bool) -> Coordinate:
    reason = reading.reason() if reasoned else None
    return Coordinate(_at(reading), 0, 0, (None, reason) if reason else None, False)


def _day(reading: Reading, reasoned: bool, dense: bool) -> Coordinate:
    moment = reading.moment
    if moment.at_ms is None:
        return Coordinate(moment.day * DAY_MS, moment.day, 0, None, True)
    # Around a clock change the phone renders a day's bucket at 23:00 or 01:00.
    day = moment.nearest_day if dense else moment.day
    return Coordinate(moment.at_ms, day, 0, None, False)


def _date(reading: Reading, reasoned: bool, dense: bool) -> Coordinate:
    day = reading.moment.day
    return Coordinate(day * DAY_MS, day, 0, None, False)


_PLACES: dict[str, _Place] = {
    layers.SAMPLE: _sample,
    layers.RAW: _raw,
    layers.MINUTE: _bucket,
    layers.HOUR: _bucket,
    layers.DAY: _day,
    layers.WEEK: _date,
    layers.MONTH: _date,
    layers.YEAR: _date,
}


class Meeting(NamedTuple):
    """How a candidate fared against what stood: its fate in the account, whether it is written,
    and whether neither of the two contains the other."""

    fate: str
    wins: bool
    incomparable: bool = False


def met(
    layer: str, mine: Sequence[_V], rank: Rank, theirs: Sequence[_V], their_rank: Rank
) -> Meeting:
    """Meeting of a candidate with the winner so far. Grouped layers go by rank alone: buckets
    are sent again while they fill, and corrected up and down. Sample and raw go by the number
    of readings first: the edge of a window may cut a second in half."""
    later = rank > their_rank
    if mine == theirs:
        return Meeting(SAME, later)
    if layer not in layers.UNGROUPED:
        return Meeting(CHANGED if later else OUTDATED, later)
    wins = (len(mine), rank) > (len(theirs), their_rank)
    left, right = Counter(mine), Counter(theirs)
    return Meeting(CHANGED if wins else OUTDATED, wins, not (left <= right or right <= left))


def closes(layer: str, readings: Sequence[Reading], spoke_at_us: int) -> bool:
    """Whether a word spoken then speaks of an hour or a day that was over."""
    if layer not in CLOSING:
        return False
    return spoke_at_us >= max(_bucket_end_ms(layer, reading) for reading in readings) * 1000


def _bucket_end_ms(layer: str, reading: Reading) -> int:
    moment = reading.moment
    if layer == layers.HOUR:
        return _at(reading) + HOUR_MS
    if moment.at_ms is None:  # a date over everywhere on earth
        return (moment.day + 1) * DAY_MS + _LAST_ZONE_MS
    return (moment.nearest_day + 1) * DAY_MS - (moment.offset_min or 0) * MINUTE_MS
