"""From a request's head to its handler to an answer: everything a route needs of HTTP."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from healthlog.base.answers import HeaderPairs, Problem, Response, json_response, problem
from healthlog.base.coding import CodingUnknown
from healthlog.base.errors import Busy, Circumstance, DiskFull, Stopped
from healthlog.base.http1 import Body, Cut, Head, Headers, Late, Malformed, TooLarge
from healthlog.base.query import Query

__all__ = [
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
    "json_response",
    "problem",
]

RETRY_AFTER: HeaderPairs = (("Retry-After", "5"),)

_PARAMETER = re.compile(r"\{([a-z_]+)\}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Budget:
    """Seconds from the start of the request in which its body, its answer must have passed."""

    read_s: float
    write_s: float


@dataclass(frozen=True, slots=True)
class Request:
    """What a handler gets. `params` are the decoded `{names}` of the route's pattern."""

    method: str
    path: str
    params: Mapping[str, str]
    query: Query
    headers: Headers
    body: Body
    remote: str


@dataclass(frozen=True, slots=True)
class Route:
    """One address: who may call it, how large its body may be, how long it may take.

    `scope` None: anybody. `body_limit` (bytes) 0: the body is not looked at. `budget` None: the
    server's default. HEAD is answered by the route of GET.
    """

    method: str
    pattern: str
    handler: Callable[[Request], Response]
    scope: str | None
    body_limit: int = 0
    budget: Budget | None = None
    name: str = ""

    @property
    def upload(self) -> bool:
        """Whether the connections kept for uploads are for it."""
        return self.body_limit > 0 and self.budget is not None


@dataclass(frozen=True, slots=True)
class Match:
    """What the routes say about a head: a route, or why there is none."""

    route: Route | None
    params: Mapping[str, str]
    refusal: Problem | None = None

    @property
    def upload(self) -> bool:
        return self.route is not None and self.route.upload


@dataclass(frozen=True, slots=True)
class Answer:
    """A response; `failure` is the error of ours that it stands for."""

    response: Response
    failure: Exception | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One answer given, or one head or connection refused (then `route` is None).

    `reason` is "" when all went well; method, path are "" when no head was understood.
    """

    route: Route | None
    method: str
    path: str
    status: int
    reason: str
    remote: str
    duration_s: float


class App:
    """All routes, with the checks that come before each of them."""

    def __init__(
        self,
        routes: Sequence[Route],
        authorized: Callable[[Headers, str], bool],
        observe: Callable[[Event], None],
    ) -> None:
        """ValueError for a bad pattern, and for two routes of one method and pattern.

        `observe` is called from many threads.
        """
        self.observe = observe
        self._authorized = authorized
        self._patterns = _patterns(routes)

    def match(self, method: str, path: str) -> Match:
        """Never raises: `refusal` is the 400, 404, 405."""
        try:
            segments = _segments(path)
        except ValueError:
            return Match(None, {}, Problem(400, "The address is malformed."))
        for pattern in self._patterns.get(len(segments), ()):
            params = pattern.params(segments)
            if params is not None:
                return _choose(pattern, method, params)
        return Match(None, {}, Problem(404, "There is nothing at this address."))

    def respond(
        self,
        match: Match,
        head: Head,
        body: Body,
        remote: str,
        set_budget: Callable[[Budget], None],
    ) -> Answer:
        """The answer of the route that `match` found for `head`; never raises.

        `set_budget` is called before the body is read, only for a route with a budget of its own.
        """
        try:
            route = self._checked(match, head, body)
            if route.budget is not None:
                set_budget(route.budget)
            query = Query(head.query)
            return Answer(
                route.handler(
                    Request(head.method, head.path, match.params, query, head.headers, body, remote)
                )
            )
        except Exception as error:  # noqa: BLE001 - whatever a handler does, there is an answer
            return answer_to(error)

    def _checked(self, match: Match, head: Head, body: Body) -> Route:
        if match.refusal is not None:
            raise match.refusal
        route = match.route
        if route is None:
            raise LookupError("a match holds a route or a refusal")
        if route.scope is not None and not self._authorized(head.headers, route.scope):
            raise Problem(
                401,
                "The token is missing or not valid here.",
                (("WWW-Authenticate", 'Bearer realm="api"'),),
            )
        body.limit = route.body_limit
        if route.body_limit and (body.announced or 0) > route.body_limit:
            raise TooLarge(route.body_limit)
        return route


def answer_to(error: Exception) -> Answer:
    """The answer that an error of a handler becomes: the one place that knows."""
    if isinstance(error, Problem):
        return Answer(problem(error.status, error.detail, error.headers))
    if isinstance(error, CodingUnknown):
        return Answer(problem(415, str(error), (("Accept-Encoding", "gzip"),)))
    if isinstance(error, Malformed):
        return Answer(problem(400, str(error)))
    if isinstance(error, TooLarge):
        return Answer(problem(413, str(error)))
    if isinstance(error, Circumstance):
        return Answer(_not_done(error))
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
    if isinstance(error, Stopped):
        return problem(503, "The service is stopping.", RETRY_AFTER)
    return problem(503, "The service could not do it now.", RETRY_AFTER)


class _Pattern:
    """One pattern with its routes by method."""

    def __init__(self, pattern: str) -> None:
        self.parts = tuple(pattern.split("/")[1:])
        self.names = tuple(_parameter(part) for part in self.parts)
        self.routes: dict[str, Route] = {}

    def params(self, segments: Sequence[str]) -> dict[str, str] | None:
        found: dict[str, str] = {}
        for part, name, segment in zip(self.parts, self.names, segments, strict=True):
            if name is not None and segment:
                found[name] = segment
            elif part != segment:
                return None
        return found


def _parameter(part: str) -> str | None:
    found = _PARAMETER.fullmatch(part)
    if found is None and ("{" in part or "}" in part):
        raise ValueError(f"bad part of a pattern: {part!r}")
    return None if found is None else found[1]


def _patterns(routes: Sequence[Route]) -> dict[int, list[_Pattern]]:
    """By number of parts; fixed parts before parameters, so that `/a/list` beats `/a/{id}`."""
    known: dict[str, _Pattern] = {}
    for route in routes:
        if not route.pattern.startswith("/"):
            raise ValueError(f"a pattern begins with a slash: {route.pattern!r}")
        pattern = known.setdefault(route.pattern, _Pattern(route.pattern))
        if route.method in pattern.routes:
            raise ValueError(f"two routes for {route.method} {route.pattern}")
        pattern.routes[route.method] = route
    by_length: dict[int, list[_Pattern]] = {}
    for pattern in sorted(known.values(), key=lambda one: [name or "" for name in one.names]):
        by_length.setdefault(len(pattern.parts), []).append(pattern)
    return by_length


def _segments(path: str) -> list[str]:
    """Decoded after splitting, so that %2F stays inside its segment; ValueError if not UTF-8."""
    segments = [unquote_to_bytes(part).decode("utf-8") for part in path.split("/")[1:]]
    if any(_CONTROL.search(segment) for segment in segments):
        raise ValueError("control character in a path")
    return segments


def _choose(pattern: _Pattern, method: str, params: Mapping[str, str]) -> Match:
    route = pattern.routes.get(method)
    if route is None and method == "HEAD":
        route = pattern.routes.get("GET")
    if route is not None:
        return Match(route, params)
    methods = set(pattern.routes) | ({"HEAD"} if "GET" in pattern.routes else set())
    allow = (("Allow", ", ".join(sorted(methods))),)
    return Match(None, {}, Problem(405, "This address does not take this method.", allow))
