"""`serve` killed by SIGKILL at random moments under load, again and again on one directory."""

from __future__ import annotations

import gzip
import hashlib
import queue
import random
from pathlib import Path

import pytest

from tests.support.aftermath import restarted
from tests.support.load import Ledger, Sender
from tests.support.patience import PATIENCE_S
from tests.support.process import serving
from tests.support.shell import run
from tests.support.telling import Tell

pytestmark = pytest.mark.slow

SEED = 20_260_802
SENDERS = 4
STEPS_MOST = 120


def life(data: Path, ledger: Ledger, dice: random.Random) -> None:
    """A service under load, killed after a random number of steps of its senders or of lines of
    its log, while the other senders are wherever they are."""
    ledger.steps = queue.Queue()
    with serving(data) as child:
        senders = [Sender(child.port, ledger, dice.getrandbits(32)) for _ in range(SENDERS)]
        for sender in senders:
            sender.start()
        steps = dice.randint(1, STEPS_MOST)
        if dice.random() < 0.5:
            for _ in range(steps):
                ledger.steps.get(timeout=PATIENCE_S)
        else:
            for _ in range(steps // 4):
                child.following()
        child.kill()
        for sender in senders:
            sender.join(PATIENCE_S)
            assert not sender.is_alive()


def assert_archived(data: Path, ledger: Ledger) -> None:
    """Every body answered 200 is there byte for byte."""
    for delivery_id, sha256 in ledger.answered.items():
        [path] = data.glob(f"archive/*/*/*/{delivery_id}.json.gz")
        assert hashlib.sha256(gzip.decompress(path.read_bytes())).hexdigest() == sha256


def folded_by_a_service(data: Path) -> None:
    """The last life, which is left to fold what waits and is asked to stop."""
    with serving(data) as child:
        waiting = child.until("backlog at start")["pending"]
        while waiting:
            line = child.following()
            assert line is not None
            waiting -= line["msg"] in {"delivery folded", "delivery failed"}
        assert child.get("/stats")[1]["deliveries"]["pending"] == 0
        assert child.stop() == 0
    assert [line for line in child.lines if line["level"] == "ERROR"] == []


@pytest.mark.scenario("operations", "Killed service keeps every answered delivery")
def test_a_service_killed_again_and_again_keeps_every_answered_delivery(
    data: Path, rounds: int, tell: Tell
) -> None:
    dice, ledger = random.Random(SEED), Ledger()
    for _ in range(rounds):
        life(data, ledger, dice)
    folded_by_a_service(data)
    assert run("check", "--data", data).status == 0
    lived = run("digest", "--data", data)
    assert run("reindex", "--into", data / "into.db", "--data", data).status == 0
    assert run("digest", "--mart", data / "into.db").out == lived.out
    assert_archived(data, ledger)
    assert ledger.refused == []
    bodies = len(list(data.glob("archive/*/*/*/*.json.gz")))
    restarted(data, *ledger.answered)
    assert run("reindex", "--data", data).status == 0
    assert run("digest", "--data", data).out == lived.out
    tell(
        f"killed {rounds} times: {len(ledger.answered)} answered 200,"
        f" {bodies} in the archive, {lived.out.strip()}"
    )
