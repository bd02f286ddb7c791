"""The worker: what wakes it, how it walks the queue, what costs it a pass, how it ends."""

from __future__ import annotations

import queue as queues
import random
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from healthlog.base.errors import DiskFull, IOFault
from healthlog.base.runtime import supervised
from healthlog.model import Delivery, Verdict
from healthlog.replay import Player
from healthlog.worker import Position, Worker
from tests.support.accepting import SECOND_US, delivery, insert
from tests.support.bodies import TWO_DAYS
from tests.support.clock import MORNING_US
from tests.support.engine import Engine
from tests.support.patience import PATIENCE_S


def ids(*deliveries: Delivery) -> list[str]:
    return [one.delivery_id for one in deliveries]


def acting(engine: Engine, act: Callable[[int], object]) -> Player:
    """A player that calls `act(n)` before its n-th play, counted from 1."""

    def find(delivery_id: str) -> Delivery | None:
        found = engine.find(delivery_id)
        act(len(engine.played))
        return found

    return engine.player(find=find)


# The walk


@pytest.mark.scenario("worker", "Pass follows the order of the journal")
def test_a_pass_follows_the_order_of_the_journal(engine: Engine) -> None:
    posted = [delivery(number) for number in range(25)]
    shuffled = random.Random(1).sample(posted, len(posted))
    insert(engine.journal, *shuffled)
    engine.worker(page=10).run_pass()
    assert engine.played == ids(*posted)


@pytest.mark.scenario("worker", "Row behind the cursor waits for the next pass")
def test_a_row_behind_the_cursor_waits_for_the_next_pass(engine: Engine) -> None:
    first, *rest = (delivery(number) for number in range(5))
    insert(engine.journal, *rest)
    player = acting(engine, lambda n: insert(engine.journal, first) if n == 1 else None)
    worker = engine.worker(player, page=2)
    worker.run_pass()
    assert engine.played == ids(*rest)
    worker.run_pass()
    assert engine.played == ids(*rest, first)


@pytest.mark.scenario("worker", "Pass ends though a row stays pending")
def test_a_pass_ends_though_a_row_stays_pending(engine: Engine) -> None:
    posted = [engine.post(TWO_DAYS) for _ in range(3)]

    def keep(delivery_id: str, verdict: Verdict) -> None:
        if delivery_id == posted[1].delivery_id:
            raise DiskFull("no room")
        engine.keep(delivery_id, verdict)

    outcome = engine.worker(engine.player(keep=keep), page=1).run_pass()
    assert engine.played == ids(*posted)
    assert engine.statuses(*posted) == ["parsed", "pending", "parsed"]
    assert (outcome.folded, outcome.left_pending) == (2, 1)


@pytest.mark.scenario("worker", "Two circumstances in a row end the pass")
def test_two_circumstances_in_a_row_end_the_pass(engine: Engine) -> None:
    posted = [engine.post(TWO_DAYS) for _ in range(5)]
    full = [True]

    def read_body(one: Delivery) -> bytes:
        if full:
            raise DiskFull("no room")
        return engine.house.archive.body(one)

    worker = engine.worker(engine.player(read_body=read_body))
    assert worker.run_pass().left_pending == 2
    assert engine.played == ids(*posted[:2])
    assert engine.statuses(*posted) == ["pending"] * 5
    full.clear()
    worker.run_pass()  # as the tick has it
    assert engine.played == ids(*posted[:2], *posted[2:], *posted[:2])
    assert engine.statuses(*posted) == ["parsed"] * 5


@pytest.mark.scenario("worker", "What could not be folded comes last the next time")
def test_two_bodies_that_cannot_be_read_do_not_hold_up_the_others(engine: Engine) -> None:
    posted = [engine.post(TWO_DAYS) for _ in range(5)]

    def read_body(one: Delivery) -> bytes:
        if one in posted[1:3]:
            raise IOFault("the device failed")
        return engine.house.archive.body(one)

    worker = engine.worker(engine.player(read_body=read_body), page=2)
    for _ in range(3):
        worker.run_pass()
    assert engine.played == ids(*posted[:3], *posted[3:], *posted[1:3], *posted[1:3])
    assert engine.statuses(*posted) == ["parsed", "pending", "pending", "parsed", "parsed"]


def test_a_stop_forgets_nothing_of_what_could_not_be_folded(engine: Engine) -> None:
    posted = [engine.post(TWO_DAYS) for _ in range(4)]
    working = [False]

    def read_body(one: Delivery) -> bytes:
        if not working[0]:
            raise IOFault("the device failed")
        worker.stop()
        return engine.house.archive.body(one)

    worker = engine.worker(engine.player(read_body=read_body))
    worker.run_pass()
    working[0] = True
    worker.run_pass()
    assert engine.played == ids(*posted[:2], posted[2])
    assert engine.statuses(*posted) == ["pending", "pending", "parsed", "pending"]


def test_two_circumstances_apart_do_not_end_the_pass(engine: Engine) -> None:
    posted = [engine.post(TWO_DAYS) for _ in range(5)]

    def read_body(one: Delivery) -> bytes:
        if posted.index(one) % 2 == 0:
            raise IOFault("the device failed")
        return engine.house.archive.body(one)

    outcome = engine.worker(engine.player(read_body=read_body)).run_pass()
    assert (outcome.folded, outcome.left_pending) == (2, 3)
    assert engine.played == ids(*posted)


# Failures


@pytest.mark.scenario("worker", "Failing query ends the pass and not the loop")
def test_a_failing_query_ends_the_pass_and_not_the_loop(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    work = engine.work()
    failing = [True]
    ended: queues.Queue[str] = queues.Queue()

    def page(after: Position, limit: int) -> list[Position]:
        if failing:
            failing.clear()
            ended.put("failed")
            raise IOFault("the device failed")
        found = work.pending_page(after, limit)
        if not found:
            ended.put("walked")
        return found

    worker = engine.worker(work=replace(work, pending_page=page))
    thread = threading.Thread(target=worker.run)
    thread.start()
    assert ended.get(timeout=PATIENCE_S) == "failed"
    worker.wake()
    assert ended.get(timeout=PATIENCE_S) == "walked"
    worker.stop()
    thread.join(PATIENCE_S)
    [line] = engine.said("pass failed")
    assert (line["level"], line["error"]) == ("ERROR", "IOFault: the device failed")
    assert engine.statuses(one) == ["parsed"]


def test_what_fails_before_a_pass_costs_that_pass_alone(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    failing = [DiskFull("no room")]

    def before_pass() -> None:
        while failing:
            raise failing.pop()

    worker = engine.worker(work=replace(engine.work(), before_pass=before_pass))
    worker.run_pass()
    assert engine.statuses(one) == ["pending"]
    worker.run_pass()
    assert engine.statuses(one) == ["parsed"]
    assert len(engine.said("pass failed")) == 1


def test_the_state_tells_of_a_worker_that_died(engine: Engine) -> None:
    class Mortal(Worker):
        def run_pass(self) -> None:  # type: ignore[override]
            raise SystemError("outside of any pass")

    died = threading.Event()
    worker = Mortal(
        engine.work(),
        engine.player(),
        log=engine.house.log,
        clock=engine.clock,
        tick_s=3600,
        lag_warning_s=300,
    )
    thread = supervised("worker", worker.run, engine.house.log, died.set)
    thread.start()
    assert died.wait(PATIENCE_S)
    thread.join(PATIENCE_S)
    assert not worker.state.alive
    [line] = engine.said("thread died")
    assert (line["level"], line["thread"]) == ("ERROR", "worker")


# The stop


@pytest.mark.scenario("worker", "Stop lets the running fold end")
def test_a_stop_lets_the_running_fold_end(engine: Engine) -> None:
    posted = [engine.post(TWO_DAYS) for _ in range(3)]
    worker = engine.worker(acting(engine, lambda _: worker.stop()))
    worker.run()  # comes back
    assert engine.statuses(*posted) == ["parsed", "pending", "pending"]
    assert not worker.state.alive


def test_a_worker_stopped_before_its_first_pass_folds_nothing(engine: Engine) -> None:
    engine.post(TWO_DAYS)
    worker = engine.worker()
    worker.stop()
    worker.run()
    assert (engine.played, worker.state.passes) == ([], 0)


# What is seen of it


@pytest.mark.scenario("worker", "Backlog at start is named once")
def test_the_backlog_at_start_is_named_once(engine: Engine) -> None:
    for _ in range(12):
        engine.post(TWO_DAYS)
    worker = engine.worker()
    for _ in range(3):
        worker.run_pass()
    [line] = engine.said("backlog at start")
    assert (line["level"], line["pending"]) == ("INFO", 12)


@pytest.mark.scenario("worker", "Long wait is warned of")
def test_a_long_wait_is_warned_of(engine: Engine) -> None:
    engine.clock.set(MORNING_US - 86_400 * SECOND_US)
    engine.post(TWO_DAYS)
    engine.clock.set(MORNING_US)
    worker = engine.worker()
    worker.run_pass()
    assert engine.said("delivery waited too long") == []
    engine.clock.set(MORNING_US - 1 * SECOND_US)
    first = engine.post(TWO_DAYS)
    engine.clock.advance(1)
    engine.post(TWO_DAYS)
    engine.clock.set(first.received_at_us + 301 * SECOND_US)
    worker.run_pass()
    [line] = engine.said("delivery waited too long")
    assert line["level"] == "WARN"
    assert (line["delivery_id"], line["waited_s"]) == (first.delivery_id, 301)


def test_the_state_counts_passes_and_what_they_folded(engine: Engine) -> None:
    worker = engine.worker()
    assert (worker.state.passes, worker.state.last_pass_started_at_us) == (0, None)
    engine.post(TWO_DAYS)
    engine.post(b"{}}")
    begun_us = engine.clock.wall_us
    worker.run_pass()
    state = worker.state
    assert (state.passes, state.folded) == (1, 1)
    assert state.last_pass_started_at_us == state.last_pass_finished_at_us == begun_us
