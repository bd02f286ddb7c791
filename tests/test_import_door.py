"""`POST /api/v1/import`, from bytes to bytes."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from healthlog.base.clock import text_us
from healthlog.base.db import Database
from healthlog.base.web import Budget, Route
from healthlog.imports.door import JOURNAL, SAID_AT, ImportDoor, closed, journal_mark
from tests.support.accepting import House, delivery, entry, insert, open_house
from tests.support.clock import MORNING_US, FakeClock
from tests.support.door import Answered, answered
from tests.support.http import FakeWire, Pieces, speak
from tests.support.patience import PATIENCE_S

BODY = b'{"data":{"metrics":[]}}'
SAID = f"{SAID_AT}: {text_us(MORNING_US - 5_000_000)}"
MIB = 1 << 20
T = TypeVar("T")


class Door:
    """The door of a house."""

    def __init__(self, house: House, journal: Database | None = None, **options: Any) -> None:
        self.house = house
        self.woken = 0
        path = house.data / "journal.db"
        self.mark = f"{JOURNAL}: {journal_mark(path)}"
        plain: dict[str, Any] = {"min_free": 0, "mark": journal_mark(path)}
        self.handler = ImportDoor(
            house.archive,
            journal or house.journal,
            house.intake(),
            self._wake,
            log=house.log,
            **{**plain, **options},
        )

    def _wake(self) -> None:
        self.woken += 1

    def post(self, body: bytes, *fields: str, token: str = "read", marked: bool = True) -> Answered:
        lines = [
            *("POST /api/v1/import HTTP/1.1", "Host: x", "Connection: close"),
            *(f"Authorization: Bearer {token}", f"Content-Length: {len(body)}"),
            *([self.mark] if marked else []),
            *fields,
        ]
        wire = FakeWire(Pieces("\r\n".join(lines).encode() + b"\r\n\r\n", body))
        own = Route("POST", "/api/v1/import", self.handler, "read", MIB, Budget(300.0, 330.0))
        spoken = speak(wire, [own], self.house.clock)
        return answered(bytes(wire.sent), spoken.events[-1])


@pytest.fixture
def house(data: Path, clock: FakeClock) -> Iterator[House]:
    with open_house(data, clock) as opened:
        yield opened


@pytest.fixture
def door(house: House) -> Door:
    return Door(house)


@pytest.mark.scenario("import", "Import goes through a running service")
def test_a_body_becomes_an_imported_delivery(house: House, door: Door) -> None:
    told = door.post(BODY, SAID, "automation-name: f\u00fcr.json", "automation-aggregation: Days")
    assert (told.status, told.said["known"]) == (200, False)
    found = entry(house.journal, told.said["delivery_id"]).delivery
    assert (found.imported, found.said_at_us) == (True, MORNING_US - 5_000_000)
    assert (found.automation_name, found.aggregation) == ("f\u00fcr.json", "Days")
    assert house.archive.body(found) == BODY
    assert door.woken == 1


def test_without_a_date_the_word_is_as_old_as_now(house: House, door: Door) -> None:
    told = door.post(BODY)
    found = entry(house.journal, told.said["delivery_id"]).delivery
    assert found.said_at_us == found.clock_at_us


def test_an_import_has_no_automation_to_inherit_from(house: House, door: Door) -> None:
    told = door.post(BODY, "automation-id: A")
    assert entry(house.journal, told.said["delivery_id"]).delivery.automation_id is None


@pytest.mark.scenario("import", "Second import changes nothing")
def test_a_known_body_is_not_taken_twice(house: House, door: Door) -> None:
    assert door.post(BODY, SAID).said["known"] is False
    told = door.post(BODY)
    sha256 = hashlib.sha256(BODY).hexdigest()
    assert (told.status, told.said) == (200, {"known": True, "sha256": sha256})
    assert len(house.rows()) == len(house.bodies()) == 1
    assert not list(house.archive.incoming.iterdir())


@pytest.mark.parametrize("token", ["ingest", "none"])
def test_only_the_read_token_opens_it(house: House, door: Door, token: str) -> None:
    assert door.post(BODY, token=token).status == 401
    assert house.files() == []


@pytest.mark.scenario("import", "Service of another directory refuses")
def test_a_service_of_another_directory_refuses(house: House, door: Door) -> None:
    for fields in ((), (f"{JOURNAL}: 1-2",)):
        told = door.post(BODY, *fields, marked=False)
        assert (told.status, told.detail) == (409, "This service keeps another data directory.")
    assert house.files() == []


@pytest.mark.parametrize(
    ("body", "fields", "status"),
    [
        (b"", (), 400),
        (b"[1]", (), 400),
        (BODY, (f"{SAID_AT}: yesterday",), 400),
        (BODY, ("Content-Encoding: br",), 415),
        (b"{" + b" " * MIB + b"}", (), 413),
    ],
)
def test_what_is_no_body_is_refused(
    house: House, door: Door, body: bytes, fields: tuple[str, ...], status: int
) -> None:
    assert door.post(body, *fields).status == status
    assert house.files() == []


@pytest.mark.scenario("import", "Live deliveries don't wait behind an import")
def test_an_import_waits_while_many_deliveries_do(house: House) -> None:
    door = Door(house, waiting_max=2)
    insert(house.journal, delivery(1), delivery(2))
    told = door.post(BODY)
    assert (told.status, told.fields["retry-after"]) == (503, "1")
    assert "folded first" in told.detail
    assert (house.files(), door.woken) == ([], 1)


def test_a_full_disk_refuses(house: House) -> None:
    assert Door(house, min_free=2**60).post(BODY).status == 507


def test_a_stopping_service_refuses(house: House) -> None:
    assert Door(house, stopping=lambda: True).post(BODY).status == 503


def test_one_body_at_a_time(house: House) -> None:
    entered, released = threading.Event(), threading.Event()

    class Held(Database):
        """A journal whose readers wait."""

        def read(self, work: Callable[[sqlite3.Connection], T], *, budget_s: float = 2.0) -> T:
            entered.set()
            assert released.wait(PATIENCE_S)
            return super().read(work, budget_s=budget_s)

    journal = Held(house.data / "journal.db", clock=house.clock)
    door = Door(house, journal=journal)
    first = threading.Thread(target=door.post, args=(BODY,))
    first.start()
    assert entered.wait(PATIENCE_S)
    told = door.post(BODY)
    released.set()
    first.join(PATIENCE_S)
    journal.close()
    assert (told.status, told.detail) == (503, "Another import is at work.")


def test_a_door_that_is_not_there_says_so() -> None:
    wire = FakeWire(
        Pieces(b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    )
    handler: Any = closed
    spoken = speak(wire, [Route("POST", "/x", handler, None, MIB)], FakeClock())
    assert answered(bytes(wire.sent), spoken.events[-1]).status == 503
