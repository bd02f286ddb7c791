"""The clock asked for single instants, where reading a whole stretch of it would be too much."""

from __future__ import annotations

import sqlite3

from healthlog.mart.quarters import QUARTER_MS

_BEFORE = "SELECT offset_min FROM quarter WHERE quarter <= ? ORDER BY quarter DESC LIMIT 1"
_AT = "SELECT offset_min FROM quarter WHERE quarter = ?"
_FIRST = "SELECT offset_min FROM quarter ORDER BY quarter LIMIT 1"


class Offsets:
    """Offsets within one read transaction, each quarter looked up once.

    `quarters.clock` says the same of a stretch; a page of readings may lie years apart.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[int, int] = {}
        first = connection.execute(_FIRST).fetchone()
        self.named = first is not None
        self._first = 0 if first is None else int(first[0])

    def offset_min(self, at_ms: int) -> int:
        """Offset at an instant: its quarter's, else the one before, else the next, else UTC."""
        quarter = at_ms // QUARTER_MS
        found = self._known.get(quarter)
        if found is None:
            row = self._connection.execute(_BEFORE, (quarter,)).fetchone()
            found = self._known[quarter] = self._first if row is None else int(row[0])
        return found

    def named_min(self, at_ms: int) -> int | None:
        """Offset that was named for the very quarter of an instant; None where none was."""
        row = self._connection.execute(_AT, (at_ms // QUARTER_MS,)).fetchone()
        return None if row is None else int(row[0])
