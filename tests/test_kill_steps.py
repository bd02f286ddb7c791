"""A process ended at every step between the part file and the written outcome, then a new start."""

from __future__ import annotations

import os
import sqlite3
import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from healthlog.base.db import Database
from healthlog.fold import Folder
from healthlog.mart.digest import digest
from healthlog.mart.store import Mart
from tests.support.accepting import journal_ids
from tests.support.bodies import ONE_DAY, PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.disk import WatchedDisk
from tests.support.engine import Engine, open_engine

T = TypeVar("T")

KILLED = 9
LATER_S = 3600.0


@dataclass(frozen=True, slots=True)
class WatchedMart:
    """A mart that tells a watched disk of each transaction."""

    mart: Mart
    disk: WatchedDisk

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return self.mart.read(work)

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        self.disk.note("begin fold")
        result = self.mart.write(work)
        self.disk.note("fold")
        return result


def live(data: Path, step: int) -> None:
    """Accepts and folds; ends, as by SIGKILL, at the `step`-th event behind the first delivery."""
    clock = FakeClock()
    with open_engine(data, clock) as engine:
        disk = engine.house.disk
        player = engine.player(folder=Folder(WatchedMart(engine.mart, disk), clock))
        worker = engine.worker(player)
        engine.post(TWO_DAYS, automation_id="A")
        worker.run_pass()
        disk.events.clear()
        disk.accidents = Ending(disk, step)
        acknowledged = data / "acknowledged"
        for body in (minutes(60), ONE_DAY, PARTIAL):
            one = engine.post(body, automation_id="A")
            with acknowledged.open("a") as file:  # the answer 200
                file.write(f"{one.delivery_id}\n")
            worker.run_pass()


class Ending(dict[str, Callable[[], object]]):
    """Accidents that end this process with the `step`-th event of a disk, whichever it is; nothing
    is cleaned up, no file is closed."""

    def __init__(self, disk: WatchedDisk, step: int) -> None:
        super().__init__()
        self._disk = disk
        self._step = step

    def get(self, event: str, *_: object) -> None:  # type: ignore[override]
        """Asked by the disk at each event."""
        if len(self._disk.events) == self._step:
            os._exit(KILLED)


def ended(data: Path, step: int) -> int:
    """How a process ended that lived until that step."""
    with warnings.catch_warnings():
        # This process has threads of other tests at most; the child uses nothing of theirs.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 70
        try:
            live(data, step)
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def assert_whole(engine: Engine, acknowledged: list[str]) -> None:
    """Every row that counts as folded agrees with the mart, and nothing answered is missing."""
    for delivery_id in journal_ids(engine.journal):
        delivery = engine.find(delivery_id)
        assert delivery is not None
        entry = engine.entry(delivery)
        assert entry.parse_status in {"parsed", "partial"}
        assert entry.account == engine.line(delivery)
    assert set(acknowledged) <= set(journal_ids(engine.journal))
    assert journal_ids(engine.journal) == engine.house.bodies()


@pytest.mark.scenario("operations", "Kill at each step leaves no half delivery")
def test_a_kill_at_each_step_leaves_no_half_delivery(tmp_path: Path) -> None:
    step = 0
    found: set[tuple[int, int]] = set()
    while True:
        step += 1
        data = tmp_path / str(step)
        data.mkdir()
        status = ended(data, step)
        assert status in {0, KILLED}
        found.add(check(data))
        if status == 0:
            break
    assert step > 40
    # What was not yet accepted is missing; nothing else ever differs.
    assert found == {(1, 2), (2, 62), (3, 63), (4, 65)}


def check(data: Path) -> tuple[int, int]:
    """Starts again where a process was ended; how many rows and points there are then."""
    file = data / "acknowledged"
    acknowledged = file.read_text().split() if file.exists() else []
    clock = FakeClock()
    clock.advance(LATER_S)
    with open_engine(data, clock) as engine:
        engine.restart()
        engine.fold_all()
        assert_whole(engine, acknowledged)
        assert engine.said("mart set aside") == []
        replayed = data / "replayed.db"
        engine.replay().into(replayed)
        with closing(Database(replayed, clock=clock, readonly=True)) as mart:
            assert mart.read(digest) == engine.digest()
        return len(engine.house.rows()), engine.digest().points
