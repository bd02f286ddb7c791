"""What answers how the service is doing."""

from __future__ import annotations

from typing import TypeVar

from healthlog.base.metrics import CONTENT_TYPE
from healthlog.base.web import Request, Response, json_response
from healthlog.params import Params
from healthlog.parts import Parts, of_mart
from healthlog.stats import stats
from healthlog.web import refused

T = TypeVar("T")


def api_document(_: Parts, request: Request) -> Response:
    from healthlog.openapi import document  # noqa: PLC0415

    Params(request.query, ())
    return json_response(document())


def numbers(parts: Parts, request: Request) -> Response:
    Params(request.query, ())
    now_us = parts.clock.now_us()
    worker, rebuild = parts.worker_state(), parts.rebuild_state()
    recordings, journal, mart = parts.recordings_state(), parts.journal, parts.mart
    return json_response(
        of_mart(lambda: stats(journal, mart, worker, now_us, rebuild, recordings=recordings))
    )


def metrics_text(parts: Parts, request: Request) -> Response:
    """For Prometheus; never a circumstance, so that an alarm can tell of one."""
    Params(request.query, ())
    return Response(200, parts.metrics().encode("utf-8", "backslashreplace"), CONTENT_TYPE)


def refusal_list(parts: Parts, request: Request) -> Response:
    Params(request.query, ())
    return json_response({"items": list(map(refused.item, parts.refusals())), "next": None})


def refusals(parts: Parts, _: Request) -> Response:
    return refused.refused_page(parts.refusals(), parts.settings.timezone)
