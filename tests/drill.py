"""The drill: backups of a busy service, each restored and compared: `python -m tests.drill`.

A service is filled, then posted to without a pause while `backup` runs several times into the same
folder. Each of these backups is restored by `restore`, which compares the digest with a replay;
the last one is compared once more with the log itself after its service has stopped. Prints one
line; ends in 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.backups import ids_in, state
from tests.support.load import Ledger, Sender
from tests.support.patience import PATIENCE_S
from tests.support.process import Child, command, serving

SEED = 20_261_130
SENDERS = 2


@dataclass(slots=True)
class Drill:
    """What was done, in counts; what went wrong, in words."""

    backups: int = 0
    deliveries: int = 0
    answered: int = 0
    files: int = 0
    folded: int = 0
    lost: int = 0
    digest: str = ""
    wrong: list[str] = field(default_factory=list)

    def line(self) -> str:
        told = {name: getattr(self, name) for name in self.__slots__ if name != "wrong"}
        return f"drill: {json.dumps(told)} {'; '.join(self.wrong) or 'all as it should be'}"


def drill(folder: Path, rounds: int) -> Drill:
    """The drill in an empty folder."""
    data, dest, found, ledger = folder / "data", folder / "dest", Drill(), Ledger()
    data.mkdir(mode=0o700)
    with serving(data) as child:
        senders = [Sender(child.port, ledger, SEED + number) for number in range(SENDERS)]
        for sender in senders:
            sender.start()
        for number in range(rounds):
            for _ in range(40):
                ledger.steps.get(timeout=PATIENCE_S)
            known = set(ledger.answered)
            _back_up(found, data, dest)
            copy = folder / f"backup-{number}"
            shutil.copytree(dest, copy)
            # What was answered before the backup began is in it.
            found.lost += len(known - set(ids_in(state(copy) / "journal.db")))
        _end(child, senders)
    found.answered = len(ledger.answered)
    for number in range(rounds):
        _restore(found, folder / f"backup-{number}", folder / f"restored-{number}")
    _back_up(found, data, dest)
    _restore(found, dest, folder / "restored")
    _compare(found, data, folder / "restored")
    if found.lost:
        found.wrong.append(f"{found.lost} answered deliveries were not in the backup after them")
    return found


def _back_up(found: Drill, data: Path, dest: Path) -> None:
    told = _run(found, "backup", dest, "--data", data)
    found.backups += 1
    found.deliveries = told.get("deliveries", 0)
    found.files = told.get("files", 0)


def _restore(found: Drill, source: Path, data: Path) -> None:
    """Restored, with every row having its body; `restore` itself compares the digests."""
    told = _run(found, "restore", source, "--data", data)
    found.folded += told.get("folded", 0)
    if told.get("mart_made_again") is not None:
        found.wrong.append(f"{source.name}: {told['mart_made_again']}")
    _run(found, "check", "--data", data)


def _compare(found: Drill, data: Path, restored: Path) -> None:
    """Once what waits in the log is folded, both have one digest."""
    with serving(data) as child:
        waiting = child.until("backlog at start")["pending"]
        while waiting:
            line = child.following()
            assert line is not None
            waiting -= line["msg"] in {"delivery folded", "delivery failed"}
        child.stop()
    lived, back = (_run(found, "digest", "--data", one) for one in (data, restored))
    found.digest = str(lived.get("sha256"))[:16]
    if lived != back:
        found.wrong.append(f"the log has {lived}, what was restored {back}")


def _run(found: Drill, *words: str | Path) -> dict[str, Any]:
    """The last line a command printed."""
    ran = command(*words, timeout=PATIENCE_S * 15)  # a machine may be busy with other things
    if ran.returncode != 0:
        found.wrong.append(f"{words[0]} ended with {ran.returncode}: {ran.stdout}{ran.stderr}")
        return {}
    told: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return told


def _end(child: Child, senders: list[Sender]) -> None:
    child.stop()
    for sender in senders:
        sender.join(PATIENCE_S)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="backups under load")
    rounds = parser.parse_args(argv).rounds
    with tempfile.TemporaryDirectory() as name:
        found = drill(Path(name), rounds)
    print(found.line())
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
