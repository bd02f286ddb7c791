"""Series out of the summaries against the same made of the readings alone."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from healthlog.fold import Folder
from healthlog.layer import DAY, MONTH, WEEK, YEAR
from healthlog.read import days as read_days
from healthlog.read import series as read_series
from healthlog.read.points import names
from healthlog.read.series import Place, Question, SeriesPage, entry_of, series_of
from healthlog.series.source_order import SourceOrder
from healthlog.span import Edge, Span
from healthlog.summaries.fresh import stale_days
from healthlog.summaries.keeper import Summaries
from tests.support import history
from tests.support.accepting import asked as asked_of
from tests.support.clock import FakeClock
from tests.support.folding import (
    DAYS,
    MINUTES,
    NEW_YEAR_US,
    SECOND_US,
    Bench,
    MemoryMart,
    body,
    delivery,
    metric,
    no_check,
    point,
)
from tests.support.lines import day_of

SEED = 20_261_201
SEEDS = (*range(2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 30)))
EVER = 2**31
OTHER = SourceOrder(("iPhone", "*", "Watch"))
UNITS = {"active_energy": "kJ", "weight_body_mass": "lb", "body_temperature": "degF"}
ENERGY, WEIGHT, WARMTH, PRESSURE = (*UNITS, "blood_pressure")


@contextmanager
def readings_alone(connection: sqlite3.Connection) -> Iterator[None]:
    """As if no summary had ever been made."""
    connection.execute("SAVEPOINT alone")
    connection.execute("DELETE FROM summary")
    try:
        yield
    finally:
        connection.execute("ROLLBACK TO alone")
        connection.execute("RELEASE alone")


class Hurried:
    """A clock by which every slice has taken too long."""

    def __init__(self) -> None:
        self.elapsed_s = 0.0

    def now_us(self) -> int:
        return 0

    def monotonic(self) -> float:
        self.elapsed_s += 1
        return self.elapsed_s


def keeper(mart: Any) -> Summaries:
    log: Any = None
    return Summaries(mart, SourceOrder(), log=log, clock=Hurried())


def renewed(mart: Any) -> None:
    summaries = keeper(mart)
    while summaries.step():
        pass


def known(chance: random.Random) -> bytes:
    """Some readings of October in units that can be converted into each other, one that can't."""
    layer = chance.choice(("hour", "minute", "day"))
    found = []
    for name, units in (
        (ENERGY, ("kJ", "kcal", "furlong")),
        (WEIGHT, ("kg", "lb", "lb")),
        (WARMTH, ("degC", "degF")),
        (PRESSURE, ("mmHg", "kPa")),
    ):
        of_metric = []
        for _ in range(chance.randint(1, 6)):
            time = {"hour": f"{chance.randrange(24):02}:00:00", "day": "00:00:00"}.get(
                layer, f"{chance.randrange(24):02}:{chance.randrange(60):02}:00"
            )
            at = f"2026-10-{chance.randint(18, 27)} {time} {chance.choice(('+0200', '+0100'))}"
            if name == PRESSURE:
                of_metric.append({"date": at, "systolic": chance.randint(90, 150)})
                if chance.random() < 0.8:
                    of_metric[-1]["diastolic"] = chance.uniform(50, 90)
            else:
                source = chance.choice(("Watch", "iPhone", "Watch|iPhone"))
                of_metric.append(point(at, chance.uniform(-5, 90), source=source))
        found.append(metric(name, *of_metric, units=chance.choice(units)))
    return body(*found)


def told(seed: int) -> Iterator[tuple[Any, ...]]:
    """Deliveries in random order: those of a history, others in known units between them."""
    chance = random.Random(seed)
    of_history = [one for one in history.history(SEED + seed) if one.plan is not None]
    chance.shuffle(of_history)
    for number, one in enumerate(of_history):
        yield one.delivery, one.body, one.plan
        content = known(chance)
        at_us = NEW_YEAR_US + chance.randint(-75, 2) * 86_400 * SECOND_US
        header = chance.choice((MINUTES, "Hours", DAYS, "Default"))
        yield delivery(5_000 + number, content, header, clock_at_us=at_us), content, None


def asked(connection: sqlite3.Connection, chance: random.Random) -> Iterator[Question]:
    """What may be asked of each metric: in every bucket, for some stretch, in some unit."""
    for name in names(connection):
        for bucket in (DAY, WEEK, MONTH, YEAR):
            units = (None, UNITS[name]) if name in UNITS else (None,)
            span = Span() if chance.random() < 0.6 else stretch(chance)
            for unit in units:
                order = OTHER if chance.random() < 0.1 else SourceOrder()
                yield Question(name, bucket, span, unit=unit, order=order)


def stretch(chance: random.Random) -> Span:
    first = day_of("10-01") + chance.randint(0, 26)
    last = first + chance.randint(1, 40)
    edges = (Edge(day * 86_400 * SECOND_US, day, dated=True) for day in (first, last))
    return Span(*edges)


def paged(connection: sqlite3.Connection, question: Question, limit: int) -> list[SeriesPage]:
    pages: list[SeriesPage] = []
    behind: Place | None = None
    while not pages or behind is not None:
        pages.append(read_series.page(connection, question, behind=behind, limit=limit))
        behind = pages[-1].following
    return pages


@pytest.mark.scenario("series", "Summaries answer like readings")
@pytest.mark.parametrize("seed", SEEDS)
def test_series_are_the_same_out_of_summaries(seed: int) -> None:
    chance, mart = random.Random(seed), MemoryMart()
    bench, summaries = Bench(mart), keeper(mart)
    folder = Folder(mart, FakeClock())
    deliveries = list(told(seed))
    checks = {len(deliveries) // 3, len(deliveries) * 2 // 3, len(deliveries) - 1}
    before = {number - chance.randint(0, 3) for number in checks}
    pieces = {True: 0, False: 0}
    for number, (one, content, plan) in enumerate(deliveries):
        if plan is None:
            bench.play(one, content)
        else:
            folder.fold(one, plan, no_check)
        if number in before:
            slices = chance.choice((3, 40, EVER))
            while summaries.step() and slices:
                slices -= 1
        if number in checks:
            check(mart.connection, chance, pieces)
    assert pieces[True] > 20
    mart.connection.close()


def check(connection: sqlite3.Connection, chance: random.Random, seen: dict[bool, int]) -> None:
    for question in asked(connection, chance):
        limit = chance.choice((EVER, EVER, 7, 1))
        found = paged(connection, question, limit)
        with readings_alone(connection):
            assert paged(connection, question, limit) == found, question
        of_metric = entry_of(connection, question.metric, series_of(connection, question.metric))
        stale = stale_days(connection, of_metric, question.order)
        for dates in stale or ():
            seen[False] += dates.last - dates.first
        seen[True] += sum(len(page.items) for page in found) if stale is not None else 0
    for day in range(day_of("10-18"), day_of("10-28"), 3):
        kept = read_days.day(connection, day, SourceOrder())
        with readings_alone(connection):
            assert read_days.day(connection, day, SourceOrder()) == kept


# ---- what they don't answer for


@pytest.fixture
def mart() -> Iterator[MemoryMart]:
    mart = MemoryMart()
    yield mart
    mart.connection.close()


def values(mart: MemoryMart, name: str, order: SourceOrder | None = None) -> list[Any]:
    question = Question(name, DAY, order=order or SourceOrder())
    found = read_series.page(mart.connection, question, limit=EVER)
    return [(item["start"], item["value"], found.head["aggregate"]) for item in found.items]


def spoil(mart: MemoryMart) -> None:
    """Put into every summary what no reading says."""
    mart.connection.execute("UPDATE day SET value = -1")


@pytest.mark.scenario("series", "Stale days are made of their readings")
def test_a_day_spoken_of_since_the_summaries_is_made_of_its_readings(mart: MemoryMart) -> None:
    bench = Bench(mart)
    for day in ("01", "20"):
        bench.fold(body(metric("step_count", point(f"2026-06-{day} 00:00:00 +0200", 5))))
    renewed(mart)
    spoil(mart)
    bench.fold(body(metric("step_count", point("2026-06-20 00:00:00 +0200", 6))))
    assert values(mart, "step_count") == [("2026-06-01", -1, "sum"), ("2026-06-20", 6, "sum")]
    renewed(mart)
    assert values(mart, "step_count")[1] == ("2026-06-20", 6, "sum")


@pytest.mark.scenario("series", "Summaries of another order are left aside")
def test_another_order_of_sources_is_answered_by_the_readings(mart: MemoryMart) -> None:
    bench = Bench(mart)
    at = "2026-06-01 12:00:00 +0200"
    both = [point(at, qty, source=s) for s, qty in (("Watch", 7), ("iPhone", 5))]
    bench.fold(body(metric("step_count", *both)), "Default")
    renewed(mart)
    spoil(mart)
    assert values(mart, "step_count") == [("2026-06-01", -1, "sum")]
    assert values(mart, "step_count", OTHER) == [("2026-06-01", 5, "sum")]


def test_what_became_known_of_a_metric_since_counts_for_all_its_days(mart: MemoryMart) -> None:
    bench = Bench(mart)
    for day, unit, value in (("01", "lx", 4), ("02", "count", 8)):
        two = [point(f"2026-06-{day} 1{n}:00:00 +0200", 4) for n in range(2)]
        bench.fold(body(metric("aura", *two, units=unit)), "Default")
        assert values(mart, "aura")[-1][1] == value
        renewed(mart)
        bench.fold(body(metric("step_count", point("2026-06-01 00:00:00 +0200", 5))))
    assert [aggregate for *_, aggregate in values(mart, "aura")] == ["sum", "sum"]
    more = [point(f"2026-06-09 1{n}:00:00 +0200", 4) for n in range(2)]
    bench.fold(body(metric("aura", *more, units="lx")), "Default")
    found = values(mart, "aura")
    with readings_alone(mart.connection):
        assert values(mart, "aura") == found
    assert [aggregate for *_, aggregate in found] == ["avg", "avg", "avg"]


@pytest.mark.scenario("series", "Kept year is one look at its days")
def test_a_kept_year_reads_no_readings(mart: MemoryMart) -> None:
    bench = Bench(mart)
    days = [f"2026-{month:02}-{day:02}" for month in range(1, 12) for day in range(1, 29)]
    bench.fold(body(metric("step_count", *(point(f"{day} 00:00:00 +0200", 5) for day in days))))
    renewed(mart)
    question = Question("step_count", DAY)
    statements = [
        one
        for one in asked_of(mart.connection, lambda c: read_series.page(c, question, limit=EVER))
        if "FROM point" in one[0] or "FROM day" in one[0]
    ]
    *looked, (statement, given) = statements
    assert len(values(mart, "step_count")) == len(days)
    assert "FROM day" in statement
    # The first date there is: one look by the key of the readings.
    assert [one.rsplit("ORDER", 1)[1] for one, _ in looked] == [" BY at_ms LIMIT 1"] * len(looked)
    plan = mart.connection.execute(f"EXPLAIN QUERY PLAN {statement}", given).fetchall()
    assert [row[3] for row in plan] == [
        "SEARCH day USING PRIMARY KEY (metric=? AND day_ms>? AND day_ms<?)"
    ]
