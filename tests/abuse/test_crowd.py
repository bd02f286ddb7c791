"""64 slow uploads and 64 slow readers at once: what a phone and the machine notice of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.crowd import crowd, filled
from tests.support.process import serving
from tests.support.statm import peak_kib, threads_again, threads_of
from tests.support.telling import Tell

pytestmark = pytest.mark.slow

CROWD = 64
POSTS = 16
PEAK_KIB = 120 * 1024

SMALL = b'{"data":{}}'


@pytest.mark.scenario("ingest", "Crowd of slow clients keeps no delivery out")
def test_a_crowd_of_slow_clients_keeps_no_delivery_out(data: Path, tell: Tell) -> None:
    with serving(data) as child:
        delivery_id = filled(child)
        before = threads_of(child.process.pid)
        with crowd(child, CROWD, delivery_id) as uploads:
            assert threads_of(child.process.pid) >= before + CROWD
            assert [child.post(SMALL)[0] for _ in range(POSTS)] == [200] * POSTS
            cut = uploads[0].reply()
            assert (cut.status, "slowest" in cut.json()["detail"]) == (408, True)
            peak = peak_kib(child.process.pid)
        assert threads_again(child.process.pid, before)
        assert child.get("/stats")[1]["archive"]["bodies"] == 1 + POSTS
        assert child.stop() == 0
    assert [line for line in child.lines if line["level"] == "ERROR"] == []
    assert list(data.glob("archive/incoming/*")) == []
    assert peak <= PEAK_KIB
    tell(f"{CROWD} slow uploads, {CROWD} slow readers: at most {peak // 1024} MiB")
