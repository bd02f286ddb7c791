"""The replay: what it takes in which order, what it leaves alone, what a swap does."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from healthlog.archive import Archive
from healthlog.archive_meta import meta_bytes
from healthlog.base.db import Database
from healthlog.base.errors import Circumstance, DiskFull, IOFault
from healthlog.fold import Overdue
from healthlog.journal.rows import Entry
from healthlog.mart.digest import Digest, digest
from healthlog.mart.store import SIDECARS, swap_in
from healthlog.model import Account, Delivery, Failure, Verdict
from healthlog.prefix import JournalPrefix
from healthlog.reindex import Composition, Interrupted, Replay, composition, take_over
from healthlog.replay import Outcome
from tests.support.accepting import delivery
from tests.support.bodies import NO_JSON, ONE_DAY, PARTIAL, TWO_DAYS, body, days, metric, minutes
from tests.support.clock import FakeClock
from tests.support.engine import Engine, open_engine
from tests.support.limits import files_limited_to

WEIGHT = body(metric("weight_body_mass", {"2026-05-03 10:00:00 +0200": 80.5}))


@pytest.fixture
def engine(data: Path, clock: FakeClock) -> Iterator[Engine]:
    with open_engine(data, clock) as engine:
        yield engine


@pytest.fixture
def new(data: Path) -> Path:
    return data / "mart.db.new"


def digest_of(path: Path, engine: Engine) -> Digest:
    with closing(Database(path, clock=engine.clock, readonly=True)) as mart:
        return mart.read(digest)


def forget(engine: Engine, *deliveries: Delivery) -> None:
    """Takes the rows of deliveries out of the journal."""

    def work(connection: sqlite3.Connection) -> None:
        for one in deliveries:
            connection.execute("DELETE FROM delivery WHERE delivery_id = ?", (one.delivery_id,))

    engine.journal.write(work)


def lose(engine: Engine, one: Delivery) -> None:
    """Takes the files of a delivery out of the archive."""
    engine.house.archive.body_path(one.delivery_id).unlink()
    engine.house.archive.meta_path(one.delivery_id).unlink()


def swap(engine: Engine, replay: Replay, new: Path) -> None:
    """What the command does once the new mart is there, then a start."""
    engine.mart.close()
    take_over(
        replay,
        engine.house.archive,
        engine.journal,
        new,
        engine.mart.path,
        clock=engine.clock,
        journal_mode="wal",
    )
    engine.restart()


def settled(entry: Entry) -> tuple[Any, ...]:
    """What a replay must reach again."""
    account = entry.account
    assert account is not None
    failure = None if entry.failure is None else entry.failure.kind
    return (entry.parse_status, failure, account.layer, account.layer_origin, account.uncovered)


def fill(engine: Engine) -> list[Delivery]:
    """Good, partial, malformed and layerless deliveries of two automations, folded live."""
    sent = [minutes(60), WEIGHT, NO_JSON, PARTIAL, ONE_DAY, TWO_DAYS, days({"2026-05-04": 7000})]
    posted = [engine.post(one, automation_id=name) for one in sent for name in ("A", "B")]
    posted += [engine.post(WEIGHT), engine.post(ONE_DAY)]
    engine.fold_all()
    return posted


class Scripted(Archive):
    """An archive that does something before a body is read."""

    before: Callable[[Delivery], object]

    def body(self, one: Delivery) -> bytes:
        self.before(one)
        return super().body(one)


def scripted(engine: Engine, before: Callable[[Delivery], object]) -> Scripted:
    archive = Scripted(engine.house.data)
    archive.before = before
    return archive


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


# What it leaves alone


def state_of(engine: Engine, posted: list[Delivery]) -> object:
    return engine.digest(), [engine.entry(one) for one in posted]


@pytest.mark.scenario("reindex", "Interrupted replay leaves the old mart")
@pytest.mark.parametrize("error", [KeyboardInterrupt(), DiskFull("no room")], ids=["stop", "full"])
def test_an_interrupted_replay_leaves_everything(
    engine: Engine, new: Path, error: BaseException
) -> None:
    posted = fill(engine)
    before = state_of(engine, posted)

    def progress(done: int, _: int) -> None:
        if done == 5:
            raise error

    with pytest.raises(type(error)):
        engine.replay(progress=progress).into(new)
    assert state_of(engine, posted) == before
    assert sorted(one.name for one in new.parent.glob("mart.db.new*")) == []


def test_a_replay_without_room_leaves_everything(engine: Engine, new: Path) -> None:
    posted = fill(engine)
    engine.post(minutes(1200))
    before = state_of(engine, posted)
    with files_limited_to(60_000), pytest.raises(Circumstance):
        engine.replay().into(new)
    assert state_of(engine, posted) == before
    assert sorted(one.name for one in new.parent.glob("mart.db.new*")) == []


def test_a_body_that_cannot_be_read_now_interrupts_the_replay(engine: Engine, new: Path) -> None:
    engine.post(TWO_DAYS)

    def fail(_: Delivery) -> None:
        raise IOFault("the device failed")

    with pytest.raises(Interrupted, match="nothing was changed"):
        engine.replay(archive=scripted(engine, fail)).into(new)
    assert not new.exists()


def test_a_replay_writes_nothing_into_the_journal(engine: Engine, new: Path) -> None:
    fill(engine)
    engine.house.disk.events.clear()
    engine.replay().into(new)
    assert engine.house.disk.events == []


@pytest.mark.scenario("archive", "Folding changes no archive file")
def test_neither_fold_nor_replay_changes_the_archive(engine: Engine, new: Path) -> None:
    for sent in (minutes(60), PARTIAL, NO_JSON, ONE_DAY):
        engine.post(sent)
    before = archived(engine)
    engine.fold_all()
    replay = engine.replay()
    replay.into(new)
    swap(engine, replay, new)
    assert archived(engine) == before


def archived(engine: Engine) -> dict[str, bytes]:
    root = engine.house.archive.root
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


# The swap and what comes after


def test_the_rows_of_what_is_pending_get_their_outcome(engine: Engine, new: Path) -> None:
    waiting = [engine.post(one) for one in (TWO_DAYS, PARTIAL, NO_JSON)]
    replay = engine.replay()
    replay.into(new)
    swap(engine, replay, new)
    assert engine.statuses(*waiting) == ["parsed", "partial", "failed"]


Step = Callable[[Engine, Replay, Path], None]


def _swapped(engine: Engine, _: Replay, new: Path) -> None:
    swap_in(new, engine.mart.path, engine.clock, "wal")


def _killed_at(number: int) -> Step:
    def step(engine: Engine, replay: Replay, new: Path) -> None:
        begun = [0]

        def accident() -> None:
            begun[0] += 1
            if begun[0] == number:
                raise SystemExit

        engine.house.disk.accidents = {"begin rows": accident, "rows": accident}
        with pytest.raises(SystemExit):
            take_over(
                replay,
                engine.house.archive,
                engine.journal,
                new,
                engine.mart.path,
                clock=engine.clock,
                journal_mode="wal",
            )
        engine.house.disk.accidents.clear()

    return step


@pytest.mark.scenario("reindex", "Crash after the swap is repaired at start")
@pytest.mark.parametrize(
    "step", [_swapped, *map(_killed_at, range(1, 7))], ids=["swap", *map(str, range(1, 7))]
)
def test_a_crash_after_the_swap_is_repaired_at_start(engine: Engine, new: Path, step: Step) -> None:
    posted = fill(engine)
    orphan = engine.post(minutes(60, 12), automation_id="A")
    forget(engine, orphan)
    gone = engine.post(minutes(60, 14))
    engine.fold_all()
    # As if an earlier program had come to other results.
    engine.keep(posted[0].delivery_id, Verdict(Account(7), Failure("internal", "broke")))
    engine.keep(posted[1].delivery_id, Verdict(Account(7, "week", "declared")))
    lose(engine, gone)
    replay = engine.replay()
    replay.into(new)
    wanted = digest_of(new, engine)
    engine.mart.close()
    step(engine, replay, new)
    engine.restart()
    engine.fold_all()
    assert engine.digest() == wanted
    for one in (*posted, orphan):
        entry, line = engine.entry(one), engine.line(one)
        assert (entry.parse_status in {"parsed", "partial"}) == (line is not None)
        if line is not None:
            assert entry.account == line
    assert engine.statuses(gone, orphan) == ["failed", "parsed"]


def test_a_meta_that_speaks_of_another_delivery_is_not_believed(engine: Engine, new: Path) -> None:
    one = engine.post(ONE_DAY, aggregation="Days")
    other = delivery(-5, aggregation="Weeks")
    engine.house.archive.meta_path(one.delivery_id).write_bytes(meta_bytes(other))
    engine.replay().into(new)
    with closing(sqlite3.connect(new)) as mart:
        layer = mart.execute("SELECT layer FROM folded").fetchall()
    assert layer == [("day",)]
