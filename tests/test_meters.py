"""The numbers of `GET /metrics`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from healthlog.base.metrics import CONTENT_TYPE, Registry
from healthlog.gauges import Gauges
from healthlog.meters import Meters
from tests.support.bodies import NO_JSON, PARTIAL, TWO_DAYS
from tests.support.clock import FakeClock
from tests.support.damage import garble_head
from tests.support.process import READ
from tests.support.reading import open_desk
from tests.support.serviced import GET, asked, posted, running

SAMPLE = re.compile(r'([a-z_]+(?:\{[a-z]+="(?:[^"\\]|\\.)*"\})?) (\S+)')


def samples(text: str) -> dict[str, float]:
    """The samples by their names with labels; every other line is HELP or TYPE."""
    found = {}
    for line in text.splitlines():
        if line.startswith(("# HELP healthlog_", "# TYPE healthlog_")):
            continue
        match = SAMPLE.fullmatch(line)
        assert match is not None, line
        found[match[1]] = float(match[2])
    return found


@pytest.mark.scenario("operations", "Prometheus reads how the log is doing")
def test_prometheus_reads_how_the_log_is_doing(data: Path) -> None:
    with running(data) as (service, stream):
        for body in (TWO_DAYS, PARTIAL, NO_JSON):
            assert posted(service, body).status == 200
        assert posted(service, b"").status == 400
        assert posted(service, b"[]").status == 400
        stream.until("delivery folded", 2)
        stream.until("delivery failed")
        # What was answered is counted behind the answer, and told behind that.
        stream.until("delivery refused", 2)
        answer = asked(service, GET % (b"/metrics", READ.encode()))
    assert answer.headers["content-type"] == CONTENT_TYPE
    found = samples(answer.body.decode())
    assert {name: found[name] for name in found if name.startswith("healthlog_deliver")} == {
        'healthlog_deliveries_total{status="parsed"}': 1,
        'healthlog_deliveries_total{status="partial"}': 1,
        'healthlog_deliveries_total{status="failed"}': 1,
        'healthlog_delivery_refused_total{status="400"}': 2,
    }
    assert found["healthlog_accept_seconds_count"] == found["healthlog_fold_seconds_count"] == 3
    assert found["healthlog_pending"] == found["healthlog_oldest_pending_seconds"] == 0
    assert found["healthlog_points"] >= 2
    assert found["healthlog_worker_alive"] == 1
    assert any(name.startswith("healthlog_last_delivery_timestamp_seconds") for name in found)


def test_what_waits_is_told_with_its_age(data: Path, clock: FakeClock) -> None:
    with open_desk(data, clock) as desk:
        desk.keep(TWO_DAYS, "Days", automation_id='a"b')
        heard_s = clock.wall_us / 1_000_000
        clock.wall_us += 90_000_000
        registry = Registry()
        Gauges(desk.house.journal, desk.mart, clock, lambda: None).register(registry)
        found = samples(registry.text())
    assert found["healthlog_pending"] == 1
    assert found["healthlog_oldest_pending_seconds"] >= 90
    assert found["healthlog_worker_alive"] == 0
    [last] = [found[name] for name in found if r'automation="a\"b"' in name]
    assert last == pytest.approx(heard_s, abs=1)


def test_what_can_not_be_read_is_left_out(data: Path, clock: FakeClock) -> None:
    with open_desk(data, clock) as desk:
        registry = Registry()
        Meters(registry)
        Gauges(desk.house.journal, desk.mart, clock, lambda: None).register(registry)
        desk.mart.close()
        garble_head(desk.mart.path)
        desk.mart.open()
        found = samples(registry.text())
    assert "healthlog_points" not in found
    assert found["healthlog_pending"] == 0


def test_what_is_no_delivery_is_not_counted() -> None:
    registry = Registry()
    meters = Meters(registry)
    meters.answered("/api/v1/points", 400, 0.1)
    meters.answered("/api/v1/points", 200, 0.1)
    found = samples(registry.text())
    assert found["healthlog_accept_seconds_count"] == 0
    assert not any("refused" in name for name in found)
