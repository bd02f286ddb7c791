"""The critical section: stamps, the order of steps, what is left when a step fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from healthlog.accept import LEAP_US, Facts, Stamp, said_at_us
from healthlog.base.errors import DiskFull, IOFault
from tests.support.accepting import (
    BODY,
    HOUR_US,
    SECOND_US,
    House,
    entry,
    open_house,
)
from tests.support.clock import MORNING_US, FakeClock

SPEAKING: dict[str, Any] = {
    "content_type": "application/json",
    "remote": "192.0.2.7",
    "automation_id": "A",
    "automation_name": "Täglich",
    "aggregation": "Days",
    "period": "Default",
    "session_id": "S",
}


@pytest.fixture
def house(data: Path, clock: FakeClock) -> Iterator[House]:
    with open_house(data, clock) as house:
        yield house


def nothing_stored(house: House) -> bool:
    return house.files() == [] and house.rows() == []


# Stamps


def test_a_body_becomes_a_delivery(house: House) -> None:
    one = house.accept(house.intake(), **SPEAKING)
    assert one.delivery_id.startswith("20260802T080142.123456Z-")
    assert (one.received_at_us, one.clock_at_us) == (MORNING_US, MORNING_US)
    assert {name: getattr(one, name) for name in SPEAKING} == SPEAKING
    assert entry(house.journal, one.delivery_id).delivery == one
    assert house.archive.meta(one.delivery_id) == one
    assert house.archive.read(one.delivery_id, one.sha256, one.bytes) == BODY


@pytest.mark.scenario("journal", "Stamps increase whatever the clock does")
def test_a_standing_clock_gives_increasing_stamps(house: House) -> None:
    intake = house.intake()
    first, second = house.accept(intake), house.accept(intake)
    assert second.received_at_us == first.received_at_us + 1
    assert second.clock_at_us == first.clock_at_us


@pytest.mark.scenario("journal", "Stamps increase whatever the clock does")
def test_a_clock_set_back_gives_increasing_stamps(house: House, clock: FakeClock) -> None:
    intake = house.intake()
    first = house.accept(intake)
    clock.set(MORNING_US - 60 * SECOND_US)
    second = house.accept(intake)
    assert second.received_at_us == first.received_at_us + 1
    assert second.clock_at_us == first.clock_at_us - 60 * SECOND_US


def test_a_moving_clock_is_the_stamp(house: House, clock: FakeClock) -> None:
    intake = house.intake()
    house.accept(intake)
    clock.advance(5)
    assert house.accept(intake).received_at_us == MORNING_US + 5 * SECOND_US


def test_the_last_stamp_of_the_log_is_never_given_again(house: House) -> None:
    intake = house.intake(last_stamp_us=MORNING_US + 7)
    assert house.accept(intake).received_at_us == MORNING_US + 8


def test_a_clock_before_1970_gives_a_stamp(house: House, clock: FakeClock) -> None:
    clock.set(-5)
    one = house.accept(house.intake())
    assert (one.received_at_us, one.clock_at_us) == (0, -5)
    assert house.archive.meta(one.delivery_id) == one


def test_a_live_delivery_is_said_when_it_is_received(house: House, clock: FakeClock) -> None:
    intake = house.intake(last_stamp_us=MORNING_US + 7)
    one = house.accept(intake)
    assert one.said_at_us == one.received_at_us == MORNING_US + 8


@pytest.mark.parametrize(
    ("named_us", "said_us"),
    [(900, 900), (1_000, 1_000), (1_001, 1_000), (None, 1_000)],
    ids=["earlier", "now", "future", "nothing named"],
)
def test_an_imported_delivery_is_said_when_its_file_says(
    named_us: int | None, said_us: int
) -> None:
    facts = Facts(imported=True, said_at_us=named_us)
    assert said_at_us(facts, Stamp(5_000, 1_000, 4_999, doubtful=False)) == said_us


def test_an_imported_delivery_is_marked(house: House) -> None:
    one = house.accept(house.intake(), imported=True, said_at_us=MORNING_US - HOUR_US)
    assert (one.imported, one.said_at_us) == (True, MORNING_US - HOUR_US)
    assert entry(house.journal, one.delivery_id).delivery == one


# The doubtful clock


@pytest.mark.scenario("journal", "Clock far behind is doubtful")
@pytest.mark.parametrize(("behind_us", "doubtful"), [(HOUR_US, True), (HOUR_US - SECOND_US, False)])
def test_a_clock_an_hour_behind_is_doubtful(house: House, behind_us: int, doubtful: bool) -> None:
    one = house.accept(house.intake(last_stamp_us=MORNING_US + behind_us))
    told = house.lines("clock doubtful")
    assert [line["level"] for line in told] == ["ERROR"] * doubtful
    if doubtful:
        assert told[0]["clock_at"] == "2026-08-02T08:01:42.123456Z"
        assert told[0]["last_stamp"] == "2026-08-02T09:01:42.123456Z"
    meta = house.archive.meta(one.delivery_id)
    assert meta is not None
    assert meta.clock_doubtful is one.clock_doubtful is doubtful


@pytest.mark.scenario("journal", "Clock far behind is doubtful")
def test_a_clock_before_the_newest_migration_is_doubtful(house: House, clock: FakeClock) -> None:
    clock.set(0)
    one = house.accept(house.intake())
    [told] = house.lines("clock doubtful")
    assert (told["clock_at"], told["last_stamp"]) == ("1970-01-01T00:00:00.000000Z", None)
    assert one.clock_doubtful


@pytest.mark.scenario("journal", "Clock far ahead is told")
@pytest.mark.parametrize(("ahead_us", "told"), [(LEAP_US, 1), (LEAP_US - SECOND_US, 0)])
def test_a_clock_a_year_ahead_is_told_and_believed(house: House, ahead_us: int, told: int) -> None:
    last_us = MORNING_US - ahead_us
    one = house.accept(house.intake(last_stamp_us=last_us))
    assert (one.received_at_us, one.clock_doubtful) == (MORNING_US, False)
    assert [line["level"] for line in house.lines("clock doubtful")] == ["ERROR"] * told


def test_a_clock_that_comes_right_after_1970_makes_no_leap(house: House) -> None:
    house.accept(house.intake(last_stamp_us=SECOND_US))
    assert house.lines("clock doubtful") == []


def test_the_day_of_the_newest_migration_is_no_doubt(house: House, clock: FakeClock) -> None:
    clock.set(MORNING_US - 8 * HOUR_US)
    assert not house.accept(house.intake(newest_migration="2026-08-02")).clock_doubtful
    assert house.accept(house.intake(newest_migration="2026-08-03")).clock_doubtful


def test_a_doubtful_clock_is_told_also_when_nothing_is_stored(house: House) -> None:
    house.disk.fail("rename part 1 to body", IOFault("the device failed"))
    with pytest.raises(IOFault):
        house.accept(house.intake(last_stamp_us=MORNING_US + HOUR_US))
    assert len(house.lines("clock doubtful")) == 1


# Steps


@pytest.mark.scenario("archive", "Steps come in order")
def test_a_delivery_is_made_durable_in_order(house: House) -> None:
    house.accept(house.intake())
    steps = [one for one in house.disk.events if not one.startswith(("create", "write", "make"))]
    assert steps == [
        "sync part 1",
        "sync 2026/08",
        "sync 2026",
        "sync archive",
        "sync part 2",
        "rename part 2 to meta",
        "rename part 1 to body",
        "sync 2026/08/02",
        "begin rows",
        "rows",
    ]


@pytest.mark.parametrize(
    "event",
    ["sync part 2", "rename part 2 to meta", "rename part 1 to body", "sync 2026/08/02"],
)
def test_a_failed_step_leaves_neither_body_nor_row(house: House, event: str) -> None:
    house.disk.fail(event, DiskFull("no room"))
    intake = house.intake()
    with pytest.raises(DiskFull):
        house.accept(intake)
    assert nothing_stored(house)
    assert intake.owed == 0


def test_a_stamp_is_not_given_again_after_a_failure(house: House) -> None:
    intake = house.intake()
    house.disk.fail("rename part 1 to body", IOFault("the device failed"))
    with pytest.raises(IOFault):
        house.accept(intake)
    house.disk.accidents.clear()
    assert house.accept(intake).received_at_us == MORNING_US + 1


def test_a_file_in_the_way_leaves_neither_body_nor_row(house: House) -> None:
    (house.archive.root / "2026").write_bytes(b"")
    with pytest.raises(OSError, match="2026"):
        house.accept(house.intake())
    assert house.files() == ["2026"]
    assert house.rows() == []
