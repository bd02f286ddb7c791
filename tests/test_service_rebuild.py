"""`serve` that finds its mart folded by an earlier program: it rebuilds it beside, by itself."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from healthlog.mart.digest import Digest
from healthlog.model import PARSER, Account, Counts, Delivery, Verdict
from tests.support.aftermath import restarted
from tests.support.bodies import NO_JSON, ONE_DAY, PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.earlier import age
from tests.support.ending import Watched, children
from tests.support.engine import Engine, open_engine
from tests.support.lease import Lease, leased
from tests.support.process import Child, serving

BODIES = (TWO_DAYS, PARTIAL, NO_JSON, ONE_DAY, minutes(60), minutes(60, 12))


def earlier_log(data: Path) -> tuple[list[Delivery], Digest]:
    """A log that an earlier parser folded."""
    with open_engine(data, FakeClock()) as engine:
        posted = [engine.post(one, automation_id="A") for one in BODIES]
        engine.fold_all()
        age(engine)
        return posted, engine.digest()


@dataclass(slots=True)
class Held:
    """A service whose builder is held up where it opens a body."""

    child: Child
    lease: Lease
    posted: list[Delivery]
    digest: Digest

    @property
    def builder(self) -> Watched:
        [pid] = children(self.child.process.pid)
        return Watched(pid)


@contextmanager
def held(data: Path, *flags: str) -> Iterator[Held]:
    posted, digest = earlier_log(data)
    [body] = data.glob(f"archive/*/*/*/{posted[3].delivery_id}.json.gz")
    with leased(body) as lease, serving(data, *flags) as child:
        child.until("rebuild started")
        lease.wait()
        yield Held(child, lease, posted, digest)


def parsers(child: Child) -> set[int]:
    _, told = child.get("/api/v1/deliveries")
    return {one["parser"] for one in told["items"]}


def numbers(child: Child) -> dict[str, Any]:
    status, told = child.get("/stats")
    assert status == 200
    return told


def new_files(data: Path) -> list[str]:
    return sorted(path.name for path in data.glob("mart.db.new*"))


@pytest.mark.scenario("reindex", "Raised parser rebuilds beside the service")
def test_a_service_rebuilds_its_mart_by_itself(data: Path) -> None:
    _, before = earlier_log(data)
    with serving(data) as child:
        line = child.until("rebuild finished")
        assert (line["deliveries"], line["mart_points"]) == (6, before.points)
        assert parsers(child) == {PARSER}
        assert numbers(child)["rebuild"] is None
        assert child.stop() == 0
    [begun] = child.said("rebuild started")
    assert begun["reason"] == "5 deliveries were folded by another parser"
    messages = [line["msg"] for line in child.lines]
    assert messages.index("service started") < messages.index("rebuild started")
    assert child.errors_said == ""
    assert sorted(one.name for one in data.iterdir()) == [
        "archive",
        "journal.db",
        "lock",
        "mart.db",
    ]
    assert restarted(data) == before


@pytest.mark.scenario("reindex", "Old mart answers during the rebuild")
def test_a_delivery_of_today_does_not_wait_for_the_rebuild(data: Path) -> None:
    with held(data) as at:
        _, told = at.child.get("/api/v1/changes")
        status, answer = at.child.post(minutes(30, 20), automation_id="A")
        assert (status, answer["parse_status"]) == (200, "pending")
        folded = at.child.until("delivery folded")
        assert folded["delivery_id"] == answer["delivery_id"]
        points = numbers(at.child)["mart"]["points"]
        assert points == at.digest.points + 30
        assert at.child.get(f"/api/v1/changes?since={told['cursor']}")[0] == 200
        rebuild = numbers(at.child)["rebuild"]
        assert (rebuild["total"], rebuild["reason"][:12]) == (6, "5 deliveries")
        assert rebuild["done"] < 6
        assert rebuild["started_at"] > "2026"
        assert parsers(at.child) == {PARSER - 1, PARSER}
        at.lease.release()
        assert at.child.until("rebuild finished")["deliveries"] == 7
        assert numbers(at.child)["mart"]["points"] == points
        assert at.child.get(f"/api/v1/changes?since={told['cursor']}")[0] == 410
        assert at.child.stop() == 0
    assert restarted(data).points == points


@pytest.mark.scenario("reindex", "Builder ends with the service")
def test_the_builder_of_a_killed_service_ends_with_it(data: Path) -> None:
    with held(data) as at:
        builder = at.builder
        at.child.kill()
        assert builder.has_ended()
    assert new_files(data) != []
    with serving(data) as child:  # which sweeps, and begins anew
        child.until("rebuild finished")
        assert child.stop() == 0
    assert new_files(data) == []
    assert restarted(data) == at.digest


@pytest.mark.scenario("reindex", "Stop during the rebuild leaves everything")
def test_a_stop_ends_the_builder_and_leaves_everything(data: Path) -> None:
    with held(data) as at:
        builder = at.builder
        assert at.child.stop() == 0
        assert builder.has_ended()
    assert at.child.lines[-1]["msg"] == "service stopped"
    assert [one for one in at.child.lines if one["level"] == "ERROR"] == []
    assert at.child.said("rebuild failed") == at.child.said("stop budget exhausted") == []
    assert new_files(data) == []
    with open_engine(data, FakeClock()) as engine:
        assert engine.digest() == at.digest
        account = engine.entry(at.posted[0]).account
        assert account is not None
        assert account.parser == PARSER - 1


def test_a_builder_that_was_killed_is_told_of(data: Path) -> None:
    with held(data, "--tick", "100ms") as at:
        os.kill(at.builder.pid, signal.SIGKILL)
        line = at.child.until("rebuild failed")
        assert line["reason"] == "the builder ended with status -9"
        assert at.child.post(minutes(2, 20))[0] == 200
        at.child.until("delivery folded")
        assert numbers(at.child)["rebuild"] is not None
        assert at.child.stop() == 0
    assert new_files(data) == []


@pytest.mark.scenario("reindex", "Mart that is read by others is swapped later")
def test_the_tick_tries_the_swap_again(data: Path) -> None:
    with held(data, "--tick", "100ms") as at:
        with closing(sqlite3.connect(data / "mart.db", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM point").fetchall()
            at.child.post(minutes(2, 20))  # so that its log can't be emptied
            at.child.until("delivery folded")
            at.lease.release()
            for _ in range(2):
                assert "another process" in at.child.until("rebuild waits")["reason"]
        at.child.until("rebuild finished")
        assert at.child.stop() == 0
    assert restarted(data).points == at.digest.points + 2


def test_a_mart_without_write_ahead_log_is_rebuilt_too(data: Path) -> None:
    _, before = earlier_log(data)
    with serving(data, "--journal-mode", "delete") as child:
        child.until("rebuild finished")
        assert child.stop() == 0
    assert restarted(data) == before


# What was learned


def poorer(engine: Engine, one: Delivery) -> None:
    """As if a delivery had been folded before the metrics were read at all."""
    account = Account(7, uncovered=("metrics",), counts=Counts(), coverage=0)
    engine.keep(one.delivery_id, Verdict(account))

    def forget(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM point")
        connection.execute("UPDATE series SET points = 0")
        connection.execute(
            "UPDATE folded SET coverage = 0, uncovered = ?, parts = '{}', received = 0, new = 0,"
            " layer = NULL, layer_origin = NULL, folded_at_us = 7",
            ('["metrics"]',),
        )

    engine.mart.write(forget)


@pytest.mark.scenario("storage", "Newly covered section returns its partial rows")
def test_a_log_from_before_is_folded_further_by_a_start(data: Path) -> None:
    with open_engine(data, FakeClock()) as engine:
        one = engine.post(TWO_DAYS)
        engine.fold_all()
        before = engine.digest()
        poorer(engine, one)
        assert engine.statuses(one) == ["partial"]
    with serving(data) as child:
        assert child.until("delivery folded")["points"] == 2
        assert child.stop() == 0
    [line] = child.said("deliveries returned")
    assert (line["level"], line["coverage"], line["deliveries"]) == ("INFO", 1, 1)
    assert child.said("rebuild started") == []
    with open_engine(data, FakeClock()) as engine:
        assert engine.statuses(one) == ["parsed"]
        assert engine.digest() == before
        assert engine.entry(one).account == engine.line(one)
    with serving(data) as child:
        assert child.stop() == 0
    assert child.said("deliveries returned") == []
