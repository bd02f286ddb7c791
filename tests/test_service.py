"""The service put together: what it does before the door opens, while it is open, when parts of it
fail."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from healthlog import entry
from healthlog.base.clock import SystemClock
from healthlog.base.errors import Damaged
from healthlog.base.http1 import Body, Headers
from healthlog.base.log import Log
from healthlog.base.web import Budget, Query, Request
from healthlog.ingest import Ingest
from healthlog.parts import Parts
from healthlog.routes import routes
from healthlog.service import NotListening, Service
from tests.support.accepting import open_house, outsider
from tests.support.bodies import NO_JSON, PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.damage import garble_head
from tests.support.engine import open_engine
from tests.support.lease import leased
from tests.support.process import INGEST, Child, serving
from tests.support.serviced import POST, Following, asked, got, posted, running, settings
from tests.support.shell import run

# In order


def test_a_delivery_goes_all_the_way(data: Path) -> None:
    with running(data) as (service, stream):
        answer = posted(service, TWO_DAYS)
        assert answer.status == 200
        delivery_id = answer.json()["delivery_id"]
        assert stream.until("delivery folded")["delivery_id"] == delivery_id
        assert got(service, f"/api/v1/deliveries/{delivery_id}")["parse_status"] == "parsed"
        items = got(service, "/api/v1/points?metric=step_count&layer=day")["items"]
        assert [one["qty"] for one in items] == [8123, 6044]


def test_the_numbers_are_told_from_the_worker_too(data: Path) -> None:
    with running(data) as (service, stream):
        for body in (TWO_DAYS, PARTIAL, NO_JSON):
            posted(service, body)
        stream.until("delivery folded", 2)
        stream.until("delivery failed")
        told = got(service, "/stats")
        assert told["deliveries"] == {"pending": 0, "parsed": 1, "partial": 1, "failed": 1}
        assert (told["worker"]["alive"], told["worker"]["folded"]) == (True, 2)
        assert told["worker"]["passes"] >= 1


def test_a_service_says_when_it_starts_and_stops(data: Path) -> None:
    with running(data) as (service, stream):
        port = service.port
    told = {"version": "0.1.0", "listen": f"127.0.0.1:{port}", "data": str(data)}
    for msg in ("service started", "service stopped"):
        [line] = stream.lines(msg)
        assert line["level"] == "INFO"
        assert told.items() <= line.items()


def test_an_ipv6_address_is_told_in_brackets(data: Path) -> None:
    with ExitStack() as opened:
        try:
            service, stream = opened.enter_context(running(data, listen="[::1]:0"))
        except NotListening:
            pytest.skip("no IPv6 here")
        port = service.port
    assert stream.lines("service started")[0]["listen"] == f"[::1]:{port}"


@pytest.mark.scenario("storage", "Mart exchanged under the service is made anew")
@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_mart_taken_away_under_a_service_is_made_anew(data: Path, how: str) -> None:
    with running(data) as (service, stream):
        posted(service, TWO_DAYS)
        stream.until("delivery folded")
        (data / "mart.db").unlink()
        if how == "replaced":
            (data / "mart.db").write_bytes(b"something else" * 1000)
        posted(service, PARTIAL)
        line = stream.until("mart set aside")
        stream.until("delivery folded", 3)
        items = got(service, "/api/v1/points?metric=step_count&layer=day")["items"]
        assert [one["qty"] for one in items][:2] == [8123, 6044]
    assert "deleted or replaced" in line["reason"]
    assert run("check", "--rebuild", "--data", data).status == 0


def test_what_waited_is_folded_after_the_door_is_open(data: Path, clock: FakeClock) -> None:
    with open_engine(data, clock) as engine:
        first = [engine.post(minutes(60, hour)).delivery_id for hour in range(3)]
    with running(data) as (service, stream):
        last = posted(service, TWO_DAYS).json()["delivery_id"]
        stream.until("delivery folded", 4)
    folded = [line["delivery_id"] for line in stream.lines("delivery folded")]
    assert folded == [*first, last]
    messages = [line["msg"] for line in stream.lines()]
    assert messages.index("service started") < messages.index("backlog at start")


def test_a_delivery_folded_late_is_not_lagging_at_start(data: Path, clock: FakeClock) -> None:
    with open_engine(data, clock) as engine:
        engine.post(TWO_DAYS)
    with running(data, lag_warning="100ms") as (_, stream):
        stream.until("delivery folded")
    assert stream.lines("delivery waited too long") == []


def test_the_files_are_emptied_and_closed_at_the_stop(data: Path) -> None:
    with running(data) as (service, stream):
        posted(service, TWO_DAYS)
        stream.until("delivery folded")
    assert sorted(one.name for one in data.iterdir()) == ["archive", "journal.db", "mart.db"]


# When parts of it fail


@pytest.mark.scenario("worker", "Dead worker is visible and the door stays open")
def test_a_dead_worker_is_visible_and_the_door_stays_open(data: Path) -> None:
    with running(data, clock=Deadly()) as (service, stream):
        line = stream.until("thread died")
        assert (line["level"], line["thread"]) == ("ERROR", "worker")
        assert posted(service, TWO_DAYS).status == 200
        assert got(service, "/stats")["worker"]["alive"] is False


class Deadly(SystemClock):
    """A clock that the worker does not survive."""

    def now_us(self) -> int:
        if threading.current_thread().name == "worker":
            raise SystemError("no time")
        return super().now_us()


def test_a_taken_port_names_the_setting(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        stream = Following()
        service = Service(
            settings(data, listen=f"127.0.0.1:{port}"), log=Log(stream, SystemClock()),
            clock=SystemClock(),
        )  # fmt: skip
        with pytest.raises(NotListening, match=f"listen 127.0.0.1:{port}"):
            service.start()
        service.give_up()
    assert stream.lines("service started") == []


def test_a_damaged_mart_is_made_anew_behind_an_open_door(data: Path, clock: FakeClock) -> None:
    with open_engine(data, clock) as engine:
        for body in (TWO_DAYS, PARTIAL, minutes(60)):
            engine.post(body)
        engine.fold_all()
    garble_head(data / "mart.db")
    with running(data) as (service, stream):
        assert stream.until("backlog at start")["pending"] == 3
        stream.until("delivery folded", 3)
        assert got(service, "/stats")["deliveries"]["pending"] == 0
    assert len(stream.lines("mart set aside")) == 1


def test_a_row_that_is_owed_is_written_by_the_tick(data: Path) -> None:
    with running(data, tick="100ms") as (service, stream):
        with outsider(data / "journal.db"):
            assert posted(service, TWO_DAYS).status == 503
        stream.until("delivery folded")
        assert got(service, "/stats")["deliveries"]["parsed"] == 1


def test_a_damaged_journal_stops_the_start(data: Path) -> None:
    (data / "journal.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(Damaged, match=r"journal\.db"):
        Service(settings(data), log=Log(Following(), SystemClock()), clock=SystemClock())


@pytest.mark.scenario("ingest", "Each request leaves one line")
def test_each_request_leaves_one_line(data: Path) -> None:
    with running(data) as (service, stream):
        head = POST.replace(b"Host: x", b"Host: x\r\nautomation-name: Mine")
        accepted = asked(service, head % (INGEST.encode(), len(TWO_DAYS)) + TWO_DAYS).json()
        assert posted(service, b"[]").status == 400
    [line] = stream.lines("delivery accepted")
    assert (line["level"], line["delivery_id"]) == ("INFO", accepted["delivery_id"])
    assert (line["bytes"], line["automation_name"]) == (len(TWO_DAYS), "Mine")
    assert line["duration_ms"] >= 0
    [line] = stream.lines("delivery refused")
    assert (line["level"], line["status"], line["remote"]) == ("WARN", 400, "127.0.0.1")
    assert line["reason"]


@pytest.mark.scenario("ingest", "Only the ingest route has the long budget")
def test_only_the_ingest_route_has_the_long_budget(data: Path) -> None:
    given = settings(data, read_timeout="300s", write_timeout="30s")
    nothing: Any = None
    parts = Parts(nothing, nothing, nothing, nothing, given, nothing)
    every = (*entry.routes(given, nothing), *routes(parts))
    # None stands for the server's own, which is the write timeout in all.
    budgets = {(route.method, route.pattern): route.budget for route in every}
    assert budgets.pop(("POST", "/ingest")) == Budget(read_s=300.0, write_s=330.0)
    assert set(budgets.values()) == {None}


@pytest.mark.scenario("ingest", "Braces around no JSON are kept")
def test_braces_around_no_json_are_kept(data: Path) -> None:
    with running(data) as (service, stream):
        answer = posted(service, b"{oops}")
        assert answer.status == 200
        line = stream.until("delivery failed")
        delivery_id = answer.json()["delivery_id"]
        assert (line["level"], line["delivery_id"]) == ("WARN", delivery_id)
        told = got(service, f"/api/v1/deliveries/{delivery_id}")
        assert (told["parse_status"], told["failure"]["kind"]) == ("failed", "malformed")


@pytest.mark.scenario("ingest", "Answer does not wait for folding")
def test_an_answer_does_not_wait_for_folding(data: Path, clock: FakeClock) -> None:
    with open_engine(data, clock) as engine:
        waiting = engine.post(TWO_DAYS).delivery_id
    [body] = data.glob(f"archive/*/*/*/{waiting}.json.gz")
    # The worker is held up where it opens the body, until the lease is released.
    with leased(body) as lease, running(data) as (service, stream):
        lease.wait()
        answer = posted(service, PARTIAL)
        assert answer.status == 200
        both = got(service, "/api/v1/deliveries?status=pending")["items"]
        assert [one["delivery_id"] for one in both] == [waiting, answer.json()["delivery_id"]]
        assert stream.lines("delivery folded") == []
        lease.release()
        stream.until("delivery folded", 2)


def test_refusals_are_logged_without_their_contents(data: Path) -> None:
    with running(data) as (service, stream):
        assert asked(service, POST % (b"canary-canary-canary", 2) + b"{}").status == 401
        assert posted(service, b"canary").status == 400
        assert asked(service, b"GET /canary HTTP/1.1\r\nHost: x\r\n\r\n").status == 404
    refused = stream.lines("delivery refused")
    assert [(one["level"], one["status"]) for one in refused] == [("WARN", 401), ("WARN", 400)]
    assert {"reason", "remote"} <= refused[0].keys()
    assert "canary" not in stream.getvalue()


# In a process of its own


@pytest.mark.scenario("operations", "Each line is one object")
def test_each_line_of_the_log_is_one_object(data: Path) -> None:
    with serving(data) as child:
        status, _ = child.post(TWO_DAYS, automation_name="a\u2028b\u0085c")
        assert status == 200
        child.until("delivery folded")
        assert child.stop() == 0
    for line in child.lines:  # each was read by itself
        assert list(line)[:3] == ["time", "level", "msg"]
        assert len(line["time"]) == len("2026-08-02T08:01:42.123Z")
        assert line["level"] in {"DEBUG", "INFO", "WARN", "ERROR"}
    [accepted] = child.said("delivery accepted")
    assert accepted["automation_name"] == "a\u2028b\u0085c"
    told = {"version": "0.1.0", "listen": f"127.0.0.1:{child.port}", "data": str(data)}
    for msg in ("service started", "service stopped"):
        assert told.items() <= child.said(msg)[0].items()


@pytest.mark.scenario("operations", "Each line is one object")
def test_a_name_with_a_line_feed_stays_on_its_line(data: Path, clock: FakeClock) -> None:
    with open_house(data, clock) as house:
        handler = Ingest(
            house.archive, house.intake(), lambda: None, log=house.log, clock=clock,
            max_body=1 << 20, min_free=0,
        )  # fmt: skip
        head = Headers([("automation-name", "a\nb\u2028c")])
        body = Body.of(TWO_DAYS)
        handler(Request("POST", "/ingest", {}, Query(""), head, body, "127.0.0.1"))
        [text] = house.stream.getvalue().splitlines()
    assert json.loads(text)["automation_name"] == "a\nb\u2028c"


def test_a_second_service_is_refused_and_the_first_goes_on(data: Path) -> None:
    with serving(data) as first:
        second = Child(data)
        try:
            assert second.finish() == 1
        finally:
            second.close()
        assert str(data / "lock") in second.errors_said
        assert len(second.errors_said.splitlines()) == 1
        assert first.post(TWO_DAYS)[0] == 200
        assert first.stop() == 0


def test_a_busy_mart_leaves_deliveries_to_the_tick(data: Path) -> None:
    with serving(data, "--tick", "100ms") as child:
        with outsider(data / "mart.db"):
            assert child.post(TWO_DAYS)[0] == 200
            assert "locked" in child.until("delivery left pending")["reason"]
        child.until("delivery folded")
        assert child.stop() == 0
