"""Folders and file systems that take no writes any more, or never did."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.accepting import outsider
from tests.support.aftermath import restarted
from tests.support.bodies import PARTIAL, TWO_DAYS
from tests.support.faults import Faults
from tests.support.mounts import read_only, sealed_folder, small_disk
from tests.support.process import TOKENS, command, serving

pytestmark = pytest.mark.slow

READS = ("/stats", "/api/v1/metrics", "/api/v1/deliveries")


@pytest.mark.scenario("faults", "Read-only disk is survived")
@pytest.mark.parametrize("folder", ["archive/incoming", "archive/*/*/*"])
def test_a_folder_that_takes_nothing_refuses_deliveries(data: Path, folder: str) -> None:
    with serving(data) as child:
        assert child.post(TWO_DAYS)[0] == 200
        child.settled()
        [sealed] = data.glob(folder)
        with sealed_folder(sealed):
            assert child.retry_after(PARTIAL) > 0
            assert str(sealed) in child.until("disk failed")["error"]
            assert {child.get(path)[0] for path in READS} == {200}
        assert child.post(PARTIAL)[0] == 200
        child.settled()
        assert child.stop() == 0
    assert restarted(data).points == 4


@pytest.mark.scenario("faults", "Removed folder is told of")
@pytest.mark.parametrize(("folder", "starts"), [("archive/incoming", 2), ("archive/*/*/*", 1)])
def test_a_folder_that_was_removed_is_told_of_and_made_again(
    data: Path, tmp_path: Path, folder: str, starts: int
) -> None:
    with serving(data) as child:
        assert child.post(TWO_DAYS)[0] == 200
        child.settled()
        [removed] = data.glob(folder)
        removed.rename(tmp_path / "away")
        assert child.retry_after(PARTIAL) > 0
        assert str(removed) in child.until("disk failed")["error"]
        assert child.post(PARTIAL)[0] == (503 if starts == 2 else 200)
        child.settled()
        assert child.stop() == 0
    if starts == 2:
        with serving(data) as child:
            assert child.post(PARTIAL)[0] == 200
            child.settled()
            assert child.stop() == 0
    for path in (tmp_path / "away").glob("*.gz"):
        path.rename(removed / path.name)
    for path in (tmp_path / "away").glob("*.json"):
        path.rename(removed / path.name)
    assert restarted(data).points == 4


@pytest.mark.scenario("faults", "Read-only disk is survived")
def test_a_disk_that_turns_read_only_under_a_service_stops_writing_and_not_reading(
    data: Path, tmp_path: Path
) -> None:
    faults = Faults(tmp_path)
    with serving(data, "--tick", "100ms", program=faults.program) as child:
        with outsider(data / "mart.db"):
            assert child.post(TWO_DAYS)[0] == 200
            calls = ("create", "write", "rename", "unlink", "mkdir", "truncate")
            faults.begin(*(f"{call} EROFS {data}" for call in calls))
        child.until("delivery left pending")
        assert child.retry_after(PARTIAL) > 0
        assert "Read-only file system" in child.until("disk failed")["error"]
        assert {child.get(path)[0] for path in READS} == {200}
        assert child.get("/stats")[1]["deliveries"]["pending"] == 1
        faults.end()
        child.settled()
        assert child.stop() == 0
    assert child.said("request failed") == []
    assert restarted(data).points == 2


@pytest.mark.scenario("faults", "Read-only disk is survived")
def test_a_start_where_nothing_can_be_written_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        data = disk / "data"
        data.mkdir(mode=0o700)
        with serving(data) as child:
            assert child.post(TWO_DAYS)[0] == 200
            assert child.stop() == 0
        with read_only(disk):
            ran = command("serve", "--data", data, env=TOKENS)
        [sentence] = ran.stderr.splitlines()
        assert (ran.returncode, ran.stdout) == (1, "")
        assert sentence == f"healthlog: {data / 'lock'}: Read-only file system"
        with sealed_folder(data):
            ran = command("serve", "--data", data, env=TOKENS)
        assert ran.returncode == 1
        assert f"{data}: nothing can be written there" in ran.stderr
