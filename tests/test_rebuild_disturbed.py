"""What disturbs a rebuild: it leaves everything as it is, or goes on from there."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.errors import DiskFull
from healthlog.journal import rows
from healthlog.mart.changes import generation
from healthlog.mart.store import open_mart
from healthlog.model import PARSER, Delivery
from tests.support.accepting import outsider
from tests.support.aftermath import assert_whole
from tests.support.bodies import minutes
from tests.support.clock import FakeClock
from tests.support.damage import flip_pages
from tests.support.rebuilding import Yard, fill, open_site, said, site_of, started
from tests.support.replaying import scripted


@pytest.fixture
def yard(data: Path, clock: FakeClock) -> Iterator[Yard]:
    with open_site(data, clock) as yard:
        yield yard


def untouched(yard: Yard) -> object:
    """All that must stay as it is until the swap."""
    entries = yard.engine.journal.read(partial(rows.page_by_id, after="", limit=1_000))
    return yard.engine.digest(), yard.engine.mart.read(generation), entries


@pytest.mark.scenario("reindex", "Failed builder leaves everything")
def test_a_builder_that_fails_leaves_everything_and_is_followed_by_another(yard: Yard) -> None:
    started(yard)
    before = untouched(yard)
    yard.builder.fail("the disk is full")
    yard.run_pass()
    [line] = said(yard, "rebuild failed")
    assert (line["level"], line["reason"]) == ("WARN", "the disk is full")
    assert untouched(yard) == before
    yard.engine.clock.advance(59)
    yard.run_pass()
    assert len(yard.builder.started) == 1
    yard.engine.clock.advance(1)
    yard.run_pass()
    assert len({*yard.builder.started}) == 2
    yard.builder.run()
    yard.run_pass()
    assert yard.is_done()


def test_the_pause_grows_up_to_an_hour(yard: Yard) -> None:
    fill(yard)
    pauses = []
    for number in range(9):
        waited = 0
        while len(yard.builder.started) == number:
            yard.run_pass()
            yard.engine.clock.advance(60)
            waited += 1
        yard.builder.fail("no")
        yard.run_pass()
        pauses.append(waited - 1)
    assert pauses[1:] == [1, 2, 4, 8, 16, 32, 60, 60]


def test_a_builder_that_was_killed_has_failed(yard: Yard) -> None:
    started(yard)
    yard.builder.ended(-9)
    yard.run_pass()
    [line] = said(yard, "rebuild failed")
    assert line["reason"] == "the builder ended with status -9"


@pytest.mark.scenario("reindex", "Failed builder leaves everything")
def test_without_room_for_a_second_mart_no_builder_is_started(yard: Yard) -> None:
    fill(yard)
    size = yard.engine.mart.path.stat().st_size
    yard.room[0] = size - 1
    yard.run_pass()
    [line] = said(yard, "rebuild failed")
    assert (line["level"], str(size) in line["reason"]) == ("WARN", True)
    assert yard.builder.started == []
    assert yard.state is not None
    yard.room[0] = size
    yard.engine.clock.advance(60)
    yard.run_pass()
    assert len(yard.builder.started) == 1


@pytest.mark.scenario("reindex", "Mart that is read by others is swapped later")
def test_a_mart_that_another_process_reads_is_swapped_later(yard: Yard) -> None:
    started(yard)
    yard.builder.run()
    with closing(sqlite3.connect(yard.engine.mart.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM point").fetchall()
        today = yard.engine.post(minutes(3, 20), automation_id="A")
        yard.engine.player().play(today.delivery_id)
        before = untouched(yard)
        yard.run_pass()
        [line] = said(yard, "rebuild waits")
        assert (line["level"], "another process" in line["reason"]) == ("WARN", True)
        assert untouched(yard) == before
        yard.rebuild.step()  # not again and again: the next pass tries
        assert len(said(yard, "rebuild waits")) == 1
    yard.run_pass()
    assert yard.is_done()
    assert yard.engine.digest().points == 128
    assert_whole(yard.engine)


def test_a_body_that_cannot_be_read_now_puts_the_swap_off(yard: Yard) -> None:
    faults = [DiskFull("scripted")]

    def fail(_: Delivery) -> None:
        if faults:
            raise faults.pop()

    yard = site_of(yard.engine, archive=scripted(yard.engine, fail))
    started(yard)
    yard.builder.run()
    one = yard.engine.post(minutes(3, 20), automation_id="A")
    yard.engine.player().play(one.delivery_id)
    before = untouched(yard)
    yard.run_pass()
    assert "could not be folded now" in said(yard, "rebuild waits")[0]["reason"]
    assert untouched(yard) == before
    yard.run_pass()
    assert yard.is_done()
    assert len(yard.builder.started) == 1


@pytest.mark.scenario("reindex", "Crash after the swap is repaired at start")
def test_a_busy_journal_after_the_swap_gets_its_outcomes_later(yard: Yard, data: Path) -> None:
    posted = started(yard)
    yard.builder.run()
    with outsider(data / "journal.db"):
        yard.rebuild.begin_pass()
    assert said(yard, "rebuild waits")
    assert yard.new_files() == []
    assert yard.parsers() == {PARSER - 1}
    yard.run_pass()
    assert yard.is_done()
    assert len(said(yard, "rebuild finished")) == 1
    assert yard.engine.entry(posted[0]).account == yard.engine.line(posted[0])


def test_a_program_that_was_exchanged_under_way_builds_nothing_of_use(
    yard: Yard, clock: FakeClock
) -> None:
    posted = started(yard)
    before = untouched(yard)
    yard.builder.run()
    with closing(open_mart(yard.builder.started[0], clock, "wal")) as new:
        new.write(lambda c: c.execute("UPDATE folded SET parser = parser + 1").close())
    yard.run_pass()
    assert "exchanged" in said(yard, "rebuild failed")[0]["reason"]
    assert untouched(yard) == before
    assert (yard.new_files(), yard.engine.statuses(posted[0])) == ([], ["parsed"])


def test_a_new_mart_with_a_newer_schema_is_of_no_use(yard: Yard) -> None:
    started(yard)
    yard.builder.run()
    with closing(sqlite3.connect(yard.builder.started[0])) as new:
        new.execute("INSERT INTO schema_migration VALUES (99, 'later', 'abc', 1)")
        new.commit()
    yard.run_pass()
    [line] = said(yard, "rebuild failed")
    assert (line["level"], "migration 99" in line["reason"]) == ("WARN", True)
    assert yard.new_files() == []


def test_a_new_mart_that_is_damaged_is_of_no_use(yard: Yard) -> None:
    started(yard)
    before = untouched(yard)
    yard.builder.run()
    flip_pages(yard.builder.started[0], first=2)
    yard.run_pass()
    [line] = said(yard, "rebuild failed")
    assert line["level"] == "WARN"
    assert untouched(yard) == before
    assert yard.new_files() == []


def test_a_mistake_of_the_program_is_told_and_the_worker_goes_on(yard: Yard) -> None:
    def build(*_: object) -> Any:
        raise LookupError("scripted")

    yard = site_of(yard.engine, build=build)
    fill(yard)
    one = yard.engine.post(minutes(3, 20), automation_id="A")
    yard.run_pass()
    [line] = said(yard, "rebuild failed")
    assert (line["level"], "LookupError" in line["error"]) == ("ERROR", True)
    assert yard.engine.statuses(one) == ["parsed"]


# A mart that is damaged under way


@pytest.mark.scenario("reindex", "Mart damaged during the rebuild is replaced by it")
def test_a_mart_damaged_during_the_rebuild_is_set_aside_and_replaced(yard: Yard) -> None:
    posted = started(yard)
    statuses, before = yard.engine.statuses(*posted), yard.engine.digest()
    yard.engine.mart.suspect("scripted")
    yard.engine.mending.mend()
    assert yard.engine.digest().points == 0
    yard.builder.run()
    yard.rebuild.begin_pass()
    assert yard.is_done()
    assert (yard.engine.digest(), yard.engine.statuses(*posted)) == (before, statuses)


def test_a_damaged_page_of_the_old_mart_is_no_obstacle_to_the_swap(yard: Yard) -> None:
    posted = started(yard)
    statuses, before = yard.engine.statuses(*posted), yard.engine.digest()
    yard.builder.run()
    yard.engine.mart.close()
    yard.engine.mart.open()
    flip_pages(yard.engine.mart.path, first=2)
    yard.rebuild.begin_pass()
    assert (yard.engine.digest(), yard.engine.statuses(*posted)) == (before, statuses)
    assert yard.engine.mart.damage is None


# Stops


@pytest.mark.scenario("reindex", "Stop during the rebuild leaves everything")
def test_a_stop_ends_the_builder_and_leaves_everything(yard: Yard) -> None:
    started(yard)
    before = untouched(yard)
    yard.builder.started[0].write_bytes(b"unfinished")
    yard.rebuild.stop()
    assert yard.builder.stopped == 1
    yard.builder.ended(-9)
    yard.run_pass()
    yard.rebuild.close()
    assert untouched(yard) == before
    assert yard.new_files() == []
    assert said(yard, "rebuild failed") == said(yard, "rebuild waits") == []


@pytest.mark.scenario("reindex", "Stop during the rebuild leaves everything")
def test_a_stop_before_the_swap_leaves_everything(yard: Yard) -> None:
    read: list[Delivery] = []

    def note(one: Delivery) -> None:
        read.append(one)
        yards[0].rebuild.stop()

    yards = [site_of(yard.engine, archive=scripted(yard.engine, note))]
    started(yards[0])
    yards[0].builder.run()
    some = [yard.engine.post(minutes(3, hour), automation_id="A") for hour in (20, 21)]
    yard.engine.fold_all()
    before = untouched(yard)
    yards[0].run_pass()
    assert read == some[:1]
    assert untouched(yard) == before
    assert said(yard, "rebuild waits") == said(yard, "rebuild failed") == []


@pytest.mark.scenario("reindex", "Crash after the swap is repaired at start")
def test_a_stop_after_the_swap_is_made_good_by_the_next_start(yard: Yard) -> None:
    posted = started(yard)
    statuses, before = yard.engine.statuses(*posted), yard.engine.digest()
    yard.builder.run()
    disk = yard.engine.house.disk
    disk.accidents["begin rows"] = yard.rebuild.stop  # while the first outcomes are written
    yard.run_pass()
    disk.accidents.clear()
    assert yard.new_files() == []
    assert yard.parsers() == {PARSER - 1, PARSER}
    yard.engine.restart()
    yard.engine.fold_all()
    assert yard.parsers() == {PARSER}
    assert (yard.engine.digest(), yard.engine.statuses(*posted)) == (before, statuses)


def test_a_new_mart_that_cannot_be_read_once_it_is_in_place_is_made_anew(yard: Yard) -> None:
    posted = started(yard)
    statuses, before = yard.engine.statuses(*posted), yard.engine.digest()
    yard.builder.run()
    disk = yard.engine.house.disk

    def spoil() -> None:
        disk.accidents.clear()
        yard.engine.mart.close()
        yard.engine.mart.open()
        flip_pages(yard.engine.mart.path, first=2)

    disk.accidents["begin rows"] = spoil  # while the first outcomes are written
    yard.rebuild.begin_pass()
    assert said(yard, "rebuild failed")[0]["level"] == "WARN"
    assert said(yard, "rebuild finished") == []
    yard.run_pass()
    assert len(said(yard, "mart set aside")) == 1
    assert (yard.engine.digest(), yard.engine.statuses(*posted)) == (before, statuses)
    assert yard.is_done()
