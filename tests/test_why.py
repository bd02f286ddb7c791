"""Who said what of a coordinate, read again from the archive."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from healthlog.read import why
from healthlog.read.why import Coordinate, Page, Position, Why
from healthlog.span import edge, is_date
from tests.support.accepting import asked
from tests.support.clock import FakeClock
from tests.support.folding import case
from tests.support.reading import (
    DAYS,
    HOURS,
    MINUTES,
    SECONDS,
    Desk,
    body,
    metric,
    open_desk,
    steps,
    values,
)

STEPS = "step_count"
NOON = "2026-06-01 12:00:00 +0200"
AT_NOON = "2026-06-01T12:00:00+02:00"


@pytest.fixture
def desk(data: Path, clock: FakeClock) -> Iterator[Desk]:
    with open_desk(data, clock) as desk:
        yield desk


def coordinate(name: str, layer: str, at: str) -> Coordinate:
    return Coordinate(name, layer, edge(at, UTC), is_date(at))


def page(
    desk: Desk,
    name: str,
    layer: str,
    at: str,
    *,
    behind: Position | None = None,
    limit: int = 20,
) -> Page:
    looked = Why(desk.mart, desk.house.journal, desk.house.archive)
    return looked.page(coordinate(name, layer, at), behind, limit)


def told(desk: Desk, name: str, layer: str, at: str) -> list[tuple[Any, ...]]:
    """Quantities with the verdict on them, newest first."""
    return [
        ([reading.get("qty") for reading in item["readings"]], item.get("verdict"))  # type: ignore[attr-defined]
        for item in page(desk, name, layer, at).items
    ]


@pytest.mark.scenario("series", "Why shows what each delivery said")
def test_an_outdated_total_is_still_shown(desk: Desk) -> None:
    first = desk.send(case("02_days_partial_first.json"), DAYS)
    later = desk.send(case("03_days_partial_later.json"), DAYS)
    found = page(desk, STEPS, "day", "2026-05-05").items
    assert values(found, "delivery_id", "verdict") == [
        (later.delivery_id, "stands"),
        (first.delivery_id, "outdated"),
    ]
    assert found[1] == {
        "delivery_id": first.delivery_id,
        "received_at": "2026-08-02T08:01:42.123456Z",
        "readings": [
            {
                "at": "2026-05-05T00:00:00+02:00",
                "day": "2026-05-05",
                "qty": 71,
                "unit": "count",
                "sources": found[1]["readings"][0]["sources"],  # type: ignore[index]
            }
        ],
        "verdict": "outdated",
    }


@pytest.mark.scenario("series", "Why shows what each delivery said")
def test_a_correction_down_stands_over_what_was_more(desk: Desk) -> None:
    desk.send(case("01_days_plain.json"), DAYS)
    desk.send(case("04_days_closed_corrected_down.json"), DAYS)
    assert told(desk, STEPS, "day", "2026-05-03") == [([8110.5], "stands"), ([8123], "outdated")]


def test_who_said_the_same_before_says_the_same(desk: Desk) -> None:
    for qty in (5, 7, 7):
        desk.send(steps((NOON, qty)), MINUTES)
    assert told(desk, STEPS, "minute", AT_NOON) == [
        ([7], "stands"),
        ([7], "same"),
        ([5], "outdated"),
    ]


def test_an_older_word_may_stand_over_a_later_one(desk: Desk) -> None:
    second = "2026-06-01 12:00:07 +0200"
    desk.send(steps((second, 5), (second, 6)), SECONDS)
    desk.send(steps((second, 5)), SECONDS)
    assert told(desk, STEPS, "raw", "2026-06-01T12:00:07+02:00") == [
        ([5], "outdated"),
        ([5, 6], "stands"),
    ]


def test_who_spoke_of_other_times_is_not_shown(desk: Desk) -> None:
    desk.send(steps(("2026-06-01 11:59:00 +0200", 1), ("2026-06-01 12:01:00 +0200", 1)), MINUTES)
    one = desk.send(steps((NOON, 5)), MINUTES)
    desk.send(steps((NOON, 500)), HOURS)
    desk.send(body(metric("heart_rate", "bpm", {"date": NOON, "qty": 60})), MINUTES)
    found = page(desk, STEPS, "minute", AT_NOON).items
    assert values(found, "delivery_id") == [(one.delivery_id,)]


def test_a_coordinate_that_nobody_spoke_of_has_no_story(desk: Desk) -> None:
    desk.send(steps((NOON, 5)), MINUTES)
    assert page(desk, STEPS, "minute", "2026-06-02T12:00:00+02:00") == Page([], None)
    assert page(desk, STEPS, "day", "2026-06-01") == Page([], None)
    assert page(desk, "moonlight", "day", "2026-06-01") == Page([], None)


@pytest.mark.parametrize(
    ("aggregation", "layer", "date", "at"),
    [
        (DAYS, "day", "2026-06-01 00:00:00 +0200", "2026-06-01"),
        (DAYS, "day", "2026-06-01 00:00:00 +0200", "2026-05-31T22:00:00Z"),
        (DAYS, "day", "2026-05-31 23:00:00 +0100", "2026-06-01"),
        (DAYS, "day", "2026-06-01", "2026-06-01"),
        (DAYS, "day", "2026-06-01 00:00:00 -1000", "2026-06-01"),
        (DAYS, "day", "2026-06-01 00:00:00 +1400", "2026-06-01"),
        ("Weeks", "week", "2026-06-01 00:00:00 +0200", "2026-06-01"),
        ("Months", "month", "2026-06-01", "2026-06-01"),
        ("Years", "year", "2026-01-01 00:00:00 +0200", "2026-01-01T00:00:00+02:00"),
        (HOURS, "hour", NOON, AT_NOON),
        (MINUTES, "minute", NOON, "2026-06-01T10:00:00Z"),
    ],
)
def test_a_coordinate_is_named_by_its_start(
    desk: Desk, aggregation: str, layer: str, date: str, at: str
) -> None:
    desk.send(steps((date, 5)), aggregation)
    assert told(desk, STEPS, layer, at) == [([5], "stands")]


def test_a_date_has_all_its_starts(desk: Desk) -> None:
    desk.send(steps(("2026-06-01 00:00:00 +0200", 5)), DAYS)
    desk.send(steps(("2026-06-01 00:00:00 -0400", 7), ("2026-06-02 00:00:00 -0400", 9)), DAYS)
    assert told(desk, STEPS, "day", "2026-06-01") == [([7], "stands"), ([5], "stands")]
    assert told(desk, STEPS, "day", "2026-06-01T00:00:00+02:00") == [([5], "stands")]


def test_the_layer_of_a_metric_is_that_of_its_fold(desk: Desk) -> None:
    # One cuff reading in a body of days is a measurement, and no day.
    days = metric(STEPS, "count", {"date": "2026-06-01 00:00:00 +0200", "qty": 1})
    cuff = metric("blood_pressure", "mmHg", {"date": NOON, "systolic": 121, "diastolic": 79})
    desk.send(body(days, cuff), DAYS)
    items: list[dict[str, Any]] = page(desk, "blood_pressure", "raw", AT_NOON).items
    [reading] = items[0]["readings"]
    assert reading["extra"] == {"systolic": 121, "diastolic": 79}


def test_an_inherited_layer_is_that_of_then(desk: Desk) -> None:
    desk.send(steps(("2026-06-01 00:00:00 +0200", 1)), DAYS)
    desk.send(steps(("2026-06-01 00:00:00 +0200", 2)))
    desk.send(steps((NOON, 3)), MINUTES)
    assert told(desk, STEPS, "day", "2026-06-01") == [([2], "stands"), ([1], "outdated")]


# ---- pages


@pytest.mark.scenario("series", "Why comes newest first in pages")
def test_pages_join_newest_first(desk: Desk) -> None:
    for qty in range(7):
        desk.send(steps((NOON, qty)), MINUTES)
    behind: Position | None = None
    pages = []
    while True:
        one = page(desk, STEPS, "minute", AT_NOON, behind=behind, limit=3)
        items: list[dict[str, Any]] = one.items
        pages.append([reading["qty"] for item in items for reading in item["readings"]])
        if one.following is None:
            break
        behind = one.following
    assert pages == [[6, 5, 4], [3, 2, 1], [0]]


def test_a_full_page_at_the_end_names_no_other(desk: Desk) -> None:
    for qty in range(3):
        desk.send(steps((NOON, qty)), MINUTES)
    assert page(desk, STEPS, "minute", AT_NOON, limit=3).following is None


def test_a_page_that_would_read_too_much_ends_early(desk: Desk) -> None:
    for qty in range(3):
        desk.send(steps((NOON, qty)), MINUTES)
    looked = Why(desk.mart, desk.house.journal, desk.house.archive, read_again_bytes=1)
    one = looked.page(coordinate(STEPS, "minute", AT_NOON), None, 20)
    assert (len(one.items), one.following is None) == (1, False)


# ---- what can't be read any more


def test_a_body_that_is_lost_is_named(desk: Desk) -> None:
    lost = desk.send(steps((NOON, 5)), MINUTES)
    kept = desk.send(steps((NOON, 7)), MINUTES)
    desk.house.archive.body_path(lost.delivery_id).unlink()
    assert page(desk, STEPS, "minute", AT_NOON).items[1] == {
        "delivery_id": lost.delivery_id,
        "received_at": "2026-08-02T08:01:42.123456Z",
        "readings": [],
        "unreadable": True,
    }
    assert told(desk, STEPS, "minute", AT_NOON)[0] == ([7], "stands")
    assert kept.delivery_id > lost.delivery_id


def test_deliveries_that_spoke_are_searched_for(desk: Desk) -> None:
    desk.send(steps((NOON, 5)), MINUTES)
    where = coordinate(STEPS, "minute", AT_NOON)
    plans = desk.plans(lambda c: why.standing(c, where))
    # The words of all tags and origins are few.
    scanned = [plan.partition(" USING")[0] for plan in plans if plan.startswith("SCAN")]
    assert scanned == ["SCAN tag", "SCAN origin"]
    assert len(desk.mart.read(lambda c: asked(c, lambda c: why.standing(c, where)))) <= 5
