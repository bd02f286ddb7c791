"""Which route an address belongs to."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from healthlog.base.web import App, Route, tokens_only
from tests.support.http import bearer, echo, hello, routes, said
from tests.support.patience import PATIENCE_S


def nobody(event: object) -> None:
    """Observes nothing."""


def app_of(*own: Route) -> App:
    return App(own or routes(), tokens_only(bearer), nobody)


@pytest.mark.parametrize("path", ["/", "/hell", "/hello/", "//hello", "/hello/x", "/HELLO", "*"])
def test_an_unknown_address_is_a_404(path: str) -> None:
    refusal = app_of().match("GET", path).refusal
    assert refusal is not None
    assert refusal.status == 404


@pytest.mark.parametrize("path", ["/%68ello", "/hell%6F"])
def test_an_escaped_letter_is_the_letter(path: str) -> None:
    assert app_of().match("GET", path).route is not None


@pytest.mark.parametrize("path", ["/%ff", "/a/%c3", "/hello%00", "/%0d%0aA:b", "/%7f"])
def test_an_address_that_is_no_text_is_a_400(path: str) -> None:
    refusal = app_of().match("GET", path).refusal
    assert refusal is not None
    assert refusal.status == 400


ALLOWED = [
    ("/hello", "GET, HEAD, OPTIONS, POST"),
    ("/echo", "OPTIONS, POST"),
    ("/secret", "GET, HEAD, OPTIONS, POST"),
]


@pytest.mark.scenario("web", "Options tell what may be asked")
@pytest.mark.parametrize(("path", "allow"), [*ALLOWED, ("*", "GET, HEAD, OPTIONS, POST")])
def test_options_tell_what_may_be_asked(path: str, allow: str) -> None:
    answer = said(f"OPTIONS {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()).text
    assert answer.startswith("HTTP/1.1 204 No Content\r\n")
    assert f"\r\nAllow: {allow}\r\n" in answer
    assert "Access-Control" not in answer


def test_options_of_nothing_are_a_404() -> None:
    refusal = app_of().match("OPTIONS", "/other").refusal
    assert refusal is not None
    assert refusal.status == 404


@pytest.mark.parametrize(("path", "allow"), ALLOWED)
def test_a_wrong_method_is_a_405_that_names_the_right_ones(path: str, allow: str) -> None:
    refusal = app_of().match("DELETE", path).refusal
    assert refusal is not None
    assert (refusal.status, refusal.headers) == (405, (("Allow", allow),))


def test_a_wrong_method_is_a_405_without_a_token() -> None:
    refusal = app_of().match("DELETE", "/secret").refusal
    assert refusal is not None
    assert refusal.status == 405


def test_head_is_answered_by_the_route_of_get() -> None:
    match = app_of().match("HEAD", "/hello")
    assert match.route is not None
    assert match.route.method == "GET"
    assert app_of().match("HEAD", "/echo").refusal is not None


def test_a_fixed_part_beats_a_parameter() -> None:
    app = app_of(
        Route("GET", "/{any}/{other}", hello, None, name="both"),
        Route("GET", "/a/{id}", hello, None, name="one"),
        Route("GET", "/a/list", hello, None, name="fixed"),
    )
    for path, name in (("/a/list", "fixed"), ("/a/x", "one"), ("/b/list", "both")):
        route = app.match("GET", path).route
        assert route is not None
        assert route.name == name


def test_an_empty_part_fills_no_parameter() -> None:
    app = app_of(Route("GET", "/a/{id}", hello, None))
    assert app.match("GET", "/a/").route is None


@pytest.mark.parametrize("pattern", ["hello", "", "/a/{id", "/a/x{id}", "/a/{Id}", "/{}"])
def test_a_bad_pattern_is_refused_at_the_start(pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        app_of(Route("GET", pattern, hello, None))


def test_two_routes_of_one_address_are_refused_at_the_start() -> None:
    with pytest.raises(ValueError, match="two routes"):
        app_of(Route("GET", "/a", hello, None), Route("GET", "/a", echo, None))


# ---- routes that come later


def part_of(*first: Route) -> App:
    return App(first, tokens_only(bearer), nobody, more=True)


class Noticed(threading.Event):
    """An event that tells when somebody begins to wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self.awaited = threading.Semaphore(0)

    def wait(self, timeout: float | None = None) -> bool:
        self.awaited.release()
        return super().wait(timeout)


HELLO, ECHO = Route("GET", "/hello", hello, None), Route("POST", "/echo", echo, None)


def test_what_is_there_is_matched_before_the_others_come() -> None:
    app = part_of(HELLO)
    assert app.match("GET", "/hello").route is HELLO
    assert app.match("HEAD", "/hello").route is HELLO
    for method, path, status in (("POST", "/hello", 405), ("GET", "/%ff", 400)):
        refusal = app.match(method, path).refusal
        assert refusal is not None
        assert refusal.status == status


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/echo"), ("GET", "/none"), ("OPTIONS", "*")]
)
def test_what_may_be_to_come_is_waited_for(
    method: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled = Noticed()
    monkeypatch.setattr("healthlog.base.routing.threading.Event", lambda: settled)
    app = part_of(HELLO)
    monkeypatch.undo()
    assert app.match(method, path).later
    with ThreadPoolExecutor(1) as asking:
        asked = asking.submit(app.await_match, method, path)
        assert settled.awaited.acquire(timeout=PATIENCE_S)
        assert not asked.done()
        app.add([ECHO])
        found = asked.result(PATIENCE_S)
    now = app_of(HELLO, ECHO).match(method, path)
    assert (found.route and found.route.pattern) == (now.route and now.route.pattern)
    assert (found.refusal and found.refusal.status) == (now.refusal and now.refusal.status)
    assert not app.match(method, path).later


@pytest.mark.parametrize("never", [True, False])
def test_what_is_long_in_coming_is_a_503(never: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    app = part_of(HELLO)
    if never:
        app.give_up()
    else:
        monkeypatch.setattr("healthlog.base.routing._PATIENCE_S", 0.0)
    refusal = app.await_match("POST", "/echo").refusal
    assert refusal is not None
    assert (refusal.status, dict(refusal.headers)) == (503, {"Retry-After": "5"})
    assert app.await_match("GET", "/hello").route is HELLO


def test_routes_are_added_once_and_none_twice() -> None:
    app = part_of(HELLO)
    with pytest.raises(ValueError, match="/hello are there"):
        app.add([Route("POST", "/hello", echo, None)])
    app.add([ECHO])
    with pytest.raises(ValueError, match="all routes"):
        app.add([Route("GET", "/other", hello, None)])
    with pytest.raises(ValueError, match="all routes"):
        app_of().add([Route("GET", "/other", hello, None)])
