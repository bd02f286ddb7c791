"""`rebuild` as `serve` starts it: a process that lets everything else go first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.errors import DiskFull
from healthlog.commands.rebuild import progress
from healthlog.model import Delivery
from tests.support.bodies import NO_JSON, PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.engine import Engine, open_engine
from tests.support.lease import leased
from tests.support.patience import PATIENCE_S
from tests.support.process import command, environment
from tests.support.replaying import digest_of
from tests.support.sources import ROOT


@pytest.fixture
def engine(data: Path, clock: FakeClock) -> Iterator[Engine]:
    with open_engine(data, clock) as engine:
        yield engine


@contextmanager
def building(data: Path, into: Path) -> Iterator[subprocess.Popen[str]]:
    """A builder whose leash is held until the end of the block."""
    command = [sys.executable, "-m", "healthlog", "rebuild", "--data", str(data)]
    with subprocess.Popen(
        [*command, "--into", str(into)],
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        yield child


def told(child: subprocess.Popen[str]) -> list[dict[str, Any]]:
    """All that it tells until its end, without what only says how far it is."""
    assert child.stdout is not None
    lines = [json.loads(line) for line in child.stdout]
    return [line for line in lines if "done" not in line]


def fill(engine: Engine) -> list[Delivery]:
    return [engine.post(one) for one in (TWO_DAYS, NO_JSON, PARTIAL, minutes(60))]


def body_path(engine: Engine, one: Delivery) -> Path:
    return engine.house.archive.body_path(one.delivery_id)


def test_it_builds_from_the_rows_of_the_journal_and_tells_what_failed(
    engine: Engine, data: Path
) -> None:
    posted = fill(engine)
    engine.fold_all()
    with building(data, data / "new.db") as child:
        failed, built = told(child)
        assert child.wait(PATIENCE_S) == 0
    assert failed["failed"]["delivery_id"] == posted[1].delivery_id
    assert built["built"]["upto"] == list(posted[-1].position)
    assert built["built"]["report"]["deliveries"] == 4
    assert digest_of(data / "new.db", engine) == engine.digest()


def test_it_writes_nothing_but_its_file(engine: Engine, data: Path) -> None:
    fill(engine)
    before = {path: path.read_bytes() for path in data.rglob("*") if path.suffix in {".gz", ".db"}}
    with building(data, data / "new.db") as child:
        told(child)
    after = {path: path.read_bytes() for path in data.rglob("*") if path.suffix in {".gz", ".db"}}
    assert after.pop(data / "new.db")
    assert after == before


@pytest.mark.scenario("reindex", "Builder lets everything else go first")
def test_everything_else_goes_first(engine: Engine, data: Path) -> None:
    posted = fill(engine)
    with leased(body_path(engine, posted[2])) as lease, building(data, data / "new.db") as child:
        lease.wait()
        assert os.getpriority(os.PRIO_PROCESS, child.pid) == 19
        lease.release()
        assert child.wait(PATIENCE_S) == 0


@pytest.mark.scenario("reindex", "Builder lets everything else go first")
def test_room_is_left_for_what_the_phone_sends(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    progress(data, 0)(1, 2)
    assert json.loads(capsys.readouterr().out) == {"done": 1, "total": 2}
    with pytest.raises(DiskFull):
        progress(data, 1 << 62)(1, 2)


@pytest.mark.scenario("reindex", "Builder ends with the service")
def test_it_ends_in_the_middle_of_a_body_when_its_leash_is_let_go(
    engine: Engine, data: Path
) -> None:
    posted = fill(engine)
    with leased(body_path(engine, posted[2])) as lease, building(data, data / "new.db") as child:
        lease.wait()
        assert child.stdin is not None
        child.stdin.close()
        assert child.wait(PATIENCE_S) == 1


def test_why_it_gave_up_is_told(data: Path) -> None:
    with building(data, data / "new.db") as child:
        [line] = told(child)
        assert child.wait(PATIENCE_S) == 1
    assert "journal.db is not there" in line["gave_up"]
    assert list(data.iterdir()) == []


def test_a_file_that_is_there_is_left_alone(data: Path) -> None:
    into = data / "there.db"
    into.write_bytes(b"mine")
    ran = command("rebuild", "--into", into, "--data", data)
    assert (ran.returncode, "there is a file of that name already" in ran.stderr) == (2, True)
    assert into.read_bytes() == b"mine"
