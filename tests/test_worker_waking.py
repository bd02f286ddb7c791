"""The worker's thread: what wakes it, what it does then, how it lives."""

from __future__ import annotations

import queue as queues
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Self

import pytest

from healthlog.base.errors import DiskFull
from healthlog.base.runtime import supervised
from healthlog.model import Delivery, Verdict
from healthlog.worker import Position, Work
from tests.support.bodies import TWO_DAYS
from tests.support.engine import Engine
from tests.support.patience import PATIENCE_S


def ids(*deliveries: Delivery) -> list[str]:
    return [one.delivery_id for one in deliveries]


# Waking


class Loop:
    """A worker in its thread, told by a queue of the passes it has ended."""

    def __init__(self, engine: Engine, tick_s: float = 3600.0) -> None:
        self.passes: queues.Queue[int] = queues.Queue()
        work = engine.work()
        self.worker = engine.worker(
            work=replace(work, pending_page=self._page(work)), tick_s=tick_s
        )
        self.thread = supervised("worker", self.worker.run, engine.house.log, lambda: None)

    def _page(self, work: Work) -> Callable[[Position, int], list[Position]]:
        def page(after: Position, limit: int) -> list[Position]:
            found = work.pending_page(after, limit)
            if not found:
                self.passes.put(self.worker.state.passes)
            return found

        return page

    def ended(self) -> int:
        """The number of the next pass that has read its last page."""
        return self.passes.get(timeout=PATIENCE_S)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.worker.stop()
        self.thread.join(PATIENCE_S)
        assert not self.thread.is_alive()


@pytest.mark.scenario("worker", "Many signals before a pass are one pass")
def test_many_signals_before_a_pass_are_one_pass(engine: Engine) -> None:
    loop = Loop(engine)
    posted = [engine.post(TWO_DAYS) for _ in range(5)]
    for _ in posted:
        loop.worker.wake()
    with loop:
        assert loop.ended() == 1
    assert engine.played == ids(*posted)
    assert loop.worker.state.passes == 1


@pytest.mark.scenario("worker", "Signal during a pass starts another")
def test_a_signal_during_a_pass_starts_another(engine: Engine) -> None:
    late: list[Delivery] = []
    work = engine.work()
    ended: queues.Queue[int] = queues.Queue()

    def page(after: Position, limit: int) -> list[Position]:
        found = work.pending_page(after, limit)
        if not found:
            if not late:  # behind the last page of the first pass
                late.append(engine.post(TWO_DAYS))
                worker.wake()
            ended.put(worker.state.passes)
        return found

    worker = engine.worker(work=replace(work, pending_page=page))
    thread = threading.Thread(target=worker.run)
    thread.start()
    assert ended.get(timeout=PATIENCE_S) == 1
    assert ended.get(timeout=PATIENCE_S) == 2
    worker.stop()
    thread.join(PATIENCE_S)
    assert engine.statuses(*late) == ["parsed"]


@pytest.mark.scenario("worker", "Tick starts a pass without a signal")
def test_the_tick_starts_a_pass_without_a_signal(engine: Engine) -> None:
    left = engine.post(TWO_DAYS)
    failing = [True]
    played: queues.Queue[str] = queues.Queue()

    def keep(delivery_id: str, verdict: Verdict) -> None:
        if failing.pop() if failing else False:
            raise DiskFull("no room")
        engine.keep(delivery_id, verdict)
        played.put(delivery_id)

    worker = engine.worker(engine.player(keep=keep), tick_s=0.01)
    thread = threading.Thread(target=worker.run)
    thread.start()
    # Nobody wakes it: only a tick can bring this.
    assert played.get(timeout=PATIENCE_S) == left.delivery_id
    worker.stop()
    thread.join(PATIENCE_S)
    assert engine.statuses(left) == ["parsed"]
    assert worker.state.passes > 1


@pytest.mark.scenario("worker", "Rows of an earlier run are folded first")
def test_rows_of_an_earlier_run_are_folded_first(engine: Engine) -> None:
    posted = [engine.post(TWO_DAYS) for _ in range(3)]
    engine.restart()
    loop = Loop(engine)
    posted.append(engine.post(TWO_DAYS))
    loop.worker.wake()
    with loop:
        loop.ended()
    assert engine.played == ids(*posted)


@pytest.mark.scenario("journal", "Tick writes the owed row")
def test_the_tick_writes_the_owed_row(engine: Engine) -> None:
    engine.house.disk.fail("begin rows", DiskFull("no room"))
    with pytest.raises(DiskFull):
        engine.post(TWO_DAYS)
    engine.house.disk.accidents.clear()
    assert engine.house.rows() == []
    with Loop(engine, tick_s=0.01) as loop:
        loop.ended()
    [owed] = engine.house.rows()
    assert engine.played == [owed]
    assert engine.intake.owed == 0


def test_a_running_worker_is_alive(engine: Engine) -> None:
    with Loop(engine) as loop:
        loop.ended()
        assert loop.worker.state.alive
    assert not loop.worker.state.alive
