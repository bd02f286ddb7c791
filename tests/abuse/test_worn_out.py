"""A service whose worker has died, or that has used up its descriptors."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.support.aftermath import restarted
from tests.support.bodies import PARTIAL, TWO_DAYS, minutes
from tests.support.hooked import DIE, hooked
from tests.support.loopback import Client
from tests.support.process import INGEST, Child, Program, serving

pytestmark = pytest.mark.slow

POST = "POST /ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
IDLE = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.scenario("faults", "Worker that dies in a pass is visible too")
def test_a_worker_that_dies_is_told_of_and_deliveries_are_taken_in(data: Path) -> None:
    # Its first step of its own is to open the body that it is to fold.
    with serving(data, program=hooked(data, DIE, 1)) as child:
        acknowledged = [child.post(TWO_DAYS)[1]["delivery_id"]]
        died = child.until("thread died")
        assert (died["level"], died["thread"]) == ("ERROR", "worker")
        assert child.get("/healthz") == (200, {"status": "ok"})
        status, told = child.get("/stats")
        assert (status, told["worker"]["alive"], told["deliveries"]["pending"]) == (200, False, 1)
        status, answer = child.post(PARTIAL)
        assert status == 200
        acknowledged.append(answer["delivery_id"])
        assert child.stop() == 0
    assert child.said("delivery folded") == child.said("stop budget exhausted") == []
    assert restarted(data, *acknowledged).points == 4


# Descriptors


@contextmanager
def descriptors(child: Child, most: int) -> Iterator[None]:
    """A running service may have so many, whatever it has."""
    pid = child.process.pid
    soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (most, hard))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))


def posted(client: Client, body: bytes) -> int:
    """Over a connection that is there already."""
    client.send((POST % (INGEST, len(body))).encode() + body)
    return client.reply().status


@pytest.mark.scenario("faults", "Used up descriptors are survived")
def test_a_service_without_descriptors_refuses_and_goes_on_when_it_has_some(data: Path) -> None:
    with serving(data, "--tick", "100ms") as child:
        assert child.post(TWO_DAYS)[0] == 200
        child.settled()
        client, other = child.client(), child.client()
        assert posted(client, PARTIAL) == posted(other, minutes(3)) == 200
        child.settled()
        with descriptors(child, 8):
            assert posted(client, minutes(9)) == 503
            assert "Too many open files" in child.until("disk failed")["error"]
        assert child.post(minutes(9))[0] == 200
        child.settled()
        assert child.stop() == 0
    assert child.said("request failed") == child.said("thread died") == []
    assert restarted(data).points == 13


@pytest.mark.scenario("faults", "Used up descriptors are survived")
def test_a_service_with_few_descriptors_takes_in_deliveries_beside_idle_clients(
    data: Path,
) -> None:
    if shutil.which("prlimit") is None:
        pytest.skip("prlimit is not installed")
    few = Program(before=("prlimit", "--nofile=64:64"))
    acknowledged = []
    with serving(data, program=few) as child:
        [line] = child.said("fewer connections than set")
        with ExitStack() as stack:
            for _ in range(2 * line["connections"]):
                client = stack.enter_context(Client(child.port))
                client.send(IDLE)
            for number in range(5):
                status, answer = child.post(minutes(number + 1))
                assert status in {200, 503}
                acknowledged += [answer["delivery_id"]] if status == 200 else []
        status, answer = child.post(TWO_DAYS)
        assert status == 200
        child.settled()
        assert child.stop() == 0
    assert child.said("thread died") == child.said("request failed") == []
    restarted(data, *acknowledged, answer["delivery_id"])
