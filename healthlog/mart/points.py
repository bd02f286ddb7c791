"""Winners of the coordinates: the candidates of one delivery against what stands."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from healthlog import layer as layers
from healthlog import merge
from healthlog.mart.dictionary import DATE_ALONE, NO_ORIGIN, Dictionary
from healthlog.mart.folded import Ranks
from healthlog.merge import Candidate, Candidates, Coordinate
from healthlog.model import Delivery
from healthlog.moment import DAY_MS, HOUR_MS
from healthlog.reading import Reading

_RUN = 5_000
_CHECK_EVERY = 1_000

Key = tuple[int, int, int]
"""Coordinate in its series as rows have it: at_ms, sub, origin."""

Value = tuple[float | None, float | None, float | None, float | None, int, str | None]
"""Content of a row, offset aside: qty, min, avg, max, tag, detail."""


class Standing(NamedTuple):
    """What stands at a coordinate."""

    values: list[Value]
    offsets: list[int | None]
    said_by: int
    closed_by: int | None


@dataclass(frozen=True, slots=True)
class Speaker:
    """The delivery whose word is merged: its number in this mart, the ranks of all, and `check`,
    which is called now and then and may raise to end a fold that takes too long."""

    number: int
    delivery: Delivery
    ranks: Ranks
    check: Callable[[], None]


@dataclass(slots=True)
class Merged:
    """What merging one series did: fates of elements, and the change in readings kept."""

    fates: Counter[str]
    incomparable: int = 0
    readings: int = 0


class SeriesMerge:
    """Merges candidates into one series, inside the caller's write transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        names: Dictionary,
        speaker: Speaker,
        metric: str,
        layer: str,
    ) -> None:
        self._connection = connection
        self._names = names
        self._speaker = speaker
        self._layer = layer
        self._series = names.series(metric, layer)
        self._merged = Merged(Counter())

    def run(self, candidates: Candidates) -> Merged:
        keyed = sorted((self._key(at), candidate) for at, candidate in candidates.items())
        for run in _runs(keyed, self._layer):
            self._speaker.check()
            self._run(run)
        self._summarise(keyed)
        return self._merged

    def _key(self, at: Coordinate) -> Key:
        sub = at.end_ms - at.at_ms if at.end_ms else at.day
        if at.dated:
            return at.at_ms, sub, DATE_ALONE
        return at.at_ms, sub, NO_ORIGIN if at.origin is None else self._names.origin(at.origin)

    def _run(self, run: list[tuple[Key, Candidate]]) -> None:
        standing = self._standing(run[0][0][0], run[-1][0][0])
        rows: list[tuple[object, ...]] = []
        for key, candidate in run:
            there = standing.get(key)
            winner = self._meet(candidate, there)
            if winner is not None:
                rows += _rows(self._series, key, winner)
                if there is not None and len(there.values) > len(winner.values):
                    self._shrink(key, len(winner.values))
        self._connection.executemany(
            "INSERT INTO point VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
            " ON CONFLICT DO UPDATE SET qty = excluded.qty, min = excluded.min,"
            " avg = excluded.avg, max = excluded.max, tag = excluded.tag,"
            " said_by = excluded.said_by, closed_by = excluded.closed_by,"
            " offset_min = excluded.offset_min, detail = excluded.detail",
            rows,
        )

    def _standing(self, first_ms: int, last_ms: int) -> dict[Key, Standing]:
        found: dict[Key, Standing] = {}
        for at_ms, sub, origin, *rest in self._connection.execute(
            "SELECT at_ms, sub, origin, qty, min, avg, max, tag, detail,"
            " offset_min, said_by, closed_by FROM point"
            " WHERE series = ? AND at_ms BETWEEN ? AND ? ORDER BY at_ms, sub, origin, n",
            (self._series, first_ms, last_ms),
        ):
            value, (offset_min, said_by, closed_by) = tuple(rest[:6]), rest[6:]
            there = found.get((at_ms, sub, origin))
            if there is None:
                found[at_ms, sub, origin] = Standing([value], [offset_min], said_by, closed_by)
            else:
                there.values.append(value)
                there.offsets.append(offset_min)
        return found

    def _meet(self, candidate: Candidate, there: Standing | None) -> Standing | None:
        """What is to stand from now on; None when nothing has to be written."""
        fates, readings = self._merged.fates, candidate.readings
        fates[merge.SAME] += candidate.doubles
        values = [self._value(reading) for reading in readings]
        closed_by = self._closed_by(readings, there)
        number, rank = self._speaker.number, self._speaker.delivery.rank
        if there is None:
            fates[merge.NEW] += len(readings)
            self._merged.readings += len(readings)
            return Standing(values, self._offsets(readings), number, closed_by)
        meeting = merge.met(
            self._layer, values, rank, there.values, self._speaker.ranks.of(there.said_by)
        )
        fates[meeting.fate] += len(readings)
        if meeting.incomparable:
            self._merged.incomparable += len(readings)
        if meeting.wins:
            self._merged.readings += len(values) - len(there.values)
            return Standing(values, self._offsets(readings), number, closed_by)
        return None if closed_by == there.closed_by else there._replace(closed_by=closed_by)

    def _value(self, reading: Reading) -> Value:
        tag = self._names.tag(reading.unit, reading.sources)
        detail = _detail(self._layer, reading) if self._is_rare(reading) else None
        return reading.qty, reading.min, reading.avg, reading.max, tag, detail

    def _is_rare(self, reading: Reading) -> bool:
        return bool(reading.extra) or reading.end_ms is not None or self._layer in _STARTED

    def _offsets(self, readings: list[Reading]) -> list[int | None]:
        if self._layer in layers.DATED:
            return [reading.moment.offset_min for reading in readings]
        return [None] * len(readings)

    def _closed_by(self, readings: list[Reading], there: Standing | None) -> int | None:
        first = None if there is None else there.closed_by
        speaker = self._speaker
        if not merge.closes(self._layer, readings, speaker.delivery.spoke_at_us):
            return first
        if first is None or speaker.delivery.rank < speaker.ranks.of(first):
            return speaker.number
        return first

    def _shrink(self, key: Key, kept: int) -> None:
        self._connection.execute(
            "DELETE FROM point WHERE series = ? AND at_ms = ? AND sub = ? AND origin = ?"
            " AND n >= ?",
            (self._series, *key, kept),
        )

    def _summarise(self, keyed: list[tuple[Key, Candidate]]) -> None:
        first_ms, last_ms = keyed[0][0][0], keyed[-1][0][0]
        self._connection.execute(
            "UPDATE series SET points = points + ?, first_at_ms = min(coalesce(first_at_ms, ?), ?),"
            " last_at_ms = max(coalesce(last_at_ms, ?), ?) WHERE series = ?",
            (self._merged.readings, first_ms, first_ms, last_ms, last_ms, self._series),
        )
        self._connection.execute(
            "INSERT OR REPLACE INTO spoke VALUES (?, ?, ?, ?, ?)",
            (
                self._speaker.number,
                self._series,
                first_ms,
                last_ms,
                sum(len(candidate.readings) for _, candidate in keyed),
            ),
        )


_STARTED = frozenset((layers.WEEK, layers.MONTH, layers.YEAR))


def _detail(layer: str, reading: Reading) -> str | None:
    """JSON of what few readings have, sorted keys: `end` and `start` in ms, `extra`. A start
    stands here where it is no part of the coordinate."""
    members = []
    if reading.end_ms is not None and layer != layers.SAMPLE:
        members.append(f'"end":{reading.end_ms}')
    if reading.extra:
        members.append(f'"extra":{reading.extra}')
    if layer in _STARTED and reading.moment.at_ms is not None:
        members.append(f'"start":{reading.moment.at_ms}')
    return "{" + ",".join(members) + "}" if members else None


def _rows(series: int, key: Key, winner: Standing) -> Iterator[tuple[object, ...]]:
    at_ms, sub, origin = key
    said_by, closed_by = winner.said_by, winner.closed_by
    for n, (value, offset_min) in enumerate(zip(winner.values, winner.offsets, strict=True)):
        qty, low, mean, high, tag, detail = value
        yield (
            series, at_ms, sub, origin, n, qty, low, mean, high, tag, said_by,
            closed_by, offset_min, detail,
        )  # fmt: skip


def _runs(
    keyed: list[tuple[Key, Candidate]], layer: str
) -> Iterator[list[tuple[Key, Candidate]]]:
    """Stretches without wide gaps, so that reading a stretch reads little that isn't spoken of.

    One instant is never cut in two."""
    widest_ms = 60 * DAY_MS if layer in layers.DATED else 6 * HOUR_MS
    begin = 0
    for end in range(1, len(keyed)):
        gap_ms = keyed[end][0][0] - keyed[end - 1][0][0]
        if gap_ms > widest_ms or (end - begin >= _RUN and gap_ms):
            yield keyed[begin:end]
            begin = end
    yield keyed[begin:]
