"""`reindex` as a person runs it: in place, elsewhere, beside a service, interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from healthlog.base.ids import make_id
from tests.support.bodies import NO_JSON, ONE_DAY, PARTIAL, TWO_DAYS, minutes
from tests.support.clock import MORNING_US, FakeClock
from tests.support.engine import open_engine
from tests.support.patience import PATIENCE_S
from tests.support.process import environment, serving
from tests.support.shell import run
from tests.support.sources import ROOT


def filled(data: Path, clock: FakeClock) -> None:
    """A log folded by an earlier process."""
    with open_engine(data, clock) as engine:
        for body in (minutes(60), TWO_DAYS, ONE_DAY, PARTIAL, NO_JSON):
            engine.post(body, automation_id="A")
        engine.fold_all()


def digest(data: Path, *more: str | Path) -> str:
    ran = run("digest", "--data", data, *more)
    assert ran.status == 0, ran.err
    return ran.out


def contents(data: Path) -> dict[str, bytes]:
    """Every file of a data directory that is no sidecar of SQLite."""
    return {
        path.name: path.read_bytes()
        for path in data.rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


def test_the_report_stands_on_the_output_and_in_the_log(data: Path, clock: FakeClock) -> None:
    filled(data, clock)
    before = digest(data)
    ran = run("reindex", "--data", data)
    assert ran.status == 0
    report = json.loads(ran.out)
    assert (report["deliveries"], report["parsed"], report["malformed"]) == (5, 3, 1)
    [line] = [json.loads(text) for text in ran.err.splitlines() if "reindex finished" in text]
    assert line["level"] == "INFO"
    assert report.items() <= line.items()
    assert digest(data) == before
    assert run("check", "--rebuild", "--data", data).status == 0


def test_the_archive_alone_is_enough(data: Path, clock: FakeClock) -> None:
    filled(data, clock)
    before = digest(data)
    for path in data.iterdir():
        if path.is_file():
            path.unlink()
    assert run("reindex", "--data", data).status == 0
    assert digest(data) == before
    assert run("check", "--data", data).status == 0


def test_an_empty_directory_is_an_empty_log(data: Path) -> None:
    ran = run("reindex", "--data", data)
    assert (ran.status, json.loads(ran.out)["deliveries"]) == (0, 0)


def test_what_a_killed_replay_left_is_cleared_away(data: Path, clock: FakeClock) -> None:
    filled(data, clock)
    for suffix in ("", "-wal", "-journal"):
        (data / f"mart.db.new{suffix}").write_bytes(b"half")
    assert run("reindex", "--data", data).status == 0
    assert sorted(path.name for path in data.glob("mart.db*")) == ["mart.db"]


def test_the_journal_mode_that_is_set_is_kept_to(data: Path, clock: FakeClock) -> None:
    filled(data, clock)
    assert run("reindex", "--data", data, "--journal-mode", "delete").status == 0
    assert (data / "mart.db").read_bytes()[18:20] == b"\x01\x01"  # 2 stands for a WAL


@pytest.mark.scenario("reindex", "Replay without the lock is refused")
@pytest.mark.scenario("reindex", "Replay into a file works beside the service")
@pytest.mark.scenario("operations", "One writer and many readers")
def test_beside_a_service(data: Path, tmp_path: Path, clock: FakeClock) -> None:
    filled(data, clock)
    into = tmp_path / "into.db"
    with serving(data) as child:
        before = contents(data)
        assert run("serve", "--data", data).refused(1, str(data / "lock"))
        assert run("reindex", "--data", data).refused(1, str(data / "lock"))
        assert run("reindex", "--into", into, "--data", data).status == 0
        assert contents(data) == before
        assert digest(data, "--mart", into) == digest(data)
        assert run("status", "--data", data).status == 0
        assert run("check", "--data", data).status == 0
        assert child.post(TWO_DAYS)[0] == 200
        child.until("delivery folded")
        assert child.stop() == 0


def test_a_file_that_is_there_is_not_overwritten(data: Path, tmp_path: Path) -> None:
    into = tmp_path / "into.db"
    into.write_bytes(b"precious")
    assert run("reindex", "--into", into, "--data", data).refused(2, str(into))
    assert into.read_bytes() == b"precious"


def test_a_folder_that_is_not_there_is_named(data: Path, tmp_path: Path) -> None:
    into = tmp_path / "nowhere" / "into.db"
    assert run("reindex", "--into", into, "--data", data).refused(2, str(into.parent))


def test_a_journal_of_garbage_is_told_with_its_file(data: Path) -> None:
    (data / "journal.db").write_bytes(b"no database at all" * 100)
    assert run("reindex", "--data", data).refused(1, str(data / "journal.db"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.scenario("reindex", "Interrupted replay leaves the old mart")
def test_an_interrupted_replay_leaves_everything(data: Path, clock: FakeClock, number: int) -> None:
    filled(data, clock)
    before = digest(data)
    # A meta that is a pipe: opening its other end waits until the replay reads it.
    held_up = make_id(MORNING_US - 1, "00000000")
    body = next(data.glob("archive/*/*/*/*.json.gz"))
    body.with_name(f"{held_up}.json.gz").write_bytes(body.read_bytes())
    meta = body.with_name(f"{held_up}.meta.json")
    os.mkfifo(meta)
    with subprocess.Popen(
        [sys.executable, "-m", "healthlog", "reindex", "--data", str(data)],
        cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as child, meta.open("wb"):  # fmt: skip
        child.send_signal(number)
        out, err = child.communicate(timeout=PATIENCE_S)
    assert (child.returncode, out, err) == (1, "", "healthlog: interrupted\n")
    assert sorted(path.name for path in data.glob("mart.db.new*")) == []
    assert digest(data) == before
