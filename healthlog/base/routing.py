"""Which route an address has, what a route is."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from healthlog.base.answers import RETRY_AFTER, Problem, Response
from healthlog.base.http1 import Body, Headers
from healthlog.base.query import Query

_PARAMETER = re.compile(r"\{([a-z_]+)\}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

_PATIENCE_S = 10.0
"""How long an address is waited for that may be among the routes to come."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Seconds from the start of the request in which its body, its answer must have passed."""

    read_s: float
    write_s: float


@dataclass(frozen=True, slots=True)
class Request:
    """What a handler gets. `params` are the decoded `{names}` of the route's pattern; `remote` is
    the client's address, `secure` whether it came over TLS, as far as is known."""

    method: str
    path: str
    params: Mapping[str, str]
    query: Query
    headers: Headers
    body: Body
    remote: str
    secure: bool = False


@dataclass(frozen=True, slots=True)
class Route:
    """One address: who may call it, how large its body may be, how long it may take.

    `scope` None: anybody. `body_limit` (bytes) 0: the body is not looked at. `budget` None: the
    server's default. `page`: for browsers. `always`: answered even when all places for requests
    are taken. HEAD is answered by the route of GET.
    """

    method: str
    pattern: str
    handler: Callable[[Request], Response]
    scope: str | None
    body_limit: int = 0
    budget: Budget | None = None
    name: str = ""
    page: bool = False
    always: bool = False

    @property
    def upload(self) -> bool:
        """Whether the connections kept for uploads are for it."""
        return self.body_limit > 0 and self.budget is not None


@dataclass(frozen=True, slots=True)
class Match:
    """What the routes say about a head: a route, or why there is none. `later`: that can't be told
    before all routes are there."""

    route: Route | None
    params: Mapping[str, str]
    refusal: Problem | None = None
    later: bool = False

    @property
    def upload(self) -> bool:
        return self.route is not None and self.route.upload

    @property
    def needs_place(self) -> bool:
        """Whether it is one of the requests of which only so many are answered at a time."""
        return self.route is None or not (self.route.upload or self.route.always)


_LATER = Match(None, {}, later=True)


class Routes:
    """All of them. ValueError for a bad pattern, and for two routes of one method and pattern.

    With `more`, others are added later. What has routes at first is whole: none of its pattern may
    be added.
    """

    def __init__(self, routes: Sequence[Route], *, more: bool = False) -> None:
        self._routes = tuple(routes)
        self._settled = threading.Event()
        self._whole = not more
        self._take(self._routes)
        if self._whole:
            self._settled.set()

    def add(self, routes: Sequence[Route]) -> None:
        """The others, all at once."""
        if self._settled.is_set():
            raise ValueError("all routes are there already")
        first = {route.pattern for route in self._routes}
        again = sorted(route.pattern for route in routes if route.pattern in first)
        if again:
            raise ValueError(f"routes of {', '.join(again)} are there already")
        self._take((*self._routes, *routes))
        self._whole = True
        self._settled.set()

    def give_up(self) -> None:
        """No others will come."""
        self._settled.set()

    def match(self, method: str, path: str) -> Match:
        """At once. Never raises: `refusal` is the 400, 404, 405."""
        if (method, path) == ("OPTIONS", "*"):  # RFC 9110 §9.3.7: of the server as a whole
            return Match(_telling(path, self._allowed), {}) if self._whole else _LATER
        try:
            segments = _segments(path)
        except ValueError:
            return Match(None, {}, Problem(400, "The address is malformed."))
        # Asked before: what was whole then has all that is looked for.
        whole = self._whole
        for pattern in self._patterns.get(len(segments), ()):
            params = pattern.params(segments)
            if params is not None:
                return _choose(pattern, method, params)
        nothing = Match(None, {}, Problem(404, "There is nothing at this address."))
        return nothing if whole else _LATER

    def await_match(self, method: str, path: str) -> Match:
        """The same, once all routes are there; 503 if they are long in coming or never will be."""
        self._settled.wait(_PATIENCE_S)
        found = self.match(method, path)
        if found.later:
            return Match(None, {}, Problem(503, "The service is still starting.", RETRY_AFTER))
        return found

    def _take(self, routes: Sequence[Route]) -> None:
        self._patterns = _patterns(routes)
        self._allowed = _allowed({route.method for route in routes})


class _Pattern:
    """One pattern with its routes by method."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
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
    allowed = _allowed(set(pattern.routes))
    if method == "OPTIONS":
        return Match(_telling(pattern.text, allowed), {})
    problem = Problem(405, "This address does not take this method.", (("Allow", allowed),))
    return Match(None, {}, problem)


def _allowed(methods: set[str]) -> str:
    every = methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
    return ", ".join(sorted(every))


def _telling(pattern: str, allowed: str) -> Route:
    """The route of OPTIONS: what may be asked there. Nothing about other sites, so that a browser
    lets none of them ask more than a form could."""
    told = Response(204, b"", "", (("Allow", allowed),))
    return Route("OPTIONS", pattern, lambda _: told, None)
