"""Every address there is, on one screen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from healthlog.base.web import Request, Response, Route
from healthlog.handlers import (
    change_list,
    day,
    delivery,
    delivery_body,
    delivery_list,
    gap_list,
    latest_list,
    metric_list,
    now,
    point_list,
    record,
    record_list,
    series,
    why_list,
)
from healthlog.imports.door import BODY_MAX as IMPORT_MAX
from healthlog.parts import Parts
from healthlog.recording_list import recording_list
from healthlog.state import (
    api_document,
    metrics_text,
    numbers,
    refusal_list,
    refusals,
)
from healthlog.tokens import READ
from healthlog.web import login, static


def routes(parts: Parts) -> tuple[Route, ...]:
    """All but those of `entry`, of the pages and of the recordings; they have the server's time."""

    def get(pattern: str, handler: Callable[[Parts, Request], Response]) -> Route:
        def in_turn(request: Request) -> Response:
            return parts.turns.take(partial(handler, parts, request))

        return Route("GET", pattern, in_turn, READ)

    def page(
        method: str,
        pattern: str,
        handler: Callable[[Request], Response],
        scope: str | None = None,
        body_max: int = 0,
    ) -> Route:
        return Route(method, pattern, handler, scope, body_max, page=True)

    return (
        Route("POST", "/api/v1/import", parts.imports, READ, IMPORT_MAX),
        get("/openapi.json", api_document),
        get("/stats", numbers),
        get("/metrics", metrics_text),
        get("/api/v1/metrics", metric_list),
        get("/api/v1/points", point_list),
        get("/api/v1/series", series),
        get("/api/v1/latest", latest_list),
        get("/api/v1/now", now),
        get("/api/v1/days/{day}", day),
        get("/api/v1/why", why_list),
        get("/api/v1/gaps", gap_list),
        get("/api/v1/records", record_list),
        get("/api/v1/records/{kind}/{key}", record),
        get("/api/v1/deliveries", delivery_list),
        get("/api/v1/deliveries/{id}", delivery),
        get("/api/v1/deliveries/{id}/body", delivery_body),
        get("/api/v1/changes", change_list),
        get("/api/v1/refusals", refusal_list),
        page("GET", "/refused", partial(refusals, parts), READ),
        page("GET", "/login", login.form),
        page("POST", "/login", parts.login, body_max=login.BODY_MAX),
        page("POST", "/logout", parts.logout),
        page("GET", "/style.css", static.file("style.css", "text/css; charset=utf-8")),
        page("GET", "/page.js", static.file("page.js", "text/javascript; charset=utf-8")),
        page("GET", "/icon.svg", static.file("icon.svg", "image/svg+xml")),
        Route("GET", "/api/v1/recordings", partial(recording_list, parts.spoken), READ),
    )
