"""Who said what of one coordinate: the deliveries that spoke of it, read again from the archive."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from healthlog import candidates, planning
from healthlog import layer as layers
from healthlog.archive.read import Unreadable
from healthlog.archive.store import Archive
from healthlog.base.clock import text_us
from healthlog.base.db import Database
from healthlog.candidates import Candidates, Lines, Origin, Tag, joined
from healthlog.hae.window import Body, Malformed
from healthlog.journal import rows
from healthlog.layer import LAYERS
from healthlog.mart.dictionary import DATE_ALONE, NO_ORIGIN, origins, tags
from healthlog.mart.offsets import Offsets
from healthlog.mart.store import Mart
from healthlog.model import Delivery
from healthlog.moment import DAY_MS, HOUR_MS
from healthlog.planning import Heard, LayerUnknown, Plan
from healthlog.read.view import Row, Views
from healthlog.series.buckets import FAR_MS, Stretch
from healthlog.slices import slices
from healthlog.span import Edge

STANDS, SAME, OUTDATED = "stands", "same", "outdated"

READ_AGAIN_BYTES = 64 * 1024 * 1024
"""A page that would have to read more than this again ends early."""

_BEFORE_DATE_MS = FAR_MS + 12 * HOUR_MS

_SPOKE = (
    "SELECT received_at_us, delivery_id, layer FROM spoke"
    " JOIN folded ON folded.delivery = spoke.delivery"
    " WHERE series = ? AND first_at_ms < ? AND last_at_ms >= ?"
)
_STANDING = (
    "SELECT at_ms, sub, origin, qty, min, avg, max, tag, detail, delivery_id FROM point"
    " JOIN folded ON folded.delivery = point.said_by"
    " WHERE series = ? AND at_ms >= ? AND at_ms < ? ORDER BY at_ms, sub, origin, n"
)

Position = tuple[int, str]
"""Place of a delivery in the journal's order."""

_Key = tuple[int, int, Origin]
_Content = tuple[float | None, float | None, float | None, float | None, Tag, str | None]


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A metric by its canonical name, a layer, and when: an instant, or a date where `is_date`;
    weeks, months and years have nothing but dates."""

    metric: str
    layer: str
    at: Edge
    is_date: bool

    @property
    def stretch(self) -> Stretch:
        """Where the rows of the mart stand that are meant."""
        if self.layer not in layers.DATED or (self.layer == layers.DAY and not self.is_date):
            return Stretch(self.at.at_ms, self.at.at_ms + 1)
        first_ms = self.at.day * DAY_MS
        if self.layer == layers.DAY:
            return Stretch(first_ms - _BEFORE_DATE_MS, first_ms + DAY_MS + FAR_MS)
        return Stretch(first_ms, first_ms + 1)

    def holds(self, at_ms: int, sub: int) -> bool:
        """Whether a row that stands there is meant."""
        if self.layer == layers.DAY and self.is_date:
            return sub == self.at.day
        return at_ms == self.stretch.first_ms


@dataclass(frozen=True, slots=True)
class Page:
    """What deliveries said, newest first, and the position the next page begins behind, None at
    the end."""

    items: list[dict[str, object]]
    following: Position | None


@dataclass(frozen=True, slots=True)
class Standing:
    """What the mart knows: who spoke of about that time, in which layer; what stands, by whom."""

    spoke: list[tuple[Position, str | None]]
    contents: Mapping[_Key, list[_Content]]
    said_by: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Told:
    """What one delivery said; `lines` None where its body can't be read any more."""

    delivery: Delivery
    lines: Lines | None
    verdict: str | None


class Why:
    """Looks up who said what. Deliveries are found by what the fold noted of each: the stretch of
    time that it spoke of; only bodies know what was said."""

    def __init__(
        self,
        mart: Mart,
        journal: Database,
        archive: Archive,
        *,
        read_again_bytes: int = READ_AGAIN_BYTES,
    ) -> None:
        self._mart = mart
        self._journal = journal
        self._archive = archive
        self._read_again_bytes = read_again_bytes

    def page(self, coordinate: Coordinate, behind: Position | None, limit: int) -> Page:
        """At most `limit` deliveries that spoke of a coordinate, older than `behind`."""
        known = self._mart.read(lambda connection: standing(connection, coordinate))
        left = [one for one in known.spoke if behind is None or one[0] < behind]
        told: list[_Told] = []
        size = 0
        for number, (position, layer) in enumerate(left, 1):
            entry = self._journal.read(partial(rows.get, delivery_id=position[1]))
            if entry is None:
                continue
            size += entry.delivery.bytes
            told += self._told(coordinate, known, entry.delivery, layer)
            if number < len(left) and (len(told) == limit or size > self._read_again_bytes):
                return Page(self._shown(coordinate, told), position)
        return Page(self._shown(coordinate, told), None)

    def _told(
        self, coordinate: Coordinate, known: Standing, delivery: Delivery, layer: str | None
    ) -> Iterator[_Told]:
        """What a delivery said, if it did speak of the coordinate."""
        try:
            lines = _said(coordinate, delivery, self._archive.opener(delivery), layer)
        except (Unreadable, Malformed):
            yield _Told(delivery, None, None)
            return
        if lines is None:
            return
        if delivery.delivery_id in known.said_by:
            yield _Told(delivery, lines, STANDS)
            return
        mine = _contents(_rows_of(lines))
        is_same = all(known.contents.get(key) == said for key, said in mine.items())
        yield _Told(delivery, lines, SAME if is_same else OUTDATED)

    def _shown(self, coordinate: Coordinate, told: list[_Told]) -> list[dict[str, object]]:
        def work(connection: sqlite3.Connection) -> list[dict[str, object]]:
            views = Views(coordinate.metric, Offsets(connection))
            return [_view(coordinate.layer, one, views) for one in told]

        return self._mart.read(work)


def standing(connection: sqlite3.Connection, coordinate: Coordinate) -> Standing:
    """What the mart knows of a coordinate."""
    found = connection.execute(
        "SELECT series FROM series WHERE metric = ? AND layer = ?",
        (coordinate.metric, coordinate.layer),
    ).fetchone()
    if found is None:
        return Standing([], {}, frozenset())
    first_ms, last_ms = coordinate.stretch
    spoke = [
        ((received_at_us, delivery_id), layer)
        for received_at_us, delivery_id, layer in connection.execute(
            _SPOKE, (*found, last_ms, first_ms)
        )
    ]
    tag_of, origin_of = tags(connection), origins(connection)
    said: list[tuple[_Key, _Content]] = []
    said_by = set()
    for at_ms, sub, origin, *numbers, tag, detail, delivery_id in connection.execute(
        _STANDING, (*found, first_ms, last_ms)
    ):
        if coordinate.holds(at_ms, sub):
            qty, low, mean, high = numbers
            content = (qty, low, mean, high, tag_of[tag], detail)
            said.append(((at_ms, sub, origin_of[origin]), content))
            said_by.add(delivery_id)
    newest_first = sorted(spoke, key=lambda one: one[0], reverse=True)
    return Standing(newest_first, _contents(said), frozenset(said_by))


def _said(
    coordinate: Coordinate, delivery: Delivery, body: Body, layer: str | None
) -> Lines | None:
    """The readings that a body has at a coordinate, worked out as for its fold, which took it in
    this layer; None where it has none."""
    heard = planning.hear(delivery, body, _patience)
    metric = heard.parsed.metrics.by_name.get(coordinate.metric)
    if metric is None:
        return None
    metrics = replace(heard.parsed.metrics, by_name={metric.name: metric})
    alone = replace(heard.parsed, metrics=metrics, records=(), outline=None)
    try:
        planned = planning.plan(Heard(alone, layer, heard.own_origin), lambda: layer)
    except LayerUnknown:
        return None
    here = [
        part.lines.picked(numbers)
        for part in _of_layer(planned, coordinate.layer)
        if (numbers := _held(coordinate, part.lines))
    ]
    return joined(here) if here else None


def _of_layer(planned: Plan, layer: str) -> Iterator[Candidates]:
    """All that a plan says in a layer, part by part."""
    for _, of_series, said in planned.series:
        if of_series == layer:
            yield said
    for _, of_series, metric in planned.long:
        if of_series == layer:
            yield from slices(metric, layer)


def _held(coordinate: Coordinate, lines: Lines) -> list[int]:
    """Which of these stand at a coordinate."""
    places = zip(lines.at_ms, lines.sub, strict=True)
    return [number for number, place in enumerate(places) if coordinate.holds(*place)]


def _patience() -> None:
    """What has been folded once may be read again for as long as it takes."""


def _rows_of(lines: Lines) -> Iterator[tuple[_Key, _Content]]:
    keys = zip(lines.at_ms, lines.sub, lines.origin, strict=True)
    contents = zip(lines.qty, lines.min, lines.avg, lines.max, lines.tag, lines.detail, strict=True)
    return zip(keys, contents, strict=True)


def _contents(said: Iterable[tuple[_Key, _Content]]) -> dict[_Key, list[_Content]]:
    """Readings by their coordinates, in canonical order."""
    together: defaultdict[_Key, list[_Content]] = defaultdict(list)
    for key, content in said:
        together[key].append(content)
    return dict(together)


def _view(layer: str, told: _Told, views: Views) -> dict[str, object]:
    delivery = told.delivery
    head: dict[str, object] = {
        "delivery_id": delivery.delivery_id,
        "received_at": text_us(delivery.received_at_us),
    }
    if told.lines is None:
        return {**head, "readings": [], "unreadable": True}
    return {**head, "readings": list(_readings(layer, told.lines, views)), "verdict": told.verdict}


def _readings(layer: str, lines: Lines, views: Views) -> Iterator[dict[str, object]]:
    """Readings as points are shown, without what they all share."""
    place = LAYERS.index(layer)
    for at_ms, sub, origin, n, qty, low, mean, high, tag, detail, offset_min, _ in zip(
        *lines, strict=True
    ):
        number = DATE_ALONE if origin == candidates.DATE_ALONE else NO_ORIGIN
        label = json.dumps([tag[0], list(tag[1])])
        row = Row(
            at_ms, place, sub, number, n, qty, low, mean, high, label, None, offset_min, detail
        )
        shown = views.view(row, layer, [])
        yield {name: value for name, value in shown.items() if name not in {"metric", "layer"}}
