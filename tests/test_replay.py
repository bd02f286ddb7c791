"""Playing one delivery: how every way to end is classified, kept, told, counted."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from healthlog.archive import Unreadable
from healthlog.base.errors import (
    Busy,
    Damaged,
    DiskFull,
    IOFault,
    NoDescriptors,
    Stopped,
    named,
)
from healthlog.fold import Folder, MartDamaged, Plan
from healthlog.journal import queue
from healthlog.mart import folded
from healthlog.model import Account, Delivery, Verdict
from healthlog.prefix import JournalPrefix, ReplayPrefix
from healthlog.replay import Outcome
from tests.support.accepting import outsider
from tests.support.bodies import NO_JSON, ONE_DAY, PARTIAL, TWO_DAYS, body, days, metric, minutes
from tests.support.clock import FakeClock
from tests.support.engine import Engine, open_engine
from tests.support.limits import files_limited_to


@pytest.fixture
def engine(data: Path, clock: FakeClock) -> Iterator[Engine]:
    with open_engine(data, clock) as engine:
        yield engine


def play(engine: Engine, one: Delivery, **options: Any) -> Outcome:
    return engine.player(**options).play(one.delivery_id)


def raising(error: BaseException) -> Any:
    """Any callable of a stage, which ends in that error."""

    def call(*_: object) -> None:
        raise error

    return call


class Breaking(Folder):
    """Ends in an error once everything of the plan has been merged and noted."""

    def __init__(self, engine: Engine, error: BaseException) -> None:
        super().__init__(engine.mart, engine.clock)
        self._error = error

    def _account(self, planned: Plan, *_: object) -> Account:
        raise self._error


def sqlite_error(code: int) -> sqlite3.OperationalError:
    """As sqlite3 raises it."""
    error = sqlite3.OperationalError("scripted")
    error.sqlite_errorcode = code
    return error


def points(engine: Engine) -> int:
    return engine.digest().points


# What is taken


@pytest.mark.scenario("storage", "Wholly covered delivery is parsed")
def test_a_wholly_covered_delivery_is_parsed(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    outcome = play(engine, one)
    entry = engine.entry(one)
    assert (entry.parse_status, entry.failure) == ("parsed", None)
    assert entry.account is not None
    assert entry.account.uncovered == ()
    assert entry.account == engine.line(one)
    assert outcome == Outcome(folded=1, points=2, new=2)


@pytest.mark.scenario("storage", "Uncovered section makes the delivery partial")
def test_an_uncovered_section_makes_the_delivery_partial(engine: Engine) -> None:
    one = engine.post(PARTIAL)
    outcome = play(engine, one)
    entry = engine.entry(one)
    assert entry.parse_status == "partial"
    assert entry.account is not None
    assert entry.account.uncovered == ("mystery",)
    assert points(engine) == 2
    assert outcome == Outcome(folded=1, partial=1, points=2, new=2)


@pytest.mark.scenario("storage", "Rejected elements are named once")
def test_rejected_elements_are_named_once(engine: Engine) -> None:
    bad = {"date": "nonsense", "qty": 1}
    zeta = {"name": "zeta", "units": "count", "data": [bad, bad, bad]}
    alpha = {"name": "alpha", "units": "count", "data": [bad]}
    one = engine.post(body(zeta, alpha, mystery=[1]), aggregation="Days")
    outcome = play(engine, one)
    entry = engine.entry(one)
    assert entry.parse_status == "partial"
    assert entry.account is not None
    assert entry.account.uncovered == ("metrics.alpha", "metrics.zeta", "mystery")
    assert (outcome.partial, outcome.rejected) == (1, 4)


@pytest.mark.scenario("storage", "Refold after the section became covered")
def test_a_refold_by_rules_that_cover_more_replaces_the_list(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    play(engine, one)
    whole = engine.line(one)
    assert whole is not None
    # As earlier rules left it, which did not know a section of it.
    earlier = replace(whole, coverage=whole.coverage - 1, uncovered=("mystery",))
    line = partial(folded.write, number=1, delivery=one, account=earlier)
    engine.mart.write(line)
    engine.keep(one.delivery_id, Verdict(earlier))
    assert engine.statuses(one) == ["partial"]
    queue.requeue(engine.journal, [one.delivery_id])
    engine.fold_all()
    entry = engine.entry(one)
    assert entry.parse_status == "parsed"
    assert entry.account is not None
    assert (entry.account.uncovered, entry.account.coverage) == ((), whole.coverage)
    assert engine.line(one) == entry.account
    assert points(engine) == 2


@pytest.mark.scenario("journal", "Doubtful clock rejects nothing as future")
def test_under_a_doubtful_clock_nothing_lies_in_the_future(engine: Engine) -> None:
    engine.clock.set(5_000_000)  # 1970
    one = engine.post(TWO_DAYS)
    assert one.clock_doubtful
    outcome = play(engine, one)
    assert (outcome.new, outcome.rejected) == (2, 0)


def test_a_second_play_changes_nothing(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    play(engine, one)
    before, line = engine.entry(one), engine.line(one)
    engine.clock.advance(60)
    outcome = play(engine, one)
    assert engine.entry(one) == before
    assert engine.line(one) == line
    assert outcome == Outcome(folded=1, points=2, new=2)


def test_the_same_body_twice_counts_once(engine: Engine) -> None:
    first, second = engine.post(TWO_DAYS), engine.post(TWO_DAYS)
    assert play(engine, first).new == 2
    assert play(engine, second).same == 2
    assert points(engine) == 2


# What is not


@pytest.mark.parametrize(
    ("sent", "kind", "level"),
    [(NO_JSON, "malformed", "WARN"), (ONE_DAY, "layer_unknown", "WARN")],
    ids=["malformed", "layer_unknown"],
)
def test_a_body_that_says_nothing_fails_by_its_kind(
    engine: Engine, sent: bytes, kind: str, level: str
) -> None:
    one = engine.post(sent)
    outcome = play(engine, one)
    entry = engine.entry(one)
    assert entry.parse_status == "failed"
    assert entry.failure is not None
    assert entry.failure.kind == kind
    assert outcome == Outcome(**{kind: 1})
    [line] = engine.said("delivery failed")
    assert (line["level"], line["kind"], line["delivery_id"]) == (level, kind, one.delivery_id)


def test_a_body_that_is_gone_is_unreadable(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    engine.house.archive.body_path(one.delivery_id).unlink()
    assert play(engine, one) == Outcome(broken=1)
    assert kind(engine, one) == "unreadable"


def test_a_body_that_was_changed_is_unreadable(engine: Engine) -> None:
    one, other = engine.post(TWO_DAYS), engine.post(PARTIAL)
    archive = engine.house.archive
    packed = archive.body_path(other.delivery_id).read_bytes()
    archive.body_path(one.delivery_id).write_bytes(packed)
    assert play(engine, one) == Outcome(broken=1)
    assert kind(engine, one) == "unreadable"


def test_a_memory_error_is_too_large(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    assert play(engine, one, read_body=raising(MemoryError())) == Outcome(broken=1)
    assert kind(engine, one) == "too_large"


def test_a_fold_beyond_its_deadline_fails(engine: Engine) -> None:
    one = engine.post(minutes(60))

    def slow_body(delivery: Delivery) -> bytes:
        engine.clock.advance(121)
        return engine.house.archive.body(delivery)

    assert play(engine, one, read_body=slow_body) == Outcome(broken=1)
    assert kind(engine, one) == "deadline"
    [line] = engine.said("delivery failed")
    assert line["level"] == "ERROR"


@pytest.mark.scenario("storage", "Failure of the delivery has its kind")
def test_failures_of_deliveries_cost_the_next_one_nothing(engine: Engine) -> None:
    late, gone, vast, good = (engine.post(minutes(60, hour)) for hour in range(4))
    engine.house.archive.body_path(gone.delivery_id).unlink()

    def read_body(delivery: Delivery) -> bytes:
        if delivery == late:
            engine.clock.advance(121)
        if delivery == vast:
            raise MemoryError
        return engine.house.archive.body(delivery)

    engine.worker(engine.player(read_body=read_body)).run_pass()
    assert engine.statuses(late, gone, vast, good) == ["failed", "failed", "failed", "parsed"]
    kinds = [kind(engine, one) for one in (late, gone, vast)]
    assert kinds == ["deadline", "unreadable", "too_large"]


@pytest.mark.scenario("storage", "Unexpected exception fails one delivery")
def test_an_unexpected_exception_fails_one_delivery(engine: Engine) -> None:
    posted = [engine.post(minutes(60, hour)) for hour in range(3)]

    def read_body(delivery: Delivery) -> bytes:
        if delivery == posted[1]:
            raise ZeroDivisionError("nobody foresaw this")
        return engine.house.archive.body(delivery)

    outcome = engine.worker(engine.player(read_body=read_body)).run_pass()
    assert engine.statuses(*posted) == ["parsed", "failed", "parsed"]
    assert kind(engine, posted[1]) == "internal"
    [line] = engine.said("delivery failed")
    assert (line["level"], line["delivery_id"]) == ("ERROR", posted[1].delivery_id)
    assert "read_body" in line["traceback"]
    assert (outcome.folded, outcome.broken) == (2, 1)


def test_neither_log_nor_message_quotes_an_unexpected_exception(engine: Engine) -> None:
    one = engine.post(TWO_DAYS)
    play(engine, one, read_body=raising(ValueError("canary of the body")))
    failure = engine.entry(one).failure
    assert failure is not None
    assert "canary" not in failure.message + engine.house.stream.getvalue()


@pytest.mark.scenario("storage", "Failed delivery leaves no points")
def test_a_fold_that_breaks_midway_leaves_no_points(engine: Engine) -> None:
    two = body(
        metric("step_count", {f"2026-05-03 10:{at:02}:00 +0200": at for at in range(30)}),
        metric("heart_rate", {f"2026-05-03 10:{at:02}:00 +0200": at for at in range(30)}),
    )
    one = engine.post(two)
    outcome = play(engine, one, folder=Breaking(engine, ZeroDivisionError()))
    assert outcome == Outcome(broken=1)
    assert points(engine) == 0
    entry = engine.entry(one)
    assert entry.account is not None
    assert set(asdict(entry.account.counts).values()) == {0}
    assert engine.line(one) is None


@pytest.mark.scenario("storage", "Failure outranks partial")
def test_a_failure_outranks_partial_and_keeps_the_list(engine: Engine) -> None:
    one = engine.post(PARTIAL)
    play(engine, one, folder=Breaking(engine, ZeroDivisionError()))
    entry = engine.entry(one)
    assert (entry.parse_status, kind(engine, one)) == ("failed", "internal")
    assert entry.account is not None
    assert entry.account.uncovered == ("mystery",)


@pytest.mark.scenario("reindex", "Counters come from successful folds only")
def test_counters_come_from_successful_folds_only(engine: Engine) -> None:
    many = {f"2026-05-03 10:00:{at:02} +0200": at for at in range(3)}
    few = {f"2026-05-03 10:00:{at:02} +0200": at + 9 for at in range(3)}
    first = engine.post(body(metric("step_count", many)), aggregation="Seconds")
    second = engine.post(body(metric("step_count", few), mystery=[1]), aggregation="Seconds")
    play(engine, first)
    broken = play(engine, second, folder=Breaking(engine, ZeroDivisionError()))
    assert broken == Outcome(broken=1)
    taken = play(engine, second)
    assert (taken.partial, taken.incomparable) == (1, 3)


@pytest.mark.scenario("storage", "Failed delivery leaves the queue")
def test_a_failed_delivery_leaves_the_queue(engine: Engine) -> None:
    one = engine.post(NO_JSON)
    worker = engine.worker()
    for _ in range(4):
        worker.run_pass()
    assert engine.played == [one.delivery_id]


def kind(engine: Engine, one: Delivery) -> str | None:
    failure = engine.entry(one).failure
    return None if failure is None else failure.kind


# Circumstances

CIRCUMSTANCES = [
    *(named(OSError(code, "scripted")) for code in (errno.ENOSPC, errno.EDQUOT, errno.EIO)),
    *(named(OSError(code, "scripted")) for code in (errno.EMFILE, errno.ENFILE)),
    *(named(sqlite_error(code)) for code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)),
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


# What is passed on


def test_a_refused_body_tells_the_prefix_what_its_header_declares(engine: Engine) -> None:
    one = engine.post(NO_JSON, automation_id="A", aggregation="Days")
    play(engine, one)
    assert (engine.entry(one).own_layer, engine.entry(one).own_layer_parser) == ("day", 1)


def test_a_malformed_body_without_header_passes_on_nothing_for_good(engine: Engine) -> None:
    one = engine.post(NO_JSON, automation_id="A")
    play(engine, one)
    assert (engine.entry(one).own_layer, engine.entry(one).own_layer_parser) == (None, 1)


@pytest.mark.parametrize(
    "error",
    [Unreadable("gone"), MemoryError(), ZeroDivisionError()],
    ids=lambda e: type(e).__name__,
)
def test_what_a_body_passes_on_stays_open_if_it_could_not_be_read(
    engine: Engine, error: Exception
) -> None:
    one = engine.post(TWO_DAYS, automation_id="A")
    play(engine, one, read_body=raising(error))
    assert engine.entry(one).own_layer_parser is None


def test_a_layer_lost_to_the_deadline_is_inherited_all_the_same(engine: Engine) -> None:
    slow = engine.post(minutes(60), automation_id="A")
    heir = engine.post(body(metric("weight_body_mass", {"2026-05-03 10:00:00 +0200": 80})),
                       automation_id="A")  # fmt: skip

    def slow_body(delivery: Delivery) -> bytes:
        engine.clock.advance(121)
        return engine.house.archive.body(delivery)

    play(engine, slow, read_body=slow_body)
    assert kind(engine, slow) == "deadline"
    engine.fold_all()
    account = engine.entry(heir).account
    assert account is not None
    assert (account.layer, account.layer_origin) == ("minute", "inherited")


# What is told


def test_a_fold_is_told_with_its_numbers(engine: Engine) -> None:
    one = engine.post(days({"2026-05-03": 1, "nonsense": 2, "2026-05-04": 3}))
    play(engine, one)
    [line] = engine.said("delivery folded")
    assert line.pop("time")
    assert line == {
        "level": "INFO",
        "msg": "delivery folded",
        "delivery_id": one.delivery_id,
        "parse_status": "partial",
        "layer": "day",
        "points": 2,
        "records": 0,
        "rejected": 1,
        "duration_ms": 0.0,
    }


def test_records_are_told_apart_from_points(engine: Engine) -> None:
    walks = [{"id": "A"}, {"id": "B"}, {}]
    one = engine.post(days({"2026-05-03": 1, "2026-05-04": 3}, workouts=walks))
    outcome = play(engine, one)
    assert (outcome.points, outcome.records, outcome.new, outcome.rejected) == (2, 2, 4, 1)
    [line] = engine.said("delivery folded")
    assert (line["points"], line["records"], line["rejected"]) == (2, 2, 1)


def test_a_quiet_player_tells_only_of_failures(engine: Engine) -> None:
    good, bad = engine.post(TWO_DAYS), engine.post(NO_JSON)
    player = engine.player(quiet=True)
    player.play(good.delivery_id)
    player.play(bad.delivery_id)
    assert engine.said("delivery folded") == []
    assert len(engine.said("delivery failed")) == 1
