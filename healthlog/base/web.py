"""From a request's head to its handler to an answer: everything a route needs of HTTP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from healthlog.base.answers import RETRY_AFTER, Problem, Response, json_response, problem
from healthlog.base.coding import CodingUnknown
from healthlog.base.errors import (
    Busy,
    Circumstance,
    Damaged,
    DiskFull,
    Inaccessible,
    IOFault,
    NoDescriptors,
    Stopped,
)
from healthlog.base.http1 import Body, Cut, Head, Headers, Late, Malformed, TooLarge
from healthlog.base.query import Query
from healthlog.base.routing import Budget, Match, Request, Route, Routes

__all__ = [
    "RETRY_AFTER",
    "Answer",
    "App",
    "Budget",
    "Event",
    "Match",
    "Problem",
    "Query",
    "Request",
    "Response",
    "Route",
    "Visit",
    "json_response",
    "problem",
    "tokens_only",
    "unauthorized",
]


_DAMAGED = "A database is damaged; the log of the service says what to do."
_UNUSABLE = "A file could not be used; the log of the service says why."


@dataclass(frozen=True, slots=True)
class Visit:
    """Who asks for what: what decides whether a request may pass."""

    route: Route
    head: Head
    remote: str
    secure: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """A response; `failure` is the error of ours that it stands for."""

    response: Response
    failure: Exception | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One answer given, or one head or connection refused (then `route` is None).

    `reason` is "" when all went well; method, path are "", `headers` empty when no head was
    understood. `announced` is the Content-Length.
    """

    route: Route | None
    method: str
    path: str
    status: int
    reason: str
    remote: str
    duration_s: float
    headers: Headers = field(default_factory=Headers)
    announced: int | None = None


Check = Callable[[Visit], None]
Dress = Callable[[Head, Response], Response]


def _as_it_is(_: Head, response: Response) -> Response:
    return response


class App:
    """All routes, with the checks that come before each of them."""

    def __init__(
        self,
        routes: Sequence[Route],
        check: Check,
        observe: Callable[[Event], None],
        dress: Dress = _as_it_is,
        *,
        more: bool = False,
    ) -> None:
        """ValueError as `Routes` raises it, which also says what `more` means.

        `check` raises the Problem of whoever may not pass. `observe` is called from many threads.
        `dress` may give an error the form that suits its reader.
        """
        self.observe = observe
        self._check = check
        self._dress = dress
        self._routes = Routes(routes, more=more)

    def add(self, routes: Sequence[Route]) -> None:
        """The routes that were still to come."""
        self._routes.add(routes)

    def give_up(self) -> None:
        """None will come any more; for those who wait."""
        self._routes.give_up()

    def match(self, method: str, path: str) -> Match:
        """At once. Never raises: `refusal` is the 400, 404, 405."""
        return self._routes.match(method, path)

    def await_match(self, method: str, path: str) -> Match:
        """For what `match` says may be there `later`; its `refusal` may be a 503, too."""
        return self._routes.await_match(method, path)

    def respond(
        self,
        match: Match,
        head: Head,
        body: Body,
        remote: str,
        set_budget: Callable[[Budget], None],
        *,
        secure: bool = False,
    ) -> Answer:
        """The answer of the route that `match` found for `head`; never raises.

        `set_budget` is called before the body is read, only for a route with a budget of its own,
        and once it is known that the request may pass; it may raise a Problem.
        """
        try:
            route = self._checked(match, head, body, remote, secure=secure)
            if route.budget is not None:
                set_budget(route.budget)
            request = Request(
                head.method,
                head.path,
                match.params,
                Query(head.query),
                head.headers,
                body,
                remote,
                secure,
            )
            return Answer(route.handler(request))
        except Exception as error:  # noqa: BLE001 - whatever a handler does, there is an answer
            answer = answer_to(error)
            return Answer(self._dress(head, answer.response), answer.failure)

    def _checked(self, match: Match, head: Head, body: Body, remote: str, *, secure: bool) -> Route:
        if match.refusal is not None:
            raise match.refusal
        route = match.route
        if route is None:
            raise LookupError("a match holds a route or a refusal")
        if route.scope is not None or route.page:
            self._check(Visit(route, head, remote, secure))
        body.limit = route.body_limit
        if route.body_limit and (body.announced or 0) > route.body_limit:
            raise TooLarge(route.body_limit)
        return route


def tokens_only(authorized: Callable[[Headers, str], bool]) -> Check:
    """Whoever shows the token of the scope may pass."""

    def check(visit: Visit) -> None:
        scope = visit.route.scope
        if scope is not None and not authorized(visit.head.headers, scope):
            raise unauthorized()

    return check


def unauthorized(delay_s: float = 0.0) -> Problem:
    """What is said to whom the door stays closed; `delay_s` later."""
    return Problem(
        401,
        "The token is missing or not valid here.",
        (("WWW-Authenticate", 'Bearer realm="api"'),),
        delay_s,
    )


def answer_to(error: Exception) -> Answer:
    """The answer that an error of a handler becomes: the one place that knows."""
    if isinstance(error, Problem):
        said = problem(error.status, error.detail, error.headers)
        return Answer(replace(said, delay_s=error.delay_s))
    if isinstance(error, CodingUnknown):
        return Answer(problem(415, str(error), (("Accept-Encoding", "gzip"),)))
    if isinstance(error, Malformed):
        return Answer(problem(400, str(error)))
    if isinstance(error, TooLarge):
        return Answer(problem(413, str(error)))
    if isinstance(error, Circumstance):
        return Answer(_not_done(error))
    if isinstance(error, Damaged):
        # Whoever opened the database has told the log what to do.
        return Answer(problem(503, _DAMAGED, RETRY_AFTER))
    return Answer(problem(500, "Something went wrong here; the log says what."), error)


def _not_done(error: Circumstance) -> Response:
    if isinstance(error, Cut):
        return problem(400, "The body ended before it was complete.")
    if isinstance(error, Late):
        return problem(408, "The body was not complete in time.")
    if isinstance(error, DiskFull):
        return problem(507, "The disk is full.")
    if isinstance(error, Busy):
        return problem(503, "The database is busy.", RETRY_AFTER)
    if isinstance(error, (IOFault, Inaccessible, NoDescriptors)):
        return problem(503, _UNUSABLE, RETRY_AFTER)
    if isinstance(error, Stopped):
        return problem(503, "The service is stopping.", RETRY_AFTER)
    return problem(503, "The service could not do it now.", RETRY_AFTER)
