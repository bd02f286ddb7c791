"""What stands where a phone speaks: of each series the rows that were spoken of last.

Most of what a phone sends it has sent before, a few minutes ago. What stands there needn't be read
again, as long as nobody else writes.
"""

from __future__ import annotations

import sqlite3

from healthlog.mart.standing import Standing, loaded

_COMING = 100
"""Rows that follow when a stretch is asked for, about."""

_NEXT = "SELECT min(at_ms) FROM point WHERE series = ? AND at_ms > ?"


class Recent:
    """Holds the latest stretch of each series, as long as there is room for as many as `most_rows`
    plain rows. Until `keep` everything can be taken back by `undo`."""

    def __init__(self, most_rows: int) -> None:
        self._most_rows = most_rows
        self._weight = 0
        self._held: dict[int, Standing] = {}
        self._begun: dict[int, Standing | None] = {}
        self._left: set[int] = set()
        self._passing: Standing | None = None
        self._next_ms: dict[int, int | None] = {}

    @property
    def owes(self) -> bool:
        """Whether `settle` has anything to write."""
        return any(one.is_owed for one in self._held.values())

    def edges(self, series: int) -> tuple[int, int] | None:
        """The first and the last instant of what is held of a series. `of` is to be asked for
        nothing that lies on both sides of one."""
        held = self._held.get(series)
        return None if held is None else (held.first_ms, held.last_ms)

    def of(
        self, connection: sqlite3.Connection, series: int, first_ms: int, last_ms: int
    ) -> Standing:
        """What stands in a series at least between two instants, both included. What follows on
        what is held is held, too, if there is room; all else is passing, until the next is asked
        for."""
        held = self._held.get(series)
        if held is None:
            if not self._has_room():
                return self.passing(connection, series, first_ms, last_ms)
            self._next_ms.pop(series, None)
            made = _standing(connection, series, first_ms, last_ms)
            self._weight += made.weight + _COMING
            self._held[series] = made
            self._begun.setdefault(series, None)
            return made
        if series not in self._begun:
            self._begun[series] = held
            held.spoken_ms = min(max(first_ms, held.first_ms), held.last_ms)
        if held.first_ms <= first_ms and last_ms <= held.last_ms:
            return held
        if first_ms > held.last_ms and self._follows(connection, held, first_ms, last_ms):
            return held
        return self.passing(connection, series, first_ms, last_ms)

    def _follows(
        self, connection: sqlite3.Connection, held: Standing, first_ms: int, last_ms: int
    ) -> bool:
        """Whether the time between two instants follows on what is held; then it is held, too."""
        next_ms = self._after(connection, held)
        if (next_ms is not None and next_ms < first_ms) or not self._has_room():
            self._left.add(held.series)  # it speaks of later times now
            return False
        before = len(held)
        if next_ms is None or next_ms > last_ms:
            held.extend(last_ms)
        else:
            held.extend(last_ms, loaded(connection, held.series, first_ms, last_ms))
        self._weight += len(held) - before + _COMING
        return True

    def _has_room(self) -> bool:
        return self._weight < self._most_rows

    def passing(
        self, connection: sqlite3.Connection, series: int, first_ms: int, last_ms: int
    ) -> Standing:
        """What stands between two instants, for now; where nothing is held."""
        self.end(connection)
        self._next_ms.pop(series, None)
        self._passing = _standing(connection, series, first_ms, last_ms)
        return self._passing

    def end(self, connection: sqlite3.Connection) -> None:
        """Nothing more is asked of what is passing: write what it owes."""
        if self._passing is not None:
            self._passing.settle(connection)
        self._passing = None

    def keep(self) -> None:
        """The transaction is committed."""
        for series in self._begun:
            self._held[series].keep()
        self._end()

    def undo(self) -> None:
        """Take back what was not kept."""
        for series, before in self._begun.items():
            if before is None:
                self._held.pop(series, None)
            else:
                before.undo()
        self._next_ms.clear()
        self._end()

    @property
    def is_full(self) -> bool:
        """Whether more is held than there is room for, or what isn't spoken of any more."""
        return bool(self._left) or not self._has_room()

    def settle(self, connection: sqlite3.Connection) -> None:
        """Write what is owed."""
        for series, one in self._held.items():
            if one.is_owed:
                self._begun.setdefault(series, one)
                one.settle(connection)

    def forget(self) -> None:
        """Hold less, first of all what nobody spoke of lately. Nothing may be owed, or not kept."""
        for series in self._left:
            self._held.pop(series, None)
        self._left.clear()
        self._next_ms.clear()
        if self._weigh() >= self._most_rows:
            for one in self._held.values():
                one.forget_before(one.spoken_ms)
            left = self._weigh()
            for series, one in list(self._held.items()):
                if left < self._most_rows:
                    break
                left -= one.weight
                del self._held[series]
        self._weigh()

    def clear(self) -> None:
        """Hold nothing; nothing may be owed."""
        self._held.clear()
        self._left.clear()
        self._next_ms.clear()
        self._end()

    def _end(self) -> None:
        # What was spoken of comes last: first is forgotten what nobody spoke of lately.
        for series in self._begun:
            held = self._held.pop(series, None)
            if held is not None:
                self._held[series] = held
        self._begun.clear()
        self._passing = None
        self._weigh()

    def _after(self, connection: sqlite3.Connection, held: Standing) -> int | None:
        """When the first row begins that stands behind what is held; None where there is none."""
        next_ms = self._next_ms.get(held.series, held.last_ms)
        if next_ms is not None and next_ms <= held.last_ms:
            asked = (held.series, held.last_ms)
            ((next_ms,),) = connection.execute(_NEXT, asked).fetchall()
            self._next_ms[held.series] = next_ms
        return next_ms

    def _weigh(self) -> int:
        self._weight = sum(one.weight for one in self._held.values())
        return self._weight


def _standing(connection: sqlite3.Connection, series: int, first_ms: int, last_ms: int) -> Standing:
    return Standing(series, first_ms, last_ms, loaded(connection, series, first_ms, last_ms))
