"""Rows of one series as they stand between two instants, held in memory."""

from __future__ import annotations

import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby
from typing import Any, NamedTuple

from healthlog.mart.point_rows import SAID

Row = tuple[Any, ...]
"""A row in the columns of `COLUMNS`."""

COLUMNS = (*SAID, "said_by", "closed_by")
_SAID_BY = len(SAID)
_KEY = 4
_DETAIL = SAID.index("detail")

_ALONE = 20
"""Rows that weigh as much as what there is beside them, about."""

_CHARACTERS = 100
"""Of texts, that weigh as much as a row, about."""

_AT_ONCE = 2_000
_MOST_OWED = 16

_Range = tuple[int, int]
"""Two instants, both included."""


_NOTHING: Sequence[Sequence[Any]] = ((),) * len(COLUMNS)

_LOAD = (
    f"SELECT {', '.join(COLUMNS)} FROM point"
    " WHERE series = ? AND at_ms BETWEEN ? AND ? ORDER BY at_ms, sub, origin, n"
)
_RAISE = (
    "UPDATE point SET said_by = ? WHERE series = ? AND said_by <> ?"
    " AND (at_ms, sub, origin, n) >= (?, ?, ?, ?) AND (at_ms, sub, origin, n) <= (?, ?, ?, ?)"
)


class _Change(NamedTuple):
    """Columns from number `first_column` on, changed from one place to another: what stood there
    before."""

    first_column: int
    begin: int
    end: int
    before: Sequence[Sequence[Any]]


class Standing:
    """All rows of a series from `first_ms` to `last_ms`, both included, in the order of their
    keys, side by side in the columns `COLUMNS`.

    What they say is written when it is said. Who says it is known here first: where that is
    `owed`, it is written by `settle`. Until `keep` everything can be taken back by `undo`.
    """

    def __init__(
        self, series: int, first_ms: int, last_ms: int, columns: list[list[Any]] | None = None
    ) -> None:
        self.series = series
        self.first_ms = first_ms
        self.last_ms = last_ms
        self.columns: list[list[Any]] = columns or [[] for _ in COLUMNS]
        self.spoken_ms = first_ms
        """Where the delivery began that spoke of them last."""
        self._texts = _length(self.columns[_DETAIL])
        self._owed: tuple[_Range, ...] = ()
        self._changes: list[_Change] = []
        self._kept = self._state()

    def _state(self) -> tuple[int, int, int, int, tuple[_Range, ...]]:
        return self.first_ms, self.last_ms, self.spoken_ms, self._texts, self._owed

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def is_owed(self) -> bool:
        """Whether the file doesn't know yet who says some of it."""
        return bool(self._owed)

    @property
    def weight(self) -> int:
        """How many plain rows take as much memory, about."""
        return _ALONE + len(self) + self._texts // _CHARACTERS

    def place(self, first_ms: int, last_ms: int) -> tuple[int, int]:
        """Where the rows between two instants stand, both included: begin and end."""
        at_ms = self.columns[0]
        begin = bisect_left(at_ms, first_ms)
        return begin, bisect_right(at_ms, last_ms, lo=begin)

    def says(self, begin: int, columns: Sequence[Sequence[Any]]) -> bool:
        """Whether the rows from `begin` on say what these columns of `SAID` say, row by row."""
        end = begin + len(columns[0])
        return [own[begin:end] for own in self.columns[:_SAID_BY]] == list(columns)

    def rows(self, begin: int, end: int) -> list[Row]:
        return list(zip(*(column[begin:end] for column in self.columns), strict=True))

    def said_by(self, begin: int, end: int) -> set[int]:
        """Who says what stands there."""
        return set(self.columns[_SAID_BY][begin:end])

    # ---- what changes

    def extend(self, last_ms: int, columns: Sequence[Sequence[Any]] | None = None) -> None:
        """Reach further: between `last_ms` so far and this one nothing stands, or these columns."""
        self.last_ms = last_ms
        if columns and columns[0]:
            self.put_columns(len(self), len(self), columns)

    def put(self, begin: int, end: int, rows: Sequence[Row]) -> None:
        """Let these rows, as they are written now, stand in the place of some."""
        self.put_columns(begin, end, list(zip(*rows, strict=True)))

    def put_columns(self, begin: int, end: int, columns: Sequence[Sequence[Any]]) -> None:
        """As `put`, side by side."""
        self._texts += _length(columns[_DETAIL])
        self._change(0, begin, end, columns)

    def let_say(self, begin: int, end: int, number: int, instead_of: AbstractSet[int]) -> None:
        """Let `number` be the one who says what stands there, instead of those."""
        column = [number] * (end - begin)
        if not self.said_by(begin, end) <= instead_of:
            said_by = self.columns[_SAID_BY][begin:end]
            column = [number if one in instead_of else one for one in said_by]
        self._change(_SAID_BY, begin, end, [column])
        at_ms = self.columns[0]
        before_ms = at_ms[begin - 1] if begin else None
        self._owed = _with((at_ms[begin], at_ms[end - 1]), self._owed, before_ms)

    def _change(
        self, first_column: int, begin: int, end: int, columns: Sequence[Sequence[Any]]
    ) -> None:
        own = self.columns[first_column : first_column + len(columns)]
        before = [column[begin:end] for column in own] if begin < end else _NOTHING[: len(own)]
        for column, now in zip(own, columns, strict=True):
            column[begin:end] = now
        self._changes.append(_Change(first_column, begin, begin + len(columns[0]), before))

    def keep(self) -> None:
        """What was changed is in the file now, but for what is owed."""
        self._changes.clear()
        self._kept = self._state()

    def undo(self) -> None:
        """Take back what was changed since it was kept."""
        for first_column, begin, end, before in reversed(self._changes):
            own = self.columns[first_column : first_column + len(before)]
            for column, then in zip(own, before, strict=True):
                column[begin:end] = then
        self.first_ms, self.last_ms, self.spoken_ms, self._texts, self._owed = self._kept
        self._changes.clear()

    # ---- the file

    def settle(self, connection: sqlite3.Connection) -> None:
        """Write who says what, where that is owed."""
        for owed in self._owed:
            connection.executemany(_RAISE, self._runs(*self.place(*owed)))
        self._owed = ()

    def _runs(self, begin: int, end: int) -> Iterator[tuple[int, ...]]:
        """What `_RAISE` is to do for rows that follow each other and are said by one."""
        keys = self.columns[:_KEY]
        for number, run in groupby(self.columns[_SAID_BY][begin:end]):
            after = begin + sum(1 for _ in run)
            first, last = (column[begin] for column in keys), (column[after - 1] for column in keys)
            yield (number, self.series, number, *first, *last)
            begin = after

    def forget_before(self, at_ms: int) -> None:
        """Hold only what stands from an instant on, which is held. Nothing may be owed, or not yet
        kept."""
        begin, _ = self.place(at_ms, self.last_ms)
        for column in self.columns:
            del column[:begin]
        self._texts = _length(self.columns[_DETAIL])
        self.first_ms = max(at_ms, self.first_ms)
        self.keep()


def _length(details: Sequence[str | None]) -> int:
    """How long these texts are together; mostly there is none."""
    return 0 if details.count(None) == len(details) else sum(map(len, filter(None, details)))


def _with(new: _Range, owed: tuple[_Range, ...], before_ms: int | None) -> tuple[_Range, ...]:
    """Stretches that are owed with one more, before which a row stands at `before_ms`. It is one
    with the last of them where they overlap or follow each other."""
    if owed:
        (*others, (first_ms, last_ms)) = owed
        if last_ms == before_ms or (new[0] <= last_ms and first_ms <= new[1]):
            return (*others, (min(new[0], first_ms), max(new[1], last_ms)))
    every = (*owed, new)
    if len(every) <= _MOST_OWED:
        return every
    # What lies between is looked at in vain then.
    return ((min(first for first, _ in every), max(last for _, last in every)),)


def loaded(
    connection: sqlite3.Connection, series: int, first_ms: int, last_ms: int
) -> list[list[Any]]:
    """The columns of a series between two instants, both included, as the file has them."""
    columns: list[list[Any]] = [[] for _ in COLUMNS]
    found = connection.execute(_LOAD, (series, first_ms, last_ms))
    while rows := found.fetchmany(_AT_ONCE):
        for column, more in zip(columns, zip(*rows, strict=True), strict=True):
            column.extend(more)
    return columns
