"""Who may pass."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from healthlog.access.doorkeeper import Doorkeeper
from healthlog.access.sessions import Sessions
from healthlog.base.log import Log
from healthlog.base.sites import Sites
from healthlog.base.strikes import FREE, Strikes
from healthlog.base.web import Problem, Route, Visit, json_response
from healthlog.tokens import INGEST, READ, Tokens
from tests.support.clock import FakeClock
from tests.support.http import head_of

HOME = "203.0.113.9"
OWN = "Origin: http://127.0.0.1"


@dataclass
class Door:
    """A doorkeeper, with what it asks and what it says."""

    tokens: Tokens
    sessions: Sessions
    keeper: Doorkeeper
    stream: io.StringIO

    def refusal(self, method: str, scope: str | None, *fields: str, host: str = "127.0.0.1") -> int:
        """The status of the refusal, 0 when the visit may pass."""
        try:
            self.visit(method, scope, *fields, host=host)
        except Problem as problem:
            return problem.status
        return 0

    def visit(self, method: str, scope: str | None, *fields: str, host: str = "127.0.0.1") -> None:
        lines = [f"{method} / HTTP/1.1", f"Host: {host}", *fields, "", ""]
        route = Route(method, "/", lambda _: json_response(1), scope, page=scope is None)
        self.keeper.check(Visit(route, head_of("\r\n".join(lines).encode()), HOME, False))

    def bearer(self, kind: str) -> str:
        return f"Authorization: Bearer {self.tokens.show(kind)}"

    def cookie(self) -> str:
        return f"Cookie: {self.sessions.begun(secure=False)[1].partition(';')[0]}"

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]


@pytest.fixture
def door(data: Path, clock: FakeClock) -> Door:
    tokens, stream = Tokens(data / "tokens.json"), io.StringIO()
    sessions = Sessions(tokens.seal, clock)
    log = Log(stream, clock, "DEBUG")
    return Door(
        tokens,
        sessions,
        Doorkeeper(tokens, sessions, Sites(["nas"]), Strikes(clock), log),
        stream,
    )


def test_each_token_opens_its_scope(door: Door) -> None:
    for kind, other in ((INGEST, READ), (READ, INGEST)):
        assert door.refusal("POST", kind, door.bearer(kind)) == 0
        assert door.refusal("POST", other, door.bearer(kind)) == 401


@pytest.mark.scenario("security", "A token in a header needs no known name")
@pytest.mark.parametrize("host", ["evil.example", "phone.example:8787"])
def test_a_token_is_asked_for_no_host_and_no_origin(door: Door, host: str) -> None:
    assert door.refusal("POST", INGEST, door.bearer(INGEST), host=host) == 0
    assert door.refusal("POST", READ, door.bearer(READ), "Origin: http://evil", host=host) == 0


@pytest.mark.scenario("security", "A name that is not ours is refused to browsers")
def test_a_browser_must_know_us_by_our_name(door: Door) -> None:
    for scope, fields in ((READ, (door.cookie(),)), (None, ())):
        assert door.refusal("GET", scope, *fields) == 0
        assert door.refusal("GET", scope, *fields, host="NAS:8787") == 0
        assert door.refusal("GET", scope, *fields, host="evil.example") == 421
    with pytest.raises(Problem, match="setting hosts"):
        door.visit("GET", None, host="evil.example")


def test_without_any_credential_the_token_is_asked_for(door: Door) -> None:
    for scope in (READ, INGEST):
        assert door.refusal("GET", scope, host="evil.example") == 401
        assert door.refusal("GET", scope, "Cookie: a=b") == 401


def test_a_cookie_reads_and_delivers_nothing(door: Door) -> None:
    assert door.refusal("GET", READ, door.cookie()) == 0
    assert door.refusal("POST", INGEST, door.cookie(), OWN) == 401
    assert door.refusal("GET", READ, "Cookie: healthlog=1.2") == 401


@pytest.mark.scenario("security", "A page of another site changes nothing")
def test_what_a_cookie_changes_must_come_from_a_page_of_ours(door: Door) -> None:
    for scope, fields in ((READ, (door.cookie(),)), (None, ())):
        assert door.refusal("POST", scope, *fields, OWN) == 0
        for other in ("X: y", "Origin: http://evil.example", "Origin: null"):
            assert door.refusal("POST", scope, *fields, other) == 403
        assert door.refusal("HEAD", scope, *fields) == 0
        assert door.refusal("DELETE", scope, *fields) == 403


def test_a_token_that_is_wrong_is_not_helped_by_a_cookie(door: Door) -> None:
    assert door.refusal("GET", READ, "X-API-Key: wrong", door.cookie()) == 401


# ---- wrong ones


def delay(door: Door, *fields: str, scope: str = READ) -> float:
    with pytest.raises(Problem) as caught:
        door.visit("GET", scope, *fields)
    return caught.value.delay_s


@pytest.mark.scenario("security", "Wrong tokens are delayed after ten")
def test_wrong_tokens_are_told_and_delayed(door: Door) -> None:
    wrong = "Authorization: Bearer wrong-0123456789"
    assert [delay(door, wrong) for _ in range(FREE + 2)] == [0.0] * FREE + [1.0, 2.0]
    lines = door.lines()
    assert len(lines) == FREE
    assert {line["msg"] for line in lines} == {"wrong token"}
    assert lines[-1] == lines[-1] | {"level": "WARN", "remote": HOME, "failures": FREE}
    assert "wrong-" not in door.stream.getvalue()


@pytest.mark.scenario("security", "The right token is never delayed")
def test_the_right_token_passes_beside_wrong_ones(door: Door) -> None:
    for _ in range(100):
        delay(door, "X-API-Key: wrong")
    assert door.refusal("GET", READ, door.bearer(READ)) == 0
    assert door.refusal("POST", INGEST, door.bearer(INGEST)) == 0
    assert door.refusal("GET", READ, door.cookie()) == 0


def test_what_was_not_guessed_is_no_strike(door: Door) -> None:
    for _ in range(2 * FREE):
        assert delay(door) == 0.0
        assert delay(door, "Cookie: healthlog=1.2") == 0.0
        assert delay(door, door.bearer(INGEST)) == 0.0
        assert delay(door, door.bearer(READ), scope=INGEST) == 0.0
        assert delay(door, door.bearer(READ), "X-API-Key: wrong") == 0.0
    assert door.lines() == []
