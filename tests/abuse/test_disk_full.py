"""A disk without any room, a real one, at each of the places where something is written."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from healthlog.mart.digest import Digest
from tests.support.accepting import outsider
from tests.support.aftermath import restarted
from tests.support.bodies import TWO_DAYS, body, days, metric
from tests.support.clock import FakeClock
from tests.support.earlier import age
from tests.support.engine import open_engine
from tests.support.mounts import Ballast, small_disk
from tests.support.process import TOKENS, command, serving

pytestmark = pytest.mark.slow

READS = ("/stats", "/api/v1/metrics", "/api/v1/deliveries")
TICK = ("--tick", "100ms")


def noise(seed: int, count: int = 2_000) -> bytes:
    """Minutes whose numbers don't compress."""
    dice = random.Random(seed)
    first = datetime(2026, 5, 1, tzinfo=UTC)
    points = {f"{first + timedelta(minutes=at):%F %T %z}": dice.random() for at in range(count)}
    return body(metric("heart_rate", points, "count/min"))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk") as mounted:
        (mounted / "data").mkdir(mode=0o700)
        yield mounted


@pytest.mark.scenario("faults", "Full disk is survived everywhere")
def test_deliveries_are_refused_until_there_is_room_again(disk: Path) -> None:
    data, ballast, acknowledged = disk / "data", Ballast(disk), []
    with serving(data, *TICK) as child:
        ballast.fill(left=900_000)
        statuses: list[int] = []
        while 507 not in statuses:
            status, answer = child.post(noise(len(statuses)))
            statuses.append(status)
            acknowledged += [answer["delivery_id"]] if status == 200 else []
        assert len(acknowledged) == len(statuses) - 1 > 0
        assert {child.get(path)[0] for path in READS} == {200}
        assert str(data / "archive") in child.until("disk failed")["error"]
        ballast.drop()
        assert child.post(TWO_DAYS)[0] == 200
        child.settled()
        assert child.stop() == 0
    restarted(data, *acknowledged)


@pytest.mark.scenario("faults", "Full disk is survived everywhere")
def test_folds_wait_until_there_is_room_again(disk: Path) -> None:
    data, ballast = disk / "data", Ballast(disk)
    with serving(data, *TICK) as child:
        # The log of the mart can't grow: nothing of it is left over from earlier folds.
        with outsider(data / "mart.db"):
            acknowledged = [child.post(noise(seed))[1]["delivery_id"] for seed in range(4)]
            ballast.fill()
        assert "full" in child.until("disk failed")["error"]
        assert "full" in child.until("delivery left pending")["reason"]
        assert {child.get(path)[0] for path in READS} == {200}
        assert child.post(TWO_DAYS)[0] == 507
        ballast.drop()
        assert child.settled()["deliveries"]["parsed"] == 4
        assert child.stop() == 0
    restarted(data, *acknowledged)


@pytest.mark.scenario("faults", "Full disk is survived everywhere")
def test_a_log_that_a_reader_keeps_from_shrinking_fills_the_disk_and_nothing_more(
    disk: Path,
) -> None:
    data, ballast, acknowledged = disk / "data", Ballast(disk), []
    with serving(data, *TICK) as child:
        with closing(sqlite3.connect(data / "journal.db", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM delivery").fetchall()
            ballast.fill(left=1_500_000)
            status, number = 200, 0
            while status == 200:
                status, answer = child.post(days({f"2026-05-{number % 28 + 1:02}": number}))
                acknowledged += [answer["delivery_id"]] if status == 200 else []
                number += 1
            log = (data / "journal.db-wal").stat().st_size
        assert (status, len(acknowledged) > 3, log > 300_000) == (507, True, True)
        ballast.drop()
        assert child.post(TWO_DAYS)[0] == 200
        child.settled()
        assert child.stop() == 0
    restarted(data, *acknowledged)


def earlier(data: Path) -> Digest:
    """A log that an earlier parser folded, so that a start rebuilds its mart."""
    with open_engine(data, FakeClock()) as engine:
        for seed in range(12):
            engine.post(noise(seed, 1_500), automation_id="A")
        engine.fold_all()
        age(engine)
        return engine.digest()


@pytest.mark.scenario("faults", "Full disk is survived everywhere")
def test_a_rebuild_without_room_leaves_the_mart_that_answers(disk: Path) -> None:
    data, ballast = disk / "data", Ballast(disk)
    before = earlier(data)
    size = (data / "mart.db").stat().st_size
    ballast.fill(left=size + 600_000)
    with serving(data, *TICK) as child:
        child.until("rebuild started")
        ballast.fill(left=40_000)
        assert child.until("rebuild failed")["level"] == "WARN"
        assert {child.get(path)[0] for path in READS} == {200}
        assert child.stop() == 0
    assert list(data.glob("mart.db.*")) == []
    ballast.drop()
    with serving(data) as child:
        child.until("rebuild finished")
        assert child.stop() == 0
    assert restarted(data) == before


def test_a_stop_on_a_full_disk_is_an_orderly_one(disk: Path) -> None:
    data, ballast = disk / "data", Ballast(disk)
    with serving(data) as child:
        acknowledged = [child.post(noise(seed))[1]["delivery_id"] for seed in range(4)]
        child.settled()
        ballast.fill()
        assert child.stop() == 0
    ballast.drop()
    restarted(data, *acknowledged)


@pytest.mark.parametrize("begun", [False, True])
def test_a_start_on_a_full_disk_says_so_in_one_sentence(disk: Path, begun: bool) -> None:
    data, ballast = disk / "data", Ballast(disk)
    if begun:
        with serving(data) as child:
            assert child.post(TWO_DAYS)[0] == 200
            assert child.stop() == 0
    ballast.fill()
    ran = command("serve", "--data", data, "--listen", "127.0.0.1:0", env=TOKENS)
    [sentence] = ran.stderr.splitlines()
    assert ran.returncode == 1
    assert re.search(r"(lock|journal\.db): .*(full|[Nn]o space)", sentence), sentence


def test_a_disk_without_inodes_refuses_deliveries_until_it_has_some(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "size=8m,nr_inodes=48") as disk:
        data, acknowledged, status = disk / "data", [], 200
        data.mkdir(mode=0o700)
        with serving(data, *TICK) as child:
            while status == 200:
                status, answer = child.post(TWO_DAYS)
                acknowledged += [answer["delivery_id"]] if status == 200 else []
            assert (status, len(acknowledged) > 3) == (507, True)
            assert {child.get(path)[0] for path in READS} == {200}
            assert child.stop() == 0
        assert list(data.glob("archive/incoming/*")) == []
        with_room = tmp_path / "with room"
        shutil.copytree(data, with_room)
    restarted(with_room, *acknowledged)
