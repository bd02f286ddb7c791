"""The clock: which offset ruled in each quarter of an hour."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

import pytest

from healthlog.mart import folded, quarters
from healthlog.mart.kept import Kept
from healthlog.mart.quarters import QUARTER_MS, Clock, Stretch, clock, name, naming, whole_clock
from healthlog.model import Account
from healthlog.moment import DAY_MS, HOUR_MS, MINUTE_MS, parse
from tests.support.folding import (
    DAYS,
    DEFAULT,
    HOURS,
    MINUTES,
    Bench,
    MemoryMart,
    body,
    delivery,
    metric,
    planned,
    point,
)


def quarter(text: str) -> int:
    at_ms = parse(text).at_ms
    assert at_ms is not None
    return at_ms // QUARTER_MS


def named(aggregation: str | None, *metrics: object) -> dict[int, int]:
    content = body(*metrics)
    return planned(delivery(1, content, aggregation), content).quarters


NOON = quarter("2026-06-01T12:00:00Z")


@pytest.mark.parametrize("aggregation", [MINUTES, DEFAULT])
def test_a_start_names_its_quarter(aggregation: str) -> None:
    late = point("2026-06-01 14:14:00 +0200", end="2026-06-01 15:00:00 +0200")
    assert named(aggregation, metric("step_count", late)) == {NOON: 120}


def test_an_hour_names_four() -> None:
    found = named(HOURS, metric("step_count", point("2026-06-01 17:30:00 +0530")))
    assert found == {NOON: 330, NOON + 1: 330, NOON + 2: 330, NOON + 3: 330}


@pytest.mark.parametrize("aggregation", ["Days", "Weeks", "Months", "Years"])
def test_days_and_longer_name_nothing(aggregation: str) -> None:
    assert named(aggregation, metric("step_count", point("2026-06-01 00:00:00 +0200"))) == {}


def test_a_measurement_among_days_names_its_quarter() -> None:
    pressure = {"date": "2026-06-01 14:00:00 +0200", "systolic": 1}
    assert named(DAYS, metric("blood_pressure", pressure)) == {NOON: 120}


def test_a_time_in_z_names_nothing() -> None:
    times = point("2026-06-01T12:00:00Z"), point("2026-06-01T12:15:00+00:00")
    assert named(MINUTES, metric("step_count", *times)) == {NOON + 1: 0}


def test_what_is_rejected_names_nothing() -> None:
    points = point("2026-06-01 14:00:00 +0200", None), point("2026-06-01")
    assert named(MINUTES, metric("step_count", *points)) == {}


@pytest.mark.parametrize("aggregation", [MINUTES, HOURS])
def test_the_first_word_in_the_body_names_a_quarter(aggregation: str) -> None:
    here, there = point("2026-06-01 14:00:00 +0200"), point("2026-06-01 08:00:00 -0400", 2)
    for first, second, offset_min in ((here, there, 120), (there, here, -240)):
        steps = metric("step_count", first, second)
        assert named(aggregation, steps)[NOON] == offset_min
        across = metric("step_count", first), metric("heart_rate", second)
        assert named(aggregation, *across)[NOON] == offset_min
        around = metric("x", first), metric("heart_rate", second), metric("x", second)
        assert named(aggregation, *around)[NOON] == offset_min


def test_between_hours_the_first_word_names_a_quarter() -> None:
    # Zones half an hour apart overlap by two quarters.
    here = metric("step_count", point("2026-06-01 14:00:00 +0200"))
    there = metric("heart_rate", point("2026-06-01 18:00:00 +0530"))
    assert named(HOURS, here, there) == {NOON + n: 120 if n < 4 else 330 for n in range(6)}
    assert named(HOURS, there, here) == {NOON + n: 120 if n < 2 else 330 for n in range(6)}


def say(
    mart: MemoryMart,
    number: int,
    offsets: Mapping[int, int],
    known: Kept[int, int] | None = None,
) -> Stretch | None:
    """Let a delivery of that rank name quarters; the stretch of time that has moved by it."""
    known = Kept() if known is None else known

    def work(connection: sqlite3.Connection) -> Stretch | None:
        one = delivery(number, b"", None)
        mine = folded.next_number(connection)
        folded.write(connection, mine, one, Account(0))
        ranks = folded.Ranks(connection, mine, one.rank)
        return name(connection, naming(connection, offsets, mine, ranks, known), mine, known)

    return mart.write(work)


def offsets(mart: MemoryMart) -> dict[int, int]:
    return dict(mart.connection.execute("SELECT quarter, offset_min FROM quarter"))


@pytest.mark.parametrize("remembers", [False, True])
@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 3, 1), (2, 1, 3)])
def test_the_word_of_least_rank_stays(order: tuple[int, ...], remembers: bool) -> None:
    said = {1: {5: 60, 6: 60}, 2: {6: 120, 7: 120}, 3: {5: 180, 7: 180, 8: 180}}
    mart, known = MemoryMart(), Kept[int, int]()
    for number in order:
        say(mart, number, said[number], known if remembers else None)
        known.keep()
    assert offsets(mart) == {5: 60, 6: 60, 7: 120, 8: 180}
    mart.connection.close()


def test_quarters_known_to_be_named_are_not_asked_for() -> None:
    mart, known = MemoryMart(), Kept[int, int]()
    say(mart, 1, {5: 60, 6: 60}, known)
    say(mart, 2, {6: 120, 7: 120}, known)
    asked: list[str] = []
    mart.connection.set_trace_callback(asked.append)
    say(mart, 3, {5: 180, 7: 180}, known)
    assert [one for one in asked if "quarter" in one] == []
    say(mart, 4, {7: 180, 8: 180}, known)
    assert [one for one in asked if "IN (8)" in one]
    mart.connection.close()


def test_no_more_quarters_are_known_than_there_is_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(quarters, "MOST_NUMBERS", 10)
    mart, known = MemoryMart(), Kept[int, int]()
    for number in (2, 1):
        say(mart, number, dict.fromkeys(range(100), 60 * number), known)
        assert len(known) == 10
    assert offsets(mart) == dict.fromkeys(range(100), 60)
    mart.connection.close()


def test_more_quarters_can_be_named_than_a_statement_has_values() -> None:
    mart = MemoryMart()
    say(mart, 1, dict.fromkeys(range(0, 3000, 2), 60))
    say(mart, 2, dict.fromkeys(range(3000), 120))
    found = offsets(mart)
    assert all(found[quarter] == (120 if quarter % 2 else 60) for quarter in range(3_000))
    mart.connection.close()


@pytest.mark.parametrize(
    ("quarter", "offset_min"),
    [(-5, 60), (9, 60), (10, 60), (11, 60), (19, 60), (20, 120), (21, 120), (999, 120)],
)
def test_an_unnamed_quarter_takes_the_one_before_else_the_next(
    quarter: int, offset_min: int
) -> None:
    found = Clock([10, 20], [60, 120])
    assert found.offset_min(quarter * QUARTER_MS) == offset_min
    assert found.offset_min(quarter * QUARTER_MS + QUARTER_MS - 1) == offset_min


def test_a_clock_that_nobody_named_is_at_utc() -> None:
    assert Clock([], []).offset_min(5) == 0
    assert Clock([], []).day(DAY_MS) == 1


def test_the_day_is_the_local_date() -> None:
    at_ms = 10 * DAY_MS - 90 * MINUTE_MS
    assert Clock([0], [120]).day(at_ms) == 10
    assert Clock([0], [60]).day(at_ms) == 9
    assert Clock([0], [-600]).day(10 * DAY_MS) == 9


@pytest.mark.parametrize(("first", "last"), [(0, 5), (12, 15), (15, 25), (40, 50), (5, 45)])
def test_the_clock_of_a_stretch_says_the_same_as_the_whole(first: int, last: int) -> None:
    mart = MemoryMart()
    say(mart, 1, {10: 60, 20: 120, 30: -240})
    stretch = mart.read(lambda c: clock(c, first * QUARTER_MS, last * QUARTER_MS))
    whole = mart.read(whole_clock)
    for one in range(first, last + 1):
        assert stretch.offset_min(one * QUARTER_MS) == whole.offset_min(one * QUARTER_MS)
    mart.connection.close()


@pytest.mark.scenario("fold", "Past keeps its day after a flight")
@pytest.mark.parametrize("backwards", [False, True])
def test_the_past_keeps_its_day_after_a_flight(bench: Bench, backwards: bool) -> None:
    home = body(metric("step_count", point("2026-06-01 02:00:00 +0200", 10)))
    away = body(metric("step_count", point("2026-05-31 20:00:00 -0400", 12)))
    said = [(delivery(1, home, HOURS), home), (delivery(2, away, HOURS), away)]
    for one, content in reversed(said) if backwards else said:
        bench.play(one, content)
    found = bench.only()
    assert (found.at, found.qty) == ("2026-06-01T02:00:00+02:00", 12)
    assert found.day == parse("2026-06-01").day


@pytest.mark.scenario("fold", "Time in Z takes its offset from the clock")
def test_a_time_in_z_takes_its_offset_from_the_clock(bench: Bench) -> None:
    zulu = body(metric("heart_rate", point("2026-06-01T10:30:00Z", 61)))
    bench.fold(zulu, MINUTES)
    assert bench.only("heart_rate").at == "2026-06-01T10:30:00+00:00"
    bench.fold(body(metric("step_count", point("2026-06-01 12:30:00 +0200"))), MINUTES)
    found = bench.only("heart_rate")
    assert (found.at, found.day) == ("2026-06-01T12:30:00+02:00", parse("2026-06-01").day)


@pytest.mark.scenario("fold", "Day begun in another zone is flagged")
def test_days_begun_in_two_zones_are_both_stored(bench: Bench) -> None:
    bench.fold(body(metric("heart_rate", point("2026-06-01 00:00:00 +0200"))), MINUTES)
    days = point("2026-06-01 00:00:00 +0200", 10), point("2026-06-01 00:00:00 -0400", 12)
    bench.fold(body(metric("step_count", *days)), DAYS)
    assert [(found.at, found.day) for found in bench.points("step_count")] == [
        ("2026-06-01T00:00:00+02:00", parse("2026-06-01").day),
        ("2026-06-01T00:00:00-04:00", parse("2026-06-01").day),
    ]


def test_a_day_in_z_takes_its_offset_from_the_clock(bench: Bench) -> None:
    bench.fold(body(metric("step_count", point("2026-05-31T22:00:00Z"))), DAYS)
    assert bench.only().at == "2026-05-31T22:00:00+00:00"
    before = bench.digest()
    bench.fold(body(metric("heart_rate", point("2026-06-01 00:00:00 +0200"))), MINUTES)
    assert bench.only("step_count").at == "2026-06-01T00:00:00+02:00"
    assert bench.only("step_count").day == parse("2026-06-01").day
    assert bench.digest() != before


def test_an_hour_is_four_quarters() -> None:
    assert HOUR_MS == 4 * QUARTER_MS


# What moved


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ({12: 60}, None, None),  # what the quarter before says already
        ({12: 120}, 12, 20),
        ({12: 120, 14: 180}, 12, 20),
        ({12: 60, 14: 180}, 14, 20),
        ({25: 120}, 25, 30),
        ({31: 120}, 31, None),
        ({5: 60}, None, None),  # what the first named one says already
        ({5: 0}, None, 10),
        ({10: 0}, None, None),  # named by a word of less rank
    ],
)
def test_the_stretch_that_gets_another_offset_is_told(
    said: dict[int, int], first: int | None, last: int | None
) -> None:
    mart = MemoryMart()
    say(mart, 1, {10: 60, 20: 60, 30: 60})
    before = whole_clock(mart.connection)
    found = say(mart, 2, said)
    after = whole_clock(mart.connection)
    changed = [
        quarter
        for quarter in range(40)
        if before.offset_min(quarter * QUARTER_MS) != after.offset_min(quarter * QUARTER_MS)
    ]
    if not changed:
        assert found is None
    else:
        edges = (
            None if first is None else first * QUARTER_MS,
            None if last is None else last * QUARTER_MS - 1,
        )
        assert found == edges
        assert changed[0] == (first or 0)
        assert changed[-1] == (40 if last is None else last) - 1
    mart.connection.close()


def test_the_first_word_of_all_rules_for_ever() -> None:
    mart = MemoryMart()
    assert say(mart, 2, {10: 60}) == Stretch(None, None)
    assert say(mart, 3, {10: 0}) is None
    mart.connection.close()


def test_a_word_of_less_rank_moves_what_it_names_anew() -> None:
    mart = MemoryMart()
    say(mart, 2, {10: 60, 11: 60, 12: 60})
    assert say(mart, 1, {11: 120}) == Stretch(11 * QUARTER_MS, 12 * QUARTER_MS - 1)
    mart.connection.close()
