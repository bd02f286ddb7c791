"""Services of their own processes that the bench asks."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from tests.support.process import INGEST, READ, TOKENS, environment
from tests.support.sources import ROOT

_LOOK_S = 0.02


class Served:
    """A service or a bare server at a port, asked over one connection that stays open."""

    def __init__(self, port: int, process: subprocess.Popen[str]) -> None:
        self.port = port
        self.process = process
        self._never = threading.Event()
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)

    def another(self) -> Self:
        """The same over a connection of its own."""
        return type(self)(self.port, self.process)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def post(self, body: bytes) -> float:
        """Seconds from the request to the end of its answer."""
        headers = {"Authorization": f"Bearer {INGEST}", "automation-aggregation": "Minutes"}
        begun = time.perf_counter()
        self._connection.request("POST", "/ingest", body, headers)
        answer = self._connection.getresponse()
        answer.read()
        spent = time.perf_counter() - begun
        assert answer.status == 200, answer.status
        return spent

    def get(self, path: str) -> tuple[float, bytes]:
        """Seconds, and the answer."""
        begun = time.perf_counter()
        self._connection.request("GET", path, headers={"Authorization": f"Bearer {READ}"})
        answer = self._connection.getresponse()
        found = answer.read()
        assert answer.status == 200, (path, answer.status, found)
        return time.perf_counter() - begun, found

    def pending(self) -> int:
        """Deliveries that wait to be folded."""
        return int(self._stats()["deliveries"]["pending"])

    def rebuilding(self) -> bool:
        """Whether the mart is being made anew."""
        return self._stats()["rebuild"] is not None

    def settle(self) -> None:
        """Wait until all that was posted is folded, with a look now and then."""
        while self.pending():
            self._never.wait(_LOOK_S)

    def _stats(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.get("/stats")[1])
        return found

    def peak_mib(self) -> float:
        """The most memory that the process has held so far."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        [line] = [line for line in status.splitlines() if line.startswith("VmHWM")]
        return int(line.split()[1]) / 1024


@contextmanager
def serving(data: Path, *flags: str) -> Iterator[Served]:
    """A service whose door is open."""
    command = [sys.executable, "-m", "healthlog", "serve", "--data", str(data)]
    with (
        running([*command, "--listen", "127.0.0.1:0", *flags]) as (process, first),
        Served(int(json.loads(first)["listen"].rpartition(":")[2]), process) as served,
    ):
        yield served


@contextmanager
def bare() -> Iterator[Served]:
    """A bare server over an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.bench.bare", folder]
        with running(command) as (process, first), Served(int(first), process) as served:
            yield served


@contextmanager
def running(command: list[str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process, and the first line that it says; what it says after that nobody keeps."""
    # With compiled modules beside their sources, as wherever the service runs more than once.
    settings = environment(**TOKENS, PYTHONDONTWRITEBYTECODE="")
    with subprocess.Popen(
        command, cwd=ROOT, env=settings, stdout=subprocess.PIPE, text=True
    ) as process:
        stream = process.stdout
        assert stream is not None
        first = stream.readline()
        reader = threading.Thread(target=lambda: [None for _ in stream])
        reader.start()
        try:
            yield process, first
        finally:
            process.terminate()
            reader.join()
