"""The door opens first: what is delivered before the rooms behind it are there is safe, and what is
asked of them waits."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from healthlog.base.clock import SystemClock
from healthlog.base.log import Log
from healthlog.base.web import Route
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

        def prepare(rooms: Rooms) -> tuple[Route, ...]:
            assert self.may.wait(PATIENCE_S)
            if self.failure is not None:
                raise self.failure
            return ready(rooms)

        monkeypatch.setattr(Rooms, "prepare", prepare)


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


@pytest.mark.scenario("operations", "Rooms that can't be made ready close the door")
def test_a_start_that_fails_behind_the_open_door_closes_it(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch, failure=OSError("no more"))
    service, stream = service_of(data)
    with starting(service, stream, held) as started:
        taken = posted(service, TWO_DAYS)
        assert taken.status == 200
        port = service.port
    assert started.exception(PATIENCE_S) is held.failure
    service.close()
    with pytest.raises(ConnectionRefusedError):
        Client(port)
    monkeypatch.undo()
    again, stream = service_of(data)
    again.start()
    with stopped(again):
        assert stream.until("delivery folded")["delivery_id"] == taken.json()["delivery_id"]


def test_settings_that_may_not_work_are_tried_before_the_door_opens(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, stream = service_of(data, recordings_poll_delay="20s")
    made = Rooms.__init__

    def make(rooms: Rooms, *given: object) -> None:
        assert stream.lines("service started") == []
        made(rooms, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Rooms, "__init__", make)
    service.start()
    with stopped(service):
        assert stream.lines("service started")


def test_the_door_is_loaded_without_the_rooms() -> None:
    program = "import healthlog.commands.serve, sys; print(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {one.split(".")[1] for one in ran.stdout.split() if one.startswith("healthlog.")}
    assert {"accept", "front", "ingest", "service"} <= loaded
    assert not loaded & {"rooms", "fold", "hae", "handlers", "read", "records", "transcriber"}
