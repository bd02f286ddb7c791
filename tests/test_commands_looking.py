"""`digest` and `status`: one line of JSON each, with or without a service."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.bodies import NO_JSON, ONE_DAY, PARTIAL, TWO_DAYS, days, minutes
from tests.support.clock import FakeClock
from tests.support.engine import open_engine
from tests.support.process import serving
from tests.support.shell import run

SENT = [
    TWO_DAYS,
    days({"2026-05-03": 8000, "2026-05-04": 6044}),
    minutes(60),
    PARTIAL,
    ONE_DAY,
    NO_JSON,
    minutes(90),
    days({"2026-05-05": 100}),
]


def digest(data: Path, *more: str | Path) -> dict[str, object]:
    ran = run("digest", "--data", data, *more)
    assert (ran.status, ran.err) == (0, "")
    [line] = ran.out.splitlines()
    found: dict[str, object] = json.loads(line)
    return found


@pytest.mark.scenario("operations", "Digest ignores history")
def test_a_digest_ignores_history(tmp_path: Path, clock: FakeClock) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    with open_engine(one, clock) as engine:
        for body in SENT:
            engine.post(body, automation_id="A")
            engine.fold_all()
    shutil.copytree(one / "archive", other / "archive")
    clock.advance(86_400)
    with open_engine(other, clock) as engine:
        engine.restart()
        ids = engine.house.rows()
        player = engine.player()
        for delivery_id in random.Random(7).sample(ids * 2, len(ids) * 2):
            player.play(delivery_id)
    found = digest(one)
    assert found == digest(other, "--timezone", "Pacific/Auckland")
    assert set(found) == {"points", "records", "sha256"}
    assert (found["points"], found["records"]) == (96, 0)
    with closing(sqlite3.connect(other / "mart.db")) as mart:
        mart.execute("UPDATE point SET qty = qty + 1 WHERE at_ms = (SELECT max(at_ms) FROM point)")
        mart.commit()
    changed = digest(other)
    assert changed["points"] == found["points"]
    assert changed["sha256"] != found["sha256"]


def test_a_digest_of_another_file_needs_no_data_directory(tmp_path: Path, data: Path) -> None:
    run("migrate", "up", "--data", data)
    ran = run("digest", "--mart", data / "mart.db", "--data", tmp_path / "nowhere")
    assert (ran.status, json.loads(ran.out)["points"]) == (0, 0)


@pytest.mark.scenario("operations", "Status gives the numbers of stats")
def test_status_gives_the_numbers_of_stats(data: Path) -> None:
    with serving(data) as child:
        for body in SENT:
            assert child.post(body, automation_id="A")[0] == 200
        for _ in range(len(SENT) - 1):
            child.until("delivery folded")
        _, stats = child.get("/stats")
        beside = json.loads(run("status", "--data", data).out)
        assert child.stop() == 0
    after = json.loads(run("status", "--data", data).out)
    for told in (beside, after):
        for part in ("deliveries", "archive", "mart", "version", "oldest_pending"):
            assert told[part] == stats[part]
    assert stats["deliveries"] == {"pending": 0, "parsed": 6, "partial": 1, "failed": 1}
    assert set(after) == set(stats)
