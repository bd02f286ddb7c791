"""Playing one delivery when circumstances are against it: it waits, and nothing is lost."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.errors import (
    Busy,
    Damaged,
    DiskFull,
    Inaccessible,
    IOFault,
    NoDescriptors,
    Stopped,
    named,
)
from healthlog.fold import MartDamaged
from healthlog.prefix import JournalPrefix, ReplayPrefix
from healthlog.replay import Outcome
from tests.support.accepting import outsider
from tests.support.bodies import NO_JSON, ONE_DAY, PARTIAL, TWO_DAYS, minutes
from tests.support.engine import Engine
from tests.support.limits import files_limited_to
from tests.support.playing import Breaking, play, points, raising, sqlite_error

# Circumstances

CIRCUMSTANCES = [
    *(named(OSError(code, "scripted")) for code in (errno.ENOSPC, errno.EDQUOT, errno.EIO)),
    *(named(OSError(code, "scripted")) for code in (errno.EMFILE, errno.ENFILE, errno.EROFS)),
    *(named(sqlite_error(code)) for code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)),
    named(sqlite_error(sqlite3.SQLITE_READONLY)),
    Inaccessible("can't be opened"),
    *(named(sqlite_error(code)) for code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)),
    Stopped("asked for from outside"),
]


@pytest.mark.scenario("storage", "Failing environment leaves the delivery pending")
@pytest.mark.parametrize("error", CIRCUMSTANCES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("place", ["find", "read_body", "keep"])
def test_a_circumstance_leaves_the_delivery_pending(
    engine: Engine, error: Exception, place: str
) -> None:
    one = engine.post(TWO_DAYS)
    assert play(engine, one, **{place: raising(error)}) == Outcome(left_pending=1)
    assert engine.statuses(one) == ["pending"]
    [line] = engine.said("delivery left pending")
    assert (line["level"], line["delivery_id"]) == ("WARN", one.delivery_id)
    assert line["reason"] == str(error)
    engine.fold_all()
    assert engine.statuses(one) == ["parsed"]


@pytest.mark.parametrize("error", [DiskFull("x"), IOFault("x"), NoDescriptors("x"), Busy("x")])
def test_a_circumstance_inside_the_mart_leaves_it_as_it_was(
    engine: Engine, error: Exception
) -> None:
    one = engine.post(TWO_DAYS)
    assert play(engine, one, folder=Breaking(engine, error)) == Outcome(left_pending=1)
    assert engine.statuses(one) == ["pending"]
    assert points(engine) == 0


@pytest.mark.scenario("storage", "Busy database leaves the delivery pending")
def test_a_locked_mart_leaves_the_delivery_pending(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    with outsider(engine.mart.path):
        assert play(engine, one) == Outcome(left_pending=1)
    assert engine.statuses(one) == ["pending"]
    [line] = engine.said("delivery left pending")
    assert (line["level"], line["delivery_id"]) == ("WARN", one.delivery_id)
    assert "locked" in line["reason"]
    engine.fold_all()
    assert engine.statuses(one) == ["parsed"]


def test_a_disk_that_takes_no_more_leaves_the_delivery_pending(engine: Engine) -> None:
    one = engine.post(minutes(600))
    with files_limited_to(4096):
        assert play(engine, one) == Outcome(left_pending=1)
    assert engine.statuses(one) == ["pending"]
    assert points(engine) == 0
    engine.fold_all()
    assert (engine.statuses(one), points(engine)) == (["parsed"], 600)


def test_a_full_mart_leaves_the_delivery_pending(engine: Engine) -> None:
    one = engine.post(minutes(1200))
    [(pages,)] = engine.mart.read(lambda c: c.execute("PRAGMA page_count").fetchall())
    engine.mart.write(lambda c: c.execute(f"PRAGMA max_page_count={pages}").fetchall())
    assert play(engine, one) == Outcome(left_pending=1)
    assert "full" in engine.said("delivery left pending")[0]["reason"]
    engine.mart.write(lambda c: c.execute("PRAGMA max_page_count=1000000").fetchall())
    engine.fold_all()
    assert (engine.statuses(one), points(engine)) == (["parsed"], 1200)


@pytest.mark.scenario("storage", "Unwritten outcome leaves the delivery pending")
def test_an_outcome_that_could_not_be_written_is_the_mart_s_later(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    with outsider(engine.house.data / "journal.db"):
        assert play(engine, one) == Outcome(left_pending=1)
    assert engine.statuses(one) == ["pending"]
    stored = engine.line(one)
    assert stored is not None
    engine.clock.advance(60)
    engine.fold_all()
    assert engine.statuses(one) == ["parsed"]
    assert engine.entry(one).account == stored
    assert engine.line(one) == stored


@pytest.mark.parametrize("write", [1, 2], ids=["own layer", "outcome"])
def test_each_write_of_the_journal_may_fail_after_the_mart_s_commit(
    engine: Engine, write: int
) -> None:
    one = engine.post(TWO_DAYS, automation_id="A")
    begun = [0]

    def accident() -> None:
        begun[0] += 1
        if begun[0] == write:
            raise DiskFull("no room")

    engine.house.disk.accidents["begin rows"] = accident
    assert play(engine, one) == Outcome(left_pending=1)
    engine.house.disk.accidents.clear()
    stored, before = engine.line(one), engine.digest()
    assert stored is not None
    assert engine.statuses(one) == ["pending"]
    engine.fold_all()
    assert engine.entry(one).account == stored
    assert engine.digest() == before


def test_an_unforeseen_error_of_the_outcome_is_told_with_its_traceback(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    assert play(engine, one, keep=raising(ZeroDivisionError())) == Outcome(left_pending=1)
    [line] = engine.said("delivery left pending")
    assert line["level"] == "ERROR"
    assert "traceback" in line


def test_a_delivery_that_the_journal_does_not_know_is_left_alone(engine: Engine) -> None:
    assert engine.player().play("20260802T080142.123456Z-5f3a9c1e") == Outcome(left_pending=1)


def test_a_failing_neighbour_query_is_no_fault_of_the_delivery(engine: Engine, data: Path) -> None:
    engine.post(ONE_DAY, automation_id="A")
    one = engine.post(ONE_DAY, automation_id="A")

    class Broken(JournalPrefix):
        def _earlier(self, *_: object) -> Any:
            return self._asked(self._journal.read, raising(sqlite_error(sqlite3.SQLITE_CORRUPT)))

    prefix = Broken(engine.journal, engine.house.archive.body)
    assert play(engine, one, prefix=prefix) == Outcome(left_pending=1)
    assert engine.statuses(one) == ["pending"]


@pytest.mark.scenario("storage", "Circumstance is counted as left pending")
def test_outcomes_add_up_with_circumstances_apart(engine: Engine) -> None:
    good, malformed, unlucky = (engine.post(one) for one in (TWO_DAYS, NO_JSON, PARTIAL))
    total = play(engine, good) + play(engine, malformed)
    with outsider(engine.mart.path):
        total += play(engine, unlucky)
    assert total == Outcome(folded=1, malformed=1, left_pending=1, points=2, new=2)
    assert total.broken == 0


# The damaged mart


def test_a_damaged_mart_passes_through(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    folder = Breaking(engine, Damaged("scripted"))
    with pytest.raises(MartDamaged):
        play(engine, one, folder=folder)
    assert engine.statuses(one) == ["pending"]


def test_a_mart_that_knows_the_delivery_in_another_layer_is_damaged(engine: Engine) -> None:
    one = engine.post(ONE_DAY, automation_id="A")
    prefix = ReplayPrefix(engine.house.archive.body)
    prefix.note(one, "day")
    play(engine, one, prefix=prefix)
    prefix.note(one, "month")
    with pytest.raises(MartDamaged):
        play(engine, one, prefix=prefix)
