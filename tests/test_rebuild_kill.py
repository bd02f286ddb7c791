"""A process ended at every step of the swap, from the builder's end to the last outcome."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from healthlog.mart.digest import Digest
from healthlog.mart.store import sweep
from tests.support.accepting import SECOND_US
from tests.support.aftermath import LATER_US, restarted
from tests.support.bodies import minutes
from tests.support.clock import MORNING_US, FakeClock
from tests.support.engine import Engine, open_engine
from tests.support.killed import KILLED, die, ended
from tests.support.rebuilding import Yard, fill, site_of

CALLS = {"open", "os.rename", "os.remove", "sqlite3.connect"}
"""What the interpreter tells of, before it is done, of what changes files."""


def before(data: Path) -> Digest:
    """A log that an earlier parser folded, with a delivery that it accepted last."""
    with open_engine(data, FakeClock()) as engine:
        fill(site_of(engine))
        return engine.digest()


@contextmanager
def going_on(data: Path) -> Iterator[Yard]:
    """A later process over that log."""
    with open_engine(data, FakeClock(MORNING_US + 3_600 * SECOND_US)) as engine:
        engine.restart()
        yield site_of(engine)


def live(data: Path, step: int) -> None:
    """Rebuilds; ends, as by SIGKILL, just before the `step`-th thing it does to a file once the
    new mart is built."""
    with going_on(data) as yard:
        yard.due()
        yard.run_pass()
        yard.builder.run()
        yard.engine.post(minutes(5, 20), automation_id="A")
        yard.engine.fold_all()
        end_at(step, yard.engine)
        yard.run_pass()
        assert yard.is_done()


def end_at(step: int, engine: Engine) -> None:
    """Ends this process at a step from now on, with nothing cleaned up and no file closed."""
    steps = [0]

    def begin() -> None:
        steps[0] += 1
        if steps[0] == step:
            die()

    def hear(event: str, _: object) -> None:
        if event in CALLS:
            begin()

    engine.house.disk.accidents = {"begin rows": begin, "rows": begin}
    sys.addaudithook(hear)


@pytest.mark.slow
@pytest.mark.scenario("reindex", "Kill at each step of the swap is survived")
def test_a_kill_at_each_step_of_the_swap_is_survived(tmp_path: Path) -> None:
    prepared = tmp_path / "prepared"
    prepared.mkdir()
    wanted = before(prepared).points + 5
    step, status = 0, KILLED
    swapped = []
    while status == KILLED:
        step += 1
        data = tmp_path / str(step)
        shutil.copytree(prepared, data)
        status = ended(partial(live, data, step))
        swapped.append(not list(data.glob("mart.db.new-*[0-9a-f]")))
        assert restarted(data).points == wanted
        finished(data)
    assert (status, step > 20) == (0, True)
    # Before the rename everything was as before, after it the new mart was in place.
    assert swapped == sorted(swapped)
    assert {*swapped} == {False, True}


def finished(data: Path) -> None:
    """The next start: what is left is swept, what is still due is done."""
    with open_engine(data, FakeClock(LATER_US)) as engine:
        sweep(engine.mart.path)
        engine.restart()
        yard = site_of(engine)
        yard.due()
        yard.run_pass()
        if yard.builder.started:
            yard.builder.run()
            yard.run_pass()
        assert yard.is_done()
