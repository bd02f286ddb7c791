"""Readings of a night that carry the time of falling asleep: of which day they are."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.clock import parse_us
from tests.support.apple import body as exported
from tests.support.apple import quantity
from tests.support.clock import FakeClock
from tests.support.reading import DAYS, SECONDS, Desk, body, metric, open_desk, values
from tests.support.records import night, nights

WARMTH, BREATH = "apple_sleeping_wrist_temperature", "breathing_disturbances"
EXPORTED: dict[str, Any] = {"imported": True, "said_at_us": parse_us("2026-06-20T00:00:00Z")}


@pytest.fixture
def desk(data: Path, clock: FakeClock) -> Iterator[Desk]:
    with open_desk(data, clock) as desk:
        yield desk


def warmth(*told: tuple[str, float], name: str = WARMTH) -> bytes:
    return body(metric(name, "degC", *({"date": at, "qty": qty} for at, qty in told)))


def days(desk: Desk, bucket: str = "day", name: str = WARMTH, **more: str) -> dict[str, Any]:
    items = desk.items("/api/v1/series", metric=name, bucket=bucket, **more)
    return {item["start"]: item["value"] for item in items}


@pytest.mark.scenario("series", "Reading of a night is of the day of waking")
@pytest.mark.parametrize("aggregation", [DAYS, SECONDS])
@pytest.mark.parametrize("name", [WARMTH, BREATH])
@pytest.mark.parametrize(
    ("at", "day"),
    [
        ("2026-05-31 23:12:05 +0200", "2026-06-01"),
        ("2026-05-31 18:00:00 +0200", "2026-06-01"),
        ("2026-05-31 17:59:59 +0200", "2026-05-31"),
        ("2026-06-01 00:00:00 +0200", "2026-06-01"),
        ("2026-06-01 01:40:00 +0200", "2026-06-01"),
        ("2026-05-31 23:12:00 -1000", "2026-06-01"),
        ("2026-05-31 18:12:00 +1400", "2026-06-01"),
    ],
)
def test_a_reading_of_a_night_is_of_the_day_of_waking(
    desk: Desk, name: str, aggregation: str, at: str, day: str
) -> None:
    desk.send(warmth((at, 36.1), name=name), aggregation)
    assert days(desk, name=name) == {day: 36.1}
    assert days(desk, name=name, from_=day) == {day: 36.1}
    assert days(desk, name=name, to=day) == {}
    assert desk.get(f"/api/v1/days/{day}").json()["levels"][name]["value"] == 36.1
    # Nothing is moved where the reading itself is asked for, or its hour.
    [reading] = desk.points(name)
    assert (reading["day"], reading["at"][:10]) == (at[:10], at[:10])
    hours = [hour[:13] for hour in days(desk, "hour", name)]
    assert hours == ([at[:13].replace(" ", "T")] if aggregation == SECONDS else [])


@pytest.mark.scenario("series", "Reading of a night is of the day of waking")
def test_all_else_of_the_evening_stays_in_it(desk: Desk) -> None:
    desk.send(warmth(("2026-05-31 23:12:05 +0200", 60), name="heart_rate"), SECONDS)
    assert days(desk, name="heart_rate") == {"2026-05-31": 60}


def test_a_date_alone_is_its_day(desk: Desk) -> None:
    desk.send(warmth(("2026-06-01", 36.0)), DAYS)
    assert days(desk) == {"2026-06-01": 36.0}
    # Told with its time as well, it is one statement, and that one answers.
    desk.send(warmth(("2026-05-31 23:12:00 +0200", 36.5)), DAYS)
    assert days(desk) == {"2026-06-01": 36.5}


@pytest.mark.scenario("series", "Nights of every layer and longer bucket")
def test_history_and_live_feed_are_nights_of_one_series(desk: Desk) -> None:
    samples = [
        quantity(
            "AppleSleepingWristTemperature",
            36 + n / 10,
            unit="degC",
            start=f"2026-05-{n} 23:12:40 +0200",
            end=f"2026-06-01 06:{n}:00 +0200" if n == 31 else f"2026-05-{n + 1} 06:30:00 +0200",
        )
        for n in (29, 30, 31)
    ]
    desk.send(exported(*samples), **EXPORTED)
    desk.send(warmth(("2026-06-01 22:50:13 +0200", 36.5)), SECONDS)
    desk.send(warmth(("2026-06-02 23:30:00 +0200", 36.7)), DAYS)
    assert days(desk) == {
        "2026-05-30": 38.9,
        "2026-05-31": 39.0,
        "2026-06-01": 39.1,
        "2026-06-02": 36.5,
        "2026-06-03": 36.7,
    }
    # The night into June is June's.
    months = days(desk, "month")
    assert months == {
        "2026-05-01": pytest.approx(38.95),
        "2026-06-01": pytest.approx((39.1 + 36.5 + 36.7) / 3),
    }
    assert [*days(desk, "week")] == ["2026-05-25", "2026-06-01"]


def test_pages_of_nights_join(desk: Desk) -> None:
    told = [(f"2026-06-{n:02} 2{n % 4}:30:00 +0200", float(n)) for n in range(1, 21)]
    for place, one in enumerate(told):
        desk.send(warmth(one), (DAYS, SECONDS)[place % 2])
    whole = days(desk)
    assert whole == {f"2026-06-{n + 1:02}": float(n) for n in range(1, 21)}
    for limit in ("1", "3", "7"):
        found: dict[str, Any] = {}
        asked = {"metric": WARMTH, "bucket": "day", "limit": limit}
        while True:
            reply = desk.get("/api/v1/series", **asked).json()
            found |= {item["start"]: item["value"] for item in reply["items"]}
            if reply["next"] is None:
                break
            asked["cursor"] = reply["next"]
        assert found == whole


@pytest.mark.scenario("series", "Night before a flight stays on its day")
@pytest.mark.parametrize("aggregation", [DAYS, SECONDS])
def test_a_night_before_a_flight_stays_on_its_day(desk: Desk, aggregation: str) -> None:
    here, there = "2026-06-01 23:12:00 +0900", "2026-06-01 16:12:00 +0200"
    slept = night("2026-06-01 23:10:00 +0900", "2026-06-02 06:30:00 +0900", totalSleep=7)
    desk.send(nights(slept), DAYS)
    desk.send(warmth((here, 36.1)), aggregation)
    assert days(desk) == {"2026-06-02": 36.1}
    # As the phone writes its whole window once it has landed.
    desk.send(warmth((there, 36.2)), aggregation)
    assert days(desk) == {"2026-06-02": 36.2}


@pytest.mark.scenario("series", "Night before a flight stays on its day")
@pytest.mark.parametrize("named", [True, False])
def test_a_night_sent_under_two_dates_counts_once(desk: Desk, named: bool) -> None:
    if named:
        slept = night("2026-06-01 23:10:00 -0400", "2026-06-02 06:30:00 -0400", totalSleep=7)
        desk.send(nights(slept), DAYS)
    desk.send(warmth(("2026-06-01 23:12:00 -0400", 36.0)), DAYS)
    desk.send(warmth(("2026-06-02 05:12:00 +0200", 38.0)), DAYS)
    # Where the clock knows the night, its date answers; else what was said last.
    assert days(desk) == {"2026-06-02": 36.0 if named else 38.0}


def test_the_latest_night_keeps_the_time_it_was_measured_at(desk: Desk) -> None:
    desk.send(
        warmth(("2026-06-01 23:12:00 +0200", 36.1), ("2026-05-31 23:10:00 +0200", 36.0)), DAYS
    )
    desk.send(warmth(("2026-06-01", 35.0)), DAYS)
    [latest] = desk.items("/api/v1/latest")
    assert (latest["value"], latest["measured_at"]) == (36.1, "2026-06-01T23:12:00+02:00")


@pytest.mark.scenario("series", "Day of a night is over at six in the evening")
@pytest.mark.parametrize("aggregation", [DAYS, SECONDS])
@pytest.mark.parametrize(("hour", "is_open"), [("15:59", True), ("16:00", False)])
def test_the_day_of_a_night_is_over_at_six(
    desk: Desk, clock: FakeClock, aggregation: str, hour: str, is_open: bool
) -> None:
    clock.wall_us = parse_us(f"2026-06-01T{hour}:00Z")
    desk.send(warmth(("2026-05-31 23:12:00 +0200", 36.1)), aggregation)
    items = desk.items("/api/v1/series", metric=WARMTH, bucket="day")
    assert values(items, "start", "open") == [("2026-06-01", is_open)]


@pytest.mark.scenario("series", "Nights of every layer and longer bucket")
def test_any_night_anywhere_is_of_its_day_of_waking(desk: Desk) -> None:
    chance = random.Random(49)
    expected: dict[str, float] = {}
    first = date(2025, 9, 1)
    for number in range(120):
        zone = timezone(timedelta(minutes=15 * chance.randint(-48, 56)))
        wall = datetime(first.year, first.month, first.day, 12, 0, 0, tzinfo=zone) + timedelta(
            days=2 * number, seconds=chance.randrange(86_400)
        )
        waking = wall.date() + timedelta(days=wall.hour >= 18)
        expected[waking.isoformat()] = float(number)
        desk.send(
            warmth((wall.strftime("%Y-%m-%d %H:%M:%S %z"), number)),
            chance.choice((DAYS, SECONDS)),
        )
    found = days(desk)
    assert found == expected
    chosen = sorted(expected)[37]
    assert days(desk, from_=chosen, to=(date.fromisoformat(chosen) + timedelta(1)).isoformat()) == {
        chosen: expected[chosen]
    }
