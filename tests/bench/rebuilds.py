"""How long the rebuild of an archive takes beside the floors of its bodies, on one core or two."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from healthlog.ahead import processes
from tests.bench.figures import Bar, Pairs, Row
from tests.bench.floors import bare_store
from tests.bench.folds import engine
from tests.bench.phone import Phone
from tests.bench.scale import Scale


def part(scale: Scale) -> Iterator[Row]:
    for bodies, bars in ((scale.bodies, (Bar(1.5), Bar(1.0))), (scale.bodies * 2, (None, None))):
        pairs = _pairs(list(Phone().day(bodies)), scale.rounds if bars[0] else 3)
        for (cores, of_cores), bar in zip(pairs.items(), bars, strict=True):
            yield of_cores.row(f"rebuild of {bodies} bodies, {cores}", bar)


def _pairs(bodies: list[bytes], rounds: int) -> dict[str, Pairs]:
    found = {"one core": Pairs(), "two cores": Pairs()}
    with engine() as log:
        for content in bodies:
            log.post(content, aggregation="Minutes", automation_id="A")
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                with bare_store(Path(folder)) as floor:
                    bare = sum(map(floor.fold, bodies))
                for workers, pairs in zip((0, processes(2)), found.values(), strict=True):
                    begun = time.perf_counter()
                    replay = log.replay(workers=workers)
                    report = replay.into(Path(folder) / f"{workers}.db")
                    pairs.add(time.perf_counter() - begun, bare)
                    assert report.outcome.folded == len(bodies)
    return found
