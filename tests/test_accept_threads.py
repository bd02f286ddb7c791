"""The critical section under many threads: one order for stamps, names, rows."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from healthlog.accept import Intake
from healthlog.base.errors import Busy
from healthlog.model import Delivery
from tests.support.accepting import House, open_house
from tests.support.clock import FakeClock

SENDERS = 8
EACH = 25


@pytest.fixture
def house(data: Path, clock: FakeClock) -> Iterator[House]:
    with open_house(data, clock) as house:
        yield house


@pytest.fixture
def intake(house: House) -> Intake:
    return house.intake(budget_s=60.0)


def send(house: House, intake: Intake, sender: int) -> list[Delivery]:
    return [house.accept(intake, b'{"n":%d}' % (sender * EACH + n)) for n in range(EACH)]


@pytest.mark.scenario("journal", "Rows become visible in the order of stamps")
def test_rows_become_visible_in_the_order_of_stamps(house: House, intake: Intake) -> None:
    done = threading.Event()

    def watch() -> list[list[str]]:
        seen: list[list[str]] = []
        while not done.is_set():
            seen.append(house.rows())
        return [*seen, house.rows()]

    with ThreadPoolExecutor(SENDERS + 1) as pool:
        watching = pool.submit(watch)
        sending = [pool.submit(send, house, intake, sender) for sender in range(SENDERS)]
        try:
            sent = [one for sender in sending for one in sender.result()]
        finally:
            done.set()
        seen = watching.result()
    # Each view is the beginning of the next: nothing ever appears behind what was seen before.
    for before, after in pairwise(seen):
        assert after[: len(before)] == before
    assert seen[-1] == sorted(one.delivery_id for one in sent) == house.bodies()
    assert len(set(seen[-1])) == SENDERS * EACH


def test_each_sender_s_stamps_increase(house: House, intake: Intake) -> None:
    with ThreadPoolExecutor(SENDERS) as pool:
        sent = list(pool.map(lambda sender: send(house, intake, sender), range(SENDERS)))
    for mine in sent:
        stamps = [one.received_at_us for one in mine]
        assert stamps == sorted(set(stamps))
    every = {one.received_at_us for mine in sent for one in mine}
    assert len(every) == SENDERS * EACH


def test_every_body_is_its_sender_s(house: House, intake: Intake) -> None:
    with ThreadPoolExecutor(SENDERS) as pool:
        list(pool.map(lambda sender: send(house, intake, sender), range(SENDERS)))
    bodies = {house.archive.read(one, "", 100) for one in house.bodies() if house.archive.meta(one)}
    assert bodies == {b'{"n":%d}' % n for n in range(SENDERS * EACH)}


def test_rows_that_fail_now_and_then_change_no_order(house: House, intake: Intake) -> None:
    turn = iter(range(10_000))

    def now_and_then() -> None:
        if next(turn) % 7 == 3:
            raise Busy("somebody else is writing")

    house.disk.accidents["begin rows"] = now_and_then
    refused: list[Busy] = []

    def send_some(sender: int) -> None:
        for n in range(EACH):
            try:
                house.accept(intake, b'{"n":%d}' % (sender * EACH + n))
            except Busy as error:
                refused.append(error)

    with ThreadPoolExecutor(SENDERS) as pool:
        list(pool.map(send_some, range(SENDERS)))
    house.disk.accidents.clear()
    intake.settle_owed()
    assert refused
    assert house.rows() == house.bodies()
    inserted = house.journal.read(
        lambda c: [row[0] for row in c.execute("SELECT delivery_id FROM delivery ORDER BY rowid")]
    )
    assert inserted == house.rows()
