"""The requests refused last: what is kept of them, for how long, who is shown it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from healthlog.access.refused import KEPT_EVERY_S, RefusedLog
from healthlog.base.db import Database
from healthlog.base.errors import Busy
from healthlog.base.http1 import Headers
from healthlog.base.web import Budget, Event, Route
from healthlog.databases import open_up_to_date
from healthlog.journal.refusals import MOST, read_all
from healthlog.openapi import document
from healthlog.service import Service
from tests.support.accepting import outsider
from tests.support.browser import Browser, page_of
from tests.support.clock import FakeClock
from tests.support.http import hello
from tests.support.json_schema import faults
from tests.support.process import INGEST, READ
from tests.support.serviced import asked, got, running

INGEST_ROUTE = Route("POST", "/ingest", hello, "ingest", 1024, Budget(1, 1))


def event(status: int = 401, path: str = "/stats", **given: Any) -> Event:
    plain: dict[str, Any] = {
        "route": None,
        "method": "GET",
        "path": path,
        "status": status,
        "reason": "Because.",
        "remote": "192.0.2.1",
        "duration_s": 0.1,
    }
    return Event(**{**plain, **given})


@pytest.fixture
def journal(data: Path, clock: FakeClock) -> Iterator[Database]:
    opened = open_up_to_date(data / "journal.db", "journal", clock, "wal")
    yield opened
    opened.close()


@pytest.fixture
def refused(journal: Database, clock: FakeClock) -> RefusedLog:
    return RefusedLog(journal, clock)


@pytest.mark.scenario("web", "Owner sees what was refused")
def test_what_is_kept_of_a_refusal(refused: RefusedLog, clock: FakeClock) -> None:
    headers = Headers(
        [
            ("Content-Type", "text/csv; name=secret"),
            ("User-Agent", "Phone/1.0 " + "x" * 200),
            ("Authorization", "Bearer secret"),
        ]
    )
    refused.note(
        event(415, "/ingest", route=INGEST_ROUTE, method="POST", headers=headers, announced=42)
    )
    [one] = refused.latest()
    assert (one.status, one.reason, one.method, one.path) == (415, "Because.", "POST", "/ingest")
    assert (one.remote, one.content_type, one.announced) == ("192.0.2.1", "text/csv", 42)
    assert (one.first_at_us, one.last_at_us, one.times) == (clock.wall_us, clock.wall_us, 1)
    assert one.user_agent.startswith("Phone/1.0 xxx")
    assert len(one.user_agent) == 80
    assert "secret" not in str(one)


@pytest.mark.parametrize("status", [200, 204, 303])
def test_what_went_well_is_not_kept(refused: RefusedLog, status: int) -> None:
    refused.note(event(status))
    assert refused.latest() == []


@pytest.mark.scenario("web", "Refusals hold no secrets")
@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/wp-login.php", "/wp-login.php"),
        ("/.well-known/security.txt", "/.well-known/security.txt"),
        ("/ingest/abcDEF0123456789abc", "/ingest/…"),
        ("/abcDEF0123456789abc/x", "/…/x"),
        ("/a%20b%20c%20d%20e%20f", "/…"),
        ("/" + "x/" * 200, ("/" + "x/" * 200)[:120]),
        ("", ""),
    ],
)
def test_what_looks_like_a_key_is_left_out_of_a_path(
    refused: RefusedLog, path: str, kept: str
) -> None:
    refused.note(event(404, path))
    assert refused.latest()[0].path == kept


@pytest.mark.scenario("web", "Refusals hold no secrets")
def test_of_a_known_address_the_pattern_is_kept(refused: RefusedLog) -> None:
    route = Route("GET", "/api/v1/deliveries/{id}", hello, "read")
    refused.note(event(404, "/api/v1/deliveries/tok-read-0123456789abc", route=route))
    assert refused.latest()[0].path == "/api/v1/deliveries/{id}"


def test_equal_ones_are_counted(refused: RefusedLog, clock: FakeClock) -> None:
    for path in ("/a", "/b", "/a"):
        refused.note(event(404, path))
        clock.advance(1)
    first, second = refused.latest()
    assert (first.path, first.times) == ("/a", 2)
    assert first.last_at_us - first.first_at_us == 2_000_000
    assert (second.path, second.times) == ("/b", 1)


@pytest.mark.scenario("web", "Flood of refusals stays small")
def test_a_flood_pushes_out_no_delivery(refused: RefusedLog, journal: Database) -> None:
    refused.note(event(415, "/ingest", route=INGEST_ROUTE))
    for number in range(1000):
        refused.note(event(404, f"/{number}"))
    refused.keep(at_once=True)
    kept = journal.read(read_all)
    assert len(kept) == MOST // 2 + 1
    assert [one.status for one in kept].count(415) == 1
    for number in range(1000):
        refused.note(event(415, "/ingest", route=INGEST_ROUTE, remote=f"192.0.2.{number}"))
    refused.keep(at_once=True)
    assert len(journal.read(read_all)) == len(refused.latest()) == MOST


@pytest.mark.scenario("web", "Flood of refusals stays small")
def test_they_are_written_now_and_then(
    refused: RefusedLog, journal: Database, clock: FakeClock
) -> None:
    refused.note(event(404, "/a"))
    refused.keep()
    assert journal.read(read_all) == []
    clock.advance(KEPT_EVERY_S)
    refused.keep()
    assert [one.path for one in journal.read(read_all)] == ["/a"]
    refused.note(event(404, "/b"))
    refused.keep()
    assert len(journal.read(read_all)) == 1


def test_nothing_new_is_not_written(refused: RefusedLog, data: Path, clock: FakeClock) -> None:
    clock.advance(KEPT_EVERY_S)
    with outsider(data / "journal.db"):
        refused.keep()


@pytest.mark.scenario("web", "Refusals outlive a restart")
def test_they_outlive_a_restart(refused: RefusedLog, journal: Database, clock: FakeClock) -> None:
    refused.note(event(413, "/ingest", route=INGEST_ROUTE, announced=10**9))
    clock.advance(1)
    refused.note(event(404, "/a"))
    refused.keep(at_once=True)
    again = RefusedLog(journal, clock)
    assert again.latest() == refused.latest()
    again.note(event(404, "/a"))
    assert again.latest()[0].times == 2


class Locked:
    """A journal that is busy, once it has been read."""

    def __init__(self) -> None:
        self.tried = 0

    def read(self, _: object) -> list[object]:
        return []

    def write(self, _: object) -> None:
        self.tried += 1
        raise Busy("locked")


def test_a_busy_journal_is_tried_again(clock: FakeClock) -> None:
    journal: Any = Locked()
    refused = RefusedLog(journal, clock)
    refused.note(event())
    for _ in range(3):
        refused.keep(at_once=True)
    assert journal.tried == 3
    assert len(refused.latest()) == 1


# ---- shown


@pytest.fixture
def service(data: Path) -> Iterator[Service]:
    with running(data, timezone="Asia/Kathmandu") as (made, _):
        yield made


def refuse_some(service: Service) -> None:
    head = "POST /ingest HTTP/1.1\r\nHost: x\r\nUser-Agent: <b>Phone\r\nConnection: close\r\n"
    for fields in (
        "Authorization: Bearer wrong-0123456789\r\nContent-Length: 2\r\n\r\n{}",
        f"Authorization: Bearer {INGEST}\r\nContent-Type: text/csv\r\nContent-Length: 1\r\n\r\nx",
        f"Authorization: Bearer {INGEST}\r\nContent-Length: 99999999999\r\n\r\n",
    ):
        asked(service, (head + fields).encode())
    asked(service, b"nonsense\r\n\r\n")


@pytest.mark.scenario("web", "Owner sees what was refused")
def test_the_page_shows_what_was_refused_and_why(service: Service) -> None:
    refuse_some(service)
    browser = Browser(service)
    browser.post("/login", token=READ)
    page = page_of(browser.get("/refused"))
    for text in (
        "401 The token is missing or not valid here.",
        "413 The body is larger than 64 MiB.",
        "POST /ingest",
        "400 The request line is malformed.",
        "not understood",
        "127.0.0.1",
        "text/csv, 1 bytes, <b>Phone",
        "93.1 GiB, <b>Phone",
    ):
        assert text in page.texts
    assert any(text.startswith("415 Only JSON is taken") for text in page.texts)
    times = [one["datetime"] for one in page.all("time")]
    assert times == sorted(times, key=str, reverse=True)
    assert len(times) == 4


@pytest.mark.scenario("web", "Owner sees what was refused")
def test_the_api_tells_the_same(service: Service) -> None:
    refuse_some(service)
    told = got(service, "/api/v1/refusals")
    assert [one["status"] for one in told["items"]] == [400, 413, 415, 401]
    assert told["items"][1]["bytes"] == 99999999999
    assert told["items"][0].keys() == {"first_at", "last_at", "times", "status", "reason", "remote"}
    described = document()
    schema = described["paths"]["/api/v1/refusals"]["get"]["responses"]["200"]["content"]
    assert list(faults(told, schema["application/json"]["schema"], described)) == []


@pytest.mark.scenario("web", "Refusals outlive a restart")
def test_a_stop_keeps_them(data: Path) -> None:
    with running(data) as (service, _):
        refuse_some(service)
    with running(data) as (service, _):
        assert len(got(service, "/api/v1/refusals")["items"]) == 4


def test_without_any_the_page_says_so(service: Service) -> None:
    browser = Browser(service)
    browser.post("/login", token=READ)
    assert "None yet." in page_of(browser.get("/refused")).texts
