"""The rebuild beside a worker that goes on, from the first body to the swap."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from healthlog.mart.changes import generation
from healthlog.model import PARSER, Account, Delivery, Failure, Verdict
from healthlog.rebuild import RebuildState
from healthlog.reindex import FEW
from tests.support.aftermath import assert_whole
from tests.support.bodies import ONE_DAY, minutes
from tests.support.clock import FakeClock
from tests.support.earlier import left_partial
from tests.support.rebuilding import Yard, fill, open_site, said, started
from tests.support.replaying import lose

REASON = "5 deliveries were folded by another parser"


@pytest.fixture
def yard(data: Path, clock: FakeClock) -> Iterator[Yard]:
    with open_site(data, clock) as yard:
        yield yard


# In order


@pytest.mark.scenario("reindex", "Raised parser rebuilds beside the service")
def test_a_raised_parser_rebuilds_the_mart(yard: Yard) -> None:
    posted = fill(yard)
    statuses, before = yard.engine.statuses(*posted), yard.engine.digest()
    name = yard.engine.mart.read(generation)[0]
    yard.run_pass()
    yard.builder.run()
    assert yard.woken == ["woken"]
    yard.run_pass()
    assert yard.is_done()
    assert yard.engine.digest() == before
    assert yard.engine.statuses(*posted) == statuses
    for one in posted:
        entry = yard.engine.entry(one)
        assert entry.failure is not None or entry.account == yard.engine.line(one)
    assert yard.engine.mart.read(generation)[0] != name


@pytest.mark.scenario("reindex", "Raised parser rebuilds beside the service")
def test_its_beginning_and_its_end_are_told(yard: Yard) -> None:
    started(yard)
    [line] = said(yard, "rebuild started")
    assert (line["level"], line["reason"], line["deliveries"]) == ("INFO", REASON, 6)
    yard.builder.run()
    yard.run_pass()
    [line] = said(yard, "rebuild finished")
    told = {"deliveries": 6, "parsed": 4, "partial": 1, "malformed": 1, "mart_points": 125}
    assert line["level"] == "INFO"
    assert told.items() <= line.items()
    assert said(yard, "rebuild failed") == said(yard, "rebuild waits") == []


@pytest.mark.scenario("reindex", "Old mart answers during the rebuild")
def test_the_old_mart_answers_while_the_builder_is_at_work(yard: Yard) -> None:
    posted = started(yard)
    accounts = [yard.engine.entry(one).account for one in posted]
    before = yard.engine.digest()
    today = yard.engine.post(minutes(60, 20), automation_id="A")
    yard.run_pass()
    assert yard.engine.statuses(today) == ["parsed"]
    assert yard.engine.digest().points == before.points + 60
    assert [yard.engine.entry(one).account for one in posted] == accounts
    assert {account.parser for account in accounts if account} == {PARSER - 1}


@pytest.mark.scenario("reindex", "Old mart answers during the rebuild")
def test_what_was_folded_meanwhile_is_in_the_new_mart(yard: Yard) -> None:
    started(yard)
    early = yard.engine.post(minutes(60, 20), automation_id="A")
    yard.run_pass()
    yard.builder.run()
    late = yard.engine.post(ONE_DAY, automation_id="A")  # inherits from what was built
    yard.engine.player().play(late.delivery_id)
    before = yard.engine.digest()
    waiting = yard.engine.post(minutes(60, 22), automation_id="A")
    yard.run_pass()
    assert yard.is_done()
    assert yard.engine.statuses(early, late, waiting) == ["parsed"] * 3
    assert yard.engine.digest().points == before.points + 60
    [line] = said(yard, "rebuild finished")
    assert line["deliveries"] == 8
    assert_whole(yard.engine)


def test_the_marts_are_exchanged_between_two_deliveries(yard: Yard) -> None:
    started(yard)
    some = [yard.engine.post(minutes(2, hour), automation_id="A") for hour in (20, 21, 22)]
    names: list[str] = []

    def read_body(one: Delivery) -> bytes:
        names.append(yard.engine.mart.read(generation)[0])
        if one == some[0]:
            yard.builder.run()
        return yard.engine.house.archive.body(one)

    work = yard.worker._work
    yard.engine.worker(yard.engine.player(read_body=read_body), work).run_pass()
    assert yard.is_done()
    assert names[0] != names[1] == names[2]
    assert yard.engine.statuses(*some) == ["parsed"] * 3
    assert_whole(yard.engine)


def test_what_failed_by_the_earlier_parser_has_the_verdict_of_this_one(yard: Yard) -> None:
    posted = fill(yard)
    lost, broken = posted[0], posted[4]
    lose(yard.engine, lost)
    failure = Failure("internal", "broke")
    yard.engine.keep(broken.delivery_id, Verdict(Account(7, parser=PARSER - 1), failure))
    yard.run_pass()
    yard.builder.run()
    yard.run_pass()
    kinds = [entry.failure and entry.failure.kind for entry in map(yard.engine.entry, posted)]
    assert kinds == ["unreadable", None, "malformed", None, None, None]
    assert yard.is_done()


def test_a_backlog_is_taken_by_the_builder_too(yard: Yard) -> None:
    posted = started(yard)
    yard.engine.journal.write(
        lambda c: c.execute("UPDATE delivery SET parse_status = 'pending', failure_kind = NULL")
        .close()
    )  # fmt: skip
    yard.builder.run()
    yard.rebuild.begin_pass()
    assert yard.engine.statuses(*posted) == [
        "parsed", "partial", "failed", "parsed", "parsed", "parsed",
    ]  # fmt: skip


@pytest.mark.scenario("storage", "Many rows are left to a rebuild")
def test_a_learned_section_that_many_rows_name_is_noted_once_it_is_rebuilt(yard: Yard) -> None:
    left_partial(yard.engine, 3)
    yard.rebuild.due("more than 1000 deliveries hold what was learned since")
    yard.run_pass()
    yard.builder.run()
    yard.run_pass()
    query = "SELECT coverage FROM learned"
    assert yard.engine.journal.read(lambda c: c.execute(query).fetchall()) == [(1,)]
    assert yard.is_done()


# Progress


@pytest.mark.scenario("reindex", "Progress of the rebuild is visible")
def test_how_far_it_is_can_be_seen(yard: Yard) -> None:
    fill(yard)
    assert yard.rebuild.state is None
    yard.run_pass()
    begun_us = yard.engine.clock.now_us()
    assert yard.state == RebuildState(0, 6, REASON, begun_us)
    seen: list[RebuildState | None] = []

    def progress(done: int, total: int) -> None:
        yard.builder.hear(f'{{"done": {done}, "total": {total}}}')
        seen.append(yard.state)

    yard.builder.run(progress=progress)
    assert [one and one.done for one in seen] == list(range(7))
    assert {one and (one.total, one.started_at_us) for one in seen} == {(6, begun_us)}
    yard.run_pass()
    assert yard.state is None


@pytest.mark.scenario("reindex", "Progress of the rebuild is visible")
def test_each_tenth_is_told_once(yard: Yard) -> None:
    started(yard)
    for done in range(201):
        yard.builder.hear(f'{{"done": {done}, "total": 200}}')
    told = [(line["level"], line["done"], line["total"]) for line in said(yard, "rebuild progress")]
    assert told == [("INFO", done, 200) for done in range(20, 201, 20)]


def test_the_builder_goes_on_until_only_a_few_are_left(yard: Yard) -> None:
    fill(yard)
    later: list[Delivery] = []

    def progress(done: int, total: int) -> None:
        if done == total == 6:
            later.extend(yard.engine.post(minutes(1), automation_id="B") for _ in range(3))

    report, upto = yard.builder.replay(progress=progress).beside(yard.engine.house.data / "m.db")
    assert (report.deliveries, len(later)) == (6, 3)  # few enough for whoever goes on
    many = [yard.engine.post(minutes(1), automation_id="B") for _ in range(FEW)]

    def more(done: int, total: int) -> None:
        if done == total == len(many) + 9:
            later.append(yard.engine.post(minutes(1), automation_id="B"))

    report, upto = yard.builder.replay(progress=more).beside(yard.engine.house.data / "n.db")
    assert report.deliveries == len(many) + 10
    assert upto == later[-1].position
