"""Files of a log that somebody or something has damaged, under a service and without one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.support.accepting import outsider
from tests.support.aftermath import restarted
from tests.support.bodies import PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.damage import flip_byte, flip_pages, garble_head, page_with, truncate
from tests.support.engine import open_engine
from tests.support.process import serving
from tests.support.shell import run

pytestmark = pytest.mark.slow

TICK = ("--tick", "100ms")
POINTS = "/api/v1/points?metric=step_count&layer=minute&limit=10000"
READS = ("/api/v1/metrics", POINTS, "/api/v1/changes")

Harm = Callable[[Path], object]


def beside(suffix: str, harm: Harm) -> Harm:
    """Harm to what SQLite keeps beside a file."""
    return lambda path: harm(path.with_name(path.name + suffix))


HARMS: dict[str, Harm] = {
    "deleted": Path.unlink,
    "emptied": partial(truncate, pages=0),
    "cut": partial(truncate, pages=4),
    "garbled": garble_head,
    "flipped": partial(flip_pages, first=2),
}
BESIDE: dict[str, Harm] = {
    "its log deleted": beside("-wal", Path.unlink),
    "its index deleted": beside("-shm", Path.unlink),
    "its index flipped": beside("-shm", partial(flip_pages, first=1)),
}
LATENT: dict[str, Harm] = {
    "its log emptied": beside("-wal", partial(truncate, pages=0)),
    "its log flipped": beside("-wal", partial(flip_pages, first=1)),
}
"""SQLite takes it over into the file unseen; a page that nobody reads may be damaged then."""


@pytest.fixture
def filled(data: Path) -> Path:
    """A log in which everything is folded, closed."""
    with open_engine(data, FakeClock()) as engine:
        for number in range(6):
            engine.post(minutes(200, 3 * number), automation_id="A")
        engine.post(PARTIAL, automation_id="A")
        engine.fold_all()
    return data


def is_whole(data: Path) -> None:
    """Whether the next start puts everything right, with every reading there, once somebody has
    met what is damaged."""
    with serving(data, *TICK) as child:
        child.settled()
        assert {child.get(path)[0] for path in READS} <= {200, 503}
        child.settled()
        assert child.stop() == 0
    restarted(data)


@pytest.mark.scenario("faults", "Damaged mart makes itself anew")
@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_a_mart_damaged_without_a_service_is_made_anew(filled: Path, harm: Harm) -> None:
    before = run("digest", "--data", filled).out
    harm(filled / "mart.db")
    is_whole(filled)
    assert run("digest", "--data", filled).out == before


@pytest.mark.scenario("faults", "Damaged mart makes itself anew")
@pytest.mark.parametrize("harm", (HARMS | BESIDE).values(), ids=HARMS | BESIDE)
def test_a_mart_damaged_under_a_service_is_made_anew(filled: Path, harm: Harm) -> None:
    with serving(filled, *TICK) as child:
        assert child.post(minutes(30, 20))[0] == 200
        child.settled()
        harm(filled / "mart.db")
        assert child.post(TWO_DAYS)[0] == 200
        assert {child.get(path)[0] for path in READS} <= {200, 503}
        child.settled()
        assert {child.get(path)[0] for path in READS} <= {200, 503}
        child.settled()
        assert child.stop() == 0
    assert child.said("request failed") == child.said("thread died") == []
    assert child.said("delivery failed") == []
    is_whole(filled)


@pytest.mark.scenario("faults", "Damaged mart makes itself anew")
@pytest.mark.parametrize("harm", LATENT.values(), ids=LATENT)
def test_damage_that_nobody_has_met_is_named_by_a_check(filled: Path, harm: Harm) -> None:
    with serving(filled, *TICK) as child:
        assert child.post(minutes(30, 20))[0] == 200
        child.settled()
        harm(filled / "mart.db")
        assert child.post(TWO_DAYS)[0] == 200
        assert {child.get(path)[0] for path in READS} <= {200, 503}
        child.settled()
        assert child.stop() == 0
    checked = run("check", "--rebuild", "--data", filled)
    if checked.status:
        assert re.search(r"mart\.db.* damaged.*run `reindex`", checked.out)
        assert run("reindex", "--data", filled).status == 0
    is_whole(filled)


# Bodies


BODY_HARMS: dict[str, Harm] = {
    "deleted": Path.unlink,
    "emptied": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-9]),
    "flipped": flip_byte,
}


@pytest.mark.scenario("faults", "Damaged body fails alone")
@pytest.mark.parametrize("harm", BODY_HARMS.values(), ids=BODY_HARMS)
def test_a_damaged_body_fails_alone_and_is_named(data: Path, harm: Harm) -> None:
    with serving(data, *TICK) as child:
        with outsider(data / "mart.db"):
            posted = [child.post(minutes(3, hour))[1]["delivery_id"] for hour in range(3)]
            [body] = data.glob(f"archive/*/*/*/{posted[1]}.json.gz")
            harm(body)
        failed = child.until("delivery failed")
        assert (failed["level"], failed["delivery_id"]) == ("ERROR", posted[1])
        assert failed["kind"] == "unreadable"
        assert child.settled()["deliveries"] == {
            "pending": 0, "parsed": 2, "partial": 0, "failed": 1,
        }  # fmt: skip
        checked = run("check", "--data", data)
        assert checked.status == 1
        assert posted[1] in checked.out
        assert posted[0] not in checked.out
        lived = json.loads(run("digest", "--data", data).out)
        assert lived["points"] == 6
        assert child.stop() == 0
    replayed = run("reindex", "--into", data / "into.db", "--data", data)
    assert (replayed.status, json.loads(replayed.out)["broken"]) == (0, 1)
    assert json.loads(run("digest", "--mart", data / "into.db").out) == lived


# The journal


def rows(data: Path) -> Path:
    """A log with so many rows that they stand in several pages."""
    with open_engine(data, FakeClock()) as engine:
        for number in range(24):
            engine.post(TWO_DAYS, session_id=f"{number}-{'x' * 200}")
        engine.fold_all()
    return data / "journal.db"


def says_what_to_do(line: dict[str, str], journal: Path) -> bool:
    words = (str(journal), "stop the service", "move it away", "run `reindex`")
    return line["level"] == "ERROR" and all(word in line["error"] for word in words)


@pytest.mark.scenario("faults", "Journal damaged under the service says what to do")
def test_damage_that_only_a_list_meets_says_what_to_do(data: Path) -> None:
    journal = rows(data)
    with serving(data) as child:
        child.until("backlog at start")
        flip_pages(journal, *page_with(journal, b"12-xxx"))
        assert child.post(PARTIAL)[0] == 200  # elsewhere in the file all is well
        child.until("delivery folded")
        status, answer = child.get("/api/v1/deliveries")
        assert (status, answer["detail"]) == (
            503,
            "A database is damaged; the log of the service says what to do.",
        )
        assert child.get("/api/v1/metrics")[0] == 200
        assert child.stop() == 0
    # Once, whoever met it first: the watch looks at the deliveries as well.
    [line] = child.said("journal damaged")
    assert says_what_to_do(line, journal)
    assert child.said("request failed") == child.said("look failed") == []


@pytest.mark.scenario("faults", "Journal damaged under the service says what to do")
def test_damage_that_deliveries_meet_refuses_them_and_what_is_said_helps(data: Path) -> None:
    journal = rows(data)
    with serving(data, *TICK) as child:
        flip_pages(journal, 2)
        assert child.post(PARTIAL)[0] == child.post(PARTIAL)[0] == 503
        assert says_what_to_do(child.until("journal damaged"), journal)
        assert child.get("/healthz")[0] == 200
        child.stop()
    for path in data.glob("journal.db*"):
        path.rename(path.with_name(f"away-{path.name}"))
    assert run("reindex", "--data", data).status == 0
    with serving(data) as child:
        assert child.post(TWO_DAYS)[0] == 200
        child.settled()
        assert child.stop() == 0
    restarted(data)


@pytest.mark.scenario("faults", "Journal exchanged under the service loses nothing")
@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_journal_exchanged_under_a_service_loses_nothing(filled: Path, how: str) -> None:
    journal = filled / "journal.db"
    before = journal.read_bytes()
    with serving(filled, *TICK) as child:
        journal.unlink()
        if how == "replaced":
            journal.write_bytes(before)
        assert "deleted or replaced" in child.until("journal damaged")["error"]
        acknowledged = []
        for body in (PARTIAL, TWO_DAYS):
            status, answer = child.post(body)
            acknowledged += [answer["delivery_id"]] if status == 200 else []
        child.stop()
    with serving(filled) as child:
        child.settled()
        assert child.stop() == 0
    restarted(filled, *acknowledged)
