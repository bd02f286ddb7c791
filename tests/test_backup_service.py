"""Backups beside a real service that is being posted to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.drill import drill
from tests.support.backups import backup, digest, findings, ids_in, report, restore, state
from tests.support.load import Ledger, Sender
from tests.support.patience import PATIENCE_S
from tests.support.process import serving
from tests.support.shell import run
from tests.support.telling import Tell


@pytest.fixture
def tmp_path(memory_path: Path) -> Path:
    return memory_path


@pytest.mark.scenario("backup", "Backups under load restore to the digest of their archive")
@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_backups_under_load_are_at_one_with_themselves(
    data: Path, tmp_path: Path, mode: str
) -> None:
    dest, new, ledger = tmp_path / "dest", tmp_path / "new", Ledger()
    with serving(data, "--journal-mode", mode) as child:
        senders = [Sender(child.port, ledger, seed) for seed in (5, 6)]
        for sender in senders:
            sender.start()
        for _ in range(2):
            for _ in range(12):
                ledger.steps.get(timeout=PATIENCE_S)
            answered = set(ledger.answered)
            ran = backup(data, dest)
            assert (ran.status, ran.err, findings(ran)) == (0, "", [])
        # 503 while the journal is copied would be a delivery that no phone sends again.
        assert ledger.refused == []
        child.stop()
        for sender in senders:
            sender.join(PATIENCE_S)
    ids = ids_in(state(dest) / "journal.db")
    assert answered <= set(ids)
    bodies = {path.name.removesuffix(".json.gz") for path in dest.glob("archive/*/*/*/*.json.gz")}
    assert set(ids) <= bodies
    ran = restore(dest, new)
    assert (ran.status, report(ran)["mart_made_again"]) == (0, None), ran.out
    assert report(ran)["deliveries"] == len(ids)
    assert run("reindex", "--into", new / "into.db", "--data", new).status == 0
    assert run("digest", "--mart", new / "into.db").out == digest(new)


@pytest.mark.slow
@pytest.mark.scenario("backup", "Drill compares what was restored with the log")
def test_the_drill_goes_well(tmp_path: Path, tell: Tell) -> None:
    found = drill(tmp_path, rounds=2)
    assert found.wrong == []
    assert (found.backups, found.lost) == (3, 0)
    assert found.answered <= found.deliveries
    tell(f"{found.line()}")


@pytest.mark.slow
@pytest.mark.scenario("backup", "Drill compares what was restored with the log")
def test_the_drill_tells_what_goes_wrong(tmp_path: Path) -> None:
    found = drill(tmp_path, rounds=1)
    found.wrong.append("the log has this, what was restored that")
    assert found.line().startswith("drill: {")
    assert found.line().endswith("what was restored that")
    assert json.loads(found.line().removeprefix("drill: ").partition("}")[0] + "}")["lost"] == 0
