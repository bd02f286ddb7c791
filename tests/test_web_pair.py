"""The page that pairs a phone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from healthlog.journal.refusals import Refused
from healthlog.setting_places import Address
from tests.support.bodies import NO_JSON, TWO_DAYS
from tests.support.clock import FakeClock
from tests.support.loopback import Reply
from tests.support.reading import DAYS, Desk, open_desk

TOKEN = "an-ingest-token-0123456789"


@pytest.fixture
def desk(data: Path, clock: FakeClock) -> Iterator[Desk]:
    with open_desk(data, clock) as desk:
        desk.with_pages = True
        desk.authorized = lambda headers, scope: True
        desk.settings = replace(desk.settings, listen=Address("192.0.2.7", 8787))
        desk.parts["ingest_token"] = lambda: TOKEN
        yield desk


def got(desk: Desk, path: str) -> Reply:
    reply = desk.get(path, "Accept: text/html")
    assert reply.status == 200, reply.body
    return reply


def since(desk: Desk) -> str:
    page = got(desk, "/pair").body.decode()
    return page.partition('data-since="')[2].partition('"')[0]


def said(desk: Desk, since_us: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(got(desk, f"/pair/heard?since={since_us}").body)
    return answer


def refused(at_us: int, status: int, path: str = "/ingest") -> Refused:
    return Refused(at_us, at_us, 1, status, "", "POST", path, "192.0.2.9", True, "", None, "")


@pytest.mark.scenario("pairing", "Page tells the phone all it needs")
def test_the_page_has_address_token_link_and_code(desk: Desk) -> None:
    page = got(desk, "/pair").body.decode()
    assert "http://192.0.2.7:8787/ingest" in page
    assert f"Bearer {TOKEN}" in page
    assert 'href="com.HealthExport://automation?' in page
    assert "<svg" in page
    assert "healthlog workouts" in page
    other = got(desk, "/pair?type=workouts").body.decode()
    assert "name=healthlog%20workouts" in other


@pytest.mark.scenario("pairing", "Page turns green at the first delivery")
def test_the_page_turns_green_at_the_first_delivery(desk: Desk, clock: FakeClock) -> None:
    desk.send(TWO_DAYS, DAYS)  # from before
    begun = since(desk)
    assert said(desk, begun)["kind"] == "waiting"
    desk.send(TWO_DAYS, DAYS)
    assert said(desk, begun) == {"text": "The phone has come through.", "kind": "good"}
    assert 'class="good"' in got(desk, f"/pair?since={begun}").body.decode()


@pytest.mark.scenario("pairing", "Page says what was wrong")
def test_the_page_says_what_was_wrong(desk: Desk, clock: FakeClock) -> None:
    begun = since(desk)
    told: list[Refused] = [refused(int(begun) + 5, 401, "/api/v1/metrics")]
    desk.parts["refusals"] = lambda: list(reversed(told))
    assert said(desk, begun)["kind"] == "waiting"
    told.append(refused(int(begun) + 10, 401))
    assert "(401). The token is missing" in said(desk, begun)["text"]
    told.append(refused(int(begun) + 20, 415))
    answer = said(desk, begun)
    assert answer["kind"] == "bad"
    assert "choose JSON" in answer["text"]


def test_a_delivery_that_could_not_be_read_is_no_pairing(desk: Desk) -> None:
    begun = since(desk)
    desk.send(NO_JSON, DAYS)
    answer = said(desk, begun)
    assert answer["kind"] == "bad"
    assert "could not be read" in answer["text"]


@pytest.mark.scenario("pairing", "Service that no phone can reach says so")
def test_a_service_that_no_phone_can_reach_says_so(desk: Desk) -> None:
    desk.settings = replace(desk.settings, listen=Address("127.0.0.1", 8787))
    page = got(desk, "/pair").body.decode()
    assert "listen 127.0.0.1:8787 is for this machine alone" in page
    assert TOKEN not in page


@pytest.mark.parametrize("query", ["type=steps", "since=x", "since=-1", "since=" + "9" * 30])
def test_a_wrong_question_is_said(desk: Desk, query: str) -> None:
    assert desk.get(f"/pair?{query}", "Accept: text/html").status == 400
