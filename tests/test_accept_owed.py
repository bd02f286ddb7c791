"""Owed rows: a body whose row could not be written gets it before anything else happens."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from healthlog.accept import BUDGET_S, Intake
from healthlog.base.errors import Busy, DiskFull, IOFault
from healthlog.model import Delivery
from tests.support.accepting import BODY, House, entry, open_house, outsider
from tests.support.clock import MORNING_US, FakeClock


@pytest.fixture
def house(data: Path, clock: FakeClock) -> Iterator[House]:
    with open_house(data, clock) as house:
        yield house


@pytest.fixture
def intake(house: House) -> Intake:
    return house.intake()


def owe(house: House, intake: Intake) -> Delivery:
    """A body in the archive without its row."""
    house.disk.fail("begin rows", Busy("somebody else is writing"))
    with pytest.raises(Busy):
        house.accept(intake)
    house.disk.accidents.clear()
    return house.archive.delivery(house.bodies()[-1])


def test_a_body_without_its_row_is_owed(house: House, intake: Intake) -> None:
    owed = owe(house, intake)
    assert (intake.owed, house.bodies(), house.rows()) == (1, [owed.delivery_id], [])


@pytest.mark.scenario("journal", "Next delivery writes the owed row first")
def test_the_next_delivery_writes_the_owed_row_first(house: House, intake: Intake) -> None:
    owed = owe(house, intake)
    house.disk.events.clear()
    later = house.accept(intake)
    steps = [one for one in house.disk.events if one in ("rows", "rename part 4 to meta")]
    assert steps == ["rows", "rename part 4 to meta", "rows"]
    assert house.rows() == [owed.delivery_id, later.delivery_id]
    assert entry(house.journal, owed.delivery_id).delivery == owed
    assert (owed.received_at_us, later.received_at_us) == (MORNING_US, MORNING_US + 1)
    assert intake.owed == 0


def test_the_tick_writes_the_owed_row(house: House, intake: Intake) -> None:
    owed = owe(house, intake)
    assert intake.settle_owed() == 1
    assert house.rows() == [owed.delivery_id]
    assert intake.settle_owed() == 0


def test_nothing_owed_touches_no_journal(house: House, intake: Intake) -> None:
    assert intake.settle_owed() == 0
    assert house.disk.events == []


@pytest.mark.scenario("journal", "Owed row that fails again stops the next one")
@pytest.mark.parametrize("error", [Busy("busy"), DiskFull("no room"), IOFault("the device failed")])
def test_an_owed_row_that_fails_again_stops_the_next_one(
    house: House, intake: Intake, error: Exception
) -> None:
    owed = owe(house, intake)
    house.disk.fail("begin rows", error)
    house.disk.events.clear()
    with pytest.raises(Busy):
        house.accept(intake)
    assert [one for one in house.disk.events if one.startswith("rename")] == []
    assert (house.bodies(), house.rows()) == ([owed.delivery_id], [])
    assert len(house.files()) == 2
    with pytest.raises(Busy):
        intake.settle_owed()
    assert intake.owed == 1


def test_an_error_nobody_foresaw_owes_the_row_too(house: House, intake: Intake) -> None:
    house.disk.fail("begin rows", sqlite3.IntegrityError("constraint"))
    with pytest.raises(sqlite3.IntegrityError):
        house.accept(intake)
    with pytest.raises(Busy):
        house.accept(intake)
    assert [line["level"] for line in house.lines("owed row refused")] == ["ERROR"]
    house.disk.accidents.clear()
    house.accept(intake)
    assert house.rows() == house.bodies()


def test_a_commit_that_reached_the_disk_all_the_same_counts_once(
    house: House, intake: Intake
) -> None:
    # SQLite may report a failed COMMIT whose row is there after all.
    house.disk.fail("rows", IOFault("the device failed"))
    with pytest.raises(IOFault):
        house.accept(intake)
    house.disk.accidents.clear()
    house.accept(intake)
    assert (house.rows(), len(house.rows())) == (house.bodies(), 2)


def test_a_body_that_cannot_be_taken_back_is_owed(house: House, intake: Intake) -> None:
    house.disk.fail("sync 2026/08/02", IOFault("the device failed"))
    house.disk.fail("remove body", IOFault("the device failed"))
    with pytest.raises(IOFault):
        house.accept(intake)
    assert (intake.owed, house.rows()) == (1, [])
    house.disk.accidents.clear()
    later = house.accept(intake)
    assert house.rows() == house.bodies()
    assert house.rows()[-1] == later.delivery_id


# The budget


def test_an_outsider_who_holds_the_journal_makes_it_busy(
    house: House, intake: Intake, clock: FakeClock, data: Path
) -> None:
    begun = clock.monotonic()
    with outsider(data / "journal.db"), pytest.raises(Busy):
        house.accept(intake)
    assert clock.monotonic() - begun <= BUDGET_S
    assert (intake.owed, house.rows()) == (1, [])
    later = house.accept(intake)
    assert house.rows() == house.bodies()
    assert house.rows()[-1] == later.delivery_id


def test_time_used_up_by_owed_rows_stops_the_next_one(
    house: House, intake: Intake, clock: FakeClock
) -> None:
    owed = owe(house, intake)
    house.disk.accidents["rows"] = lambda: clock.advance(BUDGET_S)
    with pytest.raises(Busy):
        house.accept(intake)
    assert house.rows() == house.bodies() == [owed.delivery_id]


def test_a_slow_disk_still_gets_its_row(house: House, intake: Intake, clock: FakeClock) -> None:
    house.disk.accidents["sync 2026/08/02"] = lambda: clock.advance(10 * BUDGET_S)
    house.accept(intake)
    assert len(house.rows()) == 1


def test_a_turn_that_does_not_come_is_busy(house: House) -> None:
    intake = house.intake(budget_s=1e-6)
    refused: list[Busy] = []

    def second() -> None:
        with pytest.raises(Busy) as caught:
            house.accept(intake, b'{"second":1}')
        refused.append(caught.value)

    house.disk.accidents["rename part 1 to body"] = second
    first = house.accept(intake, BODY)
    assert len(refused) == 1
    assert house.rows() == house.bodies() == [first.delivery_id]
