"""All that the one who writes a mart remembers of it from one delivery to the next."""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable

from healthlog.mart.kept import MOST_NUMBERS, Kept
from healthlog.mart.known_records import KnownRecords
from healthlog.mart.recent import Recent
from healthlog.model import Rank

MOST_ROWS = 50_000
MOST_RECORDS = 2_000


class Remembered:
    """What stands where a phone speaks, and the short numbers of rows for what they name.

    Each transaction of a fold begins with `begin` and `follow`, ends with `written` and, once it
    is committed, with `keep`; without that the next `begin` takes everything back. `late`: by whose
    word all stands is written by `settle` alone, in the end, and not by each delivery, for a file
    that nobody else reads or writes until then. Between two deliveries `most_rows` of points are
    remembered, and `most_records`.
    """

    def __init__(
        self,
        *,
        late: bool = False,
        most_rows: int = MOST_ROWS,
        most_records: int = MOST_RECORDS,
    ) -> None:
        self.points = Recent(most_rows)
        self.records = KnownRecords(most_records)
        self.names: Kept[tuple[str, Hashable], int] = Kept()
        self.ranks: Kept[int, Rank] = Kept()
        self.quarters: Kept[int, int] = Kept()
        self._parts = (self.points, self.records, self.names, self.ranks, self.quarters)
        self._late = late
        self._seen: tuple[sqlite3.Connection, int] | None = None
        self._fold = 0
        self._following: int | None = None

    def begin(self, connection: sqlite3.Connection) -> None:
        """A transaction begins. What another connection may have changed is forgotten."""
        self.undo()
        for numbers in (self.names, self.ranks, self.quarters):
            if len(numbers) >= MOST_NUMBERS:
                numbers.clear()
        if self._late:
            return
        ((version,),) = connection.execute("PRAGMA data_version").fetchall()
        if self._seen != (connection, version):
            self._clear()
        self._seen = (connection, version)

    def undo(self) -> None:
        """Take back what was not kept."""
        for part in self._parts:
            part.undo()
        self._following = None

    def follow(self, fold: int) -> None:
        """This is fold number `fold` of the mart. What another folder may have changed since the
        last one is forgotten."""
        if fold != self._fold + 1 and not self._late:
            self._clear()
        self._following = fold

    def written(self, connection: sqlite3.Connection) -> None:
        """The delivery has said all it has to say: write what must stand in the file."""
        self.points.end(connection)
        if not self._late:
            self.settle(connection)

    def keep(self) -> None:
        """The transaction is committed."""
        if self._following is not None:
            self._fold = self._following
        for part in self._parts:
            part.keep()

    @property
    def owes(self) -> bool:
        """Whether `settle` has anything to write."""
        return self.points.owes or self.records.owes

    def settle(self, connection: sqlite3.Connection) -> None:
        """Write what is owed."""
        self.points.settle(connection)
        self.records.settle(connection)

    @property
    def is_full(self) -> bool:
        """Whether it is time to `settle` and, once that is committed, to `forget`."""
        return self.points.is_full or self.records.is_full

    def forget(self) -> None:
        """Remember less. Nothing may be owed."""
        self.points.forget()

    def _clear(self) -> None:
        for part in self._parts:
            part.clear()
