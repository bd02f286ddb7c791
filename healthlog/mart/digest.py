"""The digest: one checksum over everything the mart says, in canonical order."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from healthlog import layer as layers
from healthlog.base.errors import Damaged
from healthlog.base.stored import DANGLING, members
from healthlog.candidates import Origin, Tag
from healthlog.mart import record_rows
from healthlog.mart.dictionary import DATE_ALONE, origins, tags
from healthlog.mart.quarters import Clock, whole_clock
from healthlog.records import derive
from healthlog.values import shortest


@dataclass(frozen=True, slots=True)
class Digest:
    """Numbers of readings and records, and the sha256 (hex) over their canonical lines."""

    points: int
    records: int
    sha256: str


@dataclass(frozen=True, slots=True)
class _Words:
    tags: dict[int, Tag]
    origins: dict[int, Origin]
    deliveries: dict[int, str]
    clock: Clock


def digest(connection: sqlite3.Connection) -> Digest:
    """Digest of a mart: for each reading metric, layer, coordinate, numbers, unit, sources,
    offset, extra and the delivery whose word it is; for each record kind, key, data, what is
    derived from it, flags; never counts, times of folding, numbers of rows or summaries. So it
    doesn't depend on the order of folding, nor on any setting."""
    words = _Words(
        tags(connection),
        origins(connection),
        dict(connection.execute("SELECT delivery, delivery_id FROM folded")),
        whole_clock(connection),
    )
    checksum = hashlib.sha256()
    points = records = 0
    for line in _lines(connection, words):
        checksum.update(line.encode())
        points += 1
    for line in _record_lines(connection, words.clock):
        checksum.update(line.encode())
        records += 1
    return Digest(points, records, checksum.hexdigest())


def _lines(connection: sqlite3.Connection, words: _Words) -> Iterator[str]:
    series = connection.execute("SELECT series, metric, layer FROM series").fetchall()
    for number, metric, layer in sorted(series, key=itemgetter(1, 2)):
        rows = connection.execute(
            "SELECT at_ms, sub, origin, n, qty, min, avg, max, tag, said_by, offset_min, detail"
            " FROM point WHERE series = ? ORDER BY at_ms, sub",
            (number,),
        )
        # Origins are numbered in the order of folding, so rows of one instant are sorted by text.
        for _, together in groupby(rows, key=itemgetter(0, 1)):
            yield from sorted(_line(metric, layer, row, words) for row in together)


def _line(metric: str, layer: str, row: tuple[Any, ...], words: _Words) -> str:
    at_ms, sub, origin, n, qty, low, mean, high, tag, said_by, offset_min, detail = row
    try:
        sources_of_identity, reason = words.origins[origin]
        unit, sources = words.tags[tag]
        delivery_id = words.deliveries[said_by]
    except KeyError:
        raise Damaged(DANGLING) from None
    if offset_min is None:
        start_ms = _start_ms(layer, at_ms, origin, detail)
        offset_min = None if start_ms is None else words.clock.offset_min(start_ms)
    line = [
        metric,
        layer,
        [at_ms, sub, origin == DATE_ALONE, sources_of_identity, reason, n],
        [None if value is None else shortest(value) for value in (qty, low, mean, high)],
        unit,
        sources,
        offset_min,
        detail,
        delivery_id,
    ]
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"


def _start_ms(layer: str, at_ms: int, origin: int, detail: str | None) -> int | None:
    """The instant a reading begins at, None where a date was sent without a time."""
    if layer in layers.DATED - {layers.DAY}:
        start_ms: int | None = members(detail).get("start")
        return start_ms
    return None if origin == DATE_ALONE else at_ms


def _record_lines(connection: sqlite3.Connection, clock: Clock) -> Iterator[str]:
    for row in record_rows.every(connection):
        texts = record_rows.texts(connection, row.record)
        edges = (row.start_ms, row.end_ms)
        line = [
            row.kind,
            row.key,
            texts,
            [None if at_ms is None else clock.offset_min(at_ms) for at_ms in edges],
            derive.day(row.kind, *edges, clock.offset_min),
            json.loads(row.derived) | derive.by_clock(row.kind, texts, *edges, clock.offset_min),
            json.loads(row.flags),
        ]
        yield json.dumps(line, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"
