"""What answers at each address: reads the question, asks, shapes the answer."""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import TypeVar
from urllib.parse import urlencode

from healthlog import deliveries, formats, series_params
from healthlog.base.ids import parse_id
from healthlog.base.web import (
    Problem,
    Request,
    Response,
    json_response,
)
from healthlog.columns import (
    DELIVERY_COLUMNS,
    GAP_COLUMNS,
    LATEST_COLUMNS,
    METRIC_COLUMNS,
    POINT_COLUMNS,
    RECORD_COLUMNS,
    WHY_COLUMNS,
    series_columns,
)
from healthlog.deliveries import Wanted
from healthlog.formats import Column, Listing
from healthlog.hae.names import canonical_name
from healthlog.layer import LAYERS
from healthlog.model import STATUSES
from healthlog.moment import DAY_MS
from healthlog.params import Params, cursor_text, no_such_cursor
from healthlog.parts import Parts, of_mart
from healthlog.read import days as read_days
from healthlog.read import latest as read_latest
from healthlog.read import now as read_now
from healthlog.read import points as read
from healthlog.read import records as read_records
from healthlog.read import series as read_series
from healthlog.read.changes import Since, changes
from healthlog.read.gaps import gaps
from healthlog.read.points import Position
from healthlog.read.series import Place, WrongUnit
from healthlog.read.why import Why
from healthlog.records.record import KINDS
from healthlog.series.source_order import SourceOrder
from healthlog.span import local_date

T = TypeVar("T")

GAPS_USUAL = 90
"""Days that the gap ledger is told of."""


def metric_list(parts: Parts, request: Request) -> Response:
    return _by_name(parts, request, read.metrics, kind="m", name="name", shown=METRIC_COLUMNS)


def point_list(parts: Parts, request: Request) -> Response:
    params = Params(request.query, ("metric", "layer", "from", "to", "limit", "cursor", "format"))
    metric, layer = canonical_name(params.text("metric")), params.choice("layer", LAYERS)
    span, limit, form = params.span(parts.settings.timezone), params.limit(), params.format()
    cursor = params.cursor("p", int, str, int, int, int)
    behind = None if cursor is None else Position(*cursor)
    if behind is not None and behind.layer not in LAYERS:
        no_such_cursor()
    page = _from_mart(
        parts, lambda c: read.points(c, metric, layer, span, behind=behind, limit=limit)
    )
    after = None if page.following is None else cursor_text("p", *page.following)
    unit = formats.one_unit(page.items)
    return _answer(request, params, form, Listing(page.items, after, POINT_COLUMNS, unit))


def series(parts: Parts, request: Request) -> Response:
    params = Params(request.query, series_params.SERIES)
    given = parts.settings
    question = series_params.question(params, given.timezone, SourceOrder(given.source_order))
    limit, form, cursor = params.limit(), params.format(), params.cursor("s", int, int)
    behind = None if cursor is None else Place(*cursor)
    try:
        page = _from_mart(
            parts, lambda c: read_series.page(c, question, behind=behind, limit=limit)
        )
    except WrongUnit:
        params.refuse("unit", "is none that this metric can be given in")
    after = None if page.following is None else cursor_text("s", *page.following)
    listing = Listing(page.items, after, series_columns(page.fields), page.unit, page.head)
    return _answer(request, params, form, listing)


def latest_list(parts: Parts, request: Request) -> Response:
    return _by_name(
        parts, request, read_latest.latest, kind="l", name="metric", shown=LATEST_COLUMNS
    )


def now(parts: Parts, request: Request) -> Response:
    """For programs that ask for one thing again and again, such as a home's."""
    Params(request.query, ())
    given, now_us = parts.settings, parts.clock.now_us()
    order = SourceOrder(given.source_order)
    return json_response(
        _from_mart(parts, lambda c: read_now.now(c, now_us, order, given.timezone))
    )


def day(parts: Parts, request: Request) -> Response:
    Params(request.query, ())
    try:
        date = local_date(request.params["day"])
    except ValueError:
        raise Problem(400, "The day in the address must be a date: YYYY-MM-DD.") from None
    order, notes = SourceOrder(parts.settings.source_order), parts.spoken.notes(date)
    routes = parts.settings.routes
    return json_response(
        _from_mart(parts, lambda c: read_days.day(c, date, order, routes=routes, notes=notes))
    )


def why_list(parts: Parts, request: Request) -> Response:
    """Newest first, unlike other lists: what was said last is what stands, mostly."""
    params = Params(request.query, series_params.WHY)
    coordinate = series_params.coordinate(params, parts.settings.timezone)
    limit, form = params.limit(series_params.WHY_LIMIT), params.format()
    cursor = params.cursor("w", int, str)
    behind = None if cursor is None else (int(cursor[0]), str(cursor[1]))
    asked = Why(parts.mart, parts.journal, parts.archive)
    page = of_mart(lambda: asked.page(coordinate, behind, limit))
    after = None if page.following is None else cursor_text("w", *page.following)
    return _answer(request, params, form, Listing(page.items, after, WHY_COLUMNS))


def gap_list(parts: Parts, request: Request) -> Response:
    """Without `from` the last 90 days before the end."""
    params = Params(request.query, ("from", "to", "format"))
    span, form, now_ms = params.span(parts.settings.timezone), params.format(), _now_ms(parts)
    until = now_ms // DAY_MS + 2 if span.last is None else span.last.day
    first = until - GAPS_USUAL if span.first is None else span.first.day
    items = _from_mart(parts, lambda c: gaps(c, first, until, now_ms)) if first < until else []
    return _answer(request, params, form, Listing(items, None, GAP_COLUMNS))


def record_list(parts: Parts, request: Request) -> Response:
    params = Params(request.query, ("kind", "from", "to", "routes", "limit", "cursor", "format"))
    kind, limit, form = params.choice("kind", KINDS), params.limit(), params.format()
    routes = parts.settings.routes and params.switch("routes")
    span, cursor = params.span(parts.settings.timezone), params.cursor("r", int, str, str)
    behind = None if cursor is None else read_records.Position(*cursor)
    page = _from_mart(
        parts,
        lambda c: read_records.page(c, kind, span, behind=behind, limit=limit, routes=routes),
    )
    after = None if page.following is None else cursor_text("r", *page.following)
    return _answer(request, params, form, Listing(page.items, after, RECORD_COLUMNS))


def record(parts: Parts, request: Request) -> Response:
    routes = Params(request.query, ("routes",)).switch("routes") and parts.settings.routes
    kind, key = request.params["kind"], request.params["key"]
    found = _from_mart(parts, lambda c: read_records.one(c, kind, key, routes=routes))
    if found is None:
        raise Problem(404, "There is no such record.")
    return json_response(found)


def delivery_list(parts: Parts, request: Request) -> Response:
    params = Params(request.query, ("status", "from", "to", "limit", "cursor", "format"))
    status, limit, form = params.choice("status", STATUSES), params.limit(), params.format()
    span, cursor = params.span(parts.settings.timezone), params.cursor("d", int, str)
    behind = None if cursor is None else (int(cursor[0]), str(cursor[1]))
    if behind is not None and parse_id(behind[1]) is None:
        no_such_cursor()
    wanted = Wanted(status, *span.instants_us)
    page = deliveries.page(parts.journal, wanted, behind, limit)
    after = None if page.following is None else cursor_text("d", *page.following)
    return _answer(request, params, form, Listing(page.items, after, DELIVERY_COLUMNS))


def delivery(parts: Parts, request: Request) -> Response:
    Params(request.query, ())
    return json_response(deliveries.shown(deliveries.one(parts.journal, request.params["id"])))


def delivery_body(parts: Parts, request: Request) -> Response:
    Params(request.query, ())
    entry = deliveries.one(parts.journal, request.params["id"])
    return deliveries.body(parts.archive, entry.delivery)


def change_list(parts: Parts, request: Request) -> Response:
    """What changed behind a cursor; without one, the cursor of now. `cursor` is for the next time,
    `next` the same while there is more."""
    params = Params(request.query, ("since", "limit"))
    limit, since = params.limit(), params.cursor("c", str, int, int, name="since")
    behind = None if since is None else Since(*since)
    page = _from_mart(parts, lambda c: changes(c, behind, limit))
    if page is None:
        raise Problem(410, "The mart was made anew: read everything again.")
    cursor = cursor_text("c", *page.reached)
    return json_response(
        {"items": page.items, "next": cursor if page.more else None, "cursor": cursor}
    )


def _by_name(
    parts: Parts,
    request: Request,
    ask: Callable[[sqlite3.Connection, int], Sequence[dict[str, object]]],
    *,
    kind: str,
    name: str,
    shown: Sequence[Column],
) -> Response:
    """One item a metric, in the order of their names, by which the pages join."""
    params = Params(request.query, ("limit", "cursor", "format"))
    form, limit, cursor = params.format(), params.limit(), params.cursor(kind, str)
    found = _from_mart(parts, lambda c: ask(c, parts.clock.now_us()))
    first = bisect_right(found, cursor[0], key=lambda one: str(one[name])) if cursor else 0
    items = found[first : first + limit]
    after = cursor_text(kind, str(items[-1][name])) if len(found) > first + limit else None
    return _answer(request, params, form, Listing(items, after, shown))


def _answer(request: Request, params: Params, form: str, listing: Listing) -> Response:
    following = None
    if listing.next is not None:
        following = f"{request.path}?{urlencode({**params.given, 'cursor': listing.next})}"
    return formats.answer(listing, form, following)


def _now_ms(parts: Parts) -> int:
    return parts.clock.now_us() // 1000


def _from_mart(parts: Parts, work: Callable[[sqlite3.Connection], T]) -> T:
    return of_mart(lambda: parts.mart.read(work))
