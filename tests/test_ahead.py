"""Deliveries prepared ahead of their fold by other processes: sooner, and nothing else."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from healthlog import planning
from healthlog.ahead import FEWEST, Ahead, Worker, processes, started
from healthlog.mart.digest import digest
from healthlog.mart.store import open_mart
from healthlog.model import Delivery
from healthlog.planning import Prepared
from healthlog.preparing import Preparer, receive, send
from healthlog.reindex import Report
from tests.support.bodies import NO_JSON, ONE_DAY, PARTIAL, TWO_DAYS, body, days, metric, minutes
from tests.support.ending import Watched
from tests.support.engine import Engine
from tests.support.folding import no_check
from tests.support.patience import PATIENCE_S
from tests.support.replaying import scripted
from tests.support.sources import ROOT


def preparer(engine: Engine, timeout_s: float = 60.0) -> Preparer:
    return Preparer(engine.house.archive, engine.clock, timeout_s)


@pytest.fixture
def worker(engine: Engine) -> Iterator[Worker]:
    """One that has started."""
    [made] = started(1, engine.house.data, 60.0)
    with Ahead(engine.find, [made]):
        assert made.is_ready(PATIENCE_S)
        yield made


# What can be prepared


@pytest.mark.parametrize("content", [TWO_DAYS, PARTIAL, minutes(90), b'{"data":{}}'])
def test_what_is_prepared_is_what_the_fold_would_plan(engine: Engine, content: bytes) -> None:
    one = engine.post(content)
    found = preparer(engine).prepared(one)
    heard = planning.hear(one, content, no_check)
    planned = planning.plan(heard, lambda: None)
    assert found is not None
    assert found.own_layer == heard.own_layer
    for name in ("layer", "layer_origin", "series", "records", "quarters", "uncovered"):
        assert getattr(found.plan, name) == getattr(planned, name)


@pytest.mark.parametrize("content", [NO_JSON, ONE_DAY], ids=["malformed", "layer of another"])
def test_what_fails_or_inherits_is_left(engine: Engine, content: bytes) -> None:
    assert preparer(engine).prepared(engine.post(content)) is None


def test_a_body_that_is_gone_is_left(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    engine.house.archive.body_path(one.delivery_id).unlink()
    assert preparer(engine).prepared(one) is None


def test_what_takes_too_long_is_left(engine: Engine) -> None:
    assert preparer(engine, timeout_s=-1.0).prepared(engine.post(TWO_DAYS)) is None


def test_a_body_that_has_to_be_read_again_is_left(engine: Engine) -> None:
    stamps = [f"{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}" for n in range(60_000)]
    points = {f"2026-05-03 {stamp} +0200": 1.0 for stamp in stamps}
    one = engine.post(body(metric("step_count", points)), aggregation="Seconds")
    assert preparer(engine).prepared(one) is None


def test_values_pass_through_a_stream_one_after_the_other() -> None:
    stream = io.BytesIO()
    for value in (None, {"a": [1]}, "x" * 100_000):
        send(stream, value)
    packed = stream.getvalue()
    stream.seek(0)
    assert [receive(stream) for _ in range(3)] == [None, {"a": [1]}, "x" * 100_000]
    for cut in (0, 3, 9):
        with pytest.raises(EOFError):
            receive(io.BytesIO(packed[:cut]))


# Who prepares it


def test_one_core_is_better_left_alone() -> None:
    assert (processes(1), processes(2), processes(64)) == (0, 1, 2)


def test_a_worker_answers_what_it_is_asked(engine: Engine, worker: Worker) -> None:
    posted = [engine.post(one) for one in (TWO_DAYS, NO_JSON, PARTIAL)]
    for one in posted:
        worker.ask(one)
    answers = [worker.answer(one.delivery_id) for one in posted]
    assert [isinstance(answer, Prepared) for answer in answers] == [True, False, True]
    assert answers[0] == preparer(engine).prepared(posted[0])


def test_what_nobody_comes_for_is_passed_over(engine: Engine, worker: Worker) -> None:
    posted = [engine.post(one) for one in (TWO_DAYS, PARTIAL)]
    ahead = Ahead(engine.find, [worker])
    ahead.look(["", *(one.delivery_id for one in posted)], 0)
    assert ahead.take(posted[1]) == preparer(engine).prepared(posted[1])
    assert ahead.take(engine.post(TWO_DAYS)) is None


def test_a_worker_that_was_killed_has_nothing_to_say(engine: Engine, worker: Worker) -> None:
    one = engine.post(TWO_DAYS)
    os.kill(worker.pid, signal.SIGKILL)
    assert Watched(worker.pid).has_ended()
    for _ in range(3):
        worker.ask(one)
        assert worker.answer(one.delivery_id) is None


def test_a_worker_ends_when_nobody_asks_any_more(engine: Engine, worker: Worker) -> None:
    watched = Watched(worker.pid)
    worker._child.asked.close()
    assert watched.has_ended()


FORKED = """
import sys
from pathlib import Path
from healthlog.ahead import started
from healthlog.archive.store import Archive
from healthlog.base import fork
from healthlog.base.clock import SystemClock
from healthlog.preparing import Preparer

data = Path(sys.argv[1])
archive = Archive(data)
[one] = [archive.delivery(found) for found in archive.scan()]
assert fork.is_safe()
[worker] = started(1, data, 60.0)
assert worker.is_ready(20.0)
worker.ask(one)
expected = Preparer(archive, SystemClock(), 60.0).prepared(one)
assert expected is not None
assert worker.answer(one.delivery_id) == expected
worker.close()
"""


def test_a_copy_of_the_process_prepares_the_same(engine: Engine) -> None:
    engine.post(TWO_DAYS)
    command = [
        sys.executable,
        "-W",
        "error::DeprecationWarning",
        "-c",
        FORKED,
        str(engine.house.data),
    ]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


class Slow(Worker):
    """One that has no answer until it was asked for it so often."""

    def __init__(self, prepare: Callable[[Delivery], Prepared | None], looks: int) -> None:
        self._prepare = prepare
        self._looks = looks
        self._asked_for: dict[str, Delivery] = {}
        self.waiting = 0

    def is_ready(self, patience_s: float = 0.0) -> bool:
        return True

    def has_answer(self, patience_s: float = 0.0) -> bool:
        self._looks -= 1
        return self._looks < 0

    def ask(self, delivery: Delivery) -> None:
        self.waiting += 1
        self._asked_for[delivery.delivery_id] = delivery

    def answer(self, delivery_id: str) -> Prepared | None:
        self.waiting -= 1
        return self._prepare(self._asked_for[delivery_id])

    def close(self) -> None:
        """It is no process."""


@pytest.mark.scenario("reindex", "Deliveries prepared ahead make the same mart")
@pytest.mark.parametrize(("looks", "own"), [(0, 0), (1, 1), (2, 2), (50, 3)])
def test_instead_of_waiting_some_are_prepared_by_the_one_that_waits(
    engine: Engine, looks: int, own: int
) -> None:
    posted = [engine.post(minutes(30, hour)) for hour in range(12)]
    mine: list[str] = []

    def prepare(one: Delivery) -> Prepared | None:
        mine.append(one.delivery_id)
        return preparer(engine).prepared(one)

    worker = Slow(preparer(engine).prepared, looks)
    ahead = Ahead(engine.find, [worker], prepare)
    ids = [one.delivery_id for one in posted]
    ahead.look(ids, 0)
    assert ahead.take(posted[0]) is None  # nobody was asked for the first
    assert ahead.take(posted[1]) == preparer(engine).prepared(posted[1])
    assert mine == ids[4 : 4 + own]
    for number, one in enumerate(posted[2:], 2):
        ahead.look(ids, number)
        assert ahead.find(one.delivery_id) == one
        assert ahead.take(one) == preparer(engine).prepared(one)


# Replays


def fill(engine: Engine) -> list[Delivery]:
    """More deliveries than are worth the start of a worker, of which some fail or inherit."""
    bodies = [
        *(minutes(40 + number, number % 20) for number in range(FEWEST)),
        *(days({f"2026-05-{day:02}": day, "2026-05-28": day}) for day in range(1, 20)),
        *(NO_JSON, PARTIAL, ONE_DAY, TWO_DAYS),
    ]
    return [engine.post(one, automation_id="A") for one in bodies]


def replayed(engine: Engine, path: Path, **options: Any) -> tuple[Report, str, dict[str, Any]]:
    replay = engine.replay(**options)
    report = replay.into(path)
    mart = open_mart(path, engine.clock, "wal")
    try:
        return report, mart.read(digest).sha256, replay.failed
    finally:
        mart.close()


def test_what_was_prepared_is_folded_as_if_it_had_not_been(engine: Engine, tmp_path: Path) -> None:
    posted = fill(engine)
    prepared: list[Prepared] = []

    def ahead(one: Delivery) -> Prepared | None:
        found = preparer(engine).prepared(one)
        prepared.extend([found] if found else [])
        return found

    engine.worker(engine.player(ahead=ahead)).run_pass()
    _, expected, failed = replayed(engine, tmp_path / "alone.db", workers=0)
    assert engine.digest().sha256 == expected
    assert engine.statuses(*posted).count("failed") == len(failed) == 1
    assert len(prepared) > FEWEST


@pytest.mark.scenario("reindex", "Deliveries prepared ahead make the same mart")
def test_a_replay_with_workers_makes_the_same_mart(engine: Engine, tmp_path: Path) -> None:
    fill(engine)
    alone = replayed(engine, tmp_path / "alone.db", workers=0)
    together = replayed(engine, tmp_path / "together.db", workers=2)
    assert together == alone
    assert alone[0].outcome.malformed == 1


@pytest.mark.scenario("reindex", "Deliveries prepared ahead make the same mart")
def test_a_replay_goes_on_without_workers_that_die(engine: Engine, tmp_path: Path) -> None:
    posted = fill(engine)
    alone = replayed(engine, tmp_path / "alone.db", workers=0)
    found = started(2, engine.house.data, 60.0)
    prepared = 0
    with Ahead(engine.find, found) as ahead:
        assert all(one.is_ready(PATIENCE_S) for one in found)
        ids = [one.delivery_id for one in posted]
        for number, one in enumerate(posted):
            ahead.look(ids, number)
            if number == 10:
                os.kill(found[0].pid, signal.SIGKILL)
            prepared += ahead.take(one) is not None
    assert 10 < prepared < len(posted)
    assert replayed(engine, tmp_path / "again.db", workers=2) == alone


def test_a_replay_that_breaks_off_leaves_no_worker(engine: Engine, tmp_path: Path) -> None:
    fill(engine)
    had = {*Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()}
    before = partial(_break_at, iter(range(5)))
    with pytest.raises(ZeroDivisionError):
        engine.replay(workers=1, progress=before).into(tmp_path / "new.db")
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    assert {*children} <= had


def _break_at(left: Iterator[int], _done: int, _total: int) -> None:
    if next(left, None) is None:
        raise ZeroDivisionError


def test_few_deliveries_are_worth_no_worker(engine: Engine, tmp_path: Path) -> None:
    engine.post(TWO_DAYS)
    read: list[Delivery] = []
    archive = scripted(engine, read.append)
    report = engine.replay(archive=archive, workers=2).into(tmp_path / "new.db")
    assert (report.outcome.folded, len(read)) == (1, 1)
