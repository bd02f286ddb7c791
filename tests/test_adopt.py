"""Adoption at start: rows for bodies that have none, an archive without leftovers."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from healthlog.accept import Intake
from healthlog.adopt import Adoption, adopt
from healthlog.archive.meta import meta_bytes
from healthlog.base.errors import Busy
from healthlog.base.files import Part
from healthlog.journal import outcomes, rows
from healthlog.model import Account, Delivery, Verdict
from tests.support.accepting import BODY, House, delivery, entry, insert, open_house
from tests.support.clock import MORNING_US, FakeClock

SHA256 = hashlib.sha256(BODY).hexdigest()
PACKED = gzip.compress(BODY)


@pytest.fixture
def house(data: Path, clock: FakeClock) -> Iterator[House]:
    with open_house(data, clock) as house:
        yield house


def put(house: House, number: int, *, meta: bool = True, body: bool = True) -> Delivery:
    """Files of a delivery, without its row."""
    packed_sha256 = hashlib.sha256(PACKED).hexdigest()
    one = delivery(number, bytes=len(BODY), sha256=SHA256, packed_sha256=packed_sha256)
    if meta:
        one = replace(one, automation_id="A", aggregation="Days", clock_at_us=5, said_at_us=6)
    house.archive.body_path(one.delivery_id).parent.mkdir(parents=True, exist_ok=True)
    if body:
        house.archive.body_path(one.delivery_id).write_bytes(PACKED)
    if meta:
        house.archive.meta_path(one.delivery_id).write_bytes(meta_bytes(one))
    return one


def run(house: House) -> Adoption:
    return adopt(house.archive, house.journal)


def ids(*deliveries: Delivery) -> tuple[str, ...]:
    return tuple(one.delivery_id for one in deliveries)


def test_an_empty_log_has_nothing_to_adopt(house: House) -> None:
    assert run(house) == Adoption((), (), (), False, None)


@pytest.mark.scenario("journal", "Orphan body is adopted at start")
def test_an_orphan_is_adopted_with_its_meta(house: House) -> None:
    one = put(house, 0)
    assert run(house).adopted == ids(one)
    assert entry(house.journal, one.delivery_id) == rows.Entry(one, "pending")


def test_an_orphan_s_folder_is_durable_before_its_row(house: House) -> None:
    put(house, 0)
    put(house, 1)
    put(house, 200_000)
    house.disk.events.clear()
    run(house)
    assert [one for one in house.disk.events if not one.startswith("make")] == [
        "sync 2026/08/02",
        "sync 2026/08",
        "sync 2026",
        "sync archive",
        "sync 2026/08/04",
        "sync 2026/08",
        "sync 2026",
        "sync archive",
        "begin rows",
        "rows",
    ]


@pytest.mark.scenario("journal", "Body without meta takes its instant from its name")
def test_a_body_without_meta_is_adopted_from_its_name(house: House) -> None:
    one = put(house, 0, meta=False)
    run(house)
    assert one.received_at_us == MORNING_US
    assert entry(house.journal, one.delivery_id) == rows.Entry(one, "pending")


def test_an_unreadable_body_is_adopted_all_the_same(house: House) -> None:
    one = put(house, 0, meta=False)
    house.archive.body_path(one.delivery_id).write_bytes(b"garbage")
    run(house)
    adopted = entry(house.journal, one.delivery_id).delivery
    assert (adopted.bytes, adopted.sha256, adopted.position) == (0, "", one.position)


@pytest.mark.scenario("archive", "Leftovers are removed at start")
def test_leftovers_are_removed(house: House) -> None:
    part = Part.create(house.archive.incoming)
    part.write(b"half a body")
    lonely = put(house, 0, body=False)
    found = run(house)
    assert (found.swept, found.metas_removed) == ((part.path.name,), ids(lonely))
    assert (house.files(), house.rows(), found.adopted) == ([], [], ())
    part.discard()


def test_known_deliveries_are_left_alone(house: House) -> None:
    some = [put(house, number) for number in range(3)]
    insert(house.journal, *some)
    verdict = Verdict(Account(7))
    house.journal.write(lambda c: outcomes.write_verdict(c, some[1].delivery_id, verdict))
    before, files = entry(house.journal, some[1].delivery_id), house.files()
    house.disk.events.clear()
    assert run(house).adopted == ()
    assert entry(house.journal, some[1].delivery_id) == before
    assert "begin rows" not in house.disk.events
    assert house.files() == files


def test_orphans_among_known_deliveries_are_found(house: House) -> None:
    some = [put(house, number) for number in range(9)]
    insert(house.journal, *some[1::2])
    assert run(house).adopted == ids(*some[::2])
    assert house.rows() == house.bodies()


def test_a_lost_journal_is_made_again_in_slices(house: House) -> None:
    some = [put(house, number) for number in range(2_100)]
    house.disk.events.clear()
    assert run(house).adopted == ids(*some)
    assert house.disk.events.count("rows") == 3
    assert house.rows() == house.bodies()


def test_an_interrupted_adoption_goes_on_where_it_stopped(house: House) -> None:
    some = [put(house, number) for number in range(1_001)]

    def then_busy() -> None:
        house.disk.fail("begin rows", Busy("somebody else is writing"))

    house.disk.accidents["rows"] = then_busy
    with pytest.raises(Busy):
        run(house)
    assert house.rows() == list(ids(*some[:1_000]))
    house.disk.accidents.clear()
    assert run(house).adopted == ids(some[1_000])


@pytest.mark.parametrize(("place", "out_of_order"), [(0, True), (2, True), (4, False)])
def test_a_body_before_a_known_row_is_out_of_order(
    house: House, place: int, out_of_order: bool
) -> None:
    insert(house.journal, put(house, 1), put(house, 3))
    put(house, place)
    assert run(house).out_of_order is out_of_order


def test_deliveries_in_order_are_not_out_of_order(house: House) -> None:
    insert(house.journal, put(house, 1), put(house, 3))
    assert run(house).out_of_order is False


@pytest.mark.parametrize(("row", "body"), [(3, 1), (1, 3), (3, None), (None, 3)])
def test_the_last_stamp_is_of_journal_with_archive(
    house: House, row: int | None, body: int | None
) -> None:
    if row is not None:
        insert(house.journal, delivery(row))
    if body is not None:
        put(house, body)
    assert run(house).last_stamp_us == delivery(3).received_at_us


@pytest.mark.scenario("journal", "Later body in the archive lifts the stamp")
def test_a_later_body_in_the_archive_lifts_the_stamp(house: House) -> None:
    later = put(house, 30)
    intake: Intake = house.intake(last_stamp_us=run(house).last_stamp_us)
    assert house.accept(intake).received_at_us == later.received_at_us + 1


def test_what_an_intake_owed_is_adopted_after_a_crash(house: House) -> None:
    house.disk.fail("begin rows", Busy("somebody else is writing"))
    with pytest.raises(Busy):
        house.accept(house.intake(), automation_id="A")
    house.disk.accidents.clear()
    found = run(house)
    assert (list(found.adopted), found.out_of_order) == (house.bodies(), False)
    assert entry(house.journal, found.adopted[0]).delivery.automation_id == "A"


def test_folders_are_made_where_there_are_none(data: Path, house: House) -> None:
    house.archive.incoming.rmdir()
    house.archive.root.rmdir()
    assert run(house).adopted == ()
    assert (data / "archive" / "incoming").is_dir()
