"""How long a fold takes, from the archive to the kept outcome, beside decoding plus upsert."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from healthlog.base.db import Database
from healthlog.model import Delivery
from healthlog.replay import Player
from tests.bench.figures import Bar, Pairs, Row
from tests.bench.floors import bare_store
from tests.bench.phone import Phone
from tests.bench.scale import Scale
from tests.support.clock import FakeClock
from tests.support.engine import Engine, open_engine

DOCUMENTS_MS = 11_070
"""What the system of the first document took for 16,001 points."""

YEAR_US = 31_536_000_000_000


def part(scale: Scale) -> Iterator[Row]:
    yield from _one_body(scale)
    yield _small_body(scale)
    yield _bytes_a_point(scale)


@contextmanager
def engine() -> Iterator[Engine]:
    """An empty log in a folder of its own, long after every body."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        data.mkdir(mode=0o700)
        clock = FakeClock()
        clock.set(clock.wall_us + YEAR_US)
        with open_engine(data, clock) as opened:
            yield opened


def played(player: Player, one: Delivery) -> float:
    """Seconds of a fold that must succeed."""
    begun = time.perf_counter()
    outcome = player.play(one.delivery_id)
    spent = time.perf_counter() - begun
    assert outcome.folded == 1, outcome
    return spent


def _one_body(scale: Scale) -> Iterator[Row]:
    content = Phone().body(scale.points)
    fresh, again = Pairs(), Pairs()
    for _ in range(scale.rounds):
        with engine() as log, tempfile.TemporaryDirectory() as folder:
            first, second = (log.post(content, aggregation="Minutes") for _ in range(2))
            player = log.player(quiet=True)
            with bare_store(Path(folder)) as floor:
                floors = [floor.fold(content)]
                ours = [played(player, first)]
                floors.append(floor.fold(content))
                ours.append(played(player, second))
            fresh.add(ours[0], floors[0])
            again.add(ours[1], floors[1])
    row = fresh.row(f"fold of {scale.points:,} points", Bar(1.6))
    yield row
    faster = DOCUMENTS_MS / row.ours * scale.points / 16_001
    yield Row("the same beside the document", "ms", row.ours, None, faster,
              Bar(100, "× faster", least=True), scale.rounds)  # fmt: skip
    yield again.row("the same sent again unchanged", Bar(1.2))


def _small_body(scale: Scale) -> Row:
    """What most pushes are; no bar is set for it."""
    content = Phone().body(min(1_001, scale.points))
    pairs = Pairs()
    for _ in range(scale.rounds):
        with engine() as log, tempfile.TemporaryDirectory() as folder:
            one = log.post(content, aggregation="Minutes")
            with bare_store(Path(folder)) as floor:
                bare = floor.fold(content)
            pairs.add(played(log.player(quiet=True), one), bare)
    return pairs.row("fold of 1,001 points", None)


def _bytes_a_point(scale: Scale) -> Row:
    with engine() as log:
        mart = Database(log.mart.path, clock=log.clock)
        empty = _size(mart)
        one = log.post(Phone().body(scale.stored, segments=0), aggregation="Minutes")
        played(log.player(quiet=True), one)
        grown = _size(mart) - empty
        mart.close()
    figure = grown / scale.stored
    return Row("bytes of a stored point", "B", figure, None, figure, Bar(40, "B"), 1)


def _size(mart: Database) -> int:
    assert mart.checkpoint()
    return mart.path.stat().st_size
