"""How fast an `export.xml` is imported, and in how much memory: one line of JSON.

    python -m tests.bench.import_apple [--mib 200] [--fold]

`ratio` is the time of the import over that of a bare expat pass, which parses the same file and
gives every start of an element to a function that does nothing. Both are the best of their rounds.
`cpu_ratio` is the same of processor time, for machines that others use too. `peak_mib` is the most
memory that the command held.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from tests.bench.apple import write
from tests.bench.figures import Bar, Row
from tests.bench.scale import Scale
from tests.support.process import environment
from tests.support.sources import ROOT

_MIB = 1024 * 1024
_PIECE = 64 * 1024


class Ran(NamedTuple):
    """Seconds on the wall, of the processor, and MiB at their peak of a process."""

    took_s: float
    cpu_s: float
    peak_mib: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mib", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fold", action="store_true", help="also replay what was imported")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measured(Path(folder), given.mib, given.rounds, fold=given.fold)))
    return 0


def part(scale: Scale) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        found = measured(Path(folder), scale.export, min(3, scale.rounds), fold=True)
    mib, rounds = scale.export, min(3, scale.rounds)
    bare_ms, ours_ms = found["bare_expat_s"] * 1000, found["import_s"] * 1000
    yield Row(f"import of an export of {mib} MiB", "ms", ours_ms, bare_ms, found["ratio"], None,
              rounds, "floor: expat alone")  # fmt: skip
    for name, key, limit in (
        ("peak memory of import", "peak_mib", 100),
        ("peak memory of reindex after it", "fold_peak_mib", 200),
    ):
        yield Row(name, "MiB", found[key], None, found[key], Bar(limit, "MiB"), rounds)


def measured(folder: Path, mib: int, rounds: int, *, fold: bool) -> dict[str, float]:
    file = folder / "export.xml"
    with file.open("wb") as target:
        write(target, mib * _MIB)
    bares = [_bare_pass(file) for _ in range(rounds)]
    bare_s, bare_cpu_s = (min(times) for times in zip(*bares, strict=True))
    imports = [
        _command("import", "--data", str(folder / f"data{round_}"), str(file))
        for round_ in range(rounds)
    ]
    again = _command("import", "--data", str(folder / "data0"), str(file))
    best_s = min(one.took_s for one in imports)
    found: dict[str, float] = {
        "mib": round(file.stat().st_size / _MIB, 1),
        "bare_expat_s": round(bare_s, 2),
        "import_s": round(best_s, 2),
        "ratio": round(best_s / bare_s, 2),
        "cpu_ratio": round(min(one.cpu_s for one in imports) / bare_cpu_s, 2),
        "mib_per_s": round(file.stat().st_size / _MIB / best_s, 1),
        "peak_mib": round(max(one.peak_mib for one in imports), 1),
        "again_s": round(again.took_s, 2),
    }
    if fold:
        ran = _command("reindex", "--data", str(folder / "data0"))
        found |= {"fold_s": round(ran.took_s, 2), "fold_peak_mib": round(ran.peak_mib, 1)}
    return found


# What the system keeps as the peak of a child counts the parent it was split from, too.
_SAYS_ITS_PEAK = """
import sys
from pathlib import Path
from healthlog.cli import main
status = main(sys.argv[2:])
lines = Path("/proc/self/status").read_text().splitlines()
[peak] = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
Path(sys.argv[1]).write_text(peak)
sys.exit(status)
"""


def _bare_pass(file: Path) -> tuple[float, float]:
    """Seconds on the wall, of the processor."""
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = lambda _name, _attributes: None
    begun, begun_cpu = time.perf_counter(), time.process_time()
    with file.open("rb") as source:
        while piece := source.read(_PIECE):
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    return time.perf_counter() - begun, time.process_time() - begun_cpu


def _command(*arguments: str) -> Ran:
    """A command in a process of its own, whose output nobody reads."""
    begun = time.perf_counter()
    with open(os.devnull, "w") as nowhere, tempfile.NamedTemporaryFile("r") as peak:
        child = os.posix_spawn(
            sys.executable,
            [sys.executable, "-c", _SAYS_ITS_PEAK, peak.name, *arguments],
            environment(PYTHONPATH=str(ROOT)),
            file_actions=[
                (os.POSIX_SPAWN_DUP2, nowhere.fileno(), 1),
                (os.POSIX_SPAWN_DUP2, nowhere.fileno(), 2),
            ],
        )
        _, status, used = os.wait4(child, 0)
        if status != 0:
            raise RuntimeError(f"{arguments[0]} ended with {os.waitstatus_to_exitcode(status)}")
        took_s = time.perf_counter() - begun
        return Ran(took_s, used.ru_utime + used.ru_stime, int(peak.read()) / 1024)


if __name__ == "__main__":
    sys.exit(main())
