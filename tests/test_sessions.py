"""Cookies of browsers that have logged in."""

from __future__ import annotations

from pathlib import Path

import pytest

from healthlog.access.sessions import LASTS_S, Sessions
from healthlog.base.http1 import Headers
from healthlog.tokens import READ, Tokens
from tests.support.clock import FakeClock


@pytest.fixture
def tokens(data: Path) -> Tokens:
    return Tokens(data / "tokens.json")


def value(sessions: Sessions) -> str:
    name, said = sessions.begun(secure=False)
    assert name == "Set-Cookie"
    return said.partition(";")[0].removeprefix("healthlog=")


def cookie(*values: str) -> Headers:
    return Headers([("Cookie", "; ".join(f"healthlog={one}" for one in values))])


@pytest.mark.scenario("security", "Cookie is not the token and dies with it")
def test_a_cookie_holds_until_it_expires(tokens: Tokens, clock: FakeClock) -> None:
    sessions = Sessions(tokens.seal, clock)
    headers = cookie(value(sessions))
    assert sessions.valid(headers)
    clock.advance(LASTS_S - 1)
    assert sessions.valid(headers)
    clock.advance(1)
    assert not sessions.valid(headers)


@pytest.mark.scenario("security", "Cookie is not the token and dies with it")
def test_a_cookie_outlives_a_restart_but_not_its_token(data: Path, clock: FakeClock) -> None:
    tokens = Tokens(data / "tokens.json")
    headers = cookie(value(Sessions(tokens.seal, clock)))
    assert tokens.show(READ) not in str(headers.items())
    again = Sessions(Tokens(data / "tokens.json").seal, clock)
    assert again.valid(headers)
    tokens.rotate(READ)
    assert not again.valid(headers)


def test_a_cookie_that_was_changed_holds_nothing(tokens: Tokens, clock: FakeClock) -> None:
    sessions = Sessions(tokens.seal, clock)
    good = value(sessions)
    expires, _, seal = good.partition(".")
    for bad in (
        "",
        "x",
        expires,
        f"{expires}.",
        f"{int(expires) + 1}.{seal}",
        f"{expires}.{seal[:-1]}",
        f"{expires}.{seal}0",
        f"+{expires}.{seal}",
        f"{expires} .{seal}",
        f".{seal}",
        f"{'9' * 13}.{seal}",
        "\u0663.ü",
        tokens.show(READ),
    ):
        assert not sessions.valid(cookie(bad)), bad
    assert not sessions.valid(Headers())


def test_a_cookie_of_another_service_does_no_harm(tokens: Tokens, clock: FakeClock) -> None:
    sessions = Sessions(tokens.seal, clock)
    good = value(sessions)
    assert sessions.valid(cookie("other", good))
    assert sessions.valid(Headers([("Cookie", f"a=b;healthlog={good} ; c")]))
    assert not sessions.valid(Headers([("Cookie", f"xhealthlog={good}")]))
    assert not sessions.shown(Headers([("Cookie", "a=b; healthlog=; healthlogx=1")]))


@pytest.mark.scenario("security", "Cookie is kept from scripts and other sites")
def test_a_cookie_is_kept_from_scripts_and_other_sites(tokens: Tokens, clock: FakeClock) -> None:
    sessions = Sessions(tokens.seal, clock)
    for made in (sessions.begun, sessions.ended):
        plain, secure = made(secure=False)[1], made(secure=True)[1]
        assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(plain.split("; "))
        assert secure == f"{plain}; Secure"
    assert "; Max-Age=0;" in sessions.ended(secure=False)[1]
