"""What can be exported: lists read to their end, page by page."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Protocol, TypeVar

from healthlog.columns import POINT_COLUMNS, RECORD_COLUMNS, series_columns
from healthlog.formats import Item, Listing
from healthlog.mart.store import Mart
from healthlog.read import points as read
from healthlog.read import records as read_records
from healthlog.read import series as read_series
from healthlog.read.series import Question
from healthlog.read.view import tag_of
from healthlog.series.source_order import SourceOrder
from healthlog.span import Span

P = TypeVar("P")
P_co = TypeVar("P_co", covariant=True)

_PAGE = 5_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for: a metric by its canonical name, a layer, a kind of records (None: all),
    when it begins; of a series its buckets, its unit (None: the canonical one), and the order in
    which sources answer; of workouts whether the places are wanted."""

    metric: str | None = None
    layer: str | None = None
    kind: str | None = None
    bucket: str | None = None
    unit: str | None = None
    span: Span = field(default_factory=Span)
    order: SourceOrder = field(default_factory=SourceOrder)
    routes: bool = True


class NeedsMore(ValueError):
    """What has to be named for such a list; the message is the name."""


class _Page(Protocol[P_co]):
    """Items with the place behind which the next page begins, None at the end."""

    @property
    def items(self) -> Sequence[Item]: ...

    @property
    def following(self) -> P_co | None: ...


Ask = Callable[[sqlite3.Connection, P | None], _Page[P]]
Source = Callable[[Mart, Wanted], Listing]
"""Makes a list whose items are read while they are written. Each page is read by itself, so that
a long export keeps nobody from the mart; what changes meanwhile shows from its page on."""


def points(mart: Mart, wanted: Wanted) -> Listing:
    """Readings as folded, metric by metric in the order of their names, oldest first."""
    if wanted.metric is None:
        names, unit = mart.read(_metrics), None
    else:
        names, unit = [wanted.metric], mart.read(lambda c: _one_unit(c, wanted))

    def of_metric(name: str) -> Iterator[Item]:
        return _paged(
            mart,
            lambda c, behind: read.points(
                c, name, wanted.layer, wanted.span, behind=behind, limit=_PAGE
            ),
        )

    return Listing(chain.from_iterable(map(of_metric, names)), None, POINT_COLUMNS, unit)


def series(mart: Mart, wanted: Wanted) -> Listing:
    """One value per bucket of a metric. NeedsMore without metric or bucket; WrongUnit."""
    if wanted.metric is None or wanted.bucket is None:
        raise NeedsMore("metric" if wanted.metric is None else "bucket")
    question = Question(
        wanted.metric, wanted.bucket, wanted.span, wanted.layer, wanted.unit, wanted.order
    )
    first = mart.read(lambda c: read_series.page(c, question, limit=_PAGE))
    rest = _paged(
        mart,
        lambda c, behind: read_series.page(c, question, behind=behind, limit=_PAGE),
        first.following,
    )
    items = first.items if first.following is None else chain(first.items, rest)
    return Listing(items, None, series_columns(first.fields), first.unit)


def records(mart: Mart, wanted: Wanted) -> Listing:
    """Whatever is no metric, oldest first."""
    items = _paged(
        mart,
        lambda c, behind: read_records.page(
            c, wanted.kind, wanted.span, behind=behind, limit=_PAGE, routes=wanted.routes
        ),
    )
    return Listing(items, None, RECORD_COLUMNS)


SOURCES: Mapping[str, Source] = {"points": points, "series": series, "records": records}
"""By the words of the command."""


def _paged(mart: Mart, ask: Ask[P], behind: P | None = None) -> Iterator[Item]:
    while True:
        page = mart.read(lambda c: ask(c, behind))  # noqa: B023 - read now
        yield from page.items
        behind = page.following
        if behind is None:
            return


def _metrics(connection: sqlite3.Connection) -> list[str]:
    query = "SELECT DISTINCT metric FROM series WHERE points > 0 ORDER BY metric"
    return [name for (name,) in connection.execute(query)]


def _one_unit(connection: sqlite3.Connection, wanted: Wanted) -> str | None:
    """The unit that all readings of a metric have; None where there is more than one."""
    query = (
        "SELECT DISTINCT label FROM tag WHERE tag IN"
        " (SELECT DISTINCT tag FROM point JOIN series USING (series)"
        " WHERE metric = ? AND layer = coalesce(?, layer))"
    )
    labels = connection.execute(query, (wanted.metric, wanted.layer))
    units = {tag_of(label)[0] for (label,) in labels}
    return units.pop() if len(units) == 1 else None
