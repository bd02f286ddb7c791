"""How long pages and series take over ten years of minutes: warm, and with nothing remembered."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, timedelta
from pathlib import Path

from healthlog.read import series as read_series
from healthlog.read.series import Question
from healthlog.span import Span, edge
from tests.bench.figures import Bar, Row
from tests.bench.scale import Scale
from tests.bench.years import DENSE, PUSHED, TODAY, days_of, push, years
from tests.support.reading import Desk

METRIC = DENSE[2].name
PAGES = {
    "today": ("/", 30, 500),
    "a year of a metric": (f"/metric/{METRIC}?span=year", 100, 500),
    "a month of a metric": (f"/metric/{METRIC}?span=month", 100, 500),
    "a day of a metric": (f"/metric/{METRIC}?span=day", 100, 500),
    "all of a metric": (f"/metric/{METRIC}?span=all", 100, 500),
    "nights": ("/nights", 100, 500),
    "metrics": ("/metric", 100, 500),
    "gaps": ("/gaps", 100, 500),
    "report of 90 days": ("/report", 100, 500),
}
"""Each page with the milliseconds it may take, warm and cold."""


def part(scale: Scale) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder, years(Path(folder), scale.standing) as desk:
        note = f"{scale.standing:,} minutes, {days_of(scale.standing):,} days of each metric"
        yield from measured(desk, scale.rounds, note)
        push(desk, min(PUSHED, scale.standing))
        late = "until the summaries follow, some tenths of a second"
        yield _row("page: today, right after a push", _page(desk, "/"), 100, scale.rounds, late)


def measured(desk: Desk, rounds: int, note: str) -> Iterator[Row]:
    """Every figure of a log of years."""
    yield _row("series of a year by day", _series(desk, "day"), 5, rounds, note)
    yield _row("series of all by month", _series(desk, "month", 3_700), 100, rounds, note)
    yield _row("series of a year by week", _series(desk, "week"), 100, rounds, note)
    for what, (path, warm, _) in PAGES.items():
        yield _row(f"page: {what}", _page(desk, path), warm, rounds, note)
    for what, (path, _, cold) in PAGES.items():
        yield _cold(desk, f"page, cold: {what}", path, cold, min(rounds, 3))


def _series(desk: Desk, bucket: str, days: int = 365) -> Callable[[], object]:
    ends = (edge(str(TODAY - timedelta(days=back)), UTC) for back in (days, 0))
    question = Question(METRIC, bucket, Span(*ends))
    return lambda: desk.mart.read(lambda c: read_series.page(c, question, limit=10_000))


def _page(desk: Desk, path: str) -> Callable[[], object]:
    def call() -> None:
        reply = desk.get(path)
        assert reply.status == 200, reply.body

    return call


def _row(what: str, call: Callable[[], object], limit: float, rounds: int, note: str) -> Row:
    call()
    median = statistics.median(_ms(call) for _ in range(rounds))
    return Row(what, "ms", median, None, median, Bar(limit, "ms"), rounds, note)


def _cold(desk: Desk, what: str, path: str, limit: float, rounds: int) -> Row:
    """With new connections to a file that the system has dropped from its memory."""
    spans = []
    for _ in range(rounds):
        desk.mart.close()
        _forget(desk.settings.data / "mart.db")
        desk.mart.open()
        spans.append(_ms(_page(desk, path)))
    median = statistics.median(spans)
    return Row(what, "ms", median, None, median, Bar(limit, "ms"), rounds)


def _forget(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
        os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(number)


def _ms(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1000
