"""Records that were spoken of lately, with what they say: most are told again as they are."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from healthlog.mart.kept import Kept
from healthlog.mart.record_rows import Row
from healthlog.records.record import RecordWord

_LONGEST = 2_000
"""Characters of a record that is remembered."""

_TOGETHER = 500
_SAY = "UPDATE field SET said_by = ? WHERE record IN "

Name = tuple[str, str]
"""Kind and key of a record."""


class Known(NamedTuple):
    """A record as it is written, all its fields by the word of one delivery."""

    row: Row
    fields: Mapping[str, str]
    said_by: int


class KnownRecords:
    """Short records by their names, `most` of them between two deliveries. By whose word they stand
    is known here first: where that is owed, it is written by `settle`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: Kept[Name, Known] = Kept()
        self._owed: Kept[Name, int] = Kept()
        self._spoken: set[Name] = set()
        self._is_short = False
        self.is_full = False
        """Whether only what is owed could make way for what is spoken of now."""

    @property
    def owes(self) -> bool:
        """Whether `settle` has anything to write."""
        return len(self._owed) > 0

    def as_told(self, name: Name, word: RecordWord) -> Row | None:
        """The record of that name, if a word about it says all that is known of it and nothing
        else."""
        known = self._known.get(name)
        if known is None or known.fields != word.fields:
            return None
        self._spoken.add(name)
        return known.row

    def said_by(self, name: Name) -> int:
        """By whose word a known record stands."""
        number = self._owed.get(name)
        if number is None:
            known = self._known.get(name)
            assert known is not None
            number = known.said_by
        return number

    def learn(self, row: Row, fields: Mapping[str, str], said_by: int) -> None:
        """Remember how a record stands, as it is written, if it is short and there is room."""
        if len(row.key) + sum(map(len, fields)) + sum(map(len, fields.values())) > _LONGEST:
            return
        if len(self._known) >= self._most:
            self._is_short = True
            return
        self._spoken.add((row.kind, row.key))
        self._known.put((row.kind, row.key), Known(row, fields, said_by))

    def let_say(self, name: Name, number: int) -> None:
        """Let a known record stand by the word of another delivery, in all its fields."""
        self._owed.put(name, number)

    def forget(self, connection: sqlite3.Connection, name: Name) -> None:
        """Let a record be what is written of it: it is going to change."""
        known, number = self._known.get(name), self._owed.get(name)
        if known is not None and number is not None:
            _write(connection, number, [known.row.record])
            self._owed.drop(name)
        self._known.drop(name)

    def settle(self, connection: sqlite3.Connection) -> None:
        """Write what is owed."""
        self.is_full = False
        by_number = defaultdict[int, list[int]](list)
        for name in list(self._owed):
            known, number = self._known.get(name), self._owed.get(name)
            assert known is not None
            assert number is not None
            by_number[number].append(known.row.record)
            self._known.put(name, known._replace(said_by=number))
            self._owed.drop(name)
        for number, records in by_number.items():
            for begin in range(0, len(records), _TOGETHER):
                _write(connection, number, records[begin : begin + _TOGETHER])

    def keep(self) -> None:
        """The transaction is committed. Where room was short, what it didn't speak of makes way."""
        if self._is_short:
            for name in [*self._known]:
                if name not in self._spoken:
                    if self._owed.get(name) is None:
                        self._known.drop(name)
                    else:
                        self.is_full = True
        self._known.keep()
        self._owed.keep()
        self._end()

    def undo(self) -> None:
        """Take back what was not kept."""
        self._known.undo()
        self._owed.undo()
        self._end()

    def clear(self) -> None:
        """Know nothing any more; nothing may be owed."""
        self._known.clear()
        self._owed.clear()
        self.is_full = False
        self._end()

    def _end(self) -> None:
        self._spoken.clear()
        self._is_short = False


def _write(connection: sqlite3.Connection, number: int, records: list[int]) -> None:
    connection.execute(f"{_SAY}({','.join('?' * len(records))})", (number, *records))
