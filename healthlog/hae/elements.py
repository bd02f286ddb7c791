"""Elements of a metric's `data` to readings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from operator import itemgetter, lt
from typing import Any

from healthlog.moment import DAY_MS, Moment, Moments
from healthlog.reading import Columns, Reading, Sources
from healthlog.values import NotFinite, canonical_object, number, source_set

FIELD_SHAPES: Mapping[str, tuple[str, ...]] = {
    "blood_pressure": ("systolic", "diastolic"),
    "sexual_activity": ("Unspecified", "Protection Used", "Protection Not Used"),
}
"""Metrics whose numbers stand in fields of their own, one of which must be there."""

FIRST_MS = -2_208_988_800_000  # 1900-01-01T00:00:00Z
_STARTS, _ENDS = ("date", "startDate", "start"), ("endDate", "end")
_QTY, _MIN, _AVG, _MAX = ("qty",), ("Min", "min"), ("Avg", "avg"), ("Max", "max")
_NUMBERED = frozenset((*_QTY, *_MIN, *_AVG, *_MAX))


_UNIFORM: Mapping[frozenset[str], tuple[str, ...]] = {
    frozenset(fields): fields
    for fields in (
        ("date", "qty"),
        ("date", "qty", "source"),
        ("date", "end", "qty", "source"),
        ("date", "Min", "Avg", "Max"),
        ("date", "Min", "Avg", "Max", "source"),
    )
}
_NUMBERS, _DOUBLES = {int, float}, {float}
_at_ms = itemgetter(2)


class Unfit(Exception):
    """An element that can't be taken; its text is the reason."""


class Elements:
    """Reads the elements of one body. `latest_ms` is the last instant believed (None: the clock
    was in doubt, believe any); `moments` are remembered by their texts."""

    def __init__(self, latest_ms: int | None, moments: Moments | None = None) -> None:
        self._latest_ms = latest_ms
        self._moments = Moments() if moments is None else moments
        self._sources = _SourceSets({None: ()})

    def uniform(self, elements: Sequence[Any]) -> Columns | None:
        """The readings of elements that have all one of the plain shapes; None where
        any of them must be looked at. Nearly all bodies hold nothing else."""
        first, count = elements[0], len(elements)
        fields = _UNIFORM.get(frozenset(first)) if isinstance(first, dict) else None
        if fields is None:
            return None
        nothing = [None] * count
        try:
            # Nothing else than an object has both a length and members by name.
            if {*map(len, elements)} != {len(fields)}:
                return None
            found = {field: [element[field] for element in elements] for field in fields}
            moments = list(map(self._moments.__getitem__, found.pop("date")))
            ends = list(map(self._moments.__getitem__, found.pop("end", ())))
            sources = list(map(self._sources.__getitem__, found.pop("source", nothing)))
            doubles = {field: _doubles(values) for field, values in found.items()}
        except (KeyError, TypeError, ValueError, OverflowError):
            return None
        instants = self._believed(moments)
        ends_ms = self._believed(ends) if ends else nothing
        if instants is None or ends_ms is None:
            return None
        if ends and any(map(lt, ends_ms, instants)):  # type: ignore[arg-type]
            return None
        qty, low, mean, high = (
            doubles.get(field, nothing) for field in ("qty", "Min", "Avg", "Max")
        )
        return Columns(moments, qty, low, mean, high, sources, ends_ms, [""] * count, instants)

    def reading(self, element: object, needed: tuple[str, ...]) -> Reading:
        """The reading of any one element; one of the fields `needed` must have a number where
        there are some. Unfit says why it can't be taken."""
        if not isinstance(element, dict):
            raise Unfit("not_an_object")
        rest = {key: value for key, value in element.items() if value is not None}
        moment = self._start(rest)
        end_ms = self._end(rest, moment)
        qty, low, mean, high = (_taken(rest, names) for names in (_QTY, _MIN, _AVG, _MAX))
        sources = self._source_set(rest)
        own = [_finite(rest.get(key)) for key in needed]
        if all(value is None for value in (qty, low, mean, high, *own)):
            _demand_number(element, rest, needed)
        return Reading(moment, qty, low, mean, high, sources, end_ms, canonical_object(rest))

    def _start(self, rest: dict[str, object]) -> Moment:
        """The start, taken out of `rest`."""
        for key in _STARTS:
            value = rest.get(key)
            if value is None or (isinstance(value, str) and not value.strip()):
                continue
            moment = self._moment(value)
            if moment is None:
                raise Unfit("unreadable_date")
            self._believe(moment)
            del rest[key]
            return moment
        raise Unfit("no_date")

    def _end(self, rest: dict[str, object], start: Moment) -> int | None:
        """The end, taken out of `rest`. What is no instant stays there, for it is no identity."""
        for key in _ENDS:
            end = self._moment(rest.get(key))
            if end is None:
                continue
            self._believe(end)
            if _is_before(end, start):
                raise Unfit("ends_before_start")
            if end.at_ms is not None and start.at_ms is not None:
                del rest[key]
                return end.at_ms
        return None

    def _moment(self, value: object) -> Moment | None:
        try:
            return self._moments[value]  # type: ignore[index]
        except (TypeError, ValueError):
            return None

    def _believe(self, moment: Moment) -> None:
        at_ms = moment.day * DAY_MS if moment.at_ms is None else moment.at_ms
        if at_ms < FIRST_MS:
            raise Unfit("before_1900")
        if self._latest_ms is not None and at_ms > self._latest_ms:
            raise Unfit("future")

    def _believed(self, moments: Sequence[Moment]) -> list[int] | None:
        """The instants of moments, if all have one that can be believed."""
        instants: list[Any] = list(map(_at_ms, moments))
        if None in instants or min(instants) < FIRST_MS:
            return None
        is_late = self._latest_ms is not None and max(instants) > self._latest_ms
        return None if is_late else instants

    def _source_set(self, rest: dict[str, object]) -> Sources:
        """Sources of a text, taken out of `rest`; what is no text stays there as it was sent."""
        if not isinstance(rest.get("source"), str):
            return ()
        return self._sources[rest.pop("source")]


class _SourceSets(dict[Any, Sources]):
    """Source sets by the texts as sent, which a body repeats all the time."""

    def __missing__(self, text: object) -> Sources:
        if not isinstance(text, str):
            raise ValueError("sources are a text")  # noqa: TRY004 - uniform elements hold texts
        sources = self[text] = source_set(text)
        return sources


def _doubles(values: list[Any]) -> list[float]:
    """Numbers as doubles, -0.0 as 0.0; ValueError or OverflowError where one is none."""
    types = {*map(type, values)}
    if not types <= _NUMBERS:
        raise ValueError("not all are numbers")
    # A sum is finite only if all of its numbers are.
    if types == _DOUBLES and 0.0 not in values and isfinite(sum(values)):
        return values
    doubles = [value + 0.0 for value in values]
    if not all(map(isfinite, doubles)):
        raise ValueError("not all are finite")
    return doubles


def _finite(value: object) -> float | None:
    try:
        return number(value)
    except NotFinite:
        raise Unfit("not_a_number") from None


def _taken(rest: dict[str, object], spellings: Sequence[str]) -> float | None:
    """The number under the first of these names, taken out of `rest`; what is no number stays
    there as it was sent."""
    for spelling in spellings:
        value = _finite(rest.get(spelling))
        if value is not None:
            del rest[spelling]
            return value
    return None


def _is_before(end: Moment, start: Moment) -> bool:
    if end.at_ms is None or start.at_ms is None:
        return end.day < start.day
    return end.at_ms < start.at_ms


def _demand_number(
    element: Mapping[str, object], rest: Mapping[str, object], needed: tuple[str, ...]
) -> None:
    """Unfit without a number where the shape needs one; only a shape that nobody knows may pass
    by any number or list of its own."""
    known = needed or not _NUMBERED.isdisjoint(element)
    if known or not any(_speaks(value) for key, value in rest.items() if key != "source"):
        raise Unfit("no_number")


def _speaks(value: object) -> bool:
    if isinstance(value, list):
        return bool(value)
    try:
        return number(value) is not None
    except NotFinite:
        return False
