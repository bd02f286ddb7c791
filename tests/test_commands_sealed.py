"""A data directory on a read-only medium: looked at all the same."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support.bodies import NO_JSON, PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.engine import open_engine
from tests.support.sealed import run_powerless, sealed
from tests.support.shell import run


def fill(data: Path, clock: FakeClock) -> None:
    with open_engine(data, clock) as engine:
        for body in (minutes(60), TWO_DAYS, PARTIAL, NO_JSON):
            engine.post(body)
        engine.fold_all()


def listed(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


@pytest.mark.scenario("operations", "Read-only medium is looked at")
@pytest.mark.parametrize("journal_mode", ["wal", "delete"])
def test_a_log_on_a_read_only_medium_is_looked_at(
    data: Path, tmp_path: Path, clock: FakeClock, journal_mode: str
) -> None:
    fill(data, clock)
    run("reindex", "--data", data, "--journal-mode", journal_mode)
    digest, before = run("digest", "--data", data).out, listed(data)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with sealed(data):
        assert run_powerless("digest", "--data", data).out == digest
        status = run_powerless("status", "--data", data)
        assert json.loads(status.out)["deliveries"]["parsed"] == 2, status
        checked = run_powerless("check", "--rebuild", "--data", data, TMPDIR=str(elsewhere))
        assert (checked.status, checked.err) == (0, "")
        assert json.loads(checked.out)["findings"] == 0
    assert listed(data) == before
    assert os.listdir(elsewhere) == []


@pytest.mark.scenario("operations", "Read-only medium is looked at")
@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_what_is_not_in_the_file_yet_is_not_left_out(
    data: Path, clock: FakeClock, suffix: str
) -> None:
    fill(data, clock)
    beside = data / f"mart.db{suffix}"
    beside.write_bytes(b"not taken up yet")
    with sealed(data):
        assert run_powerless("digest", "--data", data).refused(
            1, str(data / "mart.db"), beside.name
        )


def test_commands_that_write_say_that_they_can_not(data: Path, clock: FakeClock) -> None:
    fill(data, clock)
    with sealed(data):
        for command in (("reindex",), ("serve", "--listen", "127.0.0.1:0")):
            ran = run_powerless(*command, "--data", data)
            assert ran.refused(1, str(data))
