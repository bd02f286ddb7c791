"""A database that somebody else keeps locked for longer than anybody waits."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.support.aftermath import restarted
from tests.support.bodies import ONE_DAY, PARTIAL, TWO_DAYS
from tests.support.process import serving

pytestmark = pytest.mark.slow


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Somebody else has a database for himself."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield


@pytest.mark.scenario("faults", "Lock of an outsider is survived")
@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_locked_journal_refuses_deliveries_and_writes_later_what_it_owes(
    data: Path, mode: str
) -> None:
    with serving(data, "--tick", "100ms", "--journal-mode", mode) as child:
        assert child.post(TWO_DAYS)[0] == 200
        child.settled()
        with locked(data / "journal.db"):
            assert child.retry_after(PARTIAL) > 0  # its body stays, its row is owed
            assert child.retry_after(ONE_DAY) > 0
            assert "journal.db" in child.until("pass failed")["error"]
            assert child.get("/healthz")[0] == 200
            assert child.get("/api/v1/metrics")[0] == 200
            # Only with a log of its own does a database answer beside a writer.
            assert child.get("/stats")[0] == (200 if mode == "wal" else 503)
        child.until("delivery folded", parse_status="partial")
        assert child.stop() == 0
    assert restarted(data).points == 4


@pytest.mark.scenario("faults", "Lock of an outsider is survived")
def test_a_stop_while_both_databases_are_locked_is_an_orderly_one(data: Path) -> None:
    with serving(data) as child:
        assert child.post(TWO_DAYS)[0] == 200
        child.settled()
        with locked(data / "journal.db"), locked(data / "mart.db"):
            assert child.stop() == 0
    assert restarted(data).points == 2
