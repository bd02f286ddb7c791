"""`check` as a person runs it: what it prints, how it ends."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from healthlog.model import Delivery
from tests.support.bodies import NO_JSON, PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.damage import flip_pages, garble_head
from tests.support.engine import open_engine
from tests.support.shell import run


def filled(data: Path, clock: FakeClock) -> list[Delivery]:
    """A log of six deliveries folded by an earlier process."""
    with open_engine(data, clock) as engine:
        sent = (TWO_DAYS, PARTIAL, NO_JSON, *(minutes(60, hour) for hour in range(3)))
        posted = [engine.post(body) for body in sent]
        engine.fold_all()
        return posted


def file_of(data: Path, one: Delivery, suffix: str) -> Path:
    [path] = data.glob(f"archive/*/*/*/{one.delivery_id}{suffix}")
    return path


def test_a_sound_log_ends_in_0(data: Path, clock: FakeClock) -> None:
    filled(data, clock)
    ran = run("check", "--rebuild", "--data", data)
    assert (ran.status, ran.err) == (0, "")
    assert json.loads(ran.out) == {"findings": 0, "failed_without_content": {}}


@pytest.mark.scenario("operations", "Check names what differs")
def test_what_differs_is_named_and_nothing_else(data: Path, clock: FakeClock) -> None:
    changed, bare, _, bereft, *_ = filled(data, clock)
    path = file_of(data, changed, ".json.gz")
    packed = bytearray(path.read_bytes())
    packed[len(packed) // 2] ^= 255
    path.write_bytes(packed)
    file_of(data, bare, ".meta.json").unlink()
    file_of(data, bereft, ".json.gz").unlink()
    file_of(data, bereft, ".meta.json").unlink()
    ran = run("check", "--data", data)
    assert ran.status == 1
    *findings, total = ran.out.splitlines()
    assert json.loads(total)["findings"] == len(findings) == 3
    named = {line[: len(changed.delivery_id)] for line in findings}
    assert named == {one.delivery_id for one in (changed, bare, bereft)}


@pytest.mark.scenario("operations", "Check compares the mart with a replay")
def test_a_changed_point_is_found_by_a_rebuild(data: Path, clock: FakeClock) -> None:
    filled(data, clock)
    with closing(sqlite3.connect(data / "mart.db")) as mart:
        mart.execute("UPDATE point SET qty = qty + 1 WHERE at_ms = (SELECT min(at_ms) FROM point)")
        mart.commit()
    assert run("check", "--data", data).status == 0
    ran = run("check", "--rebuild", "--data", data)
    assert ran.status == 1
    assert ran.out.splitlines()[0] == "mart.db: differs from a replay of the archive"
    assert sorted(path.name for path in data.glob("check-*")) == []


@pytest.mark.parametrize("damage", ["head", "inside", "gone"])
def test_a_mart_that_cannot_be_read_is_a_finding(data: Path, clock: FakeClock, damage: str) -> None:
    filled(data, clock)
    if damage == "gone":
        (data / "mart.db").unlink()
    elif damage == "head":
        garble_head(data / "mart.db")
    else:
        flip_pages(data / "mart.db", first=2)
    ran = run("check", "--rebuild", "--data", data)
    assert ran.status == 1
    finding, total = ran.out.splitlines()
    assert finding.startswith("mart.db: ")
    assert json.loads(total)["findings"] == 1


def test_what_waits_is_no_finding(data: Path, clock: FakeClock) -> None:
    filled(data, clock)
    with open_engine(data, clock) as engine:
        engine.restart()
        engine.post(TWO_DAYS)
    assert run("check", "--data", data).status == 0


def test_a_check_writes_nothing(data: Path, clock: FakeClock) -> None:
    filled(data, clock)
    before = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
    run("check", "--rebuild", "--data", data)
    after = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
    assert {path: after.get(path) for path in before} == before
