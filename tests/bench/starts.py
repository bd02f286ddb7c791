"""How long a service takes from its start to its first answer."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figures import Bar, Row
from tests.bench.scale import Scale
from tests.bench.serving import serving
from tests.support.process import environment


def part(scale: Scale) -> Iterator[Row]:
    ours: list[float] = []
    floor: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        for _ in range(scale.starts + 1):  # the first makes the files
            begun = time.perf_counter()
            with serving(data) as served:
                served.get("/healthz")
                ours.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", "pass"], env=environment(), check=True)
            floor.append(time.perf_counter() - begun)
    more = statistics.median(one - bare for one, bare in zip(ours[1:], floor[1:], strict=True))
    yield Row(
        "from the start of serve to its first answer",
        "ms",
        statistics.median(ours[1:]) * 1000,
        statistics.median(floor[1:]) * 1000,
        more * 1000,
        Bar(250, "ms more"),
        scale.starts,
    )
