"""`serve` killed just before every call to the file system of one acceptance, of one fold."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest

from tests.support.aftermath import restarted
from tests.support.bodies import PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.engine import open_engine
from tests.support.lease import leased
from tests.support.process import Child, serving
from tests.support.strace import INSTALLED, counted, killing, noting

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not INSTALLED, reason="strace is not installed"),
]

Trace = Callable[[int], AbstractContextManager[None]]
"""What is done to the calls of a process."""


Life = Callable[[Path, Trace], tuple[bool, list[str]]]
"""Whether it came to its end, with the ids of what was answered 200."""


def accepting(data: Path, trace: Trace) -> tuple[bool, list[str]]:
    """A life in which a delivery is posted."""
    with serving(data) as child:
        child.until("backlog at start")
        with trace(child.process.pid):
            acknowledged = posted(child, minutes(300))
            if not acknowledged:
                child.process.wait(20)
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
                child.process.wait(20)
        child.kill()
        return told, [first, second]


@pytest.mark.parametrize(
    ("life", "points"), [(accepting, {0, 300}), (folding, {4})], ids=["accepting", "folding"]
)
def test_a_kill_at_any_call_loses_nothing_and_leaves_nothing_half(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    life: Life,
    points: set[int],
) -> None:
    calls_file, data = tmp_path / "calls", tmp_path / "undisturbed"
    data.mkdir()
    assert life(data, partial(noting, file=calls_file))[0]
    calls, found, killed = counted(calls_file), set(), 0
    for number, (call, nth) in enumerate(calls):
        data = tmp_path / str(number)
        data.mkdir()
        ended, acknowledged = life(data, partial(killing, call=call, number=nth))
        killed += not ended
        found.add(restarted(data, *acknowledged).points)
    # SQLite may need a page more in one life than in another.
    assert killed >= len(calls) - 2 > 20
    assert found == points
    with capsys.disabled():
        print(f"\n{life.__name__}: killed before {killed} of {len(calls)} calls, points {found}")
