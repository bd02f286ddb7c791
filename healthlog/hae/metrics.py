"""The section `metrics`: metric objects to blocks of readings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from healthlog.hae.arrays import Array, LongArray, is_array, pieces_of
from healthlog.hae.elements import FIELD_SHAPES, Elements
from healthlog.hae.gist import Gist, readings_of
from healthlog.hae.names import canonical_name
from healthlog.hae.room import Room
from healthlog.model import Rejected
from healthlog.moment import Moments
from healthlog.outline import LISTED
from healthlog.reading import Block, Columns, LongBlock, Metric
from healthlog.values import is_empty, words

SLEEP = "sleep_analysis"

LISTED_REJECTED = LISTED

MOST_BLOCKS = 20_000
"""Metric objects with readings that one body may have; MemoryError for more."""


@dataclass(slots=True)
class Rejections:
    """Elements that are not taken: how many under each of the names they are uncovered by, and
    the first of them one by one."""

    listed: list[Rejected] = field(default_factory=list)
    by_section: Counter[str] = field(default_factory=Counter)

    @property
    def sections(self) -> set[str]:
        return set(self.by_section)

    def add(self, section: str, where: str, reason: str) -> None:
        self.by_section[section] += 1
        if len(self.listed) < LISTED_REJECTED:
            self.listed.append(Rejected(where, reason))

    def add_all(self, section: str, first: Iterable[tuple[str, str]], count: int) -> None:
        """Elements of one section, of which the first are told by place and reason."""
        if count:
            self.by_section[section] += count
            left = LISTED_REJECTED - len(self.listed)
            self.listed += (Rejected(*one) for one, _ in zip(first, range(left), strict=False))


@dataclass(slots=True)
class Metrics:
    """The section read: metrics by canonical name in the order of the body, what was rejected,
    elements counted one by one. Whoever reads other sections rejects and counts here too."""

    by_name: dict[str, Metric] = field(default_factory=dict)
    rejections: Rejections = field(default_factory=Rejections)
    received: int = 0


Nights = Callable[[str, str | None, object], None]
"""Takes in a metric that holds nights: its name as sent, its unit, its data."""


class MetricsReader:
    """Reads the metric objects of one body.

    `latest_ms` is the last instant believed (None: the clock was in doubt, believe any);
    `check` is called now and then and may raise to end a reading that takes too long; `nights`
    is given the metrics that hold nights; `room` is what readings may take that are held;
    `moments` are remembered by their texts.
    """

    def __init__(
        self,
        latest_ms: int | None,
        check: Callable[[], None],
        nights: Nights,
        *,
        room: Room | None = None,
        moments: Moments | None = None,
    ) -> None:
        self._elements = Elements(latest_ms, moments)
        self._check = check
        self._nights = nights
        self._room = room or Room()
        self._blocks = 0
        self.found = Metrics()

    def gist_of(self, name: object) -> Gist | None:
        """Begin the gist of a metric's elements; None for nights. `name` None: not known yet."""
        canonical = canonical_name(name) if isinstance(name, str) else ""
        if canonical == SLEEP:
            return None
        return Gist(self._elements, FIELD_SHAPES.get(canonical, ()), self._room)

    def section(self, value: object) -> None:
        """Take in one `metrics` section; what is no list of objects is rejected, never fatal."""
        if not is_array(value):
            self._count_rejected("metrics", "metrics", "not_an_object")
            return
        for index, element in enumerate(value):
            self._metric(f"metrics[{index}]", element)

    def _metric(self, where: str, element: object) -> None:
        if not isinstance(element, dict):
            self._count_rejected("metrics", where, "not_an_object")
            return
        data, sent_as = element.get("data"), element.get("name")
        if not isinstance(sent_as, str) or not sent_as.strip():
            self._nameless(where, data)
        elif is_empty(data):
            return
        elif (name := canonical_name(sent_as)) == SLEEP:
            self._nights(sent_as, words(element.get("units")), data)
        elif not is_array(data):
            self._count_rejected(f"metrics.{sent_as}", f"metrics.{sent_as}", "not_an_object")
        else:
            metric = self.found.by_name.setdefault(name, Metric(name))
            self._block(metric, sent_as, words(element.get("units")), data)

    def _nameless(self, where: str, data: object) -> None:
        if not is_array(data):
            self._count_rejected("metrics", where, "no_identity")
            return
        first = ((f"{where}.data[{index}]", "no_identity") for index in range(len(data)))
        self.found.received += len(data)
        self.found.rejections.add_all("metrics", first, len(data))

    def _count_rejected(self, section: str, where: str, reason: str) -> None:
        self.found.received += 1
        self.found.rejections.add(section, where, reason)

    def _block(self, metric: Metric, sent_as: str, unit: str | None, data: Array) -> None:
        gist, first, ordinal = self._gist(metric.name, data), metric.elements, self.found.received
        section = f"metrics.{sent_as}"
        unfit = ((f"{section}[{first + place}]", reason) for place, reason in gist.listed)
        self.found.rejections.add_all(section, unfit, gist.unfit)
        if gist.outline is None:
            metric.blocks.append(Block(ordinal, sent_as, unit, *gist.held(first)))
        else:
            once_more = partial(_again, self._elements, data, gist.needed)
            long = LongBlock(ordinal, sent_as, unit, first, gist.outline, once_more)
            metric.long.append(long)
        metric.elements += len(data)
        self.found.received += len(data)
        self._blocks += 1
        if self._blocks > MOST_BLOCKS:
            raise MemoryError(f"the body has more than {MOST_BLOCKS} metric objects")

    def _gist(self, name: str, data: Array) -> Gist:
        """What there is to know of the elements, gathered while they passed by, or now."""
        needed = FIELD_SHAPES.get(name, ())
        is_long = isinstance(data, LongArray)
        if isinstance(data, LongArray) and data.gist is not None and data.gist.needed == needed:
            return data.gist
        # What is held as it was sent takes less as readings.
        gist = Gist(self._elements, needed, self._room if is_long else None)
        for piece in pieces_of(data):
            self._check()
            gist.take(piece)
        return gist


def _again(elements: Elements, array: Array, needed: tuple[str, ...]) -> Iterator[Columns]:
    """The readings of an array that is read once more."""
    for piece in pieces_of(array):
        found, places = readings_of(elements, piece, 0, needed, _known)
        if places:
            yield found


def _known(_place: int, _reason: str) -> None:
    """What can't be taken was told at the first reading."""
