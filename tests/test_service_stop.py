"""The stop of a real process, in every phase of its life."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from healthlog.archive.meta import meta_bytes
from healthlog.model import Delivery
from tests.support.accepting import entry, open_journal
from tests.support.bodies import TWO_DAYS
from tests.support.clock import FakeClock
from tests.support.engine import open_engine
from tests.support.lease import Lease, leased
from tests.support.loopback import Client
from tests.support.process import INGEST, Child, serving, starting

UPLOAD = (
    b"POST /ingest HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
    b"Content-Length: %d\r\nAuthorization: Bearer %s\r\n\r\n"
)
IDLE = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


def waiting(data: Path, clock: FakeClock) -> Delivery:
    """A delivery that an earlier process accepted and did not fold."""
    with open_engine(data, clock) as engine:
        return engine.post(TWO_DAYS)


def status_of(data: Path, clock: FakeClock, delivery_id: str) -> str:
    with open_journal(data, clock) as journal:
        return entry(journal, delivery_id).parse_status


def body_path(data: Path, one: Delivery) -> Path:
    [path] = data.glob(f"archive/*/*/*/{one.delivery_id}.json.gz")
    return path


@contextmanager
def folding(data: Path, clock: FakeClock, *flags: str) -> Iterator[tuple[Child, Lease, Delivery]]:
    """A service held up inside a fold, where it opens the body."""
    one = waiting(data, clock)
    with leased(body_path(data, one)) as lease, serving(data, *flags) as child:
        lease.wait()
        yield child, lease, one


def uploading(child: Child) -> Client:
    """A connection whose body the service is waiting for."""
    client = child.client()
    client.send(UPLOAD % (len(TWO_DAYS), INGEST.encode()))
    assert client.reply(head_only=True).status == 100
    return client


def idle(child: Child) -> Client:
    """A connection that was answered and stays open."""
    client = child.client()
    client.send(IDLE)
    assert client.reply().status == 200
    return client


def refused(port: int) -> bool:
    """Whether a new connection comes to nothing."""
    try:
        with Client(port) as client:
            client.send(IDLE)
            return client.reply().status == 503
    except (ConnectionError, EOFError):
        return True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_idle_service_stops_at_once(data: Path, number: int) -> None:
    with serving(data) as child:
        assert child.stop(number) == 0
    assert child.lines[-1]["msg"] == "service stopped"
    assert [line for line in child.lines if line["level"] == "ERROR"] == []
    assert child.errors_said == ""
    assert sorted(one.name for one in data.iterdir()) == [
        "archive",
        "journal.db",
        "lock",
        "mart.db",
    ]


def test_a_stopped_service_can_be_started_again(data: Path) -> None:
    for _ in range(2):
        with serving(data) as child:
            assert child.post(TWO_DAYS)[0] == 200
            assert child.stop() == 0


@pytest.mark.scenario("operations", "Stop goes in order and exits 0")
def test_a_stop_goes_in_order(data: Path, clock: FakeClock) -> None:
    with folding(data, clock) as (child, lease, one):
        sender, quiet, port = uploading(child), idle(child), child.port
        child.send(signal.SIGTERM)
        assert quiet.ended()
        assert refused(port)
        sender.send(TWO_DAYS)
        answer = sender.reply()
        assert answer.status == 200
        assert sender.ended()
        lease.release()
        assert child.finish() == 0
    assert child.said("delivery folded")[0]["delivery_id"] == one.delivery_id
    stopped = child.lines[-1]
    assert stopped["msg"] == "service stopped"
    assert {"version", "listen", "data"} <= stopped.keys()
    assert [line for line in child.lines if line["level"] in {"WARN", "ERROR"}
            and "WAL-reset" not in line["msg"]] == []  # fmt: skip
    assert sorted(data.glob("*-wal")) == []
    assert status_of(data, clock, one.delivery_id) == "parsed"
    assert status_of(data, clock, answer.json()["delivery_id"]) == "pending"


@pytest.mark.scenario("operations", "Exhausted stop budget is a warning")
def test_a_fold_beyond_the_stop_budget_is_left(data: Path, clock: FakeClock) -> None:
    with folding(data, clock, "--stop-budget", "200ms") as (child, _, one):
        assert child.stop() == 0
    [line] = child.said("stop budget exhausted")
    assert (line["level"], line["what"]) == ("WARN", ["worker"])
    assert child.lines[-1]["msg"] == "service stopped"
    assert [line for line in child.lines if line["level"] == "ERROR"] == []
    # Not closed under the worker: closing would have emptied the log into the file.
    assert sorted(path.name for path in data.glob("*-wal")) == ["journal.db-wal", "mart.db-wal"]
    with serving(data) as child:
        assert child.until("delivery folded")["delivery_id"] == one.delivery_id
        assert child.stop() == 0


def test_an_upload_beyond_the_stop_budget_is_left(data: Path) -> None:
    with serving(data, "--stop-budget", "200ms") as child, uploading(child) as sender:
        sender.send(TWO_DAYS[:5])
        assert child.stop() == 0
        assert sender.ended()
    [line] = child.said("stop budget exhausted")
    assert line["what"] == ["connections"]
    with serving(data) as child:
        assert child.until("backlog at start")["pending"] == 0
        assert child.stop() == 0
    assert [path for path in data.rglob("*") if path.suffix in {".gz", ".part"}] == []


def test_a_second_signal_changes_nothing(data: Path, clock: FakeClock) -> None:
    with folding(data, clock) as (child, lease, _):
        quiet = idle(child)
        child.send(signal.SIGTERM)
        assert quiet.ended()
        child.send(signal.SIGTERM)
        child.send(signal.SIGINT)
        lease.release()
        assert child.finish() == 0
    assert child.errors_said == ""


def test_a_stop_during_adoption_loses_nothing(data: Path, clock: FakeClock) -> None:
    one = waiting(data, clock)
    for path in data.glob("journal.db*"):
        path.unlink()
    meta = body_path(data, one).with_name(f"{one.delivery_id}.meta.json")
    meta.unlink()
    os.mkfifo(meta)
    with starting(data) as child:
        # Opening waits until the service is reading the meta of the body it adopts.
        with meta.open("wb") as held:
            child.send(signal.SIGTERM)
            held.write(meta_bytes(one))
        assert child.finish() == 0
    assert child.said("bodies adopted")[0]["bodies"] == 1
    assert child.lines[-1]["msg"] == "service stopped"
    assert status_of(data, clock, one.delivery_id) in {"pending", "parsed"}


def test_a_killed_service_leaves_a_lock_that_can_be_taken(data: Path, clock: FakeClock) -> None:
    with folding(data, clock) as (child, _, one):
        child.kill()
    with serving(data) as child:
        assert child.until("delivery folded")["delivery_id"] == one.delivery_id
        assert child.stop() == 0
