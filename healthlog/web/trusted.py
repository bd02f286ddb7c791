"""The pages of where numbers come from: the journal, who said what, what is missing."""

from __future__ import annotations

import sqlite3
from urllib.parse import urlencode

from healthlog import deliveries, series_params
from healthlog.base.web import Problem, Request, Response
from healthlog.model import STATUSES
from healthlog.moment import day_text
from healthlog.params import Params, cursor_text
from healthlog.parts import Parts
from healthlog.read import points as read_points
from healthlog.read.gaps import gaps as read_gaps
from healthlog.read.nights import night_views
from healthlog.read.why import Why
from healthlog.stats import stats
from healthlog.web import (
    asked,
    gaps,
    gather,
    journal,
    records,
    report,
)
from healthlog.web.frame import page
from healthlog.web.html import Html, join
from healthlog.web.report import Period
from healthlog.web.view import MONTH, View

_GAPS = 90
"""Days that the ledger shows at once."""

_REPORT, _REPORT_MOST = 90, 731
_DELIVERIES = 100


def journal_page(parts: Parts, request: Request) -> Response:
    params = Params(request.query, ("status", "before"))
    status = params.choice("status", STATUSES)
    cursor = params.cursor("j", int, str, name="before")
    before = None if cursor is None else (int(cursor[0]), str(cursor[1]))
    found, following = deliveries.newest(parts.journal, status, before, _DELIVERIES)
    older = None
    if following is not None:
        query = {"before": cursor_text("j", *following)}
        older = f"/journal?{urlencode(query | ({'status': status} if status else {}))}"
    worker, rebuild = parts.worker_state(), parts.rebuild_state()
    told = stats(parts.journal, parts.mart, worker, parts.clock.now_us(), rebuild)
    shown = journal.show(told, found, status, older)
    return page("Journal", shown, here="/journal")


def delivery_page(parts: Parts, request: Request) -> Response:
    Params(request.query, ())
    found = deliveries.shown(deliveries.one(parts.journal, request.params["id"]))
    return page("Delivery", journal.one(found), here="/journal")


def why_page(parts: Parts, request: Request) -> Response:
    params = Params(request.query, ("metric", "layer", "at"))
    coordinate = series_params.coordinate(params, parts.settings.timezone)
    why = Why(parts.mart, parts.journal, parts.archive)
    found = why.page(coordinate, behind=None, limit=series_params.WHY_LIMIT)
    shown = journal.why(coordinate.metric, coordinate.layer, params.text("at"), found.items)
    return page("Where a number comes from", shown, here="/metric")


def gaps_page(parts: Parts, request: Request) -> Response:
    params = Params(request.query, ("to",))
    now_ms = parts.clock.now_us() // 1000

    def read(connection: sqlite3.Connection) -> Html:
        until = asked.until(parts, connection, params)
        first = until - _GAPS
        found = read_gaps(connection, first, until, now_ms)
        shown = gaps.show(found, day_text(first), day_text(until - 1))
        return join((shown, asked.older("/gaps", first, until)))

    return page("Gaps", parts.mart.read(read), here="/gaps")


def report_page(parts: Parts, request: Request) -> Response:
    params = Params(request.query, ("from", "to"))

    def read(connection: sqlite3.Connection) -> Html:
        today_number = gather.local_day(connection, parts.clock.now_us() // 1000)
        until = asked.day(params, "to", today_number) + 1
        first = asked.day(params, "from", until - _REPORT)
        if not 0 < until - first <= _REPORT_MOST:
            raise Problem(400, f"from must be before to, by at most {_REPORT_MOST} days.")
        return report.show(_period(parts, connection, first, until))

    return page("Report", parts.mart.read(read), here="/report")


def _period(parts: Parts, connection: sqlite3.Connection, first: int, until: int) -> Period:
    order = asked.order(parts)
    names = [str(one["name"]) for one in read_points.metrics(connection, 0)]
    seen = (View(name, MONTH, first, until) for name in names)
    return Period(
        first,
        until,
        {one.metric: gather.series(connection, one, order) for one in seen},
        night_views(connection, first, until, order),
        {kind: gather.records(connection, kind, first, until) for kind in records.KINDS},
    )
