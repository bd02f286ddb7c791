"""`POST /ingest` when disk, journal or service will not: what is answered, what stays."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from healthlog.base.errors import Circumstance, DiskFull, Inaccessible, IOFault, NoDescriptors
from healthlog.ingest import min_free
from tests.support.accepting import BODY, outsider
from tests.support.clock import FakeClock
from tests.support.door import MIB, Door, head, open_door
from tests.support.http import Pieces
from tests.support.limits import files_limited_to

STEPS = [
    "create part 1",
    "write part 1",
    "sync part 1",
    "make 2026/08/02",
    "sync 2026/08",
    "create part 2",
    "write part 2",
    "sync part 2",
    "rename part 2 to meta",
    "rename part 1 to body",
    "sync 2026/08/02",
]


@pytest.fixture
def door(data: Path, clock: FakeClock) -> Iterator[Door]:
    with open_door(data, clock) as door:
        yield door


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    ("error", "status"),
    [
        (DiskFull("no room"), 507),
        (IOFault("the device failed"), 503),
        (NoDescriptors("none left"), 503),
        (Inaccessible("read-only"), 503),
        (OSError("nobody foresaw this"), 500),
    ],
)
def test_a_failing_step_leaves_nothing(
    door: Door, step: str, error: Exception, status: int
) -> None:
    door.house.disk.fail(step, error)
    assert door.post(BODY).status == status
    assert step in door.house.disk.events
    assert door.untouched()


@pytest.mark.scenario("ingest", "Full disk answers 507")
def test_a_disk_that_fills_up_meanwhile_stops_a_body(door: Door) -> None:
    door.house.disk.free = [10**9, 10**9, 0]
    door.options = {"max_body": 64 * MIB, "min_free": 1000}
    assert door.post(b"{" + bytes(9 * MIB) + b"}").status == 507
    assert door.untouched()
    assert door.house.disk.free == []


@pytest.mark.scenario("archive", "Failed sync is not repeated")
def test_a_failed_sync_is_not_repeated(door: Door) -> None:
    door.house.disk.fail("sync part 1", IOFault("the device failed"))
    assert door.post(BODY).status != 200
    assert door.house.disk.events.count("sync part 1") == 1
    assert [one for one in door.house.disk.events if one.startswith("rename")] == []
    assert door.untouched()


def test_what_the_disk_had_against_a_body_is_told(door: Door) -> None:
    heard: list[Exception] = []
    door.options["tell"] = heard.append
    error = IOFault("the device failed")
    door.house.disk.fail("sync part 1", error)
    assert door.post(BODY).status == 503
    assert door.post(b"no object").status == 400
    assert heard == [error]


def test_a_failure_is_over_when_its_cause_is(door: Door) -> None:
    door.house.disk.fail("write part 1", DiskFull("no room"))
    door.post(BODY)
    door.house.disk.accidents.clear()
    assert door.post(BODY).status == 200


@pytest.mark.scenario("ingest", "Full disk answers 507")
def test_a_disk_that_takes_no_more_answers_507(door: Door) -> None:
    body = b"{" + bytes(range(256)) * 1024 + b"}"
    with files_limited_to(1024):
        answer = door.post(body)
    assert answer.status == 507
    assert door.untouched()


@pytest.mark.scenario("ingest", "Full disk answers 507")
def test_too_little_free_space_is_seen_before_reading(door: Door) -> None:
    door.options["min_free"] = 1 << 62
    source = Pieces(head(f"Content-Length: {len(BODY)}"), BODY)
    assert door.ask(source).status == 507
    assert source.pieces == [BODY]
    assert door.house.disk.events == []


# The journal


@pytest.mark.scenario("journal", "Busy journal answers 503")
def test_a_busy_journal_answers_503(door: Door, data: Path) -> None:
    with outsider(data / "journal.db"):
        answer = door.post(BODY)
    assert answer.status == 503
    assert int(answer.fields["retry-after"]) > 0
    assert (door.house.rows(), len(door.house.bodies()), door.intake.owed) == ([], 1, 1)


def test_the_body_of_a_503_gets_its_row_with_the_next(door: Door, data: Path) -> None:
    with outsider(data / "journal.db"):
        door.post(b'{"n":1}')
    later = door.post(b'{"n":2}')
    first, second = door.house.rows()
    assert second == later.said["delivery_id"]
    assert door.house.archive.read(first, "", 100) == b'{"n":1}'


def test_while_a_row_is_owed_nothing_is_stored(door: Door, data: Path) -> None:
    with outsider(data / "journal.db"):
        door.post(b'{"n":1}')
        assert door.post(b'{"n":2}').status == 503
    assert len(door.house.bodies()) == 1
    assert len(door.house.files()) == 2


def test_a_closed_journal_answers_503(door: Door) -> None:
    door.house.journal.close()
    answer = door.post(BODY)
    assert (answer.status, "retry-after" in answer.fields) == (503, True)


# The service


def test_a_stopping_service_answers_503(door: Door) -> None:
    door.options["stopping"] = lambda: True
    source = Pieces(head(f"Content-Length: {len(BODY)}"), BODY)
    answer = door.ask(source)
    assert (answer.status, "retry-after" in answer.fields) == (503, True)
    assert source.pieces == [BODY]
    assert door.untouched()


def test_a_stop_does_not_cut_a_body_that_is_coming(door: Door) -> None:
    asked = iter([False])
    door.options["stopping"] = lambda: next(asked, True)
    assert door.post(BODY).status == 200


# Many at once


def test_many_senders_are_answered_with_their_own_delivery(door: Door) -> None:
    door.intake = door.house.intake(budget_s=60.0)
    bodies = [b'{"n":%d}' % number for number in range(60)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(door.post, bodies))
    assert {answer.status for answer in answers} == {200}
    for body, answer in zip(bodies, answers, strict=True):
        said = answer.said
        assert door.house.archive.read(said["delivery_id"], said["sha256"], 100) == body
    assert sorted(answer.said["delivery_id"] for answer in answers) == door.house.rows()
    assert door.house.rows() == door.house.bodies()


def test_failures_among_many_senders_leave_no_half(door: Door) -> None:
    door.intake = door.house.intake(budget_s=60.0)
    turn = iter(range(100_000))

    def now_and_then() -> None:
        if next(turn) % 5 == 2:
            raise Circumstance("now and then")

    for event in ("sync 2026/08/02", "begin rows"):
        door.house.disk.accidents[event] = now_and_then
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(door.post, [BODY] * 80))
    door.house.disk.accidents.clear()
    door.intake.settle_owed()
    assert {answer.status for answer in answers} == {200, 503}
    assert door.house.rows() == door.house.bodies()
    assert len(door.house.files()) == 2 * len(door.house.rows())
    accepted = {answer.said["delivery_id"] for answer in answers if answer.status == 200}
    assert accepted <= set(door.house.rows())


@pytest.mark.parametrize(("disk", "kept"), [(1 << 40, 200 << 20), (8 << 20, (8 << 20) // 20)])
def test_a_small_disk_keeps_a_share_of_itself_free(disk: int, kept: int) -> None:
    assert min_free(disk) == kept
