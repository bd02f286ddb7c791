"""How long an answer takes while the worker folds what was posted before.

Two bodies of one size, of which one gives 16,001 points and the other nothing, are posted in turn
while a backlog is being folded, and while nothing is.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.bodies import minutes, nothing_to_fold
from tests.bench.figures import Bar, Pairs, Row
from tests.bench.scale import Scale
from tests.bench.serving import Served, serving

_BACKLOG = 3
"""So many times as many deliveries as are measured wait to be folded."""


def part(scale: Scale) -> Iterator[Row]:
    points = minutes(scale.points)
    nothing = nothing_to_fold(points)
    pairs = max(1, scale.posts // 10)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "data") as served:
        idle = _pairs(served, nothing, nothing, pairs)
        for _ in range(_BACKLOG * pairs):
            served.post(points)
        busy = _pairs(served, points, nothing, pairs)
    yield idle.row("nothing beside nothing, no fold", None)
    yield busy.row("points beside nothing, a backlog being folded", Bar(1.5))


def _pairs(served: Served, one: bytes, other: bytes, pairs: int) -> Pairs:
    spans = Pairs()
    for _ in range(pairs):
        spans.add(served.post(one), served.post(other))
    return spans
