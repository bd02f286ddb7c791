"""Rows of days within a range: by their local dates, or by their instants."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from healthlog.read import points as read
from tests.support.clock import FakeClock
from tests.support.reading import DAYS, Desk, body, metric, open_desk, span_of, steps, values


def july(offset: str, *, time: str = "00:00:00") -> bytes:
    """Every day from 29 June to 2 August."""
    dates = (date(2026, 6, 29) + timedelta(days=n) for n in range(35))
    return steps(*((f"{day} {time} {offset}", 1) for day in dates))


@pytest.mark.scenario("reading", "Day rows are chosen by their local date")
@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/Los_Angeles"])
@pytest.mark.parametrize("offset", ["+0200", "-1200", "+1400"])
def test_a_month_of_dates_has_its_days_wherever_they_were_measured(
    data: Path, clock: FakeClock, zone: str, offset: str
) -> None:
    with open_desk(data, clock, timezone=zone) as desk:
        desk.send(july(offset), DAYS)
        found = desk.points("step_count", layer="day", from_="2026-07-01", to="2026-08-01")
        assert [item["day"] for item in found] == [f"2026-07-{day:02}" for day in range(1, 32)]
        assert desk.points("step_count", from_="2026-07-01", to="2026-08-01") == found


def test_pages_of_a_month_of_dates_join(data: Path, clock: FakeClock) -> None:
    with open_desk(data, clock) as desk:
        desk.send(july("+0200"), DAYS)
        whole = desk.page(first="2026-07-01", last="2026-08-01")
        first = desk.page(first="2026-07-01", last="2026-08-01", limit=20)
        rest = desk.page(first="2026-07-01", last="2026-08-01", behind=first.following)
        assert [*first.items, *rest.items] == whole.items
        assert (len(first.items), len(rest.items)) == (20, 11)


def test_days_off_midnight_are_found_by_the_date_they_count_for(desk: Desk) -> None:
    desk.send(steps(("2025-10-25 23:00:00 +0100", 5)), DAYS)
    assert len(desk.page(first="2025-10-26", last="2025-10-27").items) == 1
    assert desk.page(first="2025-10-25", last="2025-10-26").items == []
    late = {"date": "2026-05-04 23:30:00 -1200", "qty": 1}
    desk.send(body(metric("resting_heart_rate", "x", late)), DAYS)
    found = desk.page("resting_heart_rate", first="2026-05-04", last="2026-05-05")
    assert values(found.items, "day") == [("2026-05-04",)]


def test_each_end_is_compared_as_it_was_named(desk: Desk) -> None:
    desk.send(steps(*((f"2026-05-0{day} 00:00:00 +0200", 1) for day in (3, 4, 5, 6))), DAYS)
    desk.send(steps(("2026-05-04", 2)), DAYS)
    found = desk.page(first="2026-05-04", last="2026-05-05T22:00:00Z").items
    assert values(found, "day") == [("2026-05-04",), ("2026-05-04",), ("2026-05-05",)]
    found = desk.page(first="2026-05-03T22:00:00.001Z", last="2026-05-06").items
    assert values(found, "at", "day") == [
        (None, "2026-05-04"),
        ("2026-05-05T00:00:00+02:00", "2026-05-05"),
    ]


def test_neighbouring_ranges_of_dates_share_no_day(desk: Desk) -> None:
    mixed = ("2026-05-04", "2026-05-05 00:00:00 +0200", "2026-05-06", "2026-05-06 00:00:00 -0500")
    desk.send(steps(*((date, 1) for date in mixed)), DAYS)
    before, after = desk.page(last="2026-05-06").items, desk.page(first="2026-05-06").items
    assert (len(before), len(after)) == (2, 2)


@pytest.mark.parametrize("first", ["0001-01-01", "0001-01-01T00:00:00Z"])
@pytest.mark.parametrize("last", ["9999-12-31", "9999-12-31T00:00:00Z"])
def test_the_ends_of_the_calendar_hold_every_day(desk: Desk, first: str, last: str) -> None:
    desk.send(steps(("2026-05-04 00:00:00 +0200", 1), ("2026-05-05", 1)), DAYS)
    assert len(desk.page(first=first, last=last).items) == 2


@pytest.mark.parametrize("last", ["2026-07-02", "2026-07-02T00:00:00Z"])
def test_days_in_a_range_are_searched(desk: Desk, last: str) -> None:
    desk.send(july("+0200"), DAYS)
    span = span_of("2026-07-01", last)
    plans = desk.plans(lambda c: read.points(c, "step_count", "day", span, limit=5))
    bounds = "(series=? AND (at_ms,sub,origin,n)>(?,?,?,?) AND at_ms<?)"
    assert f"SEARCH point USING PRIMARY KEY {bounds}" in plans
    assert not [plan for plan in plans if plan.startswith("SCAN point") or "TEMP B-TREE" in plan]
