"""The section `metrics`: elements to readings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from healthlog.hae.names import canonical_name
from healthlog.model import Rejected
from healthlog.moment import DAY_MS, Moment, Moments
from healthlog.reading import Block, Metric, Reading
from healthlog.values import (
    NotFinite,
    TooDeep,
    canonical_object,
    is_empty,
    number,
    source_set,
    words,
)

SLEEP = "sleep_analysis"

FIELD_SHAPES: Mapping[str, tuple[str, ...]] = {
    "blood_pressure": ("systolic", "diastolic"),
    "sexual_activity": ("Unspecified", "Protection Used", "Protection Not Used"),
}
"""Metrics whose numbers stand in fields of their own, one of which must be there."""

FIRST_MS = -2_208_988_800_000  # 1900-01-01T00:00:00Z
_CHECK_EVERY = 4_096
_PLAIN = ({"date", "qty", "source"}, {"date", "qty"})
_RANGE = ({"date", "Min", "Avg", "Max", "source"}, {"date", "Min", "Avg", "Max"})
_STARTS, _ENDS = ("date", "startDate", "start"), ("endDate", "end")


class Unfit(Exception):
    """An element that can't be taken; its text is the reason."""


@dataclass(slots=True)
class Metrics:
    """The section read: metrics by canonical name in the order of the body, what was rejected
    and the names it stands under, names left to other readers, elements counted one by one."""

    by_name: dict[str, Metric] = field(default_factory=dict)
    rejected: list[Rejected] = field(default_factory=list)
    rejecting: set[str] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)
    received: int = 0

    def reject(self, section: str, where: str, reason: str) -> None:
        self.rejecting.add(section)
        self.rejected.append(Rejected(where, reason))


class MetricsReader:
    """Reads the metric objects of one body.

    `latest_ms` is the last instant believed (None: the clock was in doubt, believe any);
    `check` is called now and then and may raise to end a reading that takes too long.
    """

    def __init__(self, latest_ms: int | None, check: Callable[[], None]) -> None:
        self._latest_ms = latest_ms
        self._check = check
        self._moments = Moments()
        self._sources: dict[str | None, tuple[str, ...]] = {None: ()}
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
        data = element.get("data")
        sent_as = element.get("name")
        if not isinstance(sent_as, str) or not sent_as.strip():
            self._nameless(where, data)
            return
        if is_empty(data):
            return
        name = canonical_name(sent_as)
        if name == SLEEP:
            self.found.unread.add(f"metrics.{sent_as}")
            return
        if not isinstance(data, list):
            self._count_rejected(f"metrics.{sent_as}", f"metrics.{sent_as}", "not_an_object")
            return
        metric = self.found.by_name.setdefault(name, Metric(name, sent_as))
        self._block(metric, sent_as, words(element.get("units")), data)

    def _nameless(self, where: str, data: object) -> None:
        places = (
            [f"{where}.data[{index}]" for index in range(len(data))]
            if isinstance(data, list)
            else [where]
        )
        for place in places:
            self._count_rejected("metrics", place, "no_identity")

    def _count_rejected(self, section: str, where: str, reason: str) -> None:
        self.found.received += 1
        self.found.reject(section, where, reason)

    def _block(self, metric: Metric, sent_as: str, unit: str | None, data: list[object]) -> None:
        block = Block(ordinal=self.found.received)
        first = metric.elements
        needed = FIELD_SHAPES.get(metric.name, ())
        readings, places = block.readings, block.places
        for place, element in enumerate(data, first):
            if not place % _CHECK_EVERY:
                self._check()
            try:
                readings.append(self._reading(element, unit, needed))
                places.append(place)
            except Unfit as unfit:
                where = f"metrics.{sent_as}[{place}]"
                self.found.reject(f"metrics.{sent_as}", where, str(unfit))
        metric.elements += len(data)
        self.found.received += len(data)
        metric.blocks.append(block)

    def _reading(self, element: object, unit: str | None, needed: tuple[str, ...]) -> Reading:
        if not isinstance(element, dict):
            raise Unfit("not_an_object")
        # Nearly all elements have one of these two shapes; the long way gives the same for them.
        keys = element.keys()
        if not needed and (keys in _PLAIN or keys in _RANGE):
            sources = self._source_set(element.get("source"))
            if sources is not None and keys in _PLAIN:
                qty = _finite(element["qty"])
                if qty is not None:
                    moment = self._moment(element["date"])
                    return Reading(moment, qty, None, None, None, unit, sources, None, "")
            elif sources is not None:
                low, mean, high = (_finite(element[key]) for key in ("Min", "Avg", "Max"))
                if low is not None and mean is not None and high is not None:
                    moment = self._moment(element["date"])
                    return Reading(moment, None, low, mean, high, unit, sources, None, "")
        return self._any_reading(element, unit, needed)

    def _any_reading(
        self, element: dict[str, object], unit: str | None, needed: tuple[str, ...]
    ) -> Reading:
        rest = {key: value for key, value in element.items() if value is not None}
        moment = self._start(rest)
        end_ms = self._end(rest, moment)
        qty, low, mean, high = _four_numbers(rest)
        sources = self._source_set(rest.get("source"))
        if sources is not None:
            rest.pop("source", None)
        _demand_number(rest, needed, (qty, low, mean, high))
        try:
            extra = canonical_object(rest)
        except TooDeep:
            raise Unfit("not_an_object") from None
        return Reading(moment, qty, low, mean, high, unit, sources or (), end_ms, extra)

    def _start(self, rest: dict[str, object]) -> Moment:
        for key in _STARTS:
            value = rest.get(key)
            if isinstance(value, str) and not value.strip():
                continue
            if value is not None:
                moment = self._moment(value)
                del rest[key]
                return moment
        raise Unfit("no_date")

    def _moment(self, value: object) -> Moment:
        if not isinstance(value, str):
            raise Unfit("no_date" if value is None else "unreadable_date")
        try:
            moment = self._moments.read(value)
        except ValueError:
            raise Unfit("unreadable_date" if value.strip() else "no_date") from None
        self._believe(moment.day * DAY_MS if moment.at_ms is None else moment.at_ms)
        return moment

    def _believe(self, at_ms: int) -> None:
        if at_ms < FIRST_MS:
            raise Unfit("before_1900")
        if self._latest_ms is not None and at_ms > self._latest_ms:
            raise Unfit("future")

    def _end(self, rest: dict[str, object], start: Moment) -> int | None:
        """The end, taken out of `rest`; left there when it can't be read, for it is no identity."""
        for key in _ENDS:
            value = rest.get(key)
            if not isinstance(value, str):
                continue
            try:
                end_ms = self._moments.read(value).at_ms
            except ValueError:
                continue
            if end_ms is None or start.at_ms is None:
                continue
            self._believe(end_ms)
            if end_ms < start.at_ms:
                raise Unfit("ends_before_start")
            del rest[key]
            return end_ms
        return None

    def _source_set(self, value: object) -> tuple[str, ...] | None:
        """Sources of a text or of null; None for what is neither, which stays as it was sent."""
        if value is not None and not isinstance(value, str):
            return None
        sources = self._sources.get(value)
        if sources is None:
            sources = self._sources[value] = source_set(value)
        return sources


def _finite(value: object) -> float | None:
    try:
        return number(value)
    except NotFinite:
        raise Unfit("not_a_number") from None


def _four_numbers(
    rest: dict[str, object],
) -> tuple[float | None, float | None, float | None, float | None]:
    """Qty, min, avg, max, taken out of `rest`; what is no number stays there as it was sent."""

    def taken(key: str) -> Iterator[float]:
        for spelling in (key, key.lower()):
            value = _finite(rest.get(spelling))
            if value is not None:
                del rest[spelling]
                yield value
                return

    return tuple(next(taken(key), None) for key in ("qty", "Min", "Avg", "Max"))  # type: ignore[return-value]


def _demand_number(
    rest: Mapping[str, object], needed: tuple[str, ...], four: tuple[float | None, ...]
) -> None:
    """Unfit without a number: among the metric's own fields where it has some, else among the
    four; an unknown shape passes by any number or list of its own."""
    own = [_finite(rest.get(key)) for key in needed]
    if any(value is not None for value in (*own, *four)):
        return
    if needed or not any(_speaks(value) for value in rest.values()):
        raise Unfit("no_number")


def _speaks(value: object) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        try:
            return number(value) is not None
        except NotFinite:
            return False
    return isinstance(value, list) and bool(value)
