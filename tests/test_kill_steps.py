"""A process ended at every step between the part file and the written outcome, then a new start."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from healthlog.fold import Folder
from healthlog.mart.store import Mart
from tests.support.aftermath import restarted
from tests.support.bodies import ONE_DAY, PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.disk import WatchedDisk
from tests.support.engine import open_engine
from tests.support.killed import KILLED, die, ended

T = TypeVar("T")


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
            die()


@pytest.mark.slow
@pytest.mark.scenario("operations", "Kill at each step leaves no half delivery")
def test_a_kill_at_each_step_leaves_no_half_delivery(tmp_path: Path) -> None:
    step = 0
    found: set[int] = set()
    status = KILLED
    while status == KILLED:
        step += 1
        data = tmp_path / str(step)
        data.mkdir()
        status = ended(partial(live, data, step))
        answered = data / "acknowledged"
        acknowledged = answered.read_text().split() if answered.exists() else []
        found.add(restarted(data, *acknowledged).points)
    assert (status, step > 40) == (0, True)
    # The points of one, two, three, all four deliveries: what was not accepted is missing.
    assert found == {2, 62, 63, 65}
