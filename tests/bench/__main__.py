"""The bench: `python -m tests.bench [PART…] [--json FILE]`.

Every figure stands beside its floor, both measured in the same run, in turn. On a machine that
others use, too, the ratios are what counts; the milliseconds are those of this machine.
"""

from __future__ import annotations

import argparse
import json
import platform
import sqlite3
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

from tests.bench.figures import Row, table
from tests.bench.parts import PARTS, rows_of
from tests.bench.scale import Scale


def main() -> int:
    given = _arguments()
    plain = Scale()
    scale = replace(plain, rounds=given.rounds, standing=given.standing)
    rows: list[Row] = []
    for name in given.parts or PARTS:
        begun = time.monotonic()
        # Each in a process of its own: what one has held in memory counts for none that follow.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as apart:
            rows += apart.submit(rows_of, name, scale).result()
        print(f"{name}: {time.monotonic() - begun:.0f} s", file=sys.stderr)
    print(table(rows), end="")
    if given.json is not None:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(_told(rows), ensure_ascii=False, indent=1) + "\n")
    return 0


def _arguments() -> argparse.Namespace:
    plain = Scale()
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the figures go as JSON")
    parser.add_argument("--rounds", type=int, default=plain.rounds)
    parser.add_argument(
        "--standing", type=int, default=plain.standing, help="points that a full store holds"
    )
    given = parser.parse_args()
    unknown = sorted({*given.parts} - PARTS.keys())
    if unknown:
        parser.error(f"there is no part {', '.join(unknown)}")
    return given


def _told(rows: list[Row]) -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "figures": [row.fields() for row in rows],
    }


if __name__ == "__main__":
    sys.exit(main())
