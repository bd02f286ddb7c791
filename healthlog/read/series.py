"""Series page by page: what is asked for, which buckets answer, how an answer shows them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import NamedTuple

from healthlog.layer import DATED, DAY, HOUR, LAYERS, MINUTE, MONTH, WEEK, YEAR
from healthlog.mart.offsets import Offsets
from healthlog.moment import DAY_MS, EPOCH_ORDINAL, HOUR_MS, MINUTE_MS, day_text, instant_text
from healthlog.read.kept import Item, MartDays
from healthlog.read.shelf import MartShelf
from healthlog.read.view import tag_of
from healthlog.series.answer import Answer
from healthlog.series.buckets import Stretch, first_date
from healthlog.series.catalogue import KNOWN, Entry, entry
from healthlog.series.measure import Measure
from healthlog.series.series import LAYERS_OF, Series
from healthlog.series.shelf import Dates
from healthlog.series.source_order import SourceOrder
from healthlog.series.units import converter, known, spelled
from healthlog.span import Span
from healthlog.summaries.fresh import stale_days

# How much is read at once: little enough to be held, enough to ask seldom.
_LEAST_MS = {MINUTE: HOUR_MS, HOUR: DAY_MS}
_MOST_MS = {MINUTE: DAY_MS, HOUR: 7 * DAY_MS}
_WIDTH_MS = {MINUTE: MINUTE_MS, HOUR: HOUR_MS}
_DATES = {DAY: 1, WEEK: 7, MONTH: 31, YEAR: 366}

# Nothing is taken that was before 1900, nor what some offset would carry out of the calendar.
_FIRST_DATE = date(1899, 12, 31).toordinal() - EPOCH_ORDINAL
_END_DATE = date(9999, 12, 30).toordinal() - EPOCH_ORDINAL

_SERIES = "SELECT layer, series, last_at_ms FROM series WHERE metric = ? AND points > 0"
_LAST_TAG = (
    "SELECT label FROM point JOIN tag ON tag.tag = point.tag WHERE series = ? AND at_ms = ?"
    " ORDER BY sub DESC, label DESC LIMIT 1"
)

Told = tuple[int, list[Item]]
"""Where a bucket begins (ms, or days since 1970), with its items."""


class WrongUnit(ValueError):
    """The unit asked for is none that the metric can be given in."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: a metric by its canonical name, a bucket, when it begins; the one layer to
    take it from (None: whichever answers), the unit to give it in (None: the canonical one), and
    the order of the sources."""

    metric: str
    bucket: str
    span: Span = field(default_factory=Span)
    layer: str | None = None
    unit: str | None = None
    order: SourceOrder = field(default_factory=SourceOrder)


class Place(NamedTuple):
    """Where a page ends: a bucket by its start (ms, or days since 1970), with how many items of it
    have been given."""

    start: int
    given: int


class Kept(NamedTuple):
    """A layer that the mart keeps of a metric: the number of the series, its last start."""

    layer: str
    number: int
    last_at_ms: int


@dataclass(frozen=True, slots=True)
class SeriesPage:
    """The head of the contract's series object, its items, and where the next page goes on, None
    at the end. `fields` name the values of a metric that is measured by field; `unit` is that of
    all items, None where one has another."""

    head: dict[str, object]
    items: list[dict[str, object]]
    following: Place | None
    fields: tuple[str, ...] = ()
    unit: str | None = None


def page(
    connection: sqlite3.Connection,
    question: Question,
    *,
    behind: Place | None = None,
    limit: int,
) -> SeriesPage:
    """At most `limit` items behind a place, oldest first. WrongUnit."""
    asked = _Asked(connection, question)
    items: list[dict[str, object]] = []
    ends: list[Place] = []
    following = None
    for start, told in asked.told(None if behind is None else behind.start, limit + 1):
        given = max(behind.given, 0) if behind and start == behind.start else 0
        for number, item in enumerate(told[given:], given + 1):
            items.append(item)
            ends.append(Place(start, number))
        if len(items) > limit:
            items, following = items[:limit], ends[limit - 1]
            break
    unit = None if any("unit" in item for item in items) else asked.unit
    return SeriesPage(asked.head, items, following, asked.entry.by_field, unit)


def of_date(
    connection: sqlite3.Connection, question: Question, first: int
) -> tuple[Entry, str | None, list[dict[str, object]]]:
    """What is known of a metric, the unit it is given in, and the items of the bucket that begins
    on a date. WrongUnit."""
    asked = _Asked(connection, question)
    items = [item for _, told in asked.of_dates(first, first + 1) for item in told]
    return asked.entry, asked.unit, items


class Made(NamedTuple):
    """What is known of a metric, the unit it is given in, and answers with their items."""

    entry: Entry
    unit: str | None
    answers: list[tuple[Answer, list[Item]]]


def made(connection: sqlite3.Connection, question: Question, first: int, last: int) -> Made:
    """The answers of the buckets that begin on a date from `first` to before `last`, made of the
    readings alone, whatever the summaries have."""
    asked = _Asked(connection, question, kept=False)
    answers = asked.series.dates(question.bucket, first, last)
    return Made(asked.entry, asked.unit, [(one, asked.items(one)) for one in answers])


class _Asked:
    """One question on its way to its answers, within one read transaction."""

    def __init__(
        self, connection: sqlite3.Connection, question: Question, *, kept: bool = True
    ) -> None:
        of_metric = series_of(connection, question.metric)
        wanted = LAYERS_OF[question.bucket]
        if question.layer is not None:
            wanted &= {question.layer}
        self.entry = entry_of(connection, question.metric, of_metric)
        self._connection = connection
        self._of_layers = {one.layer: one.number for one in of_metric if one.layer in wanted}
        self._bucket = question.bucket
        self._span = question.span
        self._order = question.order
        self._measure = Measure(self.entry, _unit(self.entry, question.unit))
        self._days = None
        if kept and self._bucket in DATED and question.layer is None:
            stale = stale_days(connection, self.entry, question.order)
            self._days = None if stale is None else MartDays(connection, self.entry, stale)

    @cached_property
    def _offsets(self) -> Offsets:
        return Offsets(self._connection)

    @cached_property
    def _shelf(self) -> MartShelf:
        return MartShelf(self._connection, self.entry, self._of_layers, self._offsets)

    @cached_property
    def series(self) -> Series:
        # Which layer answers is no matter of the unit that somebody asks for.
        canonical = Measure(self.entry, self.entry.unit)
        return Series(self._shelf, canonical, self._order, self._days)

    @property
    def unit(self) -> str | None:
        return self._measure.unit

    @property
    def head(self) -> dict[str, object]:
        return {
            "metric": self.entry.metric,
            "unit": self.unit,
            "bucket": self._bucket,
            "aggregate": self.entry.aggregate,
        }

    def told(self, at: int | None, most: int) -> Iterator[Told]:
        """Items in their order, from the bucket that begins at `at` on. About `most` buckets are
        read at a time, so that little is read that isn't taken."""
        if self._bucket in DATED:
            return self._of_dates(at, most)
        return ((one.start, self.items(one)) for one in self._of_instants(at, most))

    def of_dates(self, first: int, last: int) -> Iterator[Told]:
        """Items of the buckets that begin on a date from `first` to before `last`."""
        if self._bucket != DAY or self._days is None or self.unit != self.entry.unit:
            return self._answered(first, last)
        return self._kept(self._days, first, last)

    def _kept(self, days: MartDays, first: int, last: int) -> Iterator[Told]:
        """Items of days, those that are kept as they are."""
        for piece in days.pieces(Dates(first, last)):
            dates = Dates(piece.first, piece.last)
            yield from days.items(dates) if piece.fresh else self._answered(*dates)

    def _answered(self, first: int, last: int) -> Iterator[Told]:
        for one in self.series.dates(self._bucket, first, last):
            yield one.start, self.items(one)

    def _of_dates(self, at: int | None, most: int) -> Iterator[Told]:
        first, last = self._span.first, self._span.last
        begin = max(_FIRST_DATE, _FIRST_DATE if first is None else first.day)
        begin = begin if at is None else max(begin, at)
        end = _END_DATE if last is None else min(_END_DATE, last.day)
        while begin < end:
            following = self._shelf.next_date(self._shelf.layers, begin)
            if following is None:
                return
            begin = max(begin, first_date(self._bucket, following))
            stop = min(begin + most * _DATES[self._bucket], end)
            yield from self.of_dates(begin, stop)
            begin = stop

    def _of_instants(self, at: int | None, most: int) -> Iterator[Answer]:
        width_ms = _WIDTH_MS[self._bucket]
        first_ms, end_ms = self._span.instants_ms
        begin = max(first_ms, _FIRST_DATE * DAY_MS)
        begin = begin if at is None else max(begin, at)
        end = min(end_ms, _END_DATE * DAY_MS)
        size_ms = min(max(most * width_ms, _LEAST_MS[self._bucket]), _MOST_MS[self._bucket])
        while begin < end:
            following = self._shelf.next_ms(self._shelf.layers, begin)
            if following is None:
                return
            begin = max(begin, following - width_ms)
            stop = min(begin + size_ms, end)
            if begin < stop:
                yield from self.series.instants(self._bucket, Stretch(begin, stop))
            begin = max(begin, stop)

    def items(self, answer: Answer) -> list[Item]:
        """The items of a bucket: one in the series' unit, then one for each unit that can't be
        converted into it. Absent values are left out."""
        if self._bucket in DATED:
            start = day_text(answer.start)
        else:
            start = instant_text(answer.start, self._offsets.offset_min(answer.start))
        rest = {
            "layer": "+".join(layer for layer in LAYERS if layer in answer.layers),
            "open": answer.open,
            "sources": sorted({name for names in answer.tally.sources for name in names}),
        }
        return [
            {"start": start}
            | self._measure.shown(found)
            | ({} if found.unit == self._measure.unit else {"unit": found.unit})
            | rest
            for found in self._measure.of(answer.tally)
        ]


def entry_of(connection: sqlite3.Connection, metric: str, kept: Sequence[Kept]) -> Entry:
    """What is known of a metric, of which the mart keeps this."""
    return KNOWN.get(metric) or entry(metric, last_unit(connection, kept))


def series_of(connection: sqlite3.Connection, metric: str) -> list[Kept]:
    """What the mart keeps of a metric, layer by layer."""
    return list(map(Kept._make, connection.execute(_SERIES, (metric,))))


def last_unit(connection: sqlite3.Connection, kept: Sequence[Kept]) -> str | None:
    """The unit of the latest reading of all layers."""
    if not kept:
        return None
    latest = max(kept, key=lambda one: (one.last_at_ms, one.layer))
    place = (latest.number, latest.last_at_ms)
    (label,) = connection.execute(_LAST_TAG, place).fetchone()
    return tag_of(label)[0]


def _unit(known_of: Entry, wanted: str | None) -> str | None:
    """The unit that answers are given in."""
    if wanted is None:
        return known_of.unit
    unit = spelled(wanted)
    if unit != known_of.unit and (
        known(wanted) is None or converter(known_of.metric, known_of.unit, unit) is None
    ):
        raise WrongUnit
    return unit
