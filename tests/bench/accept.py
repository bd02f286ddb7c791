"""How long an answer takes while the worker folds: `python -m tests.bench.accept`.

Two bodies of one size, of which one gives 16,001 points and the other nothing, are posted in turn
while a backlog is being folded, and once more while nothing is. What counts is the ratio within a
pair; the milliseconds are those of this machine.
"""

from __future__ import annotations

import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.bodies import minutes, nothing_to_fold

POINTS = 16_001
BACKLOG = 60
PAIRS = 20
_TOKEN = "bench-ingest-token-0123456789"
_READ = "bench-read-token-0123456789"


@dataclass(frozen=True, slots=True)
class Spans:
    """Seconds of the posts of each kind, pair by pair."""

    folded: list[float]
    empty: list[float]

    def row(self, name: str) -> dict[str, object]:
        ratios = [one / other for one, other in zip(self.folded, self.empty, strict=True)]
        return {
            "what": name,
            "pairs": len(ratios),
            "points_ms": round(statistics.median(self.folded) * 1000, 2),
            "nothing_ms": round(statistics.median(self.empty) * 1000, 2),
            "ratio": round(statistics.median(ratios), 2),
        }


@contextmanager
def serving(data: Path) -> Iterator[int]:
    """A service of its own process on a free port."""
    command = [sys.executable, "-m", "healthlog", "serve", "--data", str(data)]
    flags = ["--listen", "127.0.0.1:0", "--ingest-token", _TOKEN, "--read-token", _READ]
    with subprocess.Popen(command + flags, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            started = json.loads(child.stdout.readline())
            port = int(str(started["listen"]).rpartition(":")[2])
            yield port
        finally:
            child.terminate()
            child.communicate()


def post(connection: http.client.HTTPConnection, body: bytes) -> float:
    headers = {"Authorization": f"Bearer {_TOKEN}", "automation-aggregation": "Minutes"}
    begun = time.perf_counter()
    connection.request("POST", "/ingest", body, headers)
    answer = connection.getresponse()
    answer.read()
    spent = time.perf_counter() - begun
    assert answer.status == 200, answer.status
    return spent


def pending(connection: http.client.HTTPConnection) -> int:
    connection.request("GET", "/stats", headers={"Authorization": f"Bearer {_READ}"})
    return int(json.load(connection.getresponse())["deliveries"]["pending"])


def pairs(connection: http.client.HTTPConnection, points: bytes, nothing: bytes) -> Spans:
    spans = Spans([], [])
    for _ in range(PAIRS):
        spans.folded.append(post(connection, points))
        spans.empty.append(post(connection, nothing))
    return spans


def main() -> None:
    points = minutes(POINTS)
    nothing = nothing_to_fold(points)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "data") as port:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        idle = pairs(connection, nothing, nothing)
        for _ in range(BACKLOG):
            post(connection, points)
        busy = pairs(connection, points, nothing)
        left = pending(connection)
    print(json.dumps(idle.row("nothing beside nothing, no fold")))
    print(json.dumps(busy.row("points beside nothing, backlog being folded")))
    print(json.dumps({"body_bytes": len(points), "pending_at_the_end": left}))


if __name__ == "__main__":
    main()
