"""How long a small delivery takes to accept while the service is at hard work."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from tests.bench.bodies import nothing_to_fold
from tests.bench.figures import Bar, Row, ninety_ninth
from tests.bench.phone import Phone
from tests.bench.scale import Scale
from tests.bench.serving import Served, serving

_BAR = Bar(5)


def part(scale: Scale) -> Iterator[Row]:
    phone = Phone()
    small = nothing_to_fold(phone.of_bytes(scale.small)[0])
    huge, _ = phone.of_bytes(scale.huge, workouts=scale.huge >> 22)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        with serving(data) as served:
            idle = [served.post(small) for _ in range(scale.posts)]
            served.settle()
            served.post(huge)
            # What is posted meanwhile waits behind it.
            busy = _while_busy(served, small, lambda: served.pending() > 20)
            yield _row("accept of 100 KB beside a fold of 64 MiB", busy, idle)
            for content in phone.day(scale.bodies):
                served.post(content)
            served.settle()
        _grow_old(data)
        with serving(data) as served:
            busy = _while_busy(served, small, served.rebuilding)
            yield _row("accept of 100 KB beside a rebuild", busy, idle)


def _while_busy(served: Served, small: bytes, is_busy: Callable[[], bool]) -> list[float]:
    """Times of posts as long as there is something else to do."""
    spans: list[float] = []
    while not spans or is_busy():
        spans += [served.post(small) for _ in range(20)]
    return spans


def _grow_old(data: Path) -> None:
    """As if all had been folded by a program that reads bodies in another way."""
    for name, table in (("mart.db", "folded"), ("journal.db", "delivery")):
        with closing(sqlite3.connect(data / name)) as connection, connection:
            connection.execute(f"UPDATE {table} SET parser = parser - 1")


def _row(what: str, busy: list[float], idle: list[float]) -> Row:
    ours, floor = (ninety_ninth(one) * 1000 for one in (busy, idle))
    note = f"99 of 100; longest {max(busy) * 1000:.0f} ms"
    return Row(what, "ms", ours, floor, ours / floor, _BAR, len(busy), note)
