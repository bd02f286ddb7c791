"""A day out of the mart: what was sent of it, whatever kind it is of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from healthlog.read import days as read_days
from healthlog.series.source_order import SourceOrder
from tests.support.clock import FakeClock
from tests.support.folding import case
from tests.support.lines import day_of
from tests.support.reading import DAYS, MINUTES, SECONDS, Desk, body, metric, open_desk, steps
from tests.support.records import night, nights, sections, segment, workout


@pytest.fixture
def desk(data: Path, clock: FakeClock) -> Iterator[Desk]:
    with open_desk(data, clock) as desk:
        yield desk


def day(desk: Desk, date: str, order: SourceOrder | None = None) -> dict[str, Any]:
    return desk.mart.read(lambda c: read_days.day(c, day_of(date), order or SourceOrder()))


def slept(desk: Desk, first: str, last: str) -> list[tuple[bool, float | None]]:
    """Whether each is a nap, and how long it was."""
    found = desk.mart.read(lambda c: read_days.slept(c, day_of(first), day_of(last), SourceOrder()))
    return [(one.is_nap, one.asleep_h) for one in found]


@pytest.mark.scenario("series", "Day shows totals, levels, night, workouts")
def test_a_day_shows_what_is_known_of_it(desk: Desk) -> None:
    desk.send(steps(("2026-06-01 00:00:00 +0200", 8000), ("2026-06-02 00:00:00 +0200", 9)), DAYS)
    pulse = [{"date": f"2026-06-01 12:0{n}:00 +0200", "qty": 60 + n} for n in range(3)]
    desk.send(body(metric("heart_rate", "bpm", *pulse)), MINUTES)
    desk.send(
        nights(
            night(
                "2026-05-31 23:00:00 +0200", "2026-06-01 07:00:00 +0200", totalSleep=7.5, core=7.5
            )
        ),
        DAYS,
    )
    run = [{"date": "2026-06-01 12:00:00 +0200", "qty": 1, "units": "kcal"}]
    desk.send(sections(workouts=[workout(activeEnergy=run, duration=1700)]), DAYS)
    found = day(desk, "06-01")
    assert found["totals"]["step_count"]["value"] == 8000
    assert list(found["totals"]) == ["step_count"]
    pulse_of_day = found["levels"]["heart_rate"]
    assert (pulse_of_day["value"], pulse_of_day["min"], pulse_of_day["unit"]) == (
        61,
        60,
        "count/min",
    )
    assert (found["night"]["total_h"], found["night"]["core_h"]) == (7.5, 7.5)
    assert "deep_h" not in found["night"]
    [one] = found["workouts"]
    assert (one["data"]["name"], one["data"]["duration"]) == ("Walking", 1700)
    assert "activeEnergy" not in one["data"]
    assert found["notes"] == []


@pytest.mark.scenario("series", "Date told with and without a time counts once")
def test_a_total_told_with_and_without_a_time_counts_once(desk: Desk) -> None:
    desk.send(steps(("2026-06-01 00:00:00 +0200", 9000)), DAYS)
    desk.send(steps(("2026-06-01", 8000)), DAYS)
    assert day(desk, "06-01")["totals"]["step_count"]["value"] == 9000


@pytest.mark.scenario("nights", "Stray segment erases no night")
def test_a_stray_segment_erases_no_night(desk: Desk) -> None:
    whole = night("2026-05-31 23:00:00 +0200", "2026-06-01 07:00:00 +0200", totalSleep=7.5)
    desk.send(nights(whole), DAYS)
    cut = segment("2026-06-01 06:58:00 +0200", "2026-06-01 06:59:00 +0200", "Core")
    desk.send(nights(cut), SECONDS)
    assert slept(desk, "06-01", "06-02") == [(False, 7.5)]


def test_an_empty_log_has_empty_days(desk: Desk) -> None:
    found = day(desk, "06-01")
    assert (found["totals"], found["night"], found["workouts"]) == ({}, None, [])


def test_samples_of_the_day_before_may_reach_into_the_day(desk: Desk) -> None:
    desk.send(steps(("2026-06-01 23:59:30 +0200", 5)), SECONDS)
    assert day(desk, "06-02")["totals"] == {}
    assert day(desk, "06-01")["totals"]["step_count"]["value"] == 5


def test_the_order_of_the_sources_rules_amounts_as_it_does_nights(desk: Desk) -> None:
    at = "2026-06-01 12:00:00 +0200"
    data = [{"date": at, "qty": qty, "source": s} for s, qty in (("Watch", 7), ("iPhone", 5))]
    desk.send(body(metric("step_count", "count", *data)), SECONDS)
    two = [
        night("2026-05-31 23:00:00 +0200", "2026-06-01 07:00:00 +0200", totalSleep=7),
        night("2026-05-31 23:10:00 +0200", "2026-06-01 07:00:00 +0200", totalSleep=6)
        | {"source": "iPhone"},
    ]
    desk.send(nights(*two), DAYS)
    for order, qty, hours in ((("Watch",), 7, 7), (("iPhone",), 5, 6)):
        found = day(desk, "06-01", SourceOrder(order))
        assert (found["totals"]["step_count"]["value"], found["night"]["total_h"]) == (qty, hours)


# ---- cases of the format


def test_a_night_and_its_nap_are_two(desk: Desk) -> None:
    desk.send(case("24_sleep_2026_night_and_nap.json"), DAYS)
    found = day(desk, "05-08")
    assert (found["night"]["total_h"], found["night"]["in_bed_h"]) == (7.1, 7.75)
    assert [(nap["session"], nap["total_h"]) for nap in found["naps"]] == [("nap", 0.4)]


def test_segments_of_three_sources_are_one_night(desk: Desk) -> None:
    desk.send(case("25_sleep_raw_segments.json"), SECONDS)
    # The watch's 45 and 30 minutes, nothing of what the two others say of the same time.
    assert slept(desk, "05-03", "05-06") == [(False, 1.25)]


@pytest.mark.scenario("nights", "Revised stage replaces the earlier one")
def test_a_revision_of_a_stage_replaces_what_was_said_before(desk: Desk) -> None:
    first = segment("2026-05-31 23:00:00 +0200", "2026-06-01 03:00:00 +0200", "Core")
    desk.send(nights(first), SECONDS)
    later = [
        segment("2026-05-31 23:00:00 +0200", "2026-06-01 02:00:00 +0200", "Core"),
        segment("2026-06-01 02:00:00 +0200", "2026-06-01 03:00:00 +0200", "Awake"),
    ]
    desk.send(nights(*later), SECONDS)
    assert slept(desk, "06-01", "06-02") == [(False, 3)]
    # Sent once more, it is the word said last.
    desk.send(nights(first), SECONDS)
    assert slept(desk, "06-01", "06-02") == [(False, 4)]


@pytest.mark.scenario("nights", "Nap swallowed by a night counts once")
def test_a_nap_swallowed_by_the_night_counts_once(desk: Desk) -> None:
    nap = night("2026-06-01 17:42:00 +0200", "2026-06-01 18:30:00 +0200", totalSleep=0.8)
    desk.send(nights(nap), DAYS)
    assert slept(desk, "06-01", "06-03") == [(True, 0.8)]
    whole = night("2026-06-01 17:42:00 +0200", "2026-06-02 06:30:00 +0200", totalSleep=7.9)
    desk.send(nights(whole), DAYS)
    assert slept(desk, "06-01", "06-03") == [(False, 7.9)]


def test_nights_are_found_whatever_the_range(desk: Desk) -> None:
    many = [
        night(f"2026-06-{n:02} 23:00:00 +0200", f"2026-06-{n + 1:02} 07:00:00 +0200", totalSleep=7)
        for n in range(1, 11)
    ]
    desk.send(nights(*many), DAYS)
    assert len(slept(desk, "06-01", "06-20")) == 10
    for n in range(2, 12):
        assert slept(desk, f"06-{n:02}", f"06-{n + 1:02}") == [(False, 7)]


def test_a_night_before_a_flight_stays_on_its_day(desk: Desk) -> None:
    one = night("2026-06-01 23:00:00 -0700", "2026-06-02 07:00:00 -0700", totalSleep=7)
    desk.send(nights(one), DAYS)
    again = night("2026-06-02 08:00:00 +0200", "2026-06-02 16:00:00 +0200", totalSleep=7)
    desk.send(nights(again), DAYS)
    found = day(desk, "06-02")
    assert found["night"]["end"] == "2026-06-02T07:00:00-07:00"
    assert found["naps"] == []
