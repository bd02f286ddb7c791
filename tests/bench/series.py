"""How long the reading side takes.

A year of a phone that sends days, a quarter of a year of one that sends minutes alone, a day of
sixty metrics with a night of segments, and a number that sixty pushes have spoken of.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, timedelta
from pathlib import Path
from typing import Any

from healthlog.moment import EPOCH_ORDINAL
from healthlog.read import days as read_days
from healthlog.read import series as read_series
from healthlog.read.series import Question
from healthlog.read.why import Coordinate, Why
from healthlog.series.source_order import SourceOrder
from healthlog.span import Span, edge
from tests.bench.figures import Row
from tests.bench.scale import Scale
from tests.support.clock import FakeClock
from tests.support.reading import DAYS, MINUTES, SECONDS, Desk, body, metric, open_desk, steps
from tests.support.records import nights, segment

FIRST = date(2025, 8, 1)


def part(scale: Scale) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        data.mkdir(mode=0o700)
        with open_desk(data, FakeClock()) as desk:
            _fill(desk, scale)
            for name, call in _questions(desk).items():
                spans = [_seconds(call) * 1000 for _ in range(scale.rounds)]
                median = statistics.median(spans)
                yield Row(name, "ms", median, None, median, None, scale.rounds)


def _seconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def _fill(desk: Desk, scale: Scale) -> None:
    dates = [FIRST + timedelta(days=n) for n in range(365)]
    desk.send(steps(*((f"{one} 00:00:00 +0200", 8_000) for one in dates)), DAYS)
    for one in dates[: min(90, scale.bodies)]:
        desk.send(body(_minutes("active_energy", one)), MINUTES)
    desk.send(body(*(_minutes(f"metric_{n}", dates[-1]) for n in range(10))), MINUTES)
    rest = (
        metric(f"level_{n}", "%", {"date": f"{dates[-1]} 00:00:00 +0200", "qty": n})
        for n in range(50)
    )
    desk.send(body(*rest), DAYS)
    pieces = [
        segment(
            f"{dates[-1]} 0{n // 20}:{n % 20 * 3:02}:00 +0200",
            f"{dates[-1]} 0{n // 20}:{n % 20 * 3 + 2:02}:00 +0200",
            stage,
        )
        for n in range(120)
        for stage in ("Core", "Deep")
    ]
    desk.send(nights(*pieces), SECONDS)
    for _ in range(min(60, scale.bodies)):
        desk.send(body(*(_minutes(f"again_{n}", dates[-1]) for n in range(6))), MINUTES)


def _minutes(name: str, day: date) -> dict[str, Any]:
    return metric(
        name,
        "kJ",
        *({"date": f"{day} {m // 60:02}:{m % 60:02}:00 +0200", "qty": 4.5} for m in range(1_440)),
    )


def _questions(desk: Desk) -> dict[str, Callable[[], object]]:
    def series(name: str, bucket: str, days: int) -> Callable[[], object]:
        ends = (edge(str(FIRST + timedelta(days=n)), UTC) for n in (0, days))
        question = Question(name, bucket, Span(*ends))
        return lambda: desk.mart.read(lambda c: read_series.page(c, question, limit=10_000))

    last = (FIRST + timedelta(days=364)).toordinal() - EPOCH_ORDINAL
    noon = Coordinate(
        "again_0", "minute", edge(f"{FIRST + timedelta(days=364)}T12:00:00+02:00", UTC), False
    )
    looked = Why(desk.mart, desk.house.journal, desk.house.archive)
    return {
        "a year by day, from day rows": series("step_count", "day", 365),
        "a year by month, from day rows": series("step_count", "month", 365),
        "90 days by day, from every minute": series("active_energy", "day", 90),
        "7 days by hour, from every minute": series("active_energy", "hour", 7),
        "one day by minute": series("active_energy", "minute", 1),
        "one day of 67 metrics with its night": lambda: desk.mart.read(
            lambda c: read_days.day(c, last, SourceOrder())
        ),
        "who said what, 20 bodies of 8,640 points": lambda: looked.page(noon, None, 20),
    }
