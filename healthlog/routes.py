"""Every address there is, on one screen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from healthlog.base.web import Budget, Request, Response, Route
from healthlog.handlers import (
    Parts,
    api_document,
    change_list,
    day,
    delivery,
    delivery_body,
    delivery_list,
    healthz,
    latest_list,
    metric_list,
    numbers,
    point_list,
    record,
    record_list,
    series,
    why_list,
)
from healthlog.imports.door import BODY_MAX as IMPORT_MAX

INGEST, READ = "ingest", "read"


def routes(parts: Parts) -> tuple[Route, ...]:
    """All of them. A delivery has its own time to come in; all else has the server's default."""
    given = parts.settings
    slow = Budget(given.read_timeout, given.read_timeout + given.write_timeout)

    def get(pattern: str, handler: Callable[[Parts, Request], Response]) -> Route:
        return Route("GET", pattern, partial(handler, parts), READ)

    return (
        Route("POST", "/ingest", parts.ingest, INGEST, given.max_body, slow, name=INGEST),
        Route("POST", "/api/v1/import", parts.imports, READ, IMPORT_MAX),
        Route("GET", "/healthz", healthz, None),
        get("/openapi.json", api_document),
        get("/stats", numbers),
        get("/api/v1/metrics", metric_list),
        get("/api/v1/points", point_list),
        get("/api/v1/series", series),
        get("/api/v1/latest", latest_list),
        get("/api/v1/days/{day}", day),
        get("/api/v1/why", why_list),
        get("/api/v1/records", record_list),
        get("/api/v1/records/{kind}/{key}", record),
        get("/api/v1/deliveries", delivery_list),
        get("/api/v1/deliveries/{id}", delivery),
        get("/api/v1/deliveries/{id}/body", delivery_body),
        get("/api/v1/changes", change_list),
    )
