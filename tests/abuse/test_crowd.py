"""64 slow uploads and 64 slow readers at once: what a phone and the machine notice of them."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.support.bodies import body, metric
from tests.support.loopback import Client
from tests.support.process import INGEST, READ, Child, serving
from tests.support.statm import peak_kib, threads_again, threads_of

pytestmark = pytest.mark.slow

UPLOADS = READERS = 64
POSTS = 16
WITHIN_S = 2.0
PEAK_KIB = 120 * 1024

POINTS = 10_000
SMALL = b'{"data":{}}'

HEAD = (
    b"POST /ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n"
    b"Expect: 100-continue\r\n\r\n"
) % (INGEST.encode(), 64 << 20)


def filled(child: Child) -> str:
    """A log with 10,000 readings of one metric; the delivery that told them."""
    first = datetime(2026, 5, 1)  # noqa: DTZ001 - a wall time, its offset is in the text
    times = (first + timedelta(minutes=minute) for minute in range(POINTS))
    points = {f"{at:%Y-%m-%d %H:%M}:00 +0200": float(at.minute) for at in times}
    content = body(metric("step_count", points))
    status, said = child.post(content, automation_aggregation="Minutes")
    assert status == 200
    child.until("delivery folded", delivery_id=said["delivery_id"])
    return str(said["delivery_id"])


def uploading(child: Child, stack: ExitStack) -> list[Client]:
    """Uploads of 64 MiB each that have a place, and go on no further than their first MiB."""
    clients = [stack.enter_context(Client(child.port)) for _ in range(UPLOADS)]
    for client in clients:
        client.send(HEAD)
    for number, client in enumerate(clients):
        assert client.reply(head_only=True).status == 100
        # The first of them is the slowest.
        client.send(b"{" + b" " * ((1 << 20) if number else 1))
    return clients


def reading(child: Child, stack: ExitStack, delivery_id: str) -> list[Client]:
    """Readers of long answers that take the first byte and no more."""
    paths = [
        "/api/v1/points?metric=step_count&limit=10000",
        "/api/v1/series?metric=step_count&bucket=minute&limit=10000",
        f"/api/v1/deliveries/{delivery_id}/body",
        "/api/v1/points?metric=step_count&limit=10000&format=csv",
    ]
    clients = []
    for number in range(READERS):
        client = stack.enter_context(Client(child.port, receive_buffer=4096))
        path = paths[number % len(paths)]
        fields = f"Host: x\r\nAuthorization: Bearer {READ}\r\n\r\n"
        client.send(f"GET {path} HTTP/1.1\r\n{fields}".encode())
        clients.append(client)
    for client in clients:
        assert client.socket.recv(1) == b"H"
    return clients


@pytest.mark.scenario("ingest", "Crowd of slow clients keeps no delivery out")
def test_a_crowd_of_slow_clients_keeps_no_delivery_out(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    took: list[float] = []
    with serving(data) as child, ExitStack() as stack:
        delivery_id = filled(child)
        before = threads_of(child.process.pid)
        readers = reading(child, stack, delivery_id)
        uploads = uploading(child, stack)
        assert threads_of(child.process.pid) >= before + UPLOADS
        for _ in range(POSTS):
            began = time.perf_counter()
            status, _ = child.post(SMALL)
            took.append(time.perf_counter() - began)
            assert status == 200
        cut = uploads[0].reply()
        assert (cut.status, "slowest" in cut.json()["detail"]) == (408, True)
        peak = peak_kib(child.process.pid)
        stack.close()
        assert threads_again(child.process.pid, before)
        assert child.get("/stats")[1]["archive"]["bodies"] == 1 + POSTS
        assert child.stop() == 0
    assert len(readers) == READERS
    assert [line for line in child.lines if line["level"] == "ERROR"] == []
    assert list(data.glob("archive/incoming/*")) == []
    assert max(took) < WITHIN_S
    assert peak <= PEAK_KIB
    with capsys.disabled():
        numbers = {"posts": POSTS, "longest_s": round(max(took), 3), "peak_mib": peak // 1024}
        print(f"\n{UPLOADS} slow uploads, {READERS} slow readers: {json.dumps(numbers)}")
