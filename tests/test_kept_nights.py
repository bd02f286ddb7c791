"""Nights out of the summaries against the same made of the records alone."""

from __future__ import annotations

import random
import sqlite3
from typing import Any

import pytest

from healthlog.fold import Folder
from healthlog.moment import DAY_MS
from healthlog.read.nights import night_views
from healthlog.series.source_order import SourceOrder
from healthlog.summaries.fresh import stale_nights
from tests.support import record_history
from tests.support.clock import FakeClock
from tests.support.folding import Bench, MemoryMart, no_check, planned
from tests.support.lines import day_of
from tests.support.records import night, nights, segment
from tests.test_kept_days import keeper, readings_alone

SEED = 20_261_202
SEEDS = (*range(2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 40)))
FIRST, LAST = day_of("01-01") - 4_000, day_of("01-01") + 4_000
OTHER = SourceOrder(("iPhone", "*", "Watch"))


def shown(connection: sqlite3.Connection, order: SourceOrder, first: int, last: int) -> list[str]:
    """Nights with the members of each in the order of their names: 7 and 7.0 are not the same."""
    return [repr(sorted(one.items())) for one in night_views(connection, first, last, order)]


@pytest.mark.scenario("nights", "Summaries answer like records")
@pytest.mark.parametrize("seed", SEEDS)
def test_nights_are_the_same_out_of_summaries(seed: int) -> None:
    told = record_history.history(SEED + seed)
    chance = random.Random(seed)
    chance.shuffle(told)
    mart = MemoryMart()
    folder, summaries = Folder(mart, FakeClock()), keeper(mart)
    for number, one in enumerate(told):
        folder.fold(one.delivery, planned(one.delivery, one.body), no_check)
        if number % 4 == 0:
            slices = chance.randint(1, 30)
            while summaries.step() and slices:
                slices -= 1
        if number % 5 == 0 or number == len(told) - 1:
            stretch = sorted(chance.sample(range(day_of("10-18"), day_of("10-30")), 2))
            for order in (SourceOrder(), OTHER):
                for first, last in ((FIRST, LAST), stretch):
                    found = shown(mart.connection, order, first, last)
                    with readings_alone(mart.connection):
                        assert shown(mart.connection, order, first, last) == found
    assert len(shown(mart.connection, SourceOrder(), FIRST, LAST)) > 1
    mart.connection.close()


@pytest.mark.scenario("nights", "Stale nights are made of their records")
def test_a_night_spoken_of_since_the_summaries_is_made_of_its_records() -> None:
    mart = MemoryMart()
    bench, summaries = Bench(mart), keeper(mart)

    def sleep(day: str, end: str) -> None:
        one = segment(f"2026-06-{day} 01:00:00 +0200", f"2026-06-{day} {end}:00:00 +0200")
        bench.fold(nights(one), "Default")

    def hours() -> list[Any]:
        first, last = day_of("06-01"), day_of("07-01")
        found = night_views(mart.connection, first, last, SourceOrder())
        return [night["total_h"] for night in found]

    sleep("02", "06")
    sleep("20", "07")
    while summaries.step():
        pass
    mart.connection.execute("UPDATE night SET total_h = -1")
    assert hours() == [-1, -1]
    sleep("20", "08")
    assert hours() == [-1, 7]
    noted = (day_of("06-01") * DAY_MS, day_of("06-04") * DAY_MS)
    mart.connection.execute("INSERT INTO stale VALUES ('night', '', ?, ?)", noted)
    assert hours() == [5, 7]
    assert stale_nights(mart.connection, OTHER) is None
    mart.connection.close()


@pytest.mark.scenario("nights", "Hours that no double holds are not known")
def test_hours_that_no_double_holds_are_not_known() -> None:
    mart = MemoryMart()
    summaries = keeper(mart)
    huge = [
        night(
            "2026-06-01 00:00:00 +0200", "2026-06-01 03:00:00 +0200", totalSleep=1e308, core=1e308
        ),
        night(
            "2026-06-01 03:10:00 +0200", "2026-06-01 07:00:00 +0200", totalSleep=1e308, core=1e308
        ),
    ]
    good = night("2026-06-02 00:00:00 +0200", "2026-06-02 06:00:00 +0200", totalSleep=6)
    Bench(mart).fold(nights(*huge, good), "Default")
    while summaries.step():
        pass
    first, last = day_of("06-01"), day_of("07-01")
    found = night_views(mart.connection, first, last, SourceOrder())
    with readings_alone(mart.connection):
        assert night_views(mart.connection, first, last, SourceOrder()) == found
    assert [one.get("total_h") for one in found] == [None, 6]
    assert "core_h" not in found[0]
    mart.connection.close()
