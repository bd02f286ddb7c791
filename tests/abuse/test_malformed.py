"""500 requests that no server may take, all at one service, 16 at a time."""

from __future__ import annotations

import random
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.loopback import Client
from tests.support.malformed import KINDS, Kind
from tests.support.process import serving
from tests.support.statm import threads_again, threads_of
from tests.support.telling import Tell

pytestmark = pytest.mark.slow

SEED = 9112
REQUESTS = 500
AT_ONCE = 16

STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")

LOOKS = 1_000


def made() -> list[tuple[Kind, bytes]]:
    """Every kind in its turn, each time with other dice."""
    dice = random.Random(SEED)
    return [(one, one.make(dice)) for n in range(REQUESTS) for one in [KINDS[n % len(KINDS)]]]


def statuses(port: int, data: bytes) -> list[int]:
    """Of all that is answered up to the end of the connection."""
    with Client(port) as client:
        said = b""
        try:
            client.send(data)
            client.end()
            while piece := client.socket.recv(65536):
                said += piece
        except (BrokenPipeError, ConnectionResetError):
            pass  # it may have been closed before everything was sent
        return [int(one) for one in STATUS.findall(said)]


def refused(kind: Kind, found: list[int]) -> bool:
    """Whether it was answered once, as its kind may be: what stands behind is no request."""
    final = [status for status in found if status != 100]
    return len(final) == 1 and final[0] in kind.statuses


@pytest.mark.scenario("web", "Malformed requests are refused in order")
def test_malformed_requests_are_refused_in_order(data: Path, tell: Tell) -> None:
    assert len(KINDS) >= 60
    assert len({kind.name for kind in KINDS}) == len(KINDS)
    requests = made()
    with serving(data) as child:
        # The last of its own threads to begin, some time after it is said to have started.
        assert any(child.get("/stats")[1]["recordings"]["workers"] for _ in range(LOOKS))
        before = threads_of(child.process.pid)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = list(pool.map(lambda one: statuses(child.port, one[1]), requests))
        wrong = [
            f"{kind.name}: {answers} for {sent[:200]!r}"
            for (kind, sent), answers in zip(requests, found, strict=True)
            if not refused(kind, answers)
        ]
        assert wrong == []
        assert threads_again(child.process.pid, before)
        status, _ = child.post(b'{"data":{}}')
        assert status == 200
        told = child.get("/api/v1/refusals")[1]["items"]
        assert [one for one in told if "smuggled" in one.get("path", "")] == []
        assert child.get("/stats")[1]["archive"]["bodies"] == 1
        assert child.stop() == 0
    assert child.errors_said == ""
    assert [line for line in child.lines if line["level"] == "ERROR"] == []
    counted = Counter(status for answers in found for status in answers)
    tell(f"{len(requests)} requests of {len(KINDS)} kinds: {dict(sorted(counted.items()))}")
