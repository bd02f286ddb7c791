"""The clock: which offset from UTC ruled in each quarter of an hour."""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from healthlog.mart.folded import Ranks
from healthlog.mart.kept import MOST_NUMBERS, Kept
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
    connection: sqlite3.Connection,
    offsets: Mapping[int, int],
    number: int,
    ranks: Ranks,
    known: Kept[int, int],
) -> Naming:
    """What delivery `number` has to say that names quarters (quarter to offset in minutes). The
    word of least rank stays, so that after a flight, when the phone renders its whole window anew,
    the past doesn't move. `known` says of quarters that were spoken of before by whose word they
    are named; the others are asked for, and known from then on."""
    unsure = _unsure(offsets, ranks.of(number), ranks, known)
    taken = array("q")
    moved: list[int] = []
    for begin in range(0, len(unsure), _SLICE):
        named = _named(connection, unsure[begin : begin + _SLICE], known)
        wanted = _unsure(named, ranks.of(number), ranks, named)
        taken.extend(wanted)
        if wanted:
            before = clock(connection, wanted[0] * QUARTER_MS, wanted[-1] * QUARTER_MS)
            moved += (one for one in wanted if before.offset_min(one * QUARTER_MS) != offsets[one])
            moved = moved[:1] + moved[-1:]
    return Naming(offsets, taken, moved)


def name(
    connection: sqlite3.Connection, said: Naming, number: int, known: Kept[int, int]
) -> Stretch | None:
    """Write what delivery `number` has to say. The stretch of time in which the clock gives
    another offset than before, if any."""
    connection.executemany(
        "INSERT OR REPLACE INTO quarter VALUES (?, ?, ?)",
        ((quarter, said.offsets[quarter], number) for quarter in said.taken),
    )
    for quarter in said.taken:
        _learn(known, quarter, number)
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


def _unsure(
    quarters: Iterable[int],
    mine: Rank,
    ranks: Ranks,
    named: Mapping[int, int | None] | Kept[int, int],
) -> list[int]:
    """Those of some quarters, in their order, that nobody of lower rank than `mine` has named, as
    far as it is told by whose word they are `named`."""
    said_by = list(map(named.get, quarters))
    lower = {one for one in {*said_by} if one is not None and not mine < ranks.of(one)}
    if lower.issuperset(said_by):
        return []
    return sorted(one for one, by in zip(quarters, said_by, strict=True) if by not in lower)


def _named(
    connection: sqlite3.Connection, quarters: Sequence[int], known: Kept[int, int]
) -> dict[int, int | None]:
    """By whose word each of some quarters is named; None where nobody has named it."""
    marks = ",".join("?" * len(quarters))
    query = f"SELECT quarter, said_by FROM quarter WHERE quarter IN ({marks})"
    named = dict(connection.execute(query, quarters).fetchall())
    for quarter, said_by in named.items():
        _learn(known, quarter, said_by)
    return dict.fromkeys(quarters) | named


def _learn(known: Kept[int, int], quarter: int, said_by: int) -> None:
    """Know by whose word a quarter is named, if there is room for it."""
    if len(known) < MOST_NUMBERS or known.get(quarter) is not None:
        known.put(quarter, said_by)


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
