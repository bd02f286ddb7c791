"""A mart that can't be used: set aside, with nothing lost and nobody blamed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from healthlog.base.errors import Busy, Damaged
from healthlog.fold import MartDamaged
from healthlog.mart import folded
from healthlog.mart.digest import digest
from healthlog.model import Account, Delivery
from tests.support.accepting import delivery, outsider
from tests.support.bodies import NO_JSON, ONE_DAY, PARTIAL, TWO_DAYS, minutes
from tests.support.damage import flip_pages, garble_head, truncate
from tests.support.engine import Engine
from tests.support.limits import files_limited_to


def bad_marts(engine: Engine) -> list[Path]:
    """Files of marts set aside, without what lies beside them."""
    found = engine.house.data.glob("mart.db.bad-*")
    return sorted(path for path in found if not path.name.endswith(("-wal", "-shm")))


def fill(engine: Engine) -> list[Delivery]:
    """Some deliveries of each status, folded."""
    sent = (TWO_DAYS, PARTIAL, NO_JSON, ONE_DAY, minutes(600), minutes(60, 12))
    posted = [engine.post(one) for one in sent]
    engine.fold_all()
    return posted


# At start


@pytest.mark.scenario("journal", "Mart that does not fit is set aside")
@pytest.mark.parametrize("fault", ["garbage", "foreign line"])
def test_a_mart_that_does_not_fit_is_set_aside_at_start(engine: Engine, fault: str) -> None:
    posted = fill(engine)
    statuses, before = engine.statuses(*posted), engine.digest()
    if fault == "foreign line":
        stranger = delivery(-1000)
        line = partial(folded.write, number=99, delivery=stranger, account=Account(7))
        engine.mart.write(line)
    engine.mart.close()
    if fault == "garbage":
        garble_head(engine.mart.path)
    engine.restart()
    [bad] = bad_marts(engine)
    [line_said] = engine.said("mart set aside")
    assert (line_said["level"], line_said["file"]) == ("WARN", bad.name)
    assert line_said["reason"]
    assert engine.digest().points == 0
    engine.fold_all()
    assert engine.statuses(*posted) == statuses
    assert engine.digest() == before


def test_a_mart_cut_short_is_set_aside_at_start(engine: Engine) -> None:
    posted = fill(engine)
    statuses, before = engine.statuses(*posted), engine.digest()
    engine.mart.close()
    truncate(engine.mart.path, 2)
    engine.restart()
    engine.fold_all()
    assert len(bad_marts(engine)) == 1
    assert (engine.statuses(*posted), engine.digest()) == (statuses, before)


def test_another_program_s_database_is_set_aside(engine: Engine) -> None:
    posted = fill(engine)
    before = engine.digest()
    engine.mart.close()
    engine.mart.path.unlink()
    with closing(sqlite3.connect(engine.mart.path)) as connection:
        connection.execute("CREATE TABLE folded (something TEXT)")
    engine.restart()
    engine.fold_all()
    assert len(bad_marts(engine)) == 1
    assert engine.digest() == before
    assert engine.statuses(posted[0]) == ["parsed"]


def test_a_mart_that_was_thrown_away_is_made_again(engine: Engine) -> None:
    posted = fill(engine)
    statuses, before = engine.statuses(*posted), engine.digest()
    engine.mart.close()
    engine.mart.path.unlink()
    engine.restart()
    engine.fold_all()
    assert bad_marts(engine) == []
    assert (engine.statuses(*posted), engine.digest()) == (statuses, before)


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_what_sqlite_left_of_a_mart_thrown_away_is_not_read(engine: Engine, suffix: str) -> None:
    posted = fill(engine)
    before = engine.digest()
    path = engine.mart.path
    left = path.with_name(path.name + suffix)
    if suffix == "-wal":
        kept = left.read_bytes()
        assert kept
        engine.mart.close()
    else:
        engine.mart.close()
        kept = hot_journal_of(path)
    path.unlink()
    left.write_bytes(kept)
    engine.restart()
    assert engine.digest().points == 0
    engine.fold_all()
    assert engine.digest() == before
    assert engine.statuses(posted[0]) == ["parsed"]


def hot_journal_of(path: Path) -> bytes:
    """The rollback journal as a killed process leaves it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=delete")
        connection.execute("PRAGMA cache_size=1")
        connection.execute("PRAGMA cache_spill=1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE point SET qty = -1")
        connection.execute("UPDATE folded SET layer = 'spoiled'")
        return path.with_name(path.name + "-journal").read_bytes()


def test_a_hot_journal_of_a_damaged_mart_leaves_with_it(engine: Engine) -> None:
    fill(engine)
    before = engine.digest()
    engine.mart.close()
    hot = hot_journal_of(engine.mart.path)
    garble_head(engine.mart.path)
    beside = engine.mart.path.with_name(engine.mart.path.name + "-journal")
    beside.write_bytes(hot)
    engine.restart()
    assert not beside.exists()
    engine.fold_all()
    assert engine.digest() == before


def test_a_damaged_journal_is_not_taken_for_a_damaged_mart(engine: Engine, data: Path) -> None:
    fill(engine)
    engine.journal.checkpoint()
    flip_pages(data / "journal.db", first=2)
    engine.mending._agreed = False
    with pytest.raises(Damaged):
        engine.mending.mend()
    assert bad_marts(engine) == []


# While running


@pytest.mark.scenario("storage", "Damaged mart is no fault of the delivery")
def test_a_mart_damaged_under_way_is_made_anew(engine: Engine) -> None:
    posted = fill(engine)
    statuses, before = engine.statuses(*posted), engine.digest()
    engine.mart.close()
    engine.restart()
    worker = engine.worker()
    flip_pages(engine.mart.path, first=2)
    late = engine.post(minutes(60, 20))
    worker.run_pass()
    assert engine.statuses(late) == ["pending"]
    worker.run_pass()
    [line] = engine.said("mart set aside")
    assert line["level"] == "WARN"
    assert engine.statuses(*posted, late) == [*statuses, "parsed"]
    assert engine.said("delivery failed")[0]["kind"] in {"malformed", "layer_unknown"}
    replayed = engine.digest()
    assert replayed.points == before.points + 60
    assert len(bad_marts(engine)) == 1


def test_damage_wakes_the_worker_once_and_then_waits_for_the_tick(engine: Engine) -> None:
    engine.post(TWO_DAYS)
    reports: list[str] = []

    class Spoiled(type(engine.player())):  # type: ignore[misc]
        def play(self, delivery_id: str) -> object:
            raise MartDamaged("scripted")

    player = Spoiled(engine.stage(), log=engine.house.log, clock=engine.clock, fold_timeout_s=1)
    worker = engine.worker(player)
    worker.run_pass()
    reports.append("woken" if worker._signal.is_set() else "waiting")
    worker._signal.clear()
    worker.run_pass()
    reports.append("woken" if worker._signal.is_set() else "waiting")
    assert reports == ["woken", "waiting"]


def test_damage_met_by_a_reader_is_mended_before_the_next_pass(engine: Engine) -> None:
    posted = fill(engine)
    before = engine.digest()
    engine.mart.close()
    engine.restart()
    flip_pages(engine.mart.path, first=2)
    with pytest.raises(Damaged):
        engine.mart.read(digest)
    worker = engine.worker()
    worker.run_pass()
    assert engine.digest() == before
    assert engine.statuses(posted[0]) == ["parsed"]


def test_readers_and_queue_see_an_empty_mart_while_it_is_made_anew(engine: Engine) -> None:
    posted = fill(engine)
    engine.mart.suspect("scripted")
    engine.mending.mend()
    assert engine.digest().points == 0
    assert engine.statuses(*posted) == [
        "pending", "pending", "failed", "failed", "pending", "pending",
    ]  # fmt: skip


# Mending that is interrupted


def test_mending_goes_on_where_a_busy_journal_stopped_it(engine: Engine, data: Path) -> None:
    posted = fill(engine)
    before = engine.digest()
    engine.mart.suspect("scripted")
    with outsider(data / "journal.db"), pytest.raises(Busy):
        engine.mending.mend()
    assert "parsed" in engine.statuses(*posted)
    engine.fold_all()
    assert len(bad_marts(engine)) == 1
    assert engine.digest() == before


def test_a_pass_with_a_mart_that_could_not_be_made_fails_and_the_next_mends(
    engine: Engine,
) -> None:
    posted = fill(engine)
    before = engine.digest()
    engine.mart.suspect("scripted")
    worker = engine.worker()
    with files_limited_to(4096):
        worker.run_pass()
        worker.run_pass()
    assert len(engine.said("pass failed")) == 2
    assert engine.statuses(posted[0]) == ["parsed"]
    worker.run_pass()
    assert len(bad_marts(engine)) == 1
    assert engine.digest() == before
    assert engine.statuses(posted[0]) == ["parsed"]


def test_a_start_that_was_killed_after_setting_aside_ends_the_same(engine: Engine) -> None:
    posted = fill(engine)
    statuses, before = engine.statuses(*posted), engine.digest()
    engine.mart.set_aside()  # and nothing after it
    engine.restart()
    engine.fold_all()
    assert (engine.statuses(*posted), engine.digest()) == (statuses, before)
