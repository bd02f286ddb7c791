"""Every address over HTTP: what it answers, what it refuses, in which form."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import quote

import pytest

from healthlog.base.clock import SystemClock
from healthlog.base.errors import Damaged
from healthlog.mart.store import Spoiled
from healthlog.model import STATUSES
from healthlog.tokens import INGEST, READ
from tests.support.accepting import outsider
from tests.support.clock import FakeClock
from tests.support.loopback import running
from tests.support.reading import MINUTES, SECONDS, Desk, body, metric, problem, steps

T = TypeVar("T")

POINTS, DELIVERIES = "/api/v1/points", "/api/v1/deliveries"
METRICS = "/api/v1/metrics"
LISTS = (METRICS, POINTS, DELIVERIES)
READERS = ("/stats", "/api/v1/changes", *LISTS, f"{DELIVERIES}/x", f"{DELIVERIES}/x/body")
FIVE = [(f"2026-05-03 09:0{minute}:00 +0200", minute + 0.25) for minute in range(5)]

# Of the seven only the first can be taken.
BAD_POINTS = (
    b'{"data":{"metrics":[{"name":"step_count","units":"count","data":['
    b'{"date":"2026-05-03 10:00:00 +0000","qty":300},'
    b'{"date":"2026-05-03 11:00:00 +0000","qty":null},'
    b'{"date":"2026-05-03 12:00:00 +0000","qty":"many"},'
    b'{"date":"2026-05-03 13:00:00 +0000","qty":true},'
    b'{"date":"2026-05-03 14:00:00 +0000","qty":NaN},{"qty":5},{"date":"yesterday","qty":6}]}]}}'
)


# ---- who may ask what


def test_every_address_but_health_needs_its_token(desk: Desk) -> None:
    scopes = {(route.method, route.pattern): route.scope for route in desk.routes()}
    assert scopes.pop(("GET", "/healthz")) is None
    for method, path in (
        ("GET", "/login"),
        ("POST", "/login"),
        ("POST", "/logout"),
        ("GET", "/style.css"),
        ("GET", "/icon.svg"),
        ("GET", "/page.js"),
    ):
        assert scopes.pop((method, path)) is None
    assert scopes.pop(("POST", "/ingest")) == INGEST
    assert scopes.pop(("POST", "/recordings")) == INGEST
    assert set(scopes.values()) == {READ}


def test_a_delivery_alone_has_a_body_with_a_budget_of_its_own(desk: Desk) -> None:
    routes = {route.pattern: route for route in desk.routes()}
    ingest = routes.pop("/ingest")
    assert ingest.body_limit == desk.settings.max_body
    assert ingest.budget is not None
    assert (ingest.budget.read_s, ingest.budget.write_s) == (300.0, 330.0)
    # What a command on the same machine hands over has a body too, but all the time there is.
    assert routes.pop("/api/v1/import").budget is None
    assert routes.pop("/login").budget is None
    # Recordings have their own, longer time: see tests/test_doors_upload.py.
    assert routes.pop("/recordings").budget is not None
    changes = routes.pop("/api/v1/recordings/{id}")
    assert changes.budget is None
    assert all((one.body_limit, one.budget) == (0, None) for one in routes.values())


def test_a_posted_body_is_taken_in(desk: Desk) -> None:
    reply = desk.post(steps(*FIVE), "Authorization: Bearer ingest")
    assert reply.status == 200
    [item] = desk.items(DELIVERIES)
    assert item["delivery_id"] == reply.json()["delivery_id"]


@pytest.mark.parametrize("path", READERS)
def test_a_reader_s_address_takes_no_post(desk: Desk, path: str) -> None:
    request = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
    reply = desk.ask(request.encode())
    problem(reply, 405)
    assert reply.headers["allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.scenario("reading", "Health is static")
def test_health_is_static(desk: Desk) -> None:
    with outsider(desk.house.data / "journal.db"):
        reply = desk.get("/healthz", "X-Nothing: x")
    assert (reply.status, reply.json()) == (200, {"status": "ok"})


# ---- deliveries


@pytest.mark.scenario("reading", "Deliveries are listed by status")
def test_deliveries_are_listed_by_status(desk: Desk) -> None:
    for one in FIVE[:2]:
        desk.send(steps(one), MINUTES)
    failed = desk.send(b"{no JSON}", MINUTES)
    assert [item["delivery_id"] for item in desk.items(DELIVERIES, status="failed")] == [
        failed.delivery_id
    ]
    counts = {status: len(desk.items(DELIVERIES, status=status)) for status in STATUSES}
    assert counts == {"pending": 0, "parsed": 2, "partial": 0, "failed": 1}


def test_deliveries_are_listed_by_when_they_came(desk: Desk, clock: FakeClock) -> None:
    for one in FIVE[:3]:
        desk.send(steps(one), MINUTES)
        clock.advance(86_400)
    found = desk.items(DELIVERIES, from_="2026-08-03", to="2026-08-04")
    assert [item["received_at"][:10] for item in found] == ["2026-08-03"]


@pytest.mark.scenario("reading", "Delivery shows its account")
def test_a_delivery_shows_its_account(desk: Desk) -> None:
    one = desk.send(BAD_POINTS, "Hours")
    shown = desk.get(f"{DELIVERIES}/{one.delivery_id}").json()
    counts = shown["counts"]
    assert (counts["received"], counts["new"], counts["rejected"]) == (7, 1, 6)
    assert shown["uncovered"] == ["metrics.step_count"]
    assert [found["reason"] for found in shown["rejected"]] == [
        "no_number",
        "no_number",
        "no_number",
        "not_a_number",
        "no_date",
        "unreadable_date",
    ]
    assert shown["failure"] is None
    assert (shown["layer"], shown["layer_origin"]) == ("hour", "declared")
    assert shown["folded_at"] == "2026-08-02T08:01:42.123456Z"


@pytest.mark.scenario("reading", "Delivery shows its account")
def test_a_malformed_delivery_counts_nothing(desk: Desk) -> None:
    one = desk.send(b"{no JSON}", MINUTES)
    shown = desk.get(f"{DELIVERIES}/{one.delivery_id}").json()
    assert shown["failure"]["kind"] == "malformed"
    assert shown["failure"]["message"]
    assert set(shown["counts"].values()) == {0}


@pytest.mark.scenario("reading", "Body is given as received")
def test_a_body_is_given_as_received(desk: Desk) -> None:
    sent = b'{ "data" : {"metrics":[]},\n "n\xc3\xa4me": 1.50 }'
    kind = "application/json; charset=utf-8"
    reply = desk.post(sent, "Authorization: Bearer ingest", f"Content-Type: {kind}")
    given = desk.get(f"{DELIVERIES}/{reply.json()['delivery_id']}/body")
    assert (given.status, given.body, given.headers["content-type"]) == (200, sent, kind)
    assert given.headers["content-length"] == str(len(sent))


@pytest.mark.parametrize("damage", [True, False])
def test_a_body_that_is_lost_is_gone(desk: Desk, damage: bool) -> None:
    one = desk.send(steps(*FIVE))
    path = desk.house.archive.body_path(one.delivery_id)
    path.write_bytes(b"x") if damage else path.unlink()
    detail = problem(desk.get(f"{DELIVERIES}/{one.delivery_id}/body"), 410)
    assert detail == "The body of this delivery is missing or damaged."


@pytest.mark.scenario("reading", "Unknown delivery is not found")
@pytest.mark.parametrize("suffix", ["", "/body"])
@pytest.mark.parametrize(
    "delivery_id",
    [
        "20260802T080142.123456Z-ffffffff",
        "../journal.db",
        quote("../journal.db", safe=""),
        quote("../../journal.db", safe=""),
        "%C3%A9",
        "x" * 4_000,
    ],
)
def test_an_unknown_delivery_is_not_found(desk: Desk, delivery_id: str, suffix: str) -> None:
    problem(desk.get(f"{DELIVERIES}/{delivery_id}{suffix}"), 404)


# ---- state


def test_stats_are_those_of_now(desk: Desk, clock: FakeClock) -> None:
    desk.keep(steps(*FIVE))
    clock.advance(90)
    assert desk.get("/stats").json()["oldest_pending"]["age_s"] == 90


class DamagedMart:
    """A mart whose pages have gone bad."""

    def read(self, _: Callable[[sqlite3.Connection], T]) -> T:
        raise Spoiled("database disk image is malformed")

    write = read


class DamagedJournal:
    """A journal with a page that can't be read."""

    def read(self, _: Callable[[sqlite3.Connection], T]) -> T:
        raise Damaged("database disk image is malformed")


@pytest.mark.parametrize("path", ["/stats", METRICS, f"{POINTS}?metric=step_count"])
def test_a_damaged_mart_is_no_fault_of_who_asks(desk: Desk, path: str) -> None:
    desk.parts = {"mart": DamagedMart()}
    reply = desk.get(path)
    assert problem(reply, 503) == "The mart is damaged and has to be made anew."
    assert reply.headers["retry-after"] == "5"


@pytest.mark.parametrize("path", ["/stats", DELIVERIES, f"{DELIVERIES}/x", f"{DELIVERIES}/x/body"])
def test_a_damaged_journal_is_not_taken_for_the_mart(desk: Desk, path: str) -> None:
    desk.parts = {"journal": DamagedJournal()}
    reply = desk.get(path)
    assert problem(reply, 503) == "A database is damaged; the log of the service says what to do."
    assert reply.headers["retry-after"] == "5"


def test_a_head_has_the_answer_s_fields_alone(desk: Desk) -> None:
    desk.send(steps(*FIVE), MINUTES)
    request = b"HEAD /api/v1/metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer read\r\n\r\n"
    with running(desk.routes()) as server, server.client() as client:
        client.send(request)
        reply = client.reply(head_only=True)
        assert (reply.status, reply.headers["content-type"]) == (200, "application/json")


# ---- over a socket


def test_ten_thousand_points_stream_over_a_socket(desk: Desk) -> None:
    data = [
        {"date": f"2026-05-03 {n // 3600:02}:{n // 60 % 60:02}:{n % 60:02} +0200", "qty": n}
        for n in range(10_001)
    ]
    desk.send(body(metric("heart_rate", "count/min", *data)), SECONDS)
    request = (
        b"GET /api/v1/points?metric=heart_rate&limit=10000 HTTP/1.1\r\n"
        b"Host: x\r\nAuthorization: Bearer read\r\n\r\n"
    )
    with running(desk.routes(), clock=SystemClock()) as server, server.client() as client:
        client.send(request)
        reply = client.reply()
    assert reply.headers["transfer-encoding"] == "chunked"
    found = reply.json()
    assert [item["qty"] for item in found["items"]] == list(range(10_000))
    assert found["next"] is not None
