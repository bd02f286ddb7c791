"""What folding costs where very much stands already."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import timedelta

from healthlog.mart import folded
from healthlog.model import Account
from healthlog.moment import MINUTE_MS
from tests.bench.figures import Bar, Pairs, Row
from tests.bench.folds import engine, played
from tests.bench.phone import END, KINDS, Phone
from tests.bench.scale import Scale
from tests.support.engine import Engine

_POINTS = 1_001
_METRICS = 10

_FILL = """
WITH RECURSIVE minute (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM minute WHERE n + 1 < ?)
INSERT INTO point (series, at_ms, sub, origin, n, qty, tag, said_by)
SELECT ?, ? + n * 60000, 0, 0, 0, (n * 7919 % 1000) / 7.0, 1, 1 FROM minute
"""
_QUARTERS = """
WITH RECURSIVE quarter_of (n) AS (SELECT ? UNION ALL SELECT n + 1 FROM quarter_of WHERE n < ?)
INSERT INTO quarter SELECT n, 180, 1 FROM quarter_of
"""


def part(scale: Scale) -> Iterator[Row]:
    with engine() as full:
        first = full.post(Phone().body(1), aggregation="Minutes")
        full.mart.write(lambda c: _fill(c, full, first.delivery_id, scale.standing))
        yield _fold(full, scale)


def _fill(connection: sqlite3.Connection, log: Engine, delivery_id: str, points: int) -> None:
    """So many minutes of ten metrics, the last of them long before the bench's own."""
    delivery = log.find(delivery_id)
    assert delivery is not None
    folded.write(connection, 1, delivery, Account(log.clock.now_us(), "minute", "declared"))
    connection.execute("INSERT INTO tag (tag, label) VALUES (1, '[\"count\", []]')")
    each = points // _METRICS
    last_ms = int((END - timedelta(hours=1)).timestamp()) * 1000
    first_ms = last_ms - (each - 1) * MINUTE_MS
    for number, kind in enumerate(KINDS[:_METRICS], 1):
        connection.execute(
            "INSERT INTO series VALUES (?, ?, 'minute', ?, ?, ?)",
            (number, kind.name, each, first_ms, last_ms),
        )
        connection.execute(_FILL, (each, number, first_ms))
    connection.execute(_QUARTERS, (first_ms // 900_000, last_ms // 900_000))


def _fold(full: Engine, scale: Scale) -> Row:
    """New minutes of a day that nothing stands of, into the full store and into an empty one."""
    pairs = Pairs()
    for round_ in range(scale.rounds):
        content = Phone(end=END + timedelta(days=2 * round_ + 2)).body(min(_POINTS, scale.points))
        with engine() as empty:
            logs = (full, empty)
            sent = [log.post(content, aggregation="Minutes") for log in logs]
            spans = [
                played(log.player(quiet=True), one) for log, one in zip(logs, sent, strict=True)
            ]
        pairs.add(*spans)
    note = f"{scale.standing:,} stand; floor: an empty store"
    return pairs.row("fold of 1,001 points into a full store", Bar(1.5), note=note)
