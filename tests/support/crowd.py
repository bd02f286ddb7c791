"""Slow clients of a service, many at once: uploads that stop, readers that don't read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta

from tests.support.bodies import body, metric
from tests.support.loopback import Client
from tests.support.process import INGEST, READ, Child

POINTS = 10_000

_HEAD = (
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


@contextmanager
def crowd(child: Child, count: int, delivery_id: str) -> Iterator[list[Client]]:
    """So many readers and, given, so many uploads, all of which have a place and have stopped
    moving; the first upload is the slowest."""
    with ExitStack() as stack:
        _reading(child, stack, count, delivery_id)
        yield _uploading(child, stack, count)


def _uploading(child: Child, stack: ExitStack, count: int) -> list[Client]:
    """Uploads of 64 MiB each that go on no further than their first MiB."""
    clients = [stack.enter_context(Client(child.port)) for _ in range(count)]
    for client in clients:
        client.send(_HEAD)
    for number, client in enumerate(clients):
        assert client.reply(head_only=True).status == 100
        client.send(b"{" + b" " * ((1 << 20) if number else 1))
    return clients


def _reading(child: Child, stack: ExitStack, count: int, delivery_id: str) -> None:
    """Readers of long answers that take the first byte and no more."""
    paths = [
        "/api/v1/points?metric=step_count&limit=10000",
        "/api/v1/series?metric=step_count&bucket=minute&limit=10000",
        f"/api/v1/deliveries/{delivery_id}/body",
        "/api/v1/points?metric=step_count&limit=10000&format=csv",
    ]
    clients = [stack.enter_context(Client(child.port, receive_buffer=4096)) for _ in range(count)]
    for number, client in enumerate(clients):
        path = paths[number % len(paths)]
        fields = f"Host: x\r\nAuthorization: Bearer {READ}\r\n\r\n"
        client.send(f"GET {path} HTTP/1.1\r\n{fields}".encode())
    for client in clients:
        assert client.socket.recv(1) == b"H"
