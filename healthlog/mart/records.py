"""Winners of the fields: the records of one delivery against what stands."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from healthlog import merge
from healthlog.mart import record_rows
from healthlog.mart.offsets import Offsets
from healthlog.mart.points import Speaker
from healthlog.mart.record_rows import Row, packed, unpacked
from healthlog.records import derive
from healthlog.records import join as record_join
from healthlog.records.merge import Candidate, FieldWord, Meeting, Standing, candidates, met
from healthlog.records.record import RecordWord
from healthlog.span import LEAST

_DERIVED = "at_ms, start_ms, end_ms, derived, flags, mate, loose"
_INSERT = f"INSERT INTO record ({_DERIVED}, kind, key, changed_by) VALUES ({', '.join('?' * 10)})"
_UPDATE = (
    "UPDATE record SET at_ms = ?, start_ms = ?, end_ms = ?, derived = ?, flags = ?, mate = ?,"
    " loose = ? WHERE record = ?"
)
_PUT = (
    "INSERT INTO field (record, name, value, length, said_by) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET value = excluded.value, length = excluded.length,"
    " said_by = excluded.said_by"
)
_RAISE = "UPDATE field SET said_by = ? WHERE record = ? AND name = ?"
_CHANGED = "UPDATE record SET changed_by = ? WHERE record = ?"
_STANDING = "SELECT name, value, length, said_by FROM field WHERE record = ?"


@dataclass(frozen=True, slots=True)
class _Merged:
    """A candidate after its fields were merged; `day` as it was before, where only a change of
    it could still change the candidate's fate."""

    candidate: Candidate
    fate: str
    row: Row | None
    day: int | None


class RecordsMerge:
    """Merges what one delivery says of records, inside the caller's write transaction: first
    `run`, then the delivery's quarters are named, then `fates` tells how its elements fared."""

    def __init__(self, connection: sqlite3.Connection, speaker: Speaker) -> None:
        self._connection = connection
        self._speaker = speaker
        self._merged: list[_Merged] = []

    def run(self, said: Iterable[RecordWord]) -> None:
        offsets = Offsets(self._connection)
        for candidate in candidates(said):
            self._speaker.check()
            self._merged.append(self._one(candidate, offsets))

    def fates(self) -> dict[str, Counter[str]]:
        """Fates of the elements, by kind. One that moved a record to another day, because it is
        the first to say how late it was there, has changed it."""
        fates: defaultdict[str, Counter[str]] = defaultdict(Counter)
        offsets = Offsets(self._connection)
        for one in self._merged:
            fate = one.fate
            if one.row is not None and _day(one.row, offsets) != one.day:
                fate = merge.CHANGED
                self._connection.execute(_CHANGED, (self._speaker.changes.fold, one.row.record))
            of_kind = fates[one.candidate.kind]
            of_kind[fate] += one.candidate.elements
            of_kind[merge.SAME] += one.candidate.doubles
        return fates

    def _one(self, candidate: Candidate, offsets: Offsets) -> _Merged:
        row = record_rows.find(self._connection, candidate.kind, candidate.key)
        standing = None if row is None else self._standing(row.record, candidate.fields)
        meeting = met(candidate, self._speaker.delivery.rank, standing)
        if row is None:
            self._add(candidate)
            return _Merged(candidate, meeting.fate, None, None)
        self._write(row, candidate, meeting)
        if meeting.fate == merge.CHANGED:
            self._connection.execute(_CHANGED, (self._speaker.changes.fold, row.record))
            return _Merged(candidate, meeting.fate, None, None)
        return _Merged(candidate, meeting.fate, row, _day(row, offsets))

    def _standing(self, record: int, names: Mapping[str, FieldWord]) -> dict[str, Standing]:
        """What stands in the fields that are spoken of."""
        return {
            name: Standing(FieldWord(unpacked(value), length), self._speaker.ranks.of(said_by))
            for name, value, length, said_by in self._connection.execute(_STANDING, (record,))
            if name in names
        }

    def _add(self, candidate: Candidate) -> None:
        fold = self._speaker.changes.fold
        derived = _derived(candidate.kind, {k: w.text for k, w in candidate.fields.items()})
        record = self._connection.execute(
            _INSERT, (*derived, candidate.kind, candidate.key, fold)
        ).lastrowid
        assert record is not None
        self._put(record, candidate.fields)

    def _write(self, row: Row, candidate: Candidate, meeting: Meeting) -> None:
        number = self._speaker.number
        self._connection.executemany(
            _RAISE, [(number, row.record, name) for name in sorted(meeting.kept)]
        )
        new = meeting.taken - meeting.kept
        if new:
            self._put(row.record, {name: candidate.fields[name] for name in sorted(new)})
            texts = record_rows.texts(self._connection, row.record)
            self._connection.execute(_UPDATE, (*_derived(row.kind, texts), row.record))

    def _put(self, record: int, fields: Mapping[str, FieldWord]) -> None:
        self._connection.executemany(
            _PUT,
            [
                (record, name, packed(word.text), word.length, self._speaker.number)
                for name, word in fields.items()
            ],
        )


def _derived(kind: str, texts: Mapping[str, str]) -> tuple[object, ...]:
    """The columns `_DERIVED` of a record with these fields."""
    data = {name: json.loads(text) for name, text in texts.items()}
    found = derive.derived(kind, data)
    edges = (edge for edge in (found.start_ms, found.end_ms) if edge is not None)
    return (
        next(edges, LEAST),
        found.start_ms,
        found.end_ms,
        json.dumps(found.values, sort_keys=True),
        json.dumps(found.flags),
        record_join.mate(kind, data),
        int(record_join.is_loose(kind, data)),
    )


def _day(row: Row, offsets: Offsets) -> int | None:
    return derive.day(row.kind, row.start_ms, row.end_ms, offsets.offset_min)
