"""A whole life of a service, broken off or asked to stop at each of its steps in turn.

It begins with adoptions, sweeps and a mart of an earlier parser, takes in a delivery, folds, builds
a new mart, puts it in place and stops.
"""

from __future__ import annotations

import http.client
import json
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.aftermath import restarted
from tests.support.bodies import NO_JSON, PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.earlier import age
from tests.support.engine import open_engine
from tests.support.hooked import KILL, TERM, TERMS, hooked, steps_file
from tests.support.process import Child, starting

pytestmark = pytest.mark.slow

POINTS = 2 + 2 + 30 + 60
INTERRUPTED = "healthlog: interrupted\n"
"""What a stop is answered that comes before anything was begun."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log that needs everything a start can do for it."""
    data = tmp_path_factory.mktemp("life") / "data"
    data.mkdir()
    with open_engine(data, FakeClock()) as engine:
        for one in (TWO_DAYS, NO_JSON, PARTIAL):
            engine.post(one, automation_id="A")
        engine.fold_all()
        age(engine)
    journal = (data / "journal.db").read_bytes()
    with open_engine(data, FakeClock()) as engine:
        engine.restart()
        orphan = engine.post(minutes(30), automation_id="A").delivery_id
    (data / "journal.db").write_bytes(journal)
    [meta] = data.glob(f"archive/*/*/*/{orphan}.meta.json")
    lonely = "20260801T000000.000000Z-00000000"
    folder = data / "archive/2026/08/01"
    folder.mkdir(parents=True)
    shutil.copy(meta, folder / f"{lonely}.meta.json")
    (data / "archive/incoming/left.part").touch()
    (data / "mart.db.new-left").touch()
    return data


@dataclass
class Lived:
    """What came of a life: its exit status, what was answered 200, what it said."""

    status: int
    child: Child
    acknowledged: list[str] = field(default_factory=list)


def lived(data: Path, deed: str, step: int) -> Lived:
    with starting(data, program=hooked(data, deed, step)) as child:
        acknowledged: list[str] = []
        for line in iter(child.following, None):
            if line["msg"] == "service started":
                acknowledged += posted(child)
            folded = {one["delivery_id"] for one in child.said("delivery folded")}
            if child.said("rebuild finished") and folded.issuperset(acknowledged):
                break
        return Lived(child.stop(signal.SIGTERM), child, acknowledged)


def posted(child: Child) -> Iterator[str]:
    """The id of a delivery, if it was answered at all."""
    try:
        status, answer = child.post(minutes(60, 12), automation_id="A")
    except (OSError, http.client.HTTPException, json.JSONDecodeError):
        return
    if status == 200:
        yield answer["delivery_id"]


def some(prepared: Path, wanted: int) -> Iterator[tuple[int, Path]]:
    """So many steps of a life if it has them, evenly spread, with a log for each."""
    undisturbed = prepared.with_name("undisturbed")
    if not undisturbed.exists():
        shutil.copytree(prepared, undisturbed)
        once = lived(undisturbed, KILL, 0)
        assert (once.status, len(once.acknowledged)) == (0, 1)
        assert restarted(undisturbed, *once.acknowledged).points == POINTS
    steps = steps_file(undisturbed).stat().st_size
    assert steps > 40
    for step in sorted({1 + number * steps // wanted for number in range(wanted)}):
        data = prepared.with_name(f"at-{step}")
        shutil.copytree(prepared, data)
        yield step, data
        shutil.rmtree(data)


@pytest.mark.scenario("faults", "Kill at any step of a life loses nothing")
def test_a_kill_at_any_step_of_a_life_loses_nothing(prepared: Path, rounds: int) -> None:
    survived = 0
    for step, data in some(prepared, max(4, rounds // 4)):
        life = lived(data, KILL, step)
        survived += life.status != -signal.SIGKILL
        points = restarted(data, *life.acknowledged).points
        assert points in {POINTS - 60, POINTS}, step
    # A step of one life may be missing in another, as when a connection less is needed.
    assert survived <= 2


@pytest.mark.scenario("faults", "Stop at any step of a life is an orderly one")
@pytest.mark.parametrize(("deed", "share"), [(TERM, 4), (TERMS, 8)])
def test_a_stop_at_any_step_of_a_life_is_an_orderly_one(
    prepared: Path, rounds: int, deed: str, share: int
) -> None:
    for step, data in some(prepared, max(3, rounds // share)):
        life = lived(data, deed, step)
        if life.status != 0:
            assert (life.status, life.child.errors_said) == (1, INTERRUPTED), step
            assert life.child.lines == []
        else:
            assert life.child.lines[-1]["msg"] == "service stopped", step
            levels = {line["level"] for line in life.child.lines}
            assert "ERROR" not in levels, step
            assert life.child.said("stop budget exhausted") == []
            assert life.child.errors_said == "", step
            assert list(data.glob("*-wal")) == list(data.glob("mart.db.new*")) == [], step
        points = restarted(data, *life.acknowledged).points
        assert points in {POINTS - 60, POINTS}, step
