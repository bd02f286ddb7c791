"""How things stand: today so far, the latest of everything else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.reading import DAYS, MINUTES, SECONDS, Desk, body, metric, steps
from tests.support.records import night, nights


def now(desk: Desk) -> dict[str, Any]:
    reply = desk.get("/api/v1/now")
    assert reply.status == 200
    found: dict[str, Any] = reply.json()
    return found


@pytest.mark.scenario("programs", "Today so far in one object")
def test_today_so_far_and_the_latest_of_all_else(desk: Desk) -> None:
    desk.send(steps(("2026-08-01 00:00:00 +0200", 9000)), DAYS)
    desk.send(steps(("2026-08-02 08:00:00 +0200", 40), ("2026-08-02 09:00:00 +0200", 50)), MINUTES)
    pulse = {"date": "2026-08-02 05:01:00 +0200", "Min": 50, "Avg": 60, "Max": 70}
    desk.send(body(metric("heart_rate", "count/min", pulse)), MINUTES)
    water = {"date": "2026-08-01 20:00:00 +0200", "qty": 200}
    desk.send(body(metric("dietary_water", "mL", water)), SECONDS)
    desk.house.clock.advance(60)
    found = now(desk)
    assert found["at"] == "2026-08-02T10:02:42+02:00"
    assert found["day"] == "2026-08-02"
    assert found["night"] is None
    # Nobody has said a word of water today, so there is none: not 0.
    assert list(found["totals"]) == ["step_count"]
    total = found["totals"]["step_count"]
    assert (total["value"], total["unit"], total["open"], total["age_s"]) == (90, "count", True, 60)
    assert total["heard_at"] == "2026-08-02T08:01:42.123456Z"
    [latest] = found["latest"].items()
    item = desk.items("/api/v1/latest")[0]
    assert latest == (item.pop("metric"), item)


def test_totals_are_those_of_the_day(desk: Desk) -> None:
    at = "2026-08-02 12:00:00 +0200"
    data = [{"date": at, "qty": qty, "source": s} for s, qty in (("Watch", 7), ("iPhone", 5))]
    desk.send(body(metric("step_count", "count", *data)), SECONDS)
    desk.send(body(metric("active_energy", "kJ", {"date": at, "qty": 418.4})), MINUTES)
    totals = now(desk)["totals"]
    day = desk.get("/api/v1/days/2026-08-02").json()["totals"]
    plain = {
        name: {key: one[key] for key in one if key not in {"heard_at", "age_s"}}
        for name, one in totals.items()
    }
    assert plain == day
    assert totals["active_energy"]["unit"] == "kcal"


def test_the_day_is_that_of_the_phone(desk: Desk) -> None:
    desk.send(steps(("2026-08-01 20:00:00 -1100", 50)), MINUTES)
    found = now(desk)
    assert (found["at"], found["day"]) == ("2026-08-01T21:01:42-11:00", "2026-08-01")
    assert found["totals"]["step_count"]["value"] == 50
    desk.house.clock.advance(3 * 3600)
    assert now(desk)["totals"] == {}


def test_an_empty_log_has_an_empty_now(desk: Desk) -> None:
    found = now(desk)
    assert (found["totals"], found["latest"], found["night"]) == ({}, {}, None)
    assert found["at"] == "2026-08-02T08:01:42+00:00"


def test_last_night_is_told(desk: Desk) -> None:
    one = night("2026-08-01 23:00:00 +0200", "2026-08-02 07:00:00 +0200", totalSleep=7)
    desk.send(nights(one), DAYS)
    assert now(desk)["night"]["total_h"] == 7
