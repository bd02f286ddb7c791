"""Summaries against what the program answers: after any fold, in any order."""

from __future__ import annotations

import io
import json
import random
import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest

from healthlog.base.clock import Clock
from healthlog.base.errors import Busy
from healthlog.base.log import Log
from healthlog.days import night_view
from healthlog.fold import Folder
from healthlog.layer import DAY
from healthlog.mart.offsets import Offsets
from healthlog.read import records
from healthlog.read import series as read_series
from healthlog.read.days import slept
from healthlog.read.points import names
from healthlog.read.series import Question
from healthlog.records.record import WORKOUT
from healthlog.series.source_order import SourceOrder
from healthlog.span import Span
from healthlog.summaries.keeper import Summaries
from tests.support import history, record_history
from tests.support.clock import FakeClock
from tests.support.earlier import POORER, RICHER, VO2, without
from tests.support.folding import (
    DAYS,
    DEFAULT,
    MINUTES,
    NEW_YEAR_US,
    Bench,
    MemoryMart,
    body,
    delivery,
    metric,
    no_check,
    planned,
    point,
)
from tests.support.lines import day_of

SEED = 20_261_130
SEEDS = (*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 40)))
EVER = 2**31
ALL_DATES = (day_of("01-01") - 4_000, day_of("01-01") + 4_000)


def keeper(mart: Any, order: SourceOrder | None = None, clock: Clock | None = None) -> Summaries:
    log: Any = None
    return Summaries(mart, order or SourceOrder(), log=log, clock=clock or FakeClock())


def kept_days(connection: sqlite3.Connection) -> dict[tuple[str, str], list[tuple[Any, ...]]]:
    found: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    for name, day, *rest in connection.execute(
        "SELECT metric, day, field, value, min, max, unit, aggregate, layer, open FROM v_days"
        " ORDER BY metric, day_ms, unit IS NOT NULL"
    ):
        found.setdefault((name, day), []).append(tuple(rest))
    return found


def answered_days(
    connection: sqlite3.Connection, order: SourceOrder
) -> dict[tuple[str, str], list[tuple[Any, ...]]]:
    """The same out of the readings."""
    found: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    for name in names(connection):
        made = read_series.made(connection, Question(name, DAY, order=order), *ALL_DATES)
        items: list[dict[str, Any]] = [item for _, told in made.answers for item in told]
        for item in items:
            for field in made.entry.by_field or (None,):
                numbers = [item.get(name) for name in ("value", "min", "max")]
                if field is not None:
                    numbers = [None if one is None else one.get(field) for one in numbers]
                row = (field, *numbers, item.get("unit", made.unit))
                rest = (made.entry.aggregate, item["layer"], int(bool(item["open"])))
                row = tuple(map(plain, row))
                found.setdefault((name, str(item["start"])), []).append((*row, *rest))
    return found


def differences(found: dict[Any, list[Any]], expected: dict[Any, list[Any]]) -> list[Any]:
    """Days that are not the same on both sides, with what each has."""
    return [
        (key, found.get(key), expected.get(key))
        for key in sorted({*found, *expected})
        if sorted(found.get(key, []), key=repr) != sorted(expected.get(key, []), key=repr)
    ]


def plain(value: object) -> object:
    return float(value) if isinstance(value, int) else value


@pytest.mark.scenario("programs", "Summaries follow every fold")
@pytest.mark.parametrize("seed", SEEDS)
def test_days_follow_every_fold(seed: int) -> None:
    told = [one for one in history.history(SEED + seed) if one.plan is not None]
    random.Random(seed).shuffle(told)
    mart, clock, order = MemoryMart(), FakeClock(), SourceOrder()
    folder, summaries = Folder(mart, clock), keeper(mart, order)
    for number, one in enumerate(told):
        assert one.plan is not None
        folder.fold(one.delivery, one.plan, no_check)
        if number % 7 == seed % 7 or number == len(told) - 1:
            while summaries.step():
                pass
            found = mart.read(kept_days)
            assert differences(found, mart.read(lambda c: answered_days(c, order))) == []
    assert len(found) > 50
    mart.connection.close()


def kept_nights(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    return connection.execute(
        "SELECT day, session, started, ended, total_h, in_bed_h, deep_h, core_h, rem_h, awake_h,"
        " asleep_h FROM v_nights"
    ).fetchall()


def answered_nights(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    offsets = Offsets(connection)
    views = [night_view(one, offsets) for one in slept(connection, *ALL_DATES, SourceOrder())]
    hours = ("total_h", "in_bed_h", "deep_h", "core_h", "rem_h", "awake_h", "asleep_h")
    return [
        tuple(view.get(name) for name in ("day", "session", "start", "end", *hours))
        for view in views
    ]


def kept_workouts(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    return connection.execute("SELECT key, day, started FROM v_workouts").fetchall()


def answered_workouts(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    page = records.page(connection, WORKOUT, Span(), limit=EVER)
    return [(one["key"], one["day"], one.get("start")) for one in page.items if "day" in one]


@pytest.mark.scenario("programs", "Summaries follow every fold")
@pytest.mark.parametrize("seed", SEEDS)
def test_nights_and_workouts_follow_every_fold(seed: int) -> None:
    told = record_history.history(SEED + seed)
    random.Random(seed).shuffle(told)
    mart, clock = MemoryMart(), FakeClock()
    folder, summaries = Folder(mart, clock), keeper(mart)
    for number, one in enumerate(told):
        folder.fold(one.delivery, planned(one.delivery, one.body), no_check)
        if number % 5 == seed % 5 or number == len(told) - 1:
            while summaries.step():
                pass
            assert sorted(mart.read(kept_nights), key=repr) == sorted(
                mart.read(answered_nights), key=repr
            )
            assert sorted(mart.read(kept_workouts)) == sorted(mart.read(answered_workouts))
    assert mart.read(kept_nights)
    assert mart.read(kept_workouts)
    mart.connection.close()


# ---- what else they follow


@pytest.fixture
def mart() -> Iterator[MemoryMart]:
    mart = MemoryMart()
    yield mart
    mart.connection.close()


def renewed(summaries: Summaries) -> None:
    while summaries.step():
        pass


def values(mart: MemoryMart, metric: str = "step_count") -> list[tuple[str, float]]:
    return mart.connection.execute(
        "SELECT day, value FROM v_days WHERE metric = ?", (metric,)
    ).fetchall()


def behind(mart: MemoryMart) -> int:
    found: int = mart.connection.execute("SELECT behind FROM v_state").fetchone()[0]
    return found


@pytest.mark.scenario("programs", "Summaries follow the settings")
def test_another_order_of_sources_makes_them_again(mart: MemoryMart) -> None:
    bench = Bench(mart)
    at = "2026-06-01 12:00:00 +0200"
    both = [point(at, qty, source=s) for s, qty in (("Watch", 7), ("iPhone", 5))]
    bench.fold(body(metric("step_count", *both)), DEFAULT)
    renewed(keeper(mart))
    assert values(mart) == [("2026-06-01", 7)]
    renewed(keeper(mart, SourceOrder(("iPhone",))))
    assert values(mart) == [("2026-06-01", 5)]
    renewed(keeper(mart))
    assert values(mart) == [("2026-06-01", 7)]


@pytest.mark.scenario("programs", "Summaries follow every fold")
def test_a_word_said_again_closes_a_day(mart: MemoryMart) -> None:
    bench = Bench(mart)
    content = body(metric("step_count", point("2026-12-31 23:00:00 +0000", 5)))
    early, late = (
        delivery(number, content, MINUTES, **dict.fromkeys(("clock_at_us",), at_us))
        for number, at_us in ((1, NEW_YEAR_US - 1_800_000_000), (2, NEW_YEAR_US + 1))
    )
    opened = "SELECT open FROM v_days"
    bench.play(early, content)
    renewed(keeper(mart))
    assert mart.connection.execute(opened).fetchall() == [(1,)]
    account = bench.play(late, content)
    assert account.counts.same == 1
    renewed(keeper(mart))
    assert mart.connection.execute(opened).fetchall() == [(0,)]


def test_a_unit_that_nobody_knows_is_followed_when_it_changes(mart: MemoryMart) -> None:
    bench = Bench(mart)
    for day, unit in (("01", "lx"), ("02", "count")):
        two = [point(f"2026-06-{day} 1{n}:00:00 +0200", 4) for n in range(2)]
        bench.fold(body(metric("aura", *two, units=unit)), DEFAULT)
        renewed(keeper(mart))
    # By its latest unit it is an amount, on all days.
    rows = mart.connection.execute(
        "SELECT day, aggregate, unit FROM v_days ORDER BY day"
    ).fetchall()
    assert rows == [("2026-06-01", "sum", "lx"), ("2026-06-02", "sum", "count")]


def test_what_a_refold_adds_is_followed(mart: MemoryMart) -> None:
    bench = Bench(mart)
    content = body(
        metric("step_count", point("2026-06-01 00:00:00 +0200", 5)),
        metric("vo2_max", point("2026-06-01 00:00:00 +0200", 41)),
    )
    one = delivery(1, content, DAYS)
    plan = planned(one, content)
    Folder(mart, bench.clock, coverage=POORER).fold(one, without(plan, VO2), no_check)
    bench.fold(body(metric("step_count", point("2026-06-02 00:00:00 +0200", 6))))
    renewed(keeper(mart))
    assert values(mart, "vo2_max") == []
    Folder(mart, bench.clock, coverage=RICHER).fold(one, plan, no_check)
    renewed(keeper(mart))
    assert values(mart, "vo2_max") == [("2026-06-01", 41)]


def test_fields_and_units_are_rows_of_their_own(mart: MemoryMart) -> None:
    bench = Bench(mart)
    at = "2026-06-01 12:00:00 +0200"
    pair = {"date": at, "systolic": 120, "diastolic": 80}
    bench.fold(body(metric("blood_pressure", pair, units="mmHg")), DEFAULT)
    bench.fold(body(metric("heart_rate", point(at, 60), units="count/min")), DEFAULT)
    later = point("2026-06-01 13:00:00 +0200", 7)
    bench.fold(body(metric("heart_rate", later, units="furlong")), DEFAULT)
    renewed(keeper(mart))
    rows = mart.connection.execute("SELECT metric, field, value, unit FROM v_days").fetchall()
    assert rows == [
        ("blood_pressure", "systolic", 120, "mmHg"),
        ("blood_pressure", "diastolic", 80, "mmHg"),
        ("heart_rate", None, 60, "count/min"),
        ("heart_rate", None, 7, "furlong"),
    ]


@pytest.mark.scenario("programs", "Summaries yield to deliveries")
def test_slices_end_early_and_the_latest_days_come_first(mart: MemoryMart) -> None:
    clock = FakeClock()
    bench = Bench(mart)
    days = [point(f"2026-{n // 28 + 1:02}-{n % 28 + 1:02} 00:00:00 +0200", n) for n in range(100)]
    bench.fold(body(metric("step_count", *days)))
    summaries = keeper(mart, clock=Hurried(clock))
    assert summaries.step()
    first = [day for day, _ in values(mart)]
    assert 0 < len(first) < 20
    assert max(first) == "2026-04-16"
    assert behind(mart) > 0
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        return len(waits) == 2

    summaries.keep_up(wait)
    assert len(waits) == 2
    assert behind(mart) > 0
    summaries.keep_up(lambda _: False)
    assert (len(values(mart)), behind(mart)) == (100, 0)
    assert not summaries.step()


class Hurried:
    """A clock by which every slice has taken too long."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock

    def now_us(self) -> int:
        return self._clock.now_us()

    def monotonic(self) -> float:
        self._clock.advance(1)
        return self._clock.monotonic()


def test_what_goes_wrong_is_tried_again(mart: MemoryMart) -> None:
    stream, clock = io.StringIO(), FakeClock()
    bench = Bench(mart)
    bench.fold(body(metric("step_count", point("2026-06-01 00:00:00 +0200", 5))))

    class Failing:
        def __init__(self, error: Exception) -> None:
            self.error = error

        def write(self, work: Any) -> Any:
            raise self.error

        read = write

    log = Log(stream, clock, "DEBUG")
    for error, msg in ((Busy("locked"), "summaries put off"), (KeyError("x"), "summaries failed")):
        Summaries(Failing(error), SourceOrder(), log=log, clock=clock).keep_up(lambda _: False)
        assert json.loads(stream.getvalue().splitlines()[-1])["msg"] == msg


def test_summaries_are_no_part_of_the_digest(mart: MemoryMart) -> None:
    bench = Bench(mart)
    bench.fold(body(metric("step_count", point("2026-06-01 00:00:00 +0200", 5))))
    before = bench.digest()
    renewed(keeper(mart))
    assert values(mart)
    assert bench.digest() == before
