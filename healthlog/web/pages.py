"""Every page of the owner, on one screen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from healthlog.base.web import Request, Response, Route
from healthlog.parts import Parts, of_mart
from healthlog.web import measured, noted, noticed, paired, trusted

READ = "read"


def routes(parts: Parts) -> tuple[Route, ...]:
    """Every page that shows what was measured, or where it comes from."""

    def get(pattern: str, handler: Callable[[Parts, Request], Response]) -> Route:
        return Route("GET", pattern, partial(_answered, handler, parts), READ, page=True)

    def post(
        pattern: str, handler: Callable[[Parts, Request], Response], body_max: int = 0
    ) -> Route:
        return Route("POST", pattern, partial(handler, parts), READ, body_max, page=True)

    return (
        get("/", measured.today_page),
        get("/day/{day}", measured.day_page),
        get("/metric", measured.metrics_page),
        get("/metric/{metric}", measured.metric_page),
        get("/points", measured.points_page),
        get("/nights", measured.nights_page),
        get("/workouts", measured.workouts_page),
        get("/workouts/{key}", measured.workout_page),
        get("/records", measured.records_page),
        get("/records/{kind}/{key}", measured.record_page),
        get("/journal", trusted.journal_page),
        get("/journal/{id}", trusted.delivery_page),
        get("/why", trusted.why_page),
        get("/gaps", trusted.gaps_page),
        get("/notices", noticed.notices_page),
        post("/notices/test", noticed.tried_page),
        get("/report", trusted.report_page),
        get("/notes", noted.notes_page),
        get("/notes/{id}", noted.note_page),
        post("/notes/{id}", noted.edited, noted.FORM_MAX),
        post("/notes/{id}/resume", noted.resumed),
        post("/notes/{id}/stop", noted.stopped),
        post("/notes/{id}/delete", noted.deleted),
        get("/pair", paired.pair_page),
        get("/pair/heard", paired.heard_answer),
    )


def _answered(
    handler: Callable[[Parts, Request], Response], parts: Parts, request: Request
) -> Response:
    return parts.turns.take(lambda: of_mart(lambda: handler(parts, request)))
