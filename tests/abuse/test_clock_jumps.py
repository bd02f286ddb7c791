"""A wall clock that is wrong from the start, or jumps under a running service."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.aftermath import restarted
from tests.support.bodies import TWO_DAYS, minutes
from tests.support.process import Child, serving
from tests.support.shell import run
from tests.support.skewed import RIGHT, SkewedClock

pytestmark = pytest.mark.slow


def post(child: Child) -> str:
    """A delivery that is folded; its stamp."""
    status, answer = child.post(minutes(5), automation_id="A")
    assert status == 200
    child.until("delivery folded", delivery_id=answer["delivery_id"])
    return str(answer["received_at"])


def doubted(child: Child) -> list[bool]:
    """Of each delivery of a service that has ended, whether its clock was doubted."""
    told = [line["msg"] for line in child.lines]
    wanted = [msg for msg in told if msg in {"clock doubtful", "delivery accepted"}]
    return [
        before == "clock doubtful"
        for before, msg in pairwise(["", *wanted])
        if msg == "delivery accepted"
    ]


@pytest.mark.scenario("faults", "Wrong clock loses neither delivery nor order")
def test_a_start_in_1970_is_doubted_until_the_clock_comes_right(data: Path, tmp_path: Path) -> None:
    clock = SkewedClock(tmp_path, "@1970-01-01 00:00:10")
    with serving(data, program=clock.program) as child:
        stamps = [post(child), post(child)]
        assert [stamp[:10] for stamp in stamps] == ["1970-01-01"] * 2
        clock.set(RIGHT)
        stamps += [post(child), post(child)]
        assert stamps[2] > "2026"
        assert child.stop() == 0
    assert doubted(child) == [True, True, False, False]
    assert stamps == sorted({*stamps})
    assert restarted(data).points == 5


@pytest.mark.scenario("faults", "Wrong clock loses neither delivery nor order")
def test_a_start_in_2099_is_doubted_and_keeps_the_order(data: Path, tmp_path: Path) -> None:
    clock = SkewedClock(tmp_path, RIGHT)
    with serving(data, program=clock.program) as child:
        stamps = [post(child)]
        assert child.stop() == 0
    assert doubted(child) == [False]
    clock.set("@2099-01-01 00:00:00")
    with serving(data, program=clock.program) as child:
        stamps.append(post(child))
        clock.set(RIGHT)
        stamps += [post(child), post(child)]
        assert child.stop() == 0
    assert doubted(child) == [True] * 3
    assert stamps == sorted({*stamps})
    assert [stamp[:4] for stamp in stamps[1:]] == ["2099"] * 3
    assert restarted(data).points == 5


def test_what_is_said_of_stamps_of_2099_helps(data: Path, tmp_path: Path) -> None:
    clock = SkewedClock(tmp_path, RIGHT)
    with serving(data, program=clock.program) as child:
        post(child)
        assert child.stop() == 0
    clock.set("@2099-01-01 00:00:00")
    with serving(data, program=clock.program) as child:
        assert child.post(TWO_DAYS)[0] == 200
        child.settled()
        assert child.stop() == 0
    before = json.loads(run("digest", "--data", data).out)["points"]
    away = tmp_path / "away"
    shutil.move(data / "archive/2099", away)
    (data / "journal.db").rename(tmp_path / "journal.db.bad")
    assert run("reindex", "--data", data).status == 0
    taken = run("import", "--data", data, *sorted(away.glob("*/*/*.json.gz")))
    assert (taken.status, json.loads(taken.out)["deliveries"]) == (0, 1)
    clock.set(RIGHT)
    with serving(data, program=clock.program) as child:
        assert post(child) < "2099"
        assert child.stop() == 0
    assert doubted(child) == [False]
    assert restarted(data).points == before


@pytest.mark.scenario("faults", "Wrong clock loses neither delivery nor order")
def test_a_clock_that_steps_back_and_forth_stops_nothing(data: Path, tmp_path: Path) -> None:
    clock = SkewedClock(tmp_path, RIGHT)
    with serving(data, "--tick", "100ms", program=clock.program) as child:
        stamps = [post(child)]
        for off in ("+2h", "-30m", "+1d", "-1d", "+40m", RIGHT):
            clock.set(off)
            stamps.append(post(child))
            assert child.get("/stats")[1]["worker"]["alive"]
        assert child.stop() == 0
    assert doubted(child) == [False, False, True, False, True, True, True]
    assert stamps == sorted({*stamps})
    assert restarted(data).points == 5
