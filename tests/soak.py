"""A service used hard over many lives: `python -m tests.soak [--seconds 120] [--kills 20]`.

Sixteen automations send, two readers ask, an outsider holds locks, while the service is killed
again and again and asked to stop in between. One line of counts comes at the end; the exit status
is 1 if anything that was answered 200 is missing, isn't folded, or isn't what a rebuild makes.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tests.support.patience import PATIENCE_S
from tests.support.process import serving
from tests.support.shell import run
from tests.support.soaking import Ledger, Stage, hold_locks, read, send

SENDERS, READERS = 16, 2
STOPS = 4
"""Of so many lives one more is asked to stop instead."""

IN_ALL_PER_SECOND = 25.0
SEED = 20_261_130


@dataclass(slots=True)
class Found:
    """What was there in the end."""

    archived: int = 0
    folded: int = 0
    lost: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    digest: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Lives:
    """How many there were: ended by a kill, by a stop, and such that found a database locked."""

    killed: int = 0
    stopped: int = 0
    locked_out: int = 0


def lived(stage: Stage, seconds: float, kills: int) -> Lives:
    """One life after another, until there were so many kills."""
    dice, lives, mean_s = stage.dice("lives"), Lives(), seconds / (kills + kills // STOPS)
    while lives.killed < kills:
        stopping = lives.killed // STOPS > lives.stopped
        with stage.life() as child:
            # Some lives are killed before the door is open.
            if (stopping or dice.random() < 0.8) and not stage.is_open():
                status, said = child.process.wait(PATIENCE_S), child.errors_said
                if status != 1 or "locked" not in said:
                    stage.ledger.wrong[f"a start ended with {status}: {said}"] += 1
                    return lives
                lives.locked_out += 1
                continue
            stage.over.wait(mean_s * dice.uniform(0.2, 1.6))
            if stopping:
                child.send(signal.SIGTERM)
                status = child.process.wait(PATIENCE_S)
                stage.ledger.wrong[f"a stop ended with {status}"] += status != 0
                lives.stopped += 1
            else:
                child.process.kill()
                lives.killed += 1
    return lives


def everybody(stage: Stage) -> Iterator[threading.Thread]:
    for number in range(SENDERS):
        work = partial(send, stage, number, IN_ALL_PER_SECOND / SENDERS)
        yield threading.Thread(target=work, name=f"sender {number}", daemon=True)
    for number in range(READERS):
        yield threading.Thread(target=partial(read, stage, number), daemon=True)
    yield threading.Thread(target=partial(hold_locks, stage), daemon=True)


def found(data: Path, ledger: Ledger) -> Found:
    """The log of the end, held against the ledger and against a rebuild."""
    result = Found()
    bodies = {path.name.removesuffix(".json.gz"): path for path in data.glob("archive/*/*/*/*.gz")}
    result.archived = len(bodies)
    statuses = in_peace(data)
    result.folded = sum(status in {"parsed", "partial"} for status in statuses.values())
    for delivery_id, sha256 in sorted(ledger.answered.items()):
        path = bodies.get(delivery_id)
        whole = path is not None and _sha256(path) == sha256
        if not whole or statuses.get(delivery_id) not in {"parsed", "partial"}:
            result.lost.append(delivery_id)
    checked = run("check", "--data", data)
    if checked.status:
        result.differing.append(f"check: {checked.out}{checked.err}")
    into = data.with_name("into.db")
    rebuilt = run("reindex", "--into", into, "--data", data)
    if rebuilt.status:
        result.differing.append(f"reindex: {rebuilt.err}")
        return result
    lived, made = run("digest", "--data", data), run("digest", "--mart", into)
    into.unlink()
    result.digest = json.loads(lived.out)
    if lived.out != made.out:
        result.differing.append(f"digest: {lived.out} {made.out}")
    return result


def in_peace(data: Path) -> dict[str, str]:
    """The last life, which nobody disturbs: the status of each delivery once all is folded."""
    statuses: dict[str, str] = {}
    with serving(data) as child:
        child.settled()
        cursor: str | None = ""
        while cursor is not None:
            _, page = child.get(f"/api/v1/deliveries?limit=1000{cursor}")
            statuses |= {one["delivery_id"]: one["parse_status"] for one in page["items"]}
            cursor = page["next"] and f"&cursor={page['next']}"
        assert child.stop() == 0
    return statuses


def _sha256(path: Path) -> str:
    return hashlib.sha256(gzip.decompress(path.read_bytes())).hexdigest()


def soak(data: Path, seconds: float, kills: int, seed: int) -> bool:
    """Whether nothing is lost; says so in one line."""
    began, ledger = time.monotonic(), Ledger()
    stage = Stage(data, ledger, seed)
    threads = list(everybody(stage))
    try:
        for thread in threads:
            thread.start()
        lives = lived(stage, seconds, kills)
    finally:
        stage.end()
        for thread in threads:
            thread.join(PATIENCE_S)
    end = found(data, ledger)
    wrong = [f"{what} ({times} times)" for what, times in (+ledger.wrong).items()]
    for line in (*end.lost, *end.differing, *wrong):
        print(line, file=sys.stderr)
    compared = "differs from" if end.differing else "equal to"
    counts = {
        "sent": ledger.sent, "refused": ledger.refused, "acknowledged": len(ledger.answered),
        "archived": end.archived, "folded": end.folded, "lost": len(end.lost),
        "questions": ledger.read, "kills": lives.killed, "stops": lives.stopped,
        "locked out": lives.locked_out,
    }  # fmt: skip
    print(
        f"soak: {', '.join(f'{name} {count}' for name, count in counts.items())}; digest {compared}"
        f" a rebuild ({end.digest.get('points')} points, {end.digest.get('records')} records);"
        f" {time.monotonic() - began:.0f} s"
    )
    enough = lives.killed == kills and min(len(ledger.answered), ledger.read) > kills
    return enough and not (end.lost or end.differing or wrong)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        data = Path(folder) / "data"
        data.mkdir(mode=0o700)
        return 0 if soak(data, given.seconds, given.kills, given.seed) else 1


if __name__ == "__main__":
    sys.exit(main())
