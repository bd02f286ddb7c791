"""The replay: what it takes in which order, what it leaves alone, what a swap does."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from healthlog.archive.meta import meta_bytes
from healthlog.mart.store import SIDECARS
from healthlog.model import Delivery
from healthlog.planning import Overdue
from healthlog.prefix import JournalPrefix
from healthlog.reindex import Composition, composition
from healthlog.replay import Outcome
from tests.support.accepting import delivery
from tests.support.bodies import NO_JSON, ONE_DAY, PARTIAL, TWO_DAYS, days, minutes
from tests.support.engine import Engine
from tests.support.replaying import (
    digest_of,
    fill,
    forget,
    lose,
    scripted,
    settled,
    swap,
)

# What is taken


@pytest.mark.scenario("reindex", "Replay follows received at and then id")
def test_bodies_are_taken_by_received_at_and_then_id(engine: Engine) -> None:
    places = [(3, "0000000a"), (1, "0000000b"), (1, "0000000a"), (2, "ffffffff"), (0, "00000001")]
    for number, tail in places:
        one = delivery(number)
        name = one.delivery_id[:-8] + tail
        path = engine.house.archive.body_path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(TWO_DAYS))
    found = composition(engine.house.archive, engine.journal)
    assert [(one[9:15], one[-8:]) for one in found.ids] == [
        ("080142", "00000001"),
        ("080143", "0000000a"),
        ("080143", "0000000b"),
        ("080144", "ffffffff"),
        ("080145", "0000000a"),
    ]


def test_bodies_and_rows_are_taken_together(engine: Engine) -> None:
    both, orphan, bereft = (engine.post(TWO_DAYS) for _ in range(3))
    forget(engine, orphan)
    lose(engine, bereft)
    found = composition(engine.house.archive, engine.journal)
    whole = [one.delivery_id for one in (both, orphan, bereft)]
    assert found == Composition(tuple(whole), frozenset(whole[:2]), frozenset((whole[0], whole[2])))


def test_without_a_journal_the_archive_alone_is_taken(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    found = composition(engine.house.archive, None)
    assert found == Composition((one.delivery_id,), frozenset((one.delivery_id,)), frozenset())


@pytest.mark.scenario("reindex", "Body without a row is replayed")
def test_a_body_without_a_row_is_replayed(engine: Engine, new: Path) -> None:
    one = engine.post(TWO_DAYS, automation_id="A")
    forget(engine, one)
    replay = engine.replay()
    report = replay.into(new)
    assert (report.bodies_without_row, report.mart_points) == (1, 2)
    swap(engine, replay, new)
    assert engine.digest().points == 2
    assert engine.statuses(one) == ["parsed"]
    assert engine.entry(one).delivery == one


@pytest.mark.scenario("reindex", "Row without a body fails as unreadable")
def test_a_row_without_a_body_fails_as_unreadable(engine: Engine, new: Path) -> None:
    one = engine.post(TWO_DAYS)
    engine.fold_all()
    lose(engine, one)
    replay = engine.replay()
    report = replay.into(new)
    assert (report.rows_without_body, report.outcome) == (1, Outcome(broken=1))
    swap(engine, replay, new)
    entry = engine.entry(one)
    assert entry.failure is not None
    assert (entry.parse_status, entry.failure.kind) == ("failed", "unreadable")
    assert engine.digest().points == 0


@pytest.mark.scenario("reindex", "Failed delivery gets another chance")
def test_a_failed_delivery_gets_another_chance(engine: Engine, new: Path) -> None:
    one = engine.post(TWO_DAYS)

    def late_body(_: Delivery) -> bytes:
        raise Overdue("too slow")

    engine.player(read_body=late_body).play(one.delivery_id)
    failure = engine.entry(one).failure
    assert failure is not None
    assert failure.kind == "deadline"
    replay = engine.replay()
    replay.into(new)
    swap(engine, replay, new)
    assert engine.statuses(one) == ["parsed"]
    assert engine.entry(one).account == engine.line(one)


def test_a_body_without_meta_is_played_by_what_its_row_knows(engine: Engine, new: Path) -> None:
    one = engine.post(ONE_DAY, automation_id="A", aggregation="Days")
    engine.fold_all()
    before = engine.digest()
    engine.house.archive.meta_path(one.delivery_id).unlink()
    engine.replay().into(new)
    assert digest_of(new, engine) == before


def test_where_meta_and_row_differ_the_archive_is_right(engine: Engine, new: Path) -> None:
    engine.post(ONE_DAY, automation_id="A", aggregation="Days")
    engine.fold_all()
    before = engine.digest()
    engine.journal.write(lambda c: c.execute("UPDATE delivery SET aggregation = 'Weeks'").close())
    engine.replay().into(new)
    assert digest_of(new, engine) == before


def test_a_body_put_there_by_hand_is_played(engine: Engine, new: Path) -> None:
    one = delivery(5)
    path = engine.house.archive.body_path(one.delivery_id)
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress(TWO_DAYS))
    assert engine.replay().into(new).outcome == Outcome(folded=1, points=2, new=2)


# What it reaches


@pytest.mark.scenario("reindex", "Replay reaches what live folding reached")
def test_a_replay_reaches_what_live_folding_reached(engine: Engine, new: Path) -> None:
    posted = fill(engine)
    before, rows = engine.digest(), [settled(engine.entry(one)) for one in posted]
    assert {row[0] for row in rows} == {"parsed", "partial", "failed"}
    assert {row[1] for row in rows} == {None, "malformed", "layer_unknown"}
    assert {row[3] for row in rows} == {None, "derived", "inherited"}
    replay = engine.replay()
    replay.into(new)
    assert digest_of(new, engine) == before
    swap(engine, replay, new)
    assert engine.digest() == before
    assert [settled(engine.entry(one)) for one in posted] == rows


def test_a_replay_inherits_past_a_deadline_as_live_folding_does(engine: Engine, new: Path) -> None:
    engine.post(TWO_DAYS, automation_id="A")
    slow = engine.post(minutes(60), automation_id="A")
    heir = engine.post(ONE_DAY, automation_id="A")

    def be_slow(one: Delivery) -> None:
        if one == slow:
            engine.clock.advance(121)

    archive = scripted(engine, be_slow)
    prefix = JournalPrefix(engine.journal, archive.body)
    engine.worker(engine.player(read_body=archive.body, prefix=prefix)).run_pass()
    assert engine.statuses(slow, heir) == ["failed", "parsed"]
    before = engine.digest()
    assert settled(engine.entry(heir))[2:4] == ("minute", "inherited")
    report = engine.replay(archive=archive).into(new)
    assert (report.outcome.folded, report.outcome.broken) == (2, 1)
    assert digest_of(new, engine) == before


def test_a_replay_ends_as_one_plain_file(engine: Engine, new: Path) -> None:
    engine.post(TWO_DAYS)
    engine.replay().into(new)
    assert [one for one in SIDECARS if new.with_name(new.name + one).exists()] == []
    with closing(sqlite3.connect(new)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchall() == [("delete",)]


@pytest.mark.scenario("reindex", "Report adds up")
def test_the_report_adds_up(engine: Engine, new: Path) -> None:
    for number in range(6):
        engine.post(days({f"2026-04-{number + 10}": 1, f"2026-04-{number + 20}": 2}))
    engine.post(PARTIAL)
    engine.post(days({"2026-03-01": 5, "2026-03-02": 6}, mystery=[1]))
    engine.post(NO_JSON)
    lose(engine, engine.post(TWO_DAYS))
    report = engine.replay().into(new)
    assert report.fields() == {
        "deliveries": 10,
        "bodies_without_row": 0,
        "rows_without_body": 1,
        "mart_points": 16,
        "parsed": 6,
        "partial": 2,
        "layer_unknown": 0,
        "malformed": 1,
        "broken": 1,
        "points": 16,
        "records": 0,
        "new": 16,
        "changed": 0,
        "same": 0,
        "outdated": 0,
        "rejected": 0,
        "incomparable": 0,
    }


def test_progress_runs_to_the_end(engine: Engine, new: Path) -> None:
    for _ in range(3):
        engine.post(TWO_DAYS)
    told: list[tuple[int, int]] = []
    engine.replay(progress=lambda done, total: told.append((done, total))).into(new)
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_a_meta_that_speaks_of_another_delivery_is_not_believed(engine: Engine, new: Path) -> None:
    one = engine.post(ONE_DAY, aggregation="Days")
    other = delivery(-5, aggregation="Weeks")
    engine.house.archive.meta_path(one.delivery_id).write_bytes(meta_bytes(other))
    engine.replay().into(new)
    with closing(sqlite3.connect(new)) as mart:
        layer = mart.execute("SELECT layer FROM folded").fetchall()
    assert layer == [("day",)]
