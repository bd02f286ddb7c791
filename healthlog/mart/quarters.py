"""The clock: which offset from UTC ruled in each quarter of an hour."""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from healthlog.mart.folded import Ranks
from healthlog.model import Rank
from healthlog.moment import DAY_MS, MINUTE_MS

QUARTER_MS = 15 * MINUTE_MS
_SLICE = 500


class Stretch(NamedTuple):
    """Instants from the first to the last, both included; None where there is no end."""

    first_ms: int | None
    last_ms: int | None


class Naming(NamedTuple):
    """What a delivery has to say of the clock: the offsets of quarters that it is the first to
    name, by rank, and the first and last of those that have another one by it."""

    offsets: Mapping[int, int]
    taken: Sequence[int]
    moved: Sequence[int]


def naming(
    connection: sqlite3.Connection, offsets: Mapping[int, int], number: int, ranks: Ranks
) -> Naming:
    """What delivery `number` has to say that names quarters (quarter to offset in minutes). The
    word of least rank stays, so that after a flight, when the phone renders its whole window anew,
    the past doesn't move."""
    named = sorted(offsets)
    taken = array("q")
    moved: list[int] = []
    for begin in range(0, len(named), _SLICE):
        wanted = _taken(connection, named[begin : begin + _SLICE], ranks.of(number), ranks)
        taken.extend(wanted)
        if wanted:
            before = clock(connection, wanted[0] * QUARTER_MS, wanted[-1] * QUARTER_MS)
            moved += (one for one in wanted if before.offset_min(one * QUARTER_MS) != offsets[one])
            moved = moved[:1] + moved[-1:]
    return Naming(offsets, taken, moved)


def name(connection: sqlite3.Connection, said: Naming, number: int) -> Stretch | None:
    """Write what delivery `number` has to say. The stretch of time in which the clock gives
    another offset than before, if any."""
    connection.executemany(
        "INSERT OR REPLACE INTO quarter VALUES (?, ?, ?)",
        ((quarter, said.offsets[quarter], number) for quarter in said.taken),
    )
    return _ruled_by(connection, said.moved[0], said.moved[-1]) if said.moved else None


def _ruled_by(connection: sqlite3.Connection, first: int, last: int) -> Stretch:
    """The instants that have their offset from quarters between two: unnamed ones take the one
    before, those before all the first."""
    (least,) = connection.execute("SELECT min(quarter) FROM quarter").fetchone()
    (following,) = connection.execute(
        "SELECT min(quarter) FROM quarter WHERE quarter > ?", (last,)
    ).fetchone()
    return Stretch(
        None if first == least else first * QUARTER_MS,
        None if following is None else following * QUARTER_MS - 1,
    )


def _taken(
    connection: sqlite3.Connection, wanted: Sequence[int], mine: Rank, ranks: Ranks
) -> list[int]:
    """Those of some quarters that a word of rank `mine` is the least to name."""
    marks = ",".join("?" * len(wanted))
    query = f"SELECT quarter, said_by FROM quarter WHERE quarter IN ({marks})"
    named = dict(connection.execute(query, wanted))
    later = {number for number in {*named.values()} if mine < ranks.of(number)}
    if not later and len(named) == len(wanted):
        return []
    return [one for one in wanted if one not in named or named[one] in later]


class Clock:
    """Offsets of a stretch of time, as the clock gives them to every instant in it."""

    def __init__(self, quarters: Sequence[int], offsets: Sequence[int]) -> None:
        self._quarters = quarters
        self._offsets = offsets

    def offset_min(self, at_ms: int) -> int:
        """Offset at an instant: its quarter's, else the one before, else the next, else UTC."""
        if not self._offsets:
            return 0
        return self._offsets[max(bisect_right(self._quarters, at_ms // QUARTER_MS) - 1, 0)]

    def day(self, at_ms: int) -> int:
        """Local date of an instant, in days since 1970-01-01."""
        return (at_ms + self.offset_min(at_ms) * MINUTE_MS) // DAY_MS


def clock(connection: sqlite3.Connection, first_ms: int, last_ms: int) -> Clock:
    """The clock for instants from `first_ms` to `last_ms`, both included."""
    first, last = first_ms // QUARTER_MS, last_ms // QUARTER_MS
    before = connection.execute(
        "SELECT quarter, offset_min FROM quarter WHERE quarter < ? ORDER BY quarter DESC LIMIT 1",
        (first,),
    ).fetchall()
    within = connection.execute(
        "SELECT quarter, offset_min FROM quarter WHERE quarter BETWEEN ? AND ? ORDER BY quarter",
        (first, last),
    ).fetchall()
    following = connection.execute(
        "SELECT quarter, offset_min FROM quarter WHERE quarter > ? ORDER BY quarter LIMIT 1",
        (last,),
    ).fetchall()
    rows = before + within + following
    return Clock([quarter for quarter, _ in rows], [offset for _, offset in rows])


def whole_clock(connection: sqlite3.Connection) -> Clock:
    rows = connection.execute("SELECT quarter, offset_min FROM quarter ORDER BY quarter").fetchall()
    return Clock([quarter for quarter, _ in rows], [offset for _, offset in rows])
