"""Notices of a running service."""

from __future__ import annotations

import socket
import sqlite3
from pathlib import Path

import pytest

from healthlog.base.clock import SystemClock
from healthlog.base.ids import make_id
from healthlog.journal import rows
from healthlog.notices.rhythm import DAY_US, HOUR_US
from healthlog.service import Service
from tests.support.accepting import open_house
from tests.support.bodies import TWO_DAYS
from tests.support.browser import Browser, page_of
from tests.support.clock import FakeClock
from tests.support.folding import delivery
from tests.support.process import READ
from tests.support.receivers import web_receiver
from tests.support.serviced import got, posted, running


def silent_for_days(data: Path) -> None:
    """A journal in which an automation was heard every hour until five days ago."""
    last_us = SystemClock().now_us() - 5 * DAY_US

    def heard(connection: sqlite3.Connection) -> None:
        for hours in reversed(range(96)):
            at_us = last_us - hours * HOUR_US
            at = dict.fromkeys(("received_at_us", "clock_at_us", "said_at_us"), at_us)
            one = delivery(0, b"", None, delivery_id=make_id(at_us, f"{hours:08x}"), **at)
            rows.insert(connection, one)

    with open_house(data, FakeClock()) as house:
        house.journal.write(heard)


@pytest.mark.scenario("notices", "Service tells, and says when it last did")
def test_a_service_tells_and_says_when_it_did(data: Path) -> None:
    silent_for_days(data)
    with web_receiver() as receiver, running(data, notify_webhook=receiver.url()) as (service, log):
        assert "quiet" in log.until("notice sent")["kinds"]
        [said] = receiver.until(1)
        assert "quiet" in [one["kind"] for one in said.json()["causes"]]
        told = got(service, "/stats")["notices"]
        assert "quiet" in told["open"]
        assert told["last_at"] > got(service, "/stats")["last_delivery"]["A"]["received_at"]


@pytest.mark.scenario("notices", "Service tells, and says when it last did")
def test_deliveries_wait_for_no_notice(data: Path) -> None:
    silent_for_days(data)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        with running(data, notify_webhook=url) as (service, log):
            connection, _ = silent.accept()
            assert posted(service, TWO_DAYS).status == 200
            log.until("delivery folded")
            assert log.lines("notice sent") == []
            connection.close()
            log.until("notice not sent")


def test_refusals_at_the_door_reach_the_watch(data: Path) -> None:
    with web_receiver() as receiver:
        given = {"notify_webhook": receiver.url(), "max_body": "1KiB"}
        with running(data, **given) as (service, log):
            assert posted(service, b"{" + b" " * 2048 + b"}").status == 413
            log.until("delivery refused")
            assert 413 in service._refusals.last_us()


def owner_of(service: Service) -> Browser:
    browser = Browser(service)
    assert browser.post("/login", token=READ).status == 303
    return browser


@pytest.mark.scenario("notices", "Page shows what was told, with a trial")
def test_the_page_shows_the_last_notice_and_what_is_wrong(data: Path) -> None:
    silent_for_days(data)
    with web_receiver() as receiver, running(data, notify_webhook=receiver.url()) as (service, log):
        log.until("notice sent")
        last = got(service, "/stats")["notices"]["last_at"]
        shown = page_of(owner_of(service).get("/notices")).texts
    assert "webhook" in shown
    assert last.replace("T", " ")[:16] in " ".join(shown)
    assert "A sender without a name: nothing comes from the phone any more" in shown


@pytest.mark.scenario("notices", "Page shows what was told, with a trial")
def test_the_button_sends_a_trial_on_every_way_and_says_what_became_of_it(data: Path) -> None:
    with web_receiver() as receiver, web_receiver() as refusing:
        refusing.status = 403
        given = {"notify_webhook": receiver.url(), "notify_ntfy": refusing.url("/topic")}
        with running(data, **given) as (service, _):
            browser = owner_of(service)
            assert "none yet" in page_of(browser.get("/notices")).texts
            answer = page_of(browser.post("/notices/test"))
        [said] = [one.json() for one in receiver.came if one.json().get("test")]
        assert said["causes"] == []
        assert len(refusing.came) == 1
    assert "sent" in answer.texts
    assert any(one.startswith("not sent: ") and "403" in one for one in answer.texts)


@pytest.mark.scenario("notices", "Page shows what was told, with a trial")
def test_without_a_way_the_page_names_the_settings(data: Path) -> None:
    with running(data) as (service, _):
        browser = owner_of(service)
        shown = browser.get("/notices").body.decode()
        tried = browser.post("/notices/test").body.decode()
    for told in (shown, tried):
        assert "notify_webhook" in told
    assert "/notices/test" not in shown
