"""The section `metrics`: metric objects to blocks of readings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from healthlog.hae.elements import FIELD_SHAPES, Elements, Unfit
from healthlog.hae.names import canonical_name
from healthlog.model import Rejected
from healthlog.reading import Block, Columns, Metric, columns, joined
from healthlog.values import is_empty, words

SLEEP = "sleep_analysis"

_PIECE = 1_000
"""Elements read between two looks at the clock; one odd element slows its piece alone."""


LISTED_REJECTED = 1_000


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
    is given the metrics that hold nights.
    """

    def __init__(self, latest_ms: int | None, check: Callable[[], None], nights: Nights) -> None:
        self._elements = Elements(latest_ms)
        self._check = check
        self._nights = nights
        self.found = Metrics()

    def section(self, value: object) -> None:
        """Take in one `metrics` section; what is no list of objects is rejected, never fatal."""
        if not isinstance(value, list):
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
        elif not isinstance(data, list):
            self._count_rejected(f"metrics.{sent_as}", f"metrics.{sent_as}", "not_an_object")
        else:
            metric = self.found.by_name.setdefault(name, Metric(name))
            self._block(metric, sent_as, words(element.get("units")), data)

    def _nameless(self, where: str, data: object) -> None:
        if not isinstance(data, list):
            self._count_rejected("metrics", where, "no_identity")
            return
        for index in range(len(data)):
            self._count_rejected("metrics", f"{where}.data[{index}]", "no_identity")

    def _count_rejected(self, section: str, where: str, reason: str) -> None:
        self.found.received += 1
        self.found.rejections.add(section, where, reason)

    def _block(self, metric: Metric, sent_as: str, unit: str | None, data: list[Any]) -> None:
        needed = FIELD_SHAPES.get(metric.name, ())
        places: list[int] = []
        parts: list[Columns] = []
        for begin in range(0, len(data), _PIECE):
            self._check()
            piece = data[begin : begin + _PIECE]
            first = metric.elements + begin
            uniform = None if needed else self._elements.uniform(piece)
            if uniform is None:
                parts.append(self._one_by_one(piece, first, sent_as, needed, places))
            else:
                parts.append(uniform)
                places += range(first, first + len(piece))
        block = Block(self.found.received, sent_as, unit, places, joined(parts))
        metric.blocks.append(block)
        metric.elements += len(data)
        self.found.received += len(data)

    def _one_by_one(
        self,
        piece: Sequence[object],
        first: int,
        sent_as: str,
        needed: tuple[str, ...],
        places: list[int],
    ) -> Columns:
        """The readings of elements whatever their shapes, their places added to `places`."""
        readings = []
        for place, element in enumerate(piece, first):
            try:
                readings.append(self._elements.reading(element, needed))
                places.append(place)
            except Unfit as unfit:
                where = f"metrics.{sent_as}"
                self.found.rejections.add(where, f"{where}[{place}]", str(unfit))
        return columns(readings)
