"""What the tests of the accepting half are made of: deliveries, a journal, a whole intake."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

from healthlog.accept import Facts, Intake
from healthlog.archive.store import Archive
from healthlog.base import migrate
from healthlog.base.db import Database
from healthlog.base.ids import make_id
from healthlog.base.log import Log
from healthlog.journal import rows
from healthlog.model import Delivery
from tests.support.clock import MORNING_US, FakeClock
from tests.support.disk import WatchedDisk

T = TypeVar("T")

SECOND_US = 1_000_000
HOUR_US = 3_600 * SECOND_US
BODY = b'{"data":{"metrics":[]}}'
LONG_AGO = "2020-01-01"


def delivery(number: int = 0, **fields: Any) -> Delivery:
    """A delivery received `number` seconds after MORNING_US."""
    us = MORNING_US + number * SECOND_US
    plain: dict[str, Any] = {
        "delivery_id": make_id(us, f"{number % 2**32:08x}"),
        "received_at_us": us,
        "clock_at_us": us,
        "said_at_us": us,
        "bytes": 10 + number,
        "sha256": f"{number:064x}",
    }
    return Delivery(**{**plain, **fields})


@contextmanager
def open_journal(
    data: Path, clock: FakeClock, pause: Callable[[float], object] | None = None
) -> Iterator[Database]:
    """The migrated journal of a data directory. Pauses between attempts pass on the fake clock."""
    journal = Database(data / "journal.db", clock=clock, pause=pause or clock.advance)
    try:
        migrate.up(journal, migrate.load("journal"), clock)
        yield journal
    finally:
        journal.close()


def insert(journal: Database, *deliveries: Delivery) -> None:
    """Writes rows, each in its own transaction."""
    for one in deliveries:
        journal.write(partial(rows.insert, delivery=one))


def entry(journal: Database, delivery_id: str) -> rows.Entry:
    """The entry of a delivery that must be there."""
    found = journal.read(lambda connection: rows.get(connection, delivery_id))
    assert found is not None
    return found


def journal_ids(journal: Database) -> list[str]:
    """All ids in the journal's order."""
    found = journal.read(lambda connection: rows.page(connection, None, None, None, None, 10_000))
    return [one.delivery.delivery_id for one in found]


class Asked:
    """A connection that remembers what it was asked, with the values still unbound."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.statements: list[tuple[str, Sequence[object]]] = []

    def execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        self.statements.append((statement, values))
        return self._connection.execute(statement, values)


def asked(
    connection: sqlite3.Connection, call: Callable[[sqlite3.Connection], object]
) -> list[tuple[str, Sequence[object]]]:
    """The statements that `call` runs, with their values."""
    listening = Asked(connection)
    call(cast("sqlite3.Connection", listening))
    return listening.statements


def plans(journal: Database, call: Callable[[sqlite3.Connection], object]) -> list[str]:
    """How SQLite carries out each statement that `call` runs."""

    def explain(connection: sqlite3.Connection) -> list[str]:
        return [
            "; ".join(
                row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)
            )
            for statement, values in asked(connection, call)
        ]

    return journal.read(explain)


class WatchedJournal(Database):
    """Tells a watched disk of each transaction: `begin rows` before, `rows` once committed."""

    disk: WatchedDisk

    def write(self, work: Callable[[sqlite3.Connection], T], *, budget_s: float = 2.0) -> T:
        self.disk.note("begin rows")
        result = super().write(work, budget_s=budget_s)
        self.disk.note("rows")
        return result


@dataclass(slots=True)
class House:
    """A data directory with everything that accepts, on a watched disk."""

    data: Path
    clock: FakeClock
    disk: WatchedDisk
    archive: Archive
    journal: Database
    log: Log
    stream: io.StringIO

    def intake(self, **options: Any) -> Intake:
        """The section over this house, by default on an empty log."""
        plain: dict[str, Any] = {"last_stamp_us": None, "newest_migration": LONG_AGO}
        return Intake(
            self.archive, self.journal, clock=self.clock, log=self.log, **{**plain, **options}
        )

    def accept(self, intake: Intake, body: bytes = BODY, **facts: Any) -> Delivery:
        """One body through the section, with its part discarded whatever happens."""
        with self.archive.writer() as writer:
            writer.write(body)
            writer.finish()
            return intake.accept(writer, Facts(**facts))

    def lines(self, msg: str) -> list[dict[str, Any]]:
        """The log lines with that message."""
        said = [json.loads(line) for line in self.stream.getvalue().splitlines()]
        return [line for line in said if line["msg"] == msg]

    def bodies(self) -> list[str]:
        """The ids of the bodies in the archive, in their order."""
        return self.archive.scan()

    def rows(self) -> list[str]:
        """The ids of the rows in the journal, in their order."""
        return journal_ids(self.journal)

    def files(self) -> list[str]:
        """Every file of the archive, parts included, by its name."""
        return sorted(path.name for path in self.archive.root.rglob("*") if path.is_file())


@contextmanager
def open_house(data: Path, clock: FakeClock) -> Iterator[House]:
    """An empty log in an empty data directory."""
    disk, stream = WatchedDisk(), io.StringIO()
    archive = Archive(data, disk)
    archive.prepare()
    with open_journal(data, clock):
        pass
    journal = WatchedJournal(data / "journal.db", clock=clock, pause=clock.advance)
    journal.disk = disk
    disk.events.clear()
    try:
        yield House(data, clock, disk, archive, journal, Log(stream, clock), stream)
    finally:
        journal.close()


@contextmanager
def outsider(path: Path) -> Iterator[sqlite3.Connection]:
    """Somebody else who holds the write lock of a database until the end of the block."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield connection
    finally:
        connection.close()
