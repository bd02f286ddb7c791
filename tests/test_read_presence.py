"""The dates on which a metric has readings."""

from __future__ import annotations

import pytest

from healthlog.mart.offsets import Offsets
from healthlog.moment import day_text
from healthlog.read.presence import dates_with
from tests.support.lines import day_of
from tests.support.reading import DAYS, HOURS, MINUTES, SECONDS, Desk, steps

WEEKS = "Weeks"


def found(desk: Desk, first: str, last: str) -> list[str]:
    dates = desk.mart.read(
        lambda c: dates_with(c, "step_count", day_of(first), day_of(last), Offsets(c))
    )
    return [day_text(date)[5:] for date in sorted(dates)]


def test_every_layer_up_to_days_tells_dates(desk: Desk) -> None:
    desk.send(steps(("2026-06-01 00:00:00 +0200", 1)), DAYS)
    desk.send(steps(("2026-06-02", 1)), DAYS)
    desk.send(steps(("2026-06-03 23:00:00 +0200", 1)), HOURS)
    desk.send(steps(*((f"2026-06-04 12:{n:02}:00 +0200", 1) for n in range(60))), MINUTES)
    desk.send(steps(("2026-06-05 00:00:01 +0200", 1), ("2026-06-05 23:59:59 +0200", 1)), SECONDS)
    desk.send(steps(("2026-06-08 00:00:00 +0200", 1)), WEEKS)
    assert found(desk, "06-01", "06-15") == [f"06-0{n}" for n in range(1, 6)]
    assert found(desk, "06-02", "06-05") == ["06-02", "06-03", "06-04"]


@pytest.mark.parametrize("zone", ["+1400", "-1200", "+0000"])
def test_dates_are_local_ones(desk: Desk, zone: str) -> None:
    times = [f"2026-06-{n:02} {t}:00 {zone}" for n in (1, 2, 4) for t in ("00:00", "23:59")]
    desk.send(steps(*((one, 1) for one in times)), MINUTES)
    assert found(desk, "05-25", "06-10") == ["06-01", "06-02", "06-04"]
    assert found(desk, "06-02", "06-03") == ["06-02"]


def test_days_are_skipped_by_one_look_up_each(desk: Desk) -> None:
    desk.send(steps(("2026-06-01 12:00:00 +0200", 1)), MINUTES)
    plans = desk.plans(
        lambda c: dates_with(c, "step_count", day_of("06-01"), day_of("06-05"), Offsets(c))
    )
    assert any("SEARCH point" in plan for plan in plans)
    assert [plan for plan in plans if "SCAN point" in plan or "SCAN series" in plan] == []
