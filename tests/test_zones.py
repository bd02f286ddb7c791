"""Days cut in another zone: which row of a date doesn't answer for it."""

from __future__ import annotations

import sqlite3

import pytest

from healthlog.mart.offsets import Offsets
from healthlog.read.zones import other_zone, silent
from tests.support.clock import FakeClock
from tests.support.reading import DAYS, HOURS, Desk, body, metric, steps, values

FLAGGED = ["other_zone"]
BERLIN, NEW_YORK = "2026-06-01 00:00:00 +0200", "2026-06-01 00:00:00 -0400"
HOURS_IN_BERLIN = [
    (f"2026-06-0{day} 0{hour}:00:00 +0200", 1.0) for day in (1, 2) for hour in (0, 6)
]


def flags(desk: Desk, name: str = "step_count", **params: str) -> list[tuple[object, ...]]:
    return values(desk.points(name, layer="day", **params), "at", "flags")


@pytest.mark.scenario("fold", "Day begun in another zone is flagged")
def test_a_day_begun_in_another_zone_is_flagged(desk: Desk) -> None:
    desk.send(steps(*HOURS_IN_BERLIN), HOURS)
    desk.send(steps((BERLIN, 100)), DAYS)
    desk.send(steps((NEW_YORK, 90)), DAYS)
    assert flags(desk) == [
        ("2026-06-01T00:00:00+02:00", None),
        ("2026-06-01T00:00:00-04:00", FLAGGED),
    ]


def test_a_day_alone_is_flagged_where_the_clock_puts_its_start_elsewhere(desk: Desk) -> None:
    desk.send(steps(*HOURS_IN_BERLIN), HOURS)
    desk.send(steps((NEW_YORK, 90)), DAYS)
    assert flags(desk) == [("2026-06-01T00:00:00-04:00", FLAGGED)]


def test_a_clock_that_nobody_named_puts_nothing_elsewhere(desk: Desk) -> None:
    desk.send(steps((BERLIN, 100)), DAYS)
    assert flags(desk) == [("2026-06-01T00:00:00+02:00", None)]


@pytest.mark.parametrize("start", ["2026-05-31 23:00:00 +0100", "2026-06-01 01:00:00 +0300"])
def test_an_hour_around_a_clock_change_is_no_other_zone(desk: Desk, start: str) -> None:
    desk.send(steps(*HOURS_IN_BERLIN), HOURS)
    desk.send(steps((start, 100)), DAYS)
    assert values(desk.points("step_count", layer="day"), "day", "flags") == [("2026-06-01", None)]


def test_a_day_rendered_in_a_new_zone_stands_where_the_clock_has_it(desk: Desk) -> None:
    desk.send(steps(*HOURS_IN_BERLIN), HOURS)
    desk.send(steps(("2026-06-01 07:00:00 +0900", 100)), DAYS)
    assert flags(desk) == [("2026-06-01T07:00:00+09:00", None)]


def test_a_metric_on_a_grid_of_its_own_is_judged_by_its_date(desk: Desk) -> None:
    desk.send(steps(*HOURS_IN_BERLIN), HOURS)
    at = ("2026-06-01 07:13:00 +0200", "2026-06-01 23:30:00 +0200", "2026-06-02 00:00:00 -0700")
    data = [{"date": date, "qty": 50} for date in at]
    desk.send(body(metric("resting_heart_rate", "count/min", *data)), DAYS)
    assert flags(desk, "resting_heart_rate") == [
        ("2026-06-01T07:13:00+02:00", None),
        ("2026-06-01T23:30:00+02:00", None),
        ("2026-06-02T00:00:00-07:00", None),
    ]
    late = {"date": "2026-06-01 20:00:00 -0400", "qty": 50}
    desk.send(body(metric("resting_heart_rate", "count/min", late)), DAYS)
    assert ("2026-06-01T20:00:00-04:00", FLAGGED) in flags(desk, "resting_heart_rate")


# ---- dates cut in several zones


def at_hour_of(clock: FakeClock, day: int, hour: int) -> None:
    """Let it be that hour of that day of August, UTC."""
    # 2026-08-02T08:01:42Z is where the clock of the tests stands.
    clock.advance(((day - 2) * 24 + hour - 8) * 3600)


EAST, WEST = "2026-08-02 00:00:00 +0200", "2026-08-02 00:00:00 -0400"
AT_EAST, AT_WEST = "2026-08-02T00:00:00+02:00", "2026-08-02T00:00:00-04:00"


def test_of_open_starts_the_one_said_last_answers(desk: Desk) -> None:
    desk.send(steps((EAST, 1)), DAYS)
    desk.send(steps((WEST, 2)), DAYS)
    assert flags(desk) == [(AT_EAST, FLAGGED), (AT_WEST, None)]
    desk.send(steps((EAST, 3)), DAYS)
    assert flags(desk) == [(AT_EAST, None), (AT_WEST, FLAGGED)]


def test_the_start_first_closed_answers_whatever_is_said_later(
    desk: Desk, clock: FakeClock
) -> None:
    desk.send(steps((EAST, 1)), DAYS)
    desk.send(steps((WEST, 2)), DAYS)
    at_hour_of(clock, 3, 12)
    desk.send(steps((WEST, 3)), DAYS)
    desk.send(steps((EAST, 4)), DAYS)
    assert flags(desk) == [(AT_EAST, FLAGGED), (AT_WEST, None)]


def test_a_closed_start_answers_before_an_open_one(desk: Desk, clock: FakeClock) -> None:
    at_hour_of(clock, 2, 23)  # over in the east, not yet in the west
    desk.send(steps((EAST, 1)), DAYS)
    desk.send(steps((WEST, 2)), DAYS)
    assert flags(desk) == [(AT_EAST, None), (AT_WEST, FLAGGED)]


@pytest.mark.parametrize("day", [2, 4])
def test_of_starts_said_in_one_breath_the_earliest_answers(
    desk: Desk, clock: FakeClock, day: int
) -> None:
    at_hour_of(clock, day, 9)  # both open, or both closed by the one delivery
    line = ("2026-08-02 00:00:00 +1400", "2026-08-02 00:00:00 -1000")
    desk.send(steps((line[1], 2), (line[0], 1)), DAYS)
    assert [said for _, said in flags(desk)] == [None, FLAGGED]


def test_a_start_far_from_midnight_takes_no_part(desk: Desk) -> None:
    desk.send(steps((EAST, 1)), DAYS)
    desk.send(steps(("2026-08-02 05:00:00 +0200", 2)), DAYS)
    assert [said for _, said in flags(desk)] == [None, None]


def test_a_date_alone_takes_no_part(desk: Desk) -> None:
    desk.send(steps((EAST, 1)), DAYS)
    desk.send(steps(("2026-08-02", 2)), DAYS)
    assert [said for _, said in flags(desk)] == [None, None]


def test_other_dates_and_other_metrics_are_not_asked(desk: Desk) -> None:
    desk.send(steps((EAST, 1)), DAYS)
    desk.send(steps(("2026-08-01 00:00:00 -0400", 2)), DAYS)
    other = metric("active_energy", "kcal", {"date": WEST, "qty": 1})
    desk.send(body(other), DAYS)
    assert [said for _, said in flags(desk)] == [None, None]
    assert [said for _, said in flags(desk, "active_energy")] == [None]


def test_a_page_that_has_only_one_of_the_starts_flags_it_all_the_same(desk: Desk) -> None:
    desk.send(steps((EAST, 1)), DAYS)
    desk.send(steps((WEST, 2)), DAYS)
    assert flags(desk, limit="1") == [(AT_EAST, FLAGGED)]
    assert flags(desk, to="2026-08-02T00:00:00Z") == [(AT_EAST, FLAGGED)]
    desk.send(steps((EAST, 3)), DAYS)
    assert flags(desk, from_="2026-08-02T00:00:00Z") == [(AT_WEST, FLAGGED)]


def test_every_reading_of_a_silent_start_is_flagged(desk: Desk) -> None:
    desk.send(steps((EAST, 1), (EAST, 2)), DAYS)
    desk.send(steps((WEST, 3)), DAYS)
    assert [said for _, said in flags(desk)] == [FLAGGED, FLAGGED, None]


def test_neighbouring_days_are_searched_in_the_primary_key(desk: Desk) -> None:
    plans = desk.plans(lambda c: other_zone(c, Offsets(c), "step_count", 1, (0, 1_000)))
    assert plans[-1:] == ["SEARCH point USING PRIMARY KEY (series=? AND at_ms>? AND at_ms<?)"]


# ---- offsets of single instants


def test_a_single_instant_has_the_offset_its_quarter_was_named_with(desk: Desk) -> None:
    desk.send(steps(("2026-06-01 12:00:00 +0200", 1), ("2026-06-01 20:00:00 -0400", 1)), HOURS)
    asked_for = ("09:59", "10:14", "23:59", "00:00")
    minutes = [1_780_272_000_000 + (10 * 60 + m) * 60_000 for m in (-1, 14, 839, 840)]
    found = desk.mart.read(lambda c: [Offsets(c).offset_min(at_ms) for at_ms in minutes])
    assert dict(zip(asked_for, found, strict=True)) == {
        "09:59": 120,  # before all that was named: the next
        "10:14": 120,
        "23:59": 120,  # between: the one before
        "00:00": -240,
    }


def test_offsets_are_searched_in_the_primary_key(desk: Desk) -> None:
    plans = desk.plans(lambda c: Offsets(c).offset_min(0))
    assert plans[-1:] == ["SEARCH quarter USING INTEGER PRIMARY KEY (rowid<?)"]


def test_starts_that_another_one_answers_for_are_told_from_those_elsewhere(desk: Desk) -> None:
    desk.send(steps(*HOURS_IN_BERLIN), HOURS)
    desk.send(steps((BERLIN, 100)), DAYS)
    desk.send(steps((NEW_YORK, 90), ("2026-06-02 00:00:00 -0400", 80)), DAYS)

    def found(connection: sqlite3.Connection) -> set[tuple[int, int]]:
        offsets = Offsets(connection)
        [number] = connection.execute("SELECT series FROM series WHERE layer = 'day'").fetchone()
        return silent(connection, offsets, number, (0, 2**62))

    assert [at_ms for at_ms, _ in desk.mart.read(found)] == [1_780_286_400_000]
