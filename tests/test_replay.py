"""Playing one delivery: how every way to end is classified, kept, told, counted."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial

import pytest

from healthlog.journal import queue
from healthlog.mart import folded
from healthlog.model import Delivery, Verdict
from healthlog.replay import Outcome
from tests.support.bodies import NO_JSON, ONE_DAY, PARTIAL, TWO_DAYS, body, days, metric, minutes
from tests.support.engine import Engine
from tests.support.playing import Breaking, kind, play, points, raising

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
