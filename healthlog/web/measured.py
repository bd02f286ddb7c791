"""The pages of what was measured: what each address asks for, which page shows it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from healthlog.base.web import Problem, Request, Response
from healthlog.hae.names import canonical_name
from healthlog.moment import HOUR_MS, day_text
from healthlog.params import Params
from healthlog.parts import Parts
from healthlog.read import days as read_days
from healthlog.read import latest as read_latest
from healthlog.read import points as read_points
from healthlog.read import records as read_records
from healthlog.read.nights import night_views
from healthlog.records.record import WORKOUT
from healthlog.span import Edge, Span
from healthlog.stats import stats
from healthlog.web import (
    asked,
    gather,
    metric,
    nights,
    numbers,
    records,
    today,
    workouts,
)
from healthlog.web.frame import page
from healthlog.web.html import Html, join
from healthlog.web.view import MONTH, SPANS, View, stretch
from healthlog.web.words import KIND_TITLES, title

_NIGHTS, _WORKOUTS, _RECORDS = 31, 31, 90
"""Days that a list shows at once."""


def today_page(parts: Parts, request: Request) -> Response:
    Params(request.query, ())
    now_us = parts.clock.now_us()
    number = parts.mart.read(lambda c: gather.local_day(c, now_us // 1000))
    told = parts.mart.read(lambda c: read_latest.latest(c, now_us))
    here = stats(parts.journal, parts.mart, None, now_us)["last_delivery"]
    assert isinstance(here, dict)
    last_s = min((one["age_s"] for one in here.values()), default=None)
    return _of_day(parts, number, "Today", here="/", last_s=last_s, latest=told)


def day_page(parts: Parts, request: Request) -> Response:
    Params(request.query, ())
    number = asked.day_named(request.params["day"], "The day in the address")
    return _of_day(parts, number, day_text(number), here="/")


def _of_day(
    parts: Parts,
    number: int,
    heading: str,
    *,
    here: str,
    last_s: int | None = None,
    latest: list[dict[str, object]] | None = None,
) -> Response:
    spoken, order = parts.spoken.notes(number), asked.order(parts)

    def read(connection: sqlite3.Connection) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        told = read_days.day(connection, number, order, routes=False, notes=spoken)
        return told, gather.records(connection, None, number, number + 1)

    told, others = parts.mart.read(read)
    known = {*told["totals"], *told["levels"]}
    more = [one for one in latest or () if one["metric"] not in known]
    shown = today.show(told, number, others=others, last_s=last_s, latest=more)
    return page(heading, shown, here=here)


# ---- metrics


def metrics_page(parts: Parts, request: Request) -> Response:
    Params(request.query, ())
    now_us = parts.clock.now_us()
    found = parts.mart.read(lambda c: read_points.metrics(c, now_us))
    return page("Metrics", metric.listing(found), here="/metric")


def metric_page(parts: Parts, request: Request) -> Response:
    params = Params(request.query, ("span", "at", "with"))
    name = canonical_name(request.params["metric"])
    span = params.choice("span", SPANS) or MONTH
    beside = params.given.get("with") or None
    now_us = parts.clock.now_us()

    def read(connection: sqlite3.Connection) -> Html:
        first = gather.first_day(connection, name)
        if first is None:
            raise Problem(404, "There is no such metric.")
        at = asked.day(params, "at", gather.local_day(connection, now_us // 1000))
        seen, order = stretch(name, span, at, first), asked.order(parts)
        other = None
        if beside is not None:
            theirs = View(canonical_name(beside), span, seen.first, seen.until)
            other = (theirs, gather.series(connection, theirs, order))
        names = [str(one["name"]) for one in read_points.metrics(connection, now_us)]
        series = gather.series(connection, seen, order)
        return metric.show(seen, series, other=other, names=names)

    return page(title(name), parts.mart.read(read), here="/metric")


# ---- records


def points_page(parts: Parts, request: Request) -> Response:
    """The readings of an hour, in every layer."""
    params = Params(request.query, ("metric", "hour"))
    name = canonical_name(params.text("metric"))
    first, is_date = params.when("hour", parts.settings.timezone)
    if is_date:
        params.refuse("hour", "must be an RFC 3339 instant")
    span = Span(first, Edge(first.at_us + HOUR_MS * 1000, first.day))
    found = parts.mart.read(
        lambda c: read_points.points(c, name, None, span, behind=None, limit=gather.MOST)
    )
    return page(f"{title(name)}: readings", numbers.points(found.items), here="/metric")


def nights_page(parts: Parts, request: Request) -> Response:
    params = Params(request.query, ("to",))

    def read(connection: sqlite3.Connection) -> Html:
        until = asked.until(parts, connection, params)
        first = until - _NIGHTS
        slept = night_views(connection, first, until, asked.order(parts))
        shown = nights.show(slept, first, until)
        return join((shown, asked.older("/nights", first, until)))

    return page("Nights", parts.mart.read(read), here="/nights")


def workouts_page(parts: Parts, request: Request) -> Response:
    params = Params(request.query, ("to",))

    def read(connection: sqlite3.Connection) -> Html:
        until = asked.until(parts, connection, params)
        first = until - _WORKOUTS
        found = gather.records(connection, WORKOUT, first, until)
        return join((workouts.listing(found), asked.older("/workouts", first, until)))

    return page("Workouts", parts.mart.read(read), here="/workouts")


def workout_page(parts: Parts, request: Request) -> Response:
    Params(request.query, ())
    found = _one(parts, WORKOUT, request.params["key"])
    return page(workouts.name(found), workouts.show(found), here="/workouts")


def records_page(parts: Parts, request: Request) -> Response:
    params = Params(request.query, ("kind", "to"))
    kind = params.choice("kind", records.KINDS) or records.KINDS[0]

    def read(connection: sqlite3.Connection) -> Html:
        until = asked.until(parts, connection, params)
        first = until - _RECORDS
        found = gather.records(connection, kind, first, until)
        older = asked.older("/records", first, until, kind=kind)
        return join((records.ways(kind), records.listing(found), older))

    return page(KIND_TITLES[kind], parts.mart.read(read), here="/records")


def record_page(parts: Parts, request: Request) -> Response:
    Params(request.query, ())
    found = _one(parts, request.params["kind"], request.params["key"])
    return page(records.name(found), records.show(found), here="/records")


def _one(parts: Parts, kind: str, key: str) -> Mapping[str, Any]:
    routes = parts.settings.routes
    found = parts.mart.read(lambda c: read_records.one(c, kind, key, routes=routes))
    if found is None:
        raise Problem(404, "There is no such record.")
    return found
