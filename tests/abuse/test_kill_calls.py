"""Killed just before every call to the file system of an acceptance, a fold, a replay, a swap."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from healthlog.model import Account, Failure, Verdict
from tests.support.aftermath import restarted
from tests.support.bodies import NO_JSON, PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.earlier import age
from tests.support.engine import open_engine
from tests.support.lease import leased
from tests.support.patience import PATIENCE_S
from tests.support.process import Child, serving
from tests.support.strace import INSTALLED, Trace, counted, killing, noting, traced
from tests.support.telling import Tell

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not INSTALLED, reason="strace is not installed"),
]

Life = Callable[[Path, Trace], tuple[bool, list[str]]]
"""Whether it came to its end, with the ids of what was answered 200."""


def accepting(data: Path, trace: Trace) -> tuple[bool, list[str]]:
    """A life in which a delivery is posted."""
    with serving(data) as child:
        child.until("backlog at start")
        with trace(child.process.pid):
            acknowledged = posted(child, minutes(300))
            if not acknowledged:
                child.process.wait(PATIENCE_S)
        child.kill()
        return bool(acknowledged), acknowledged


def posted(child: Child, body: bytes) -> list[str]:
    try:
        status, answer = child.post(body, automation_id="A")
    except (ConnectionError, http.client.HTTPException, json.JSONDecodeError):
        return []
    assert status == 200
    return [answer["delivery_id"]]


def folding(data: Path, trace: Trace) -> tuple[bool, list[str]]:
    """A life in which a delivery of an earlier one is folded."""
    with open_engine(data, FakeClock()) as engine:
        first = engine.post(TWO_DAYS, automation_id="A").delivery_id
        engine.fold_all()
        second = engine.post(PARTIAL, automation_id="A").delivery_id
    [body] = data.glob(f"archive/*/*/*/{second}.json.gz")
    with leased(body) as lease, serving(data) as child:
        lease.wait()
        with trace(child.process.pid):
            lease.release()
            told = any(line["msg"] == "delivery folded" for line in iter(child.following, None))
            if not told:
                child.process.wait(PATIENCE_S)
        child.kill()
        return told, [first, second]


def reindexing(data: Path, trace: Trace) -> tuple[bool, list[str]]:
    """A life of `reindex`, from the fold of the last body to the last outcome."""
    with open_engine(data, FakeClock()) as engine:
        sent = (TWO_DAYS, NO_JSON, PARTIAL, minutes(30))
        posted = [engine.post(one, automation_id="A") for one in sent]
        engine.fold_all()
        # As if earlier rules had come to other results.
        for one in posted[:2]:
            engine.keep(one.delivery_id, Verdict(Account(7), Failure("internal", "broke")))
    [body] = data.glob(f"archive/*/*/*/{posted[-1].delivery_id}.json.gz")
    status = traced(body, trace, "reindex", "--data", data)
    return status == 0, [one.delivery_id for one in posted]


def swapping(data: Path, trace: Trace) -> tuple[bool, list[str]]:
    """A life in which a mart is rebuilt beside, from the last body that the builder reads; what
    the builder itself does isn't traced."""
    with open_engine(data, FakeClock()) as engine:
        sent = (TWO_DAYS, NO_JSON, PARTIAL, minutes(30))
        posted = [engine.post(one, automation_id="A") for one in sent]
        engine.fold_all()
        age(engine)
    [body] = data.glob(f"archive/*/*/*/{posted[-1].delivery_id}.json.gz")
    with leased(body) as lease, serving(data) as child:
        lease.wait()
        answer = child.post(minutes(60, 12), automation_id="A")[1]  # to be folded into both
        child.until("delivery folded")
        with trace(child.process.pid):
            lease.release()
            told = any(line["msg"] == "rebuild finished" for line in iter(child.following, None))
            if not told:
                child.process.wait(PATIENCE_S)
        child.kill()
        return told, [*(one.delivery_id for one in posted), answer["delivery_id"]]


SURVIVED = pytest.mark.scenario("reindex", "Kill at each step of the swap is survived")


@pytest.mark.parametrize(
    ("life", "points"),
    [
        pytest.param(accepting, {0, 300}, id="accepting"),
        pytest.param(folding, {4}, id="folding"),
        pytest.param(reindexing, {34}, id="reindexing"),
        pytest.param(swapping, {94}, id="swapping", marks=SURVIVED),
    ],
)
def test_a_kill_at_any_call_loses_nothing_and_leaves_nothing_half(
    tmp_path: Path,
    rounds: int,
    tell: Tell,
    life: Life,
    points: set[int],
) -> None:
    calls_file, data = tmp_path / "calls", tmp_path / "undisturbed"
    data.mkdir()
    assert life(data, partial(noting, file=calls_file))[0]
    calls, found, killed = counted(calls_file), set(), 0
    # As many as there are rounds, evenly spread.
    chosen = calls[:: -(-len(calls) // rounds)]
    for number, (call, nth) in enumerate(chosen):
        data = tmp_path / str(number)
        data.mkdir()
        ended, acknowledged = life(data, partial(killing, call=call, number=nth))
        killed += not ended
        found.add(restarted(data, *acknowledged).points)
    # What a life does besides, once a tick or in its last moments, it may do in another or not.
    assert len(calls) > 20
    assert killed > len(chosen) // 2
    assert found == points
    asked = f"{len(chosen)} calls out of {len(calls)}"
    tell(f"{life.__name__}: killed before {killed} of {asked}, points {found}")
