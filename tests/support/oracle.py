"""The mart by definition: from the set of deliveries at once, with nothing merged step by step."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

from healthlog.layer import DENSE
from healthlog.model import Delivery, Rank
from tests.support.history import Told, instant

NAMES = {"step_count": "step_count", "vo2max": "vo2_max", "vo2_max": "vo2_max"}
DATED = {"day", "week", "month", "year"}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
QUARTER = timedelta(minutes=15)


class Element(NamedTuple):
    """A good element of a body: its block, when it begins, what it says beside that."""

    block: int
    start: datetime | date
    offset_min: int | None
    said: dict[str, Any]


class Stands(NamedTuple):
    """What stands at a coordinate: readings with the offset as sent (days and coarser only), as
    sorted texts; whose word it is; who first closed it."""

    readings: list[str]
    said_by: str
    closed_by: str | None


Coordinate = tuple[Any, ...]


def winners(told: Iterable[Told]) -> dict[Coordinate, Stands]:
    """What stands at each coordinate: (metric, layer, ...)."""
    said: defaultdict[Coordinate, dict[Rank, tuple[Delivery, Counter[str], list[str]]]]
    said = defaultdict(dict)
    closed: defaultdict[Coordinate, list[Rank]] = defaultdict(list)
    for one in told:
        for coordinate, elements in _candidates(one).items():
            readings = _without_doubles(elements)
            shown = [_shown(coordinate, text, elements) for text in readings.elements()]
            said[coordinate][one.delivery.rank] = (one.delivery, readings, sorted(shown))
            if _is_closed(coordinate, elements, readings, one.delivery):
                closed[coordinate].append(one.delivery.rank)
    return {
        coordinate: _winner(coordinate[1], by_rank, closed[coordinate])
        for coordinate, by_rank in said.items()
    }


def quarters(told: Iterable[Told]) -> dict[int, tuple[int, str]]:
    """Offset of each quarter, and whose word that is."""
    named: dict[int, tuple[int, str]] = {}
    for one in sorted(told, key=lambda one: one.delivery.rank, reverse=True):
        mine: dict[int, tuple[int, str]] = {}
        for _, layer, element in _elements(one):
            if layer in DATED or element.offset_min is None:
                continue
            first = (_moment(element.start) - EPOCH) // QUARTER
            for quarter in range(first, first + (4 if layer == "hour" else 1)):
                mine.setdefault(quarter, (element.offset_min, one.delivery.delivery_id))
        named |= mine
    return named


def _winner(
    layer: str,
    by_rank: Mapping[Rank, tuple[Delivery, Counter[str], list[str]]],
    closed: list[Rank],
) -> Stands:
    ungrouped = layer in {"sample", "raw"}
    best = max(by_rank, key=lambda rank: (by_rank[rank][1].total() if ungrouped else 0, rank))
    delivery, _, shown = by_rank[best]
    return Stands(shown, delivery.delivery_id, min(closed)[2] if closed else None)


def _candidates(one: Told) -> dict[Coordinate, list[Element]]:
    found: defaultdict[Coordinate, list[Element]] = defaultdict(list)
    for name, layer, element in _elements(one):
        found[name, layer, *_coordinate(name, layer, element)].append(element)
    return found


def _coordinate(name: str, layer: str, element: Element) -> Coordinate:
    said, start = element.said, element.start
    reason = " ".join(said["extra"].get("reason", "").split()) or None
    reason = reason if name == "insulin_delivery" else None
    if layer == "sample":
        return start, said["end"], tuple(said["sources"])
    if layer == "raw":
        return start, tuple(said["sources"]), reason
    if layer in {"minute", "hour"}:
        return start, reason
    day = start.date() if isinstance(start, datetime) else start
    if layer != "day":
        return (day,)
    if not isinstance(start, datetime):
        return day, None
    if name in DENSE and start.hour >= 12:
        day += timedelta(days=1)
    return day, start


def _without_doubles(elements: Iterable[Element]) -> Counter[str]:
    breaths: defaultdict[tuple[int, int | None], Counter[str]] = defaultdict(Counter)
    for element in elements:
        breaths[element.block, element.offset_min][_text(element)] += 1
    readings: Counter[str] = Counter()
    for breath in breaths.values():
        readings |= breath
    return readings


def _text(element: Element) -> str:
    said = dict(element.said)
    if isinstance(element.start, datetime):
        said["instant"] = element.start.astimezone(UTC)
    return json.dumps(said, sort_keys=True, default=str)


def _shown(coordinate: Coordinate, text: str, elements: list[Element]) -> str:
    if coordinate[1] not in DATED:
        return text
    return f"{text} at {next(e.offset_min for e in elements if _text(e) == text)}"


def _is_closed(
    coordinate: Coordinate, elements: list[Element], readings: Counter[str], delivery: Delivery
) -> bool:
    spoke_at = EPOCH + timedelta(microseconds=delivery.spoke_at_us)
    if coordinate[1] == "hour":
        return bool(spoke_at >= coordinate[2] + timedelta(hours=1))
    if coordinate[1] != "day":
        return False
    over = _moment(coordinate[2]) + timedelta(days=1)
    if coordinate[3] is None:
        return spoke_at >= over + timedelta(hours=12)
    first = {_text(element): element for element in reversed(elements)}
    return all(spoke_at >= over - timedelta(minutes=first[t].offset_min or 0) for t in readings)


def _elements(one: Told) -> Iterator[tuple[str, str, Element]]:
    """The good elements of a body in its order, with the metric and the layer they count for."""
    assert one.plan is not None
    placed = {name: layer for name, layer, _ in one.plan.series}
    latest = EPOCH + timedelta(days=1, microseconds=one.delivery.clock_at_us)
    for block, metric in enumerate(json.loads(one.body)["data"]["metrics"]):
        name = NAMES.get(metric["name"].lower(), metric["name"])
        for element in metric["data"]:
            good = _good(block, metric["units"], element, placed.get(name))
            if good is not None and _is_believed(good, latest):
                yield name, placed[name], good


def _is_believed(element: Element, latest: datetime) -> bool:
    start = _moment(element.start)
    end: datetime = element.said.get("end", start)
    return start <= end <= latest


def _moment(start: datetime | date) -> datetime:
    """An instant, of a date its midnight in UTC."""
    if isinstance(start, datetime):
        return start
    return datetime(start.year, start.month, start.day, tzinfo=UTC)


def _good(block: int, unit: str | None, element: Any, layer: str | None) -> Element | None:
    if layer is None or not isinstance(element, dict):
        return None
    rest = dict(element)
    text, source = rest.pop("date"), rest.pop("source", "")
    numbers = {key: rest.pop(key, None) for key in ("qty", "Min", "Avg", "Max")}
    said: dict[str, Any] = {
        key: float(value) for key, value in numbers.items() if isinstance(value, int | float)
    }
    if text in {None, "yesterday"} or text.startswith("2099") or not said:
        return None
    said |= {"unit": unit, "sources": sorted({*filter(None, source.split("|"))}), "extra": rest}
    if len(text) == 10:
        alone = Element(block, date.fromisoformat(text), None, said)
        return alone if layer in DATED else None
    start = instant(text)
    end = instant(rest.pop("end")) if "end" in rest else start if layer == "sample" else None
    if end is not None:
        said["end"] = end.astimezone(UTC)
    offset_min = round((start.utcoffset() or timedelta()).total_seconds() / 60)
    return Element(block, start, None if text.endswith("Z") else offset_min, said)
