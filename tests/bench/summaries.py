"""What the summaries cost beside the fold: `python -m tests.bench.summaries`.

A push of 16,001 minutes into a log of ninety days, the same push again, one of sixty minutes, the
summaries that follow each, and all summaries of ninety days made anew. The fold is measured alone,
in the same run: nothing of the summaries happens inside it.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from healthlog.series.source_order import SourceOrder
from healthlog.summaries.keeper import Summaries
from tests.bench.bodies import minutes
from tests.support.clock import FakeClock
from tests.support.reading import MINUTES, Desk, open_desk

ROUNDS = 5
POINTS, HOUR, HISTORY = 16_001, 360, 6 * 1_440 * 90


def main() -> int:
    rows: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data"
            data.mkdir(mode=0o700)
            with open_desk(data, FakeClock()) as desk:
                for name, spent in _round(desk).items():
                    rows.setdefault(name, []).append(spent)
    for name, spans in rows.items():
        row = {"what": name, "ms": round(statistics.median(spans) * 1000, 1)}
        sys.stdout.write(json.dumps(row) + "\n")
    return 0


def _round(desk: Desk) -> dict[str, float]:
    summaries = Summaries(desk.mart, SourceOrder(), log=desk.house.log, clock=desk.house.clock)
    desk.send(minutes(HISTORY, seed=2), MINUTES)
    found = {"all summaries of 90 days": _seconds(lambda: _all(summaries))}
    for name, body in (
        ("16,001 points, all new values", minutes(POINTS, seed=3)),
        ("the same again", minutes(POINTS, seed=3)),
        ("an hour of six metrics", minutes(HOUR, seed=4)),
    ):
        delivery = desk.keep(body, MINUTES)
        player = desk.player()
        found[f"fold: {name}"] = _seconds(lambda: player.play(delivery.delivery_id))  # noqa: B023
        found[f"summaries after: {name}"] = _seconds(lambda: _all(summaries))
    found["nothing to do"] = _seconds(lambda: _all(summaries))
    return found


def _all(summaries: Summaries) -> None:
    while summaries.step():
        pass


def _seconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
