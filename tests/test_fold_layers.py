"""The layers of a delivery and of its metrics, as its fold has them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from healthlog import planning
from healthlog.base.db import Database
from healthlog.journal import own_layers
from healthlog.model import PARSED, PARSER, PARTIAL, Account, Counts, Delivery
from healthlog.planning import LayerUnknown
from healthlog.prefix import JournalPrefix
from tests.support.accepting import entry, insert, open_journal
from tests.support.clock import FakeClock
from tests.support.folding import (
    DAYS,
    HOURS,
    MINUTES,
    Bench,
    body,
    delivery,
    metric,
    no_check,
    point,
)

PROVES_NOTHING = body(metric("vo2_max", point("2026-05-03 00:00:00 +0200")))
TWO_MINUTES = body(
    metric("step_count", point("2026-05-03 07:00:00 +0200"), point("2026-05-03 07:01:00 +0200"))
)


class Log:
    """A journal with the bodies of its deliveries, folded in whatever order."""

    def __init__(self, journal: Database, bench: Bench) -> None:
        self._journal = journal
        self._bench = bench
        self._bodies: dict[str, bytes] = {}
        self.read: list[str] = []
        self.prefix = JournalPrefix(journal, self._read_body)

    def accept(
        self, number: int, content: bytes, aggregation: str | None, **fields: object
    ) -> Delivery:
        one = delivery(number, content, aggregation, **fields)
        insert(self._journal, one)
        self._bodies[one.delivery_id] = content
        return one

    def fold(self, one: Delivery) -> Account:
        heard = planning.hear(one, self._bodies[one.delivery_id], no_check)
        return self._bench.merge(one, planning.plan(heard, lambda: self.prefix.inherited(one)))

    def own_layer(self, one: Delivery) -> tuple[str | None, int | None]:
        found = entry(self._journal, one.delivery_id)
        return found.own_layer, found.own_layer_parser

    def note(self, one: Delivery, layer: str | None, parser: int) -> None:
        self._journal.write(lambda c: own_layers.store(c, one.delivery_id, layer, parser))

    def _read_body(self, one: Delivery) -> bytes:
        self.read.append(one.delivery_id)
        return self._bodies[one.delivery_id]


@pytest.fixture
def log(data: Path, clock: FakeClock, bench: Bench) -> Iterator[Log]:
    with open_journal(data, clock) as journal:
        yield Log(journal, bench)


def known(account: Account) -> tuple[str | None, str | None]:
    return account.layer, account.layer_origin


@pytest.mark.scenario("layer", "Declaration is compared by letters")
@pytest.mark.parametrize(
    ("header", "layer"), [(" MINUTES! ", "minute"), ("Default", "raw"), ("Off", "raw")]
)
def test_a_declared_layer_goes_before_what_the_points_show(
    bench: Bench, header: str, layer: str
) -> None:
    account = bench.fold(TWO_MINUTES, header)
    assert known(account) == (layer, "declared")
    assert {found.layer for found in bench.points()} == {layer}


@pytest.mark.scenario("layer", "Unknown word declares nothing")
def test_after_an_unknown_word_the_points_are_asked(bench: Bench) -> None:
    assert known(bench.fold(TWO_MINUTES, "Tage")) == ("minute", "derived")


def test_what_is_rejected_shows_no_layer(bench: Bench) -> None:
    late = point("2099-01-01 07:00:00 +0200")
    content = body(
        metric("step_count", point("2026-05-03 07:00:00 +0200"), late, {"date": "x", "qty": 1})
    )
    with pytest.raises(LayerUnknown):
        bench.fold(content, None)


@pytest.mark.scenario("layer", "Nearest earlier delivery passes its layer on")
def test_the_nearest_earlier_delivery_passes_its_layer_on(log: Log) -> None:
    log.accept(1, PROVES_NOTHING, MINUTES)
    log.accept(2, PROVES_NOTHING, HOURS)
    third = log.accept(3, PROVES_NOTHING, None)
    log.accept(4, PROVES_NOTHING, DAYS)
    assert known(log.fold(third)) == ("hour", "inherited")
    other = log.accept(5, PROVES_NOTHING, None, automation_id="B")
    nobodys = log.accept(6, PROVES_NOTHING, None, automation_id=None)
    for one in (other, nobodys):
        with pytest.raises(LayerUnknown):
            log.fold(one)


def test_a_delivery_of_nobody_passes_nothing_on_to_nobodys(log: Log) -> None:
    log.accept(1, PROVES_NOTHING, HOURS, automation_id=None)
    with pytest.raises(LayerUnknown):
        log.fold(log.accept(2, PROVES_NOTHING, None, automation_id=None))


def test_of_one_instant_the_smaller_id_is_the_earlier(log: Log) -> None:
    us = delivery(1, b"", None).received_at_us
    log.accept(1, PROVES_NOTHING, HOURS, received_at_us=us)
    log.accept(3, PROVES_NOTHING, DAYS, received_at_us=us)
    second = log.accept(2, PROVES_NOTHING, None, received_at_us=us)
    assert known(log.fold(second)) == ("hour", "inherited")


@pytest.mark.scenario("layer", "Failed delivery passes its layer on")
def test_a_failed_delivery_passes_its_layer_on(log: Log) -> None:
    log.accept(1, b"no json", HOURS)
    log.accept(2, b"no json", None)
    assert known(log.fold(log.accept(3, PROVES_NOTHING, None))) == ("hour", "inherited")


@pytest.mark.scenario("layer", "Layers do not depend on the order of folding")
@pytest.mark.parametrize("backwards", [False, True])
def test_layers_do_not_depend_on_the_order_of_folding(log: Log, backwards: bool) -> None:
    said = [
        (TWO_MINUTES, None),
        (PROVES_NOTHING, None),
        (PROVES_NOTHING, HOURS),
        (PROVES_NOTHING, None),
        (body(), None),
        (PROVES_NOTHING, "Tage"),
        (TWO_MINUTES, None),
        (body(), DAYS),
        (PROVES_NOTHING, None),
        (TWO_MINUTES, "Default"),
    ]
    deliveries = [log.accept(number, *one) for number, one in enumerate(said)]
    order = deliveries[::-1] if backwards else deliveries
    folded = {one.delivery_id: known(log.fold(one)) for one in order}
    assert [folded[one.delivery_id] for one in deliveries] == [
        ("minute", "derived"),
        ("minute", "inherited"),
        ("hour", "declared"),
        ("hour", "inherited"),
        (None, None),
        ("hour", "inherited"),
        ("minute", "derived"),
        (None, None),
        ("day", "inherited"),
        ("raw", "declared"),
    ]


@pytest.mark.scenario("layer", "Own layer is stored and worked out anew for another parser")
def test_own_layers_are_stored_on_the_way_back(log: Log) -> None:
    first = log.accept(1, TWO_MINUTES, None)
    second = log.accept(2, PROVES_NOTHING, None)
    third = log.accept(3, b"no json", None)
    assert known(log.fold(log.accept(4, PROVES_NOTHING, None))) == ("minute", "inherited")
    assert [log.own_layer(one) for one in (first, second, third)] == [
        ("minute", PARSER), (None, PARSER), (None, PARSER),
    ]  # fmt: skip
    read = list(log.read)
    assert known(log.fold(log.accept(5, PROVES_NOTHING, None))) == ("minute", "inherited")
    assert log.read[len(read) :] == [log.accept(4, PROVES_NOTHING, None).delivery_id]


@pytest.mark.scenario("layer", "Own layer is stored and worked out anew for another parser")
def test_another_parsers_layer_is_worked_out_again(log: Log) -> None:
    derived = log.accept(1, TWO_MINUTES, None)
    declared = log.accept(2, PROVES_NOTHING, HOURS, automation_id="B")
    for one, automation, layer in ((derived, "A", "minute"), (declared, "B", "hour")):
        log.note(one, "year", PARSER + 1)
        heir = log.accept(3 + ord(automation), PROVES_NOTHING, None, automation_id=automation)
        assert known(log.fold(heir)) == (layer, "inherited")
        assert log.own_layer(one) == (layer, PARSER)


@pytest.mark.scenario("layer", "Measurements among buckets are raw")
def test_measurements_among_buckets_are_raw(bench: Bench) -> None:
    pressure = {"date": "2026-05-03 07:10:00 +0200", "systolic": 121, "diastolic": 79}
    steps = metric("step_count", point("2026-05-03 00:00:00 +0200"))
    bench.fold(body(steps, metric("blood_pressure", pressure)), DAYS)
    bench.fold(body(metric("heart_rate", point("2026-05-03 10:00:05 +0200", 61))), MINUTES)
    assert {found.metric: found.layer for found in bench.points()} == {
        "step_count": "day",
        "blood_pressure": "raw",
        "heart_rate": "raw",
    }


@pytest.mark.scenario("layer", "Push finer than its setting is not taken for days")
def test_a_push_finer_than_its_setting_is_not_taken_for_days(bench: Bench) -> None:
    account = bench.fold(TWO_MINUTES, DAYS)
    assert known(account) == ("day", "declared")
    assert [found.layer for found in bench.points()] == ["minute", "minute"]


def test_a_date_alone_among_measurements_is_rejected(bench: Bench) -> None:
    weights = metric("weight_body_mass", point("2026-05-03 07:10:00 +0200"), point("2026-05-03"))
    account = bench.fold(body(weights), DAYS)
    assert account.counts == Counts(received=2, new=1, rejected=1)
    assert [(one.where, one.reason) for one in account.rejected] == [
        ("metrics.weight_body_mass[1]", "date_without_time")
    ]


@pytest.mark.scenario("layer", "Metric without a layer is rejected alone")
def test_a_metric_without_a_layer_is_rejected_alone(bench: Bench) -> None:
    weight = metric("weight_body_mass", point("2026-05-03 07:10:00 +0200"))
    vo2_max = metric("vo2_max", point("2026-05-03 00:00:00 +0200"))
    account = bench.fold(body(weight, vo2_max), None)
    assert (account.status, account.uncovered) == (PARTIAL, ("metrics.vo2_max",))
    assert [(one.where, one.reason) for one in account.rejected] == [
        ("metrics.vo2_max[0]", "layer_unknown")
    ]
    assert bench.only().layer == "raw"
    assert known(account) == (None, None)


def test_each_spelling_of_a_rejected_metric_is_named(bench: Bench) -> None:
    night = "2026-05-03 00:00:00 +0200"
    account = bench.fold(
        body(metric("vo2_max", point(night)), metric("VO2Max", point(night)), news=[1]), None
    )
    assert account.uncovered == ("metrics.VO2Max", "metrics.vo2_max", "news")
    assert [one.where for one in account.rejected] == ["metrics.vo2_max[0]", "metrics.VO2Max[1]"]


@pytest.mark.scenario("layer", "Delivery with nothing but unknown layers fails")
@pytest.mark.parametrize(
    "content",
    [
        PROVES_NOTHING,
        body(metric("vo2_max", point("2026-05-03 00:00:00 +0200"), {"qty": 1})),
        body(metric("vo2_max", point("2026-05-03")), metric("step_count"), ecg=[]),
        body(metric("step_count", point("2026-05-03 07:00:00 +0200"))),
    ],
)
def test_a_delivery_with_nothing_but_unknown_layers_fails(bench: Bench, content: bytes) -> None:
    with pytest.raises(LayerUnknown):
        bench.fold(content, None)
    assert bench.points() == []


@pytest.mark.parametrize(
    "content",
    [
        body(metric("vo2_max", point("2026-05-03 00:00:00 +0200")), news=[1]),
        body(metric("vo2_max", point("2026-05-03")), metric("sleep_analysis", {"a": 1})),
        body(metric("vo2_max", point("2026-05-03")), metric("step_count", {"qty": 1})),
        body(metric("vo2_max", point("2026-05-03")), 5),
    ],
)
def test_with_anything_else_in_the_body_it_is_partial(bench: Bench, content: bytes) -> None:
    account = bench.fold(content, None)
    assert account.status == PARTIAL
    assert "metrics.vo2_max" in account.uncovered
    assert account.counts.received == account.counts.rejected


@pytest.mark.scenario("layer", "Body without metric points needs no layer")
def test_a_body_without_metric_points_needs_no_layer(bench: Bench) -> None:
    account = bench.fold(body(metric("vo2_max"), metric("step_count")), None)
    assert account.status == PARSED
    assert known(account) == (None, None)
