"""A device that fails to read, write or sync under a running service."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.aftermath import restarted
from tests.support.bodies import PARTIAL, TWO_DAYS, minutes
from tests.support.faults import Faults
from tests.support.process import Child, command, serving

pytestmark = pytest.mark.slow


@contextmanager
def failing(data: Path) -> Iterator[tuple[Child, Faults]]:
    """A service whose calls can be made to fail, stopped in order, then looked through."""
    faults = Faults(data.parent)
    with serving(data, "--tick", "100ms", program=faults.program) as child:
        yield child, faults
        child.settled()
        assert child.stop() == 0
    assert child.said("request failed") == child.said("thread died") == []
    accepted = [line["delivery_id"] for line in child.said("delivery accepted")]
    restarted(data, *accepted)


def archived(data: Path) -> list[str]:
    """Every file of the archive, parts included."""
    return sorted(path.name for path in data.glob("archive/**/*") if path.is_file())


@pytest.mark.scenario("faults", "Failing device is survived")
@pytest.mark.parametrize(
    "fault", ["fsync EIO .part", "write EIO .part", "rename EIO .meta.json", "rename EIO .json.gz"]
)
def test_a_body_that_cannot_be_made_durable_is_refused_without_a_trace(
    data: Path, fault: str
) -> None:
    with failing(data) as (child, faults):
        assert child.post(TWO_DAYS)[0] == 200
        before = archived(data)
        faults.begin(fault, "fsync OK /archive/", "rename OK /archive/")
        assert child.retry_after(PARTIAL) > 0
        assert archived(data) == before
        assert "archive" in child.until("disk failed")["error"]
        faults.end()
        # What was to be synced is never synced a second time.
        synced = Counter(one.path for one in faults.seen() if one.call == "fsync" and one.error)
        assert set(synced.values()) <= {1}
        assert child.post(PARTIAL)[0] == 200


@pytest.mark.scenario("faults", "Failing device is survived")
def test_a_folder_that_cannot_be_synced_takes_its_body_back(data: Path) -> None:
    with failing(data) as (child, faults):
        assert child.post(TWO_DAYS)[0] == 200
        before = archived(data)
        [day] = data.glob("archive/*/*/*")
        faults.begin(f"fsync EIO {day}", times=1)
        assert child.retry_after(PARTIAL) > 0
        faults.end()
        assert archived(data) == before


@pytest.mark.scenario("faults", "Failing device is survived")
@pytest.mark.parametrize("call", ["fsync", "write"])
def test_a_journal_that_cannot_be_written_gets_its_rows_later(data: Path, call: str) -> None:
    with failing(data) as (child, faults):
        assert child.post(TWO_DAYS)[0] == 200
        child.settled()
        faults.begin(f"{call} EIO journal.db")
        assert child.retry_after(PARTIAL) > 0
        assert "journal.db" in child.until("disk failed")["error"]
        assert child.get("/api/v1/deliveries")[0] == 200
        faults.end()
        # Without another delivery: the tick writes the row, for the body was there already.
        child.until("delivery folded", parse_status="partial")


@pytest.mark.scenario("faults", "Failing device is survived")
@pytest.mark.parametrize("call", ["fsync", "write"])
def test_a_mart_that_cannot_be_written_leaves_deliveries_pending(data: Path, call: str) -> None:
    with failing(data) as (child, faults):
        assert child.post(TWO_DAYS)[0] == 200
        child.settled()
        faults.begin(f"{call} EIO mart.db")
        assert child.post(minutes(30))[0] == 200
        assert "mart.db" in child.until("delivery left pending")["reason"]
        assert child.get("/stats")[1]["deliveries"]["pending"] == 1
        faults.end()
        child.until("delivery folded", layer="minute")


@pytest.mark.scenario("faults", "Bodies on a bad spot are named")
def test_bodies_on_a_bad_spot_hold_nobody_up_and_are_named(data: Path) -> None:
    with failing(data) as (child, faults):
        faults.begin("read EIO .json.gz")
        posted = [child.post(minutes(3, hour))[1]["delivery_id"] for hour in range(2)]
        faults.begin(*(f"read EIO {one}.json.gz" for one in posted))
        later = child.post(TWO_DAYS)[1]["delivery_id"]
        assert child.until("delivery folded")["delivery_id"] == later
        status, answer = child.get(f"/api/v1/deliveries/{posted[0]}/body")
        assert (status, "log of the service" in answer["detail"]) == (503, True)
        left = child.until("delivery left pending", delivery_id=posted[1])
        told = [line["error"] for line in child.said("disk failed")]
        assert len(told) == len({*told})  # once a minute
        assert any(f"{posted[0]}.json.gz: Input/output error" in error for error in told)
        assert f"{posted[1]}.json.gz: Input/output error" in left["reason"]
        checked = command("check", "--data", data, env=faults.program.env)
        assert checked.returncode == 1
        assert all(f"{one}.json.gz: can't be read" in checked.stdout for one in posted)
        assert later not in checked.stdout
        into = data.parent / "into.db"
        replayed = command("reindex", "--into", into, "--data", data, env=faults.program.env)
        assert replayed.returncode == 1
        assert f"{posted[0]}.json.gz: Input/output error" in replayed.stderr
        faults.end()
        assert child.settled()["deliveries"]["parsed"] == 3
