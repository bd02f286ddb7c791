"""How long a small delivery takes to accept while slow clients hold all the places they can."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figures import Bar, Row
from tests.bench.scale import Scale
from tests.support.crowd import crowd, filled
from tests.support.process import Child, serving

_SMALL = b'{"data":{}}'


def part(scale: Scale) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "data") as child:
        delivery_id = filled(child)
        idle = [_post(child) for _ in range(scale.posts)]
        with crowd(child, scale.crowd, delivery_id):
            busy = [_post(child) for _ in range(scale.posts)]
    longest, floor = max(busy) * 1000, statistics.median(idle) * 1000
    yield Row(
        f"accept beside {scale.crowd} slow uploads and {scale.crowd} slow readers",
        *("ms", longest, floor, longest, Bar(2000, "ms"), len(busy)),
        note="the longest of all",
    )


def _post(child: Child) -> float:
    begun = time.perf_counter()
    status, _ = child.post(_SMALL)
    spent = time.perf_counter() - begun
    assert status == 200, status
    return spent
