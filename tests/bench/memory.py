"""How much memory a service needs for the widest body, and how long it folds it."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figures import Bar, Row
from tests.bench.floors import bare_store
from tests.bench.phone import Phone
from tests.bench.scale import Scale
from tests.bench.serving import serving


def part(scale: Scale) -> Iterator[Row]:
    for name, plain in (("ASCII", True), ("not ASCII", False)):
        content, points = Phone(plain=plain).of_bytes(scale.huge, workouts=scale.huge >> 22)
        with tempfile.TemporaryDirectory() as folder:
            with serving(Path(folder) / "data") as served:
                begun = time.perf_counter()
                served.post(content)
                served.settle()
                spent = time.perf_counter() - begun
                peak = served.peak_mib()
                assert json.loads(served.get("/stats")[1])["mart"]["points"] > points * 0.9
            yield Row(
                f"peak memory of serve, a body of 64 MiB, {name}",
                *("MiB", peak, None, peak, Bar(120, "MiB"), 1),
            )
            with bare_store(Path(folder)) as floor:
                bare = floor.fold(content)
            yield Row(
                f"the same accepted and folded, {name}",
                *("ms", spent * 1000, bare * 1000, spent / bare, None, 1),
            )
