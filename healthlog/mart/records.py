"""Winners of the fields: the records of one delivery against what stands."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from healthlog import merge
from healthlog.mart import overlaps, record_rows
from healthlog.mart.known_records import KnownRecords
from healthlog.mart.offsets import Offsets
from healthlog.mart.record_rows import Row, packed, unpacked
from healthlog.mart.speaker import Speaker
from healthlog.records import derive
from healthlog.records.merge import Candidate, FieldWord, Meeting, Standing, candidates, met
from healthlog.records.record import RecordWord
from healthlog.span import LEAST

_TOGETHER = 100
_NEW = f"{record_rows.DERIVED}, kind, key, changed_by"
_INSERT = f"INSERT INTO record ({_NEW}) VALUES ({', '.join('?' * 10)})"
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
_RAISE_ALL = "UPDATE field SET said_by = ? WHERE said_by = ? AND record IN "
_CHANGED = "UPDATE record SET changed_by = ? WHERE record = ?"
_MATES_CHANGED = "UPDATE record SET changed_by = ? WHERE kind = ? AND mate = ?"
# A fold by rules that cover more may speak of others than the first one did.
_TOLD = (
    "INSERT INTO told (kind, delivery, first_at_ms, last_at_ms) VALUES (?, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET first_at_ms = min(first_at_ms, excluded.first_at_ms),"
    " last_at_ms = max(last_at_ms, excluded.last_at_ms)"
)
_STANDING = "SELECT name, value, length, said_by FROM field WHERE record = ?"


class _Open(NamedTuple):
    """A candidate whose fate only a change of its day can still change: what of it is counted, and
    the record it speaks of, with its day as it was before."""

    fate: str
    elements: int
    kind: str
    record: int
    start_ms: int | None
    end_ms: int | None
    day: int | None


class RecordsMerge:
    """Merges what one delivery says of records, inside the caller's write transaction: first
    `run`, then the delivery's quarters are named, then `fates` tells how its elements fared.
    `known` are records that were spoken of before. `days_move`: naming the quarters gives another
    offset to some time."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        speaker: Speaker,
        known: KnownRecords,
        *,
        days_move: bool,
    ) -> None:
        self._connection = connection
        self._speaker = speaker
        self._known = known
        self._days_move = days_move
        self._fates: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._open: list[_Open] = []
        self._spoken_of: dict[str, tuple[int, int]] = {}
        self._told: list[tuple[object, ...]] = []

    def run(self, said: Iterable[RecordWord]) -> None:
        """Merge words; all that there are of one record come together."""
        offsets = Offsets(self._connection)
        spoken = candidates(self._not_known(list(said), offsets))
        for begin in range(0, len(spoken), _TOGETHER):
            together = spoken[begin : begin + _TOGETHER]
            rows = self._rows_of(together)
            again = self._told_again(together, rows)
            self._raise_all(again)
            for candidate, row in zip(together, rows, strict=True):
                self._speaker.check()
                self._fates[candidate.kind][merge.SAME] += candidate.doubles
                fate = self._one(candidate, row, again, offsets)
                if fate is not None:
                    self._fates[candidate.kind][fate] += candidate.elements
        self._connection.executemany(
            _TOLD, [(kind, self._speaker.number, *ends) for kind, ends in self._spoken_of.items()]
        )
        # Of new records: nobody has asked for them since.
        self._connection.executemany(_PUT, self._told)
        self._told.clear()

    def _not_known(self, said: Sequence[RecordWord], offsets: Offsets) -> list[RecordWord]:
        """Merge the words that say what is known to stand; the others."""
        self._speaker.check()
        known, number = self._known, self._speaker.number
        names = [(word.kind, word.key) for word in said]
        times = Counter(names) if len({*names}) < len(names) else Counter[tuple[str, str]]()
        others: list[RecordWord] = []
        lower: dict[int, bool] = {}
        for name, word in zip(names, said, strict=True):
            row = known.as_told(name, word)
            if row is None or times[name] > 1:
                known.forget(self._connection, name)
                others.append(word)
                continue
            said_by = known.said_by(name)
            if said_by not in lower:
                lower[said_by] = self._is_lower(said_by)
            if lower[said_by]:
                known.let_say(name, number)
            self._spoke_of(word.kind, row.at_ms)
            fate = self._settled(merge.SAME, 1, row, offsets)
            if fate is not None:
                self._fates[word.kind][fate] += 1
        return others

    def fates(self) -> dict[str, Counter[str]]:
        """Fates of the elements, by kind. One that moved a record to another day, because it is
        the first to say how late it was there, has changed it."""
        offsets = Offsets(self._connection)
        for one in self._open:
            fate = one.fate
            if _day(one, offsets) != one.day:
                fate = merge.CHANGED
                self._connection.execute(_CHANGED, (self._speaker.changes.fold, one.record))
            self._fates[one.kind][fate] += one.elements
        self._open = []
        return self._fates

    def _rows_of(self, spoken: Sequence[Candidate]) -> list[Row | None]:
        """The record that each candidate speaks of, None where there is none yet."""
        found: dict[tuple[str, str], Row] = {}
        for kind in {one.kind for one in spoken}:
            keys = [one.key for one in spoken if one.kind == kind]
            rows = record_rows.known(self._connection, kind, keys)
            found |= {(kind, row.key): row for row in rows}
        return [found.get((one.kind, one.key)) for one in spoken]

    def _told_again(
        self, spoken: Sequence[Candidate], rows: Sequence[Row | None]
    ) -> dict[int, set[int]]:
        """The records of which is said what stands, field by field, as of most that come again,
        and whose words stand in each."""
        by_record = {
            row.record: one for one, row in zip(spoken, rows, strict=True) if row is not None
        }
        found: dict[int, set[int]] = {}
        if not by_record:
            return found
        stand = record_rows.stand(self._connection, list(by_record))
        for record, fields in groupby(stand, itemgetter(0)):
            texts, said_by = by_record[record].fields, list[int]()
            for _, name, value, number in fields:
                if name not in texts or texts[name].text != unpacked(value):
                    break
                said_by.append(number)
            else:
                if len(said_by) == len(texts):
                    found[record] = {*said_by}
        return found

    def _one(
        self,
        candidate: Candidate,
        row: Row | None,
        again: Mapping[int, set[int]],
        offsets: Offsets,
    ) -> str | None:
        """Merge a candidate; its fate, None as long as that is open."""
        if row is None:
            self._add(candidate)
            return merge.NEW
        self._spoke_of(row.kind, row.at_ms)
        if row.record in again:
            fate = merge.SAME
            self._learn(candidate, row, again[row.record])
        else:
            fate = self._meet(candidate, row)
        return self._settled(fate, candidate.elements, row, offsets)

    def _settled(self, fate: str, elements: int, row: Row, offsets: Offsets) -> str | None:
        """The fate of some elements, None as long as it is open."""
        if fate == merge.CHANGED or not self._days_move:
            return fate
        edges = (row.start_ms, row.end_ms)
        self._open.append(_Open(fate, elements, row.kind, row.record, *edges, _day(row, offsets)))
        return None

    def _learn(self, candidate: Candidate, row: Row, said_by: set[int]) -> None:
        """Remember a record that stands as it is told, if it is by the word of one."""
        now = {self._speaker.number if self._is_lower(one) else one for one in said_by}
        if len(now) == 1:
            texts = {name: word.text for name, word in candidate.fields.items()}
            self._known.learn(row, texts, now.pop())

    def _is_lower(self, number: int) -> bool:
        """Whether a delivery ranks lower than the one that is merged."""
        return self._speaker.ranks.of(number) < self._speaker.delivery.rank

    def _meet(self, candidate: Candidate, row: Row) -> str:
        """Merge a candidate field by field."""
        stand = self._standing(candidate, row.record)
        meeting = met(candidate, self._speaker.delivery.rank, stand)
        self._write(row, candidate, meeting)
        if meeting.fate == merge.CHANGED:
            self._connection.execute(_CHANGED, (self._speaker.changes.fold, row.record))
            self._note_neighbours(row.kind, row.start_ms, row.end_ms, row.mate)
            now = record_rows.find(self._connection, row.kind, row.key)
            assert now is not None
            self._note_neighbours(now.kind, now.start_ms, now.end_ms, now.mate)
        return meeting.fate

    def _raise_all(self, again: Mapping[int, Iterable[int]]) -> None:
        """Let this delivery be the one that says what these deliveries said of these records,
        where it ranks higher."""
        lower = defaultdict[int, list[int]](list)
        for record, numbers in again.items():
            for number in numbers:
                if self._is_lower(number):
                    lower[number].append(record)
        for number, records in lower.items():
            marks = f"({','.join('?' * len(records))})"
            self._connection.execute(_RAISE_ALL + marks, (self._speaker.number, number, *records))

    def _standing(self, candidate: Candidate, record: int) -> dict[str, Standing]:
        """What stands in the fields that are spoken of."""
        return {
            name: Standing(FieldWord(unpacked(value), length), self._speaker.ranks.of(said_by))
            for name, value, length, said_by in self._connection.execute(_STANDING, (record,))
            if name in candidate.fields
        }

    def _add(self, candidate: Candidate) -> None:
        fold = self._speaker.changes.fold
        texts = {name: word.text for name, word in candidate.fields.items()}
        derived = record_rows.derived(candidate.kind, texts)
        self._spoke_of(candidate.kind, derived[0])
        record = self._connection.execute(
            _INSERT, (*derived, candidate.kind, candidate.key, fold)
        ).lastrowid
        assert record is not None
        self._told += self._rows(record, candidate.fields)
        row = Row(record, candidate.kind, candidate.key, *derived)
        self._known.learn(row, texts, self._speaker.number)
        _, start_ms, end_ms, _, _, mate, _ = derived
        self._note_neighbours(candidate.kind, start_ms, end_ms, mate)

    def _write(self, row: Row, candidate: Candidate, meeting: Meeting) -> None:
        number = self._speaker.number
        self._connection.executemany(
            _RAISE, [(number, row.record, name) for name in sorted(meeting.kept)]
        )
        new = meeting.taken - meeting.kept
        if new:
            told = {name: candidate.fields[name] for name in sorted(new)}
            self._connection.executemany(_PUT, self._rows(row.record, told))
            texts = record_rows.texts(self._connection, row.record)
            derived = record_rows.derived(row.kind, texts)
            self._spoke_of(row.kind, derived[0])
            self._connection.execute(_UPDATE, (*derived, row.record))

    def _spoke_of(self, kind: str, at_ms: int) -> None:
        """Note that the delivery spoke of a record at this place."""
        if at_ms != LEAST:
            first_ms, last_ms = self._spoken_of.get(kind, (at_ms, at_ms))
            self._spoken_of[kind] = min(first_ms, at_ms), max(last_ms, at_ms)

    def _note_neighbours(
        self, kind: str, start_ms: int | None, end_ms: int | None, mate: str | None
    ) -> None:
        """Let this fold have changed what is shown otherwise because of a record: what tells of
        the same, and workouts at the same time."""
        fold = self._speaker.changes.fold
        if mate is not None:
            self._connection.execute(_MATES_CHANGED, (fold, kind, mate))
        overlaps.note(self._connection, overlaps.time_of(kind, start_ms, end_ms), fold)

    def _rows(self, record: int, fields: Mapping[str, FieldWord]) -> Iterator[tuple[object, ...]]:
        """What `_PUT` writes of the fields of a record."""
        number = self._speaker.number
        for name, word in fields.items():
            yield (record, name, packed(word.text), word.length, number)


def _day(row: Row | _Open, offsets: Offsets) -> int | None:
    return derive.day(row.kind, row.start_ms, row.end_ms, offsets.offset_min)
