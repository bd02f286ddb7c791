"""A log of ten years: minutes of ten metrics, days of fifty, nights, workouts.

The minutes are written as rows, the way a fold leaves them, with one statement for each metric; the
rest goes through the intake and the fold. Summaries are made by what makes them in a service.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from healthlog.base.clock import SystemClock
from healthlog.mart.quarters import QUARTER_MS
from healthlog.moment import DAY_MS, EPOCH_ORDINAL, MINUTE_MS
from healthlog.series.catalogue import KNOWN
from healthlog.series.source_order import SourceOrder
from healthlog.summaries.keeper import Summaries
from tests.bench.phone import KINDS
from tests.support.clock import FakeClock
from tests.support.reading import DAYS, MINUTES, SECONDS, Desk, body, metric, open_desk
from tests.support.records import nights, sections, segment, workout

TODAY = date(2026, 8, 1)
NOW = datetime(2026, 8, 1, 17, 40, tzinfo=UTC)
DENSE = KINDS[:10]
SPARSE = tuple(sorted(KNOWN.keys() - {kind.name for kind in KINDS} - {"blood_pressure"}))[:50]
PUSHED = 900
"""Minutes of today that are pushed at last."""

_NIGHTS, _PIECES, _WORKOUTS = 45, 24, 20
_MOST_DAYS = 10 * 365

_FILL = """
WITH RECURSIVE minute (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM minute WHERE n + 1 < :each)
INSERT INTO point (series, at_ms, sub, origin, n, qty, min, avg, max, tag, said_by)
SELECT :series, :first_ms + n * 60000, 0, 0, 0, value, NULL, NULL, NULL, :tag, :said_by
FROM (SELECT n, 40 + (n * 7919 % 1000) / 17.0 AS value FROM minute)
"""
_QUARTERS = """
WITH RECURSIVE quarter_of (n) AS
 (SELECT :first UNION ALL SELECT n + 1 FROM quarter_of WHERE n < :last)
INSERT OR IGNORE INTO quarter SELECT n, CASE WHEN n % 35040 < 17520 THEN 60 ELSE 120 END, :said_by
FROM quarter_of
"""


@contextmanager
def years(folder: Path, points: int) -> Iterator[Desk]:
    """A log of so many points, the last of them of today, with pages, all summaries made."""
    data = folder / "data"
    data.mkdir(mode=0o700)
    clock = FakeClock()
    clock.set(round(NOW.timestamp() * 1_000_000))
    with open_desk(data, clock) as desk:
        desk.with_pages = True
        fill(desk, points)
        keep_up(desk)
        yield desk


def fill(desk: Desk, points: int) -> None:
    """So many minutes up to this morning; pushes of days, nights and workouts; one of today."""
    dates = [TODAY - timedelta(days=back) for back in range(days_of(points), 0, -1)]
    for first in range(0, len(dates), 366):
        told = [_days(name, dates[first : first + 366]) for name in SPARSE]
        desk.send(body(*told), DAYS)
    desk.send(nights(*_segments(dates[-_NIGHTS:])), SECONDS)
    desk.send(sections(workouts=[_workout(number) for number in range(_WORKOUTS)]), SECONDS)
    # What is written below was over when this was said.
    push(desk, 1)
    desk.mart.write(lambda c: _fill(c, points))
    push(desk, min(PUSHED, points))


def push(desk: Desk, minutes: int) -> None:
    """So many minutes of each dense metric, up to now."""
    desk.send(body(*(_minutes(kind.name, kind.units, minutes) for kind in DENSE)), MINUTES)


def days_of(points: int) -> int:
    """How many days so many minutes of the dense metrics are."""
    return max(2, min(_MOST_DAYS, points // len(DENSE) // 1_440))


def keep_up(desk: Desk) -> None:
    """Make all summaries."""
    clock = SystemClock()
    summaries = Summaries(desk.mart, SourceOrder(), log=desk.house.log, clock=clock)
    while summaries.step():
        pass


def _fill(connection: sqlite3.Connection, points: int) -> None:
    """Minutes up to the midnight of today of each dense metric."""
    last_ms = (TODAY.toordinal() - EPOCH_ORDINAL) * DAY_MS
    each = points // len(DENSE)
    first_ms = last_ms - each * MINUTE_MS
    (said_by,) = connection.execute("SELECT max(delivery) FROM folded").fetchone()
    for kind in DENSE:
        series, tag = connection.execute(
            "SELECT series, tag FROM series JOIN point USING (series)"
            " WHERE metric = ? AND layer = 'minute' LIMIT 1",
            (kind.name,),
        ).fetchone()
        row = {"series": series, "first_ms": first_ms, "tag": tag, "said_by": said_by, "each": each}
        connection.execute(_FILL, row)
        connection.execute(
            "UPDATE series SET points = points + ?, first_at_ms = ? WHERE series = ?",
            (each, first_ms, series),
        )
        connection.execute(
            "UPDATE spoke SET first_at_ms = ?, readings = readings + ? WHERE series = ?",
            (first_ms, each, series),
        )
    named = {"first": first_ms // QUARTER_MS, "last": last_ms // QUARTER_MS, "said_by": said_by}
    connection.execute(_QUARTERS, named)


def _minutes(name: str, units: str, count: int) -> dict[str, Any]:
    """So many minutes up to now."""
    starts = (NOW - timedelta(minutes=back) for back in range(count, 0, -1))
    return metric(
        name,
        units,
        *({"date": _text(at), "qty": 40 + at.minute, "source": "Watch"} for at in starts),
    )


def _days(name: str, dates: list[date]) -> dict[str, Any]:
    chance = random.Random(name)
    return metric(
        name,
        KNOWN[name].unit,
        *({"date": f"{one} 00:00:00 +0200", "qty": chance.uniform(1, 90)} for one in dates),
    )


def _segments(dates: list[date]) -> Iterator[dict[str, object]]:
    for woken in dates:
        at = datetime(woken.year, woken.month, woken.day, tzinfo=UTC) - timedelta(hours=1)
        for number in range(_PIECES):
            end = at + timedelta(minutes=18)
            stage = ("Core", "Deep", "REM", "Awake")[number % 4]
            yield segment(_text(at), _text(end), stage)
            at = end


def _workout(number: int) -> dict[str, object]:
    start = NOW - timedelta(days=1 + 2 * number)
    return workout(number, start=_text(start), end=_text(start + timedelta(minutes=45)))


def _text(at: datetime) -> str:
    return f"{at + timedelta(hours=2):%Y-%m-%d %H:%M:%S} +0200"
