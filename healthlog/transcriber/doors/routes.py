"""Every address about recordings but that of the list, which looks like all others of the log."""

from __future__ import annotations

from collections.abc import Callable

from healthlog.base.web import Budget, Request, Response, Route
from healthlog.transcriber.doors.changes import BODY_MAX
from healthlog.transcriber.doors.desk import Desk
from healthlog.transcriber.doors.upload import Upload

NAME = "recordings"


def routes(
    desk: Desk, upload: Upload, *, scopes: tuple[str, str], max_body: int, budget: Budget
) -> tuple[Route, ...]:
    """All of them. `scopes` are that of who may only deliver, that of all else; `budget` is that of
    an upload."""
    ingest, read = scopes

    def one(method: str, end: str, handler: Callable[[Request], Response], most: int = 0) -> Route:
        return Route(method, f"/api/v1/recordings/{{id}}{end}", handler, read, most)

    return (
        Route("POST", "/recordings", upload, ingest, max_body, budget, name=NAME),
        Route("POST", "/api/v1/recordings/resume", desk.resume_all, read),
        one("GET", "", desk.one),
        one("PATCH", "", desk.change, BODY_MAX),
        one("DELETE", "", desk.remove),
        one("POST", "/resume", desk.resume),
        one("POST", "/stop", desk.stop),
        one("GET", "/audio", desk.audio),
        one("GET", "/transcript", desk.transcript),
    )
