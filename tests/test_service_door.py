"""The door opens first: what is delivered before the rooms behind it are there is safe, and what is
asked of them waits."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.clock import SystemClock
from healthlog.base.log import Log
from healthlog.base.web import App, Match, Route
from healthlog.config import BadSetting
from healthlog.rooms import Rooms
from healthlog.service import Service
from healthlog.version import VERSION
from tests.support.bodies import TWO_DAYS
from tests.support.loopback import Client
from tests.support.patience import PATIENCE_S
from tests.support.process import READ
from tests.support.serviced import GET, Following, asked, got, posted, settings
from tests.support.sources import ROOT

HEALTHZ = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


class Held:
    """Rooms that get ready only when they may, or not at all."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, failure: Exception | None = None) -> None:
        self.may = threading.Event()
        self.failure = failure
        ready = Rooms.prepare

        def prepare(rooms: Rooms, *given: Any) -> tuple[Route, ...]:
            assert self.may.wait(PATIENCE_S)
            if self.failure is not None:
                raise self.failure
            return ready(rooms, *given)

        monkeypatch.setattr(Rooms, "prepare", prepare)


def awaited(monkeypatch: pytest.MonkeyPatch) -> threading.Semaphore:
    """Released by everyone who waits for a route."""
    waiting = threading.Semaphore(0)
    wait = App.await_match

    def await_match(app: App, method: str, path: str) -> Match:
        waiting.release()
        return wait(app, method, path)

    monkeypatch.setattr(App, "await_match", await_match)
    return waiting


@contextmanager
def starting(service: Service, stream: Following, held: Held) -> Iterator[Future[None]]:
    """With its door open, its rooms not ready until the end of the block; and its whole start."""
    with ThreadPoolExecutor(1) as thread:
        started = thread.submit(service.start)
        try:
            stream.until("service started")
            yield started
        finally:
            held.may.set()


@contextmanager
def stopped(service: Service) -> Iterator[None]:
    """In the end, whatever happened."""
    try:
        yield
    finally:
        assert service.stop()


def service_of(data: Path, **given: str) -> tuple[Service, Following]:
    stream = Following()
    log = Log(stream, SystemClock())
    return Service(settings(data, **given), log=log, clock=SystemClock()), stream


@pytest.mark.scenario("operations", "Door opens before the rest is loaded")
def test_what_comes_before_the_rooms_are_ready_is_taken(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch)
    service, stream = service_of(data)
    with stopped(service), ThreadPoolExecutor(1) as reader:
        with starting(service, stream, held) as started:
            assert asked(service, HEALTHZ).status == 200
            assert posted(service, b"[]").status == 400
            taken = posted(service, TWO_DAYS)
            assert taken.status == 200
            assert stream.lines("delivery folded") == []
            waiting = reader.submit(got, service, "/stats")
        started.result(PATIENCE_S)
        assert waiting.result(PATIENCE_S)["version"] == VERSION
        line = stream.until("delivery folded")
        assert line["delivery_id"] == taken.json()["delivery_id"]
        text = asked(service, GET % (b"/metrics", READ.encode())).body.decode()
        assert 'healthlog_delivery_refused_total{status="400"} 1' in text


@pytest.mark.scenario("operations", "Door opens before the rest is loaded")
def test_those_who_wait_leave_the_phone_its_places(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, waiting = Held(monkeypatch), awaited(monkeypatch)
    service, stream = service_of(data, max_connections="12")
    with stopped(service), ExitStack() as opened:
        with starting(service, stream, held) as started:
            # A third of the places is kept for uploads.
            clients = [opened.enter_context(Client(service.port)) for _ in range(8)]
            for client in clients:
                client.send(GET % (b"/stats", READ.encode()))
                assert waiting.acquire(timeout=PATIENCE_S)
            assert asked(service, GET % (b"/stats", READ.encode())).status == 503
            assert posted(service, TWO_DAYS).status == 200
        started.result(PATIENCE_S)
        assert [client.reply().status for client in clients] == [200] * 8


@pytest.mark.scenario("operations", "Rooms that can't be made ready close the door")
def test_a_start_that_fails_behind_the_open_door_closes_it(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, waiting = Held(monkeypatch, failure=OSError("no more")), awaited(monkeypatch)
    service, stream = service_of(data)
    with ExitStack() as opened:
        with starting(service, stream, held) as started:
            taken = posted(service, TWO_DAYS)
            assert taken.status == 200
            client = opened.enter_context(Client(service.port))
            client.send(GET % (b"/stats", READ.encode()))
            assert waiting.acquire(timeout=PATIENCE_S)
        assert started.exception(PATIENCE_S) is held.failure
        service.give_up()
        assert client.reply().status == 503
    with pytest.raises(ConnectionRefusedError):
        Client(service.port)
    monkeypatch.undo()
    again, stream = service_of(data)
    again.start()
    with stopped(again):
        assert stream.until("delivery folded")["delivery_id"] == taken.json()["delivery_id"]


def test_a_journal_deleted_before_the_rooms_are_ready_is_told_of(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch)
    service, stream = service_of(data)
    with stopped(service):
        with starting(service, stream, held) as started:
            (data / "journal.db").unlink()
        started.result(PATIENCE_S)
        assert "deleted or replaced" in stream.until("journal damaged")["error"]


def test_what_has_begun_to_work_ends_with_a_start_that_fails(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = Rooms.start

    def fail(rooms: Rooms) -> None:
        begin(rooms)
        raise OSError("no more")

    monkeypatch.setattr(Rooms, "start", fail)
    before = set(threading.enumerate())
    service, _ = service_of(data)
    with pytest.raises(OSError, match="no more"):
        service.start()
    assert {"worker", "watch"} <= {one.name for one in set(threading.enumerate()) - before}
    service.give_up()
    assert set(threading.enumerate()) <= before


def test_settings_that_may_not_work_are_tried_first_of_all(data: Path) -> None:
    with pytest.raises(BadSetting, match="recordings_poll_delay"):
        service_of(data, recordings_poll_delay="1h", recordings_foreign_limit="1m")
    assert not (data / "mart.db").exists()


def test_the_door_is_loaded_without_the_rooms() -> None:
    program = "import healthlog.commands.serve, sys; print(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {one.removeprefix("healthlog.") for one in ran.stdout.split()}
    assert {"accept", "front", "ingest", "service"} <= loaded
    behind = {"rooms", "fold", "handlers", "hae.envelope", "read", "records", "transcriber"}
    assert not loaded & behind
