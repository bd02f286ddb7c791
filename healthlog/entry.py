"""The addresses that are there as soon as the door is open."""

from __future__ import annotations

from collections.abc import Callable

from healthlog.base.web import Budget, Request, Response, Route, json_response
from healthlog.config import Settings
from healthlog.tokens import INGEST

HEALTHZ = "/healthz"
INGEST_PATH = "/ingest"


def routes(settings: Settings, ingest: Callable[[Request], Response]) -> tuple[Route, ...]:
    """Deliveries, which have a time of their own to come in, and that the door is open."""
    slow = Budget(settings.read_timeout, settings.read_timeout + settings.write_timeout)
    return (
        Route("POST", INGEST_PATH, ingest, INGEST, settings.max_body, slow, name=INGEST),
        Route("GET", HEALTHZ, healthz, None, always=True),
    )


def healthz(_: Request) -> Response:
    """Static: it tells that the door is open, nothing about what is behind it."""
    return json_response({"status": "ok"})
