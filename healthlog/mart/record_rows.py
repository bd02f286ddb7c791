"""Records as the mart keeps them: rows to values."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from healthlog.records import derive
from healthlog.records import join as record_join
from healthlog.records.record import Record
from healthlog.span import LEAST

_LONG = 2_048
DERIVED = "at_ms, start_ms, end_ms, derived, flags, mate, loose"
COLUMNS = f"record, kind, key, {DERIVED}"


class Row(NamedTuple):
    """A record without its fields; what its columns mean stands in the migration."""

    record: int
    kind: str
    key: str
    at_ms: int
    start_ms: int | None
    end_ms: int | None
    derived: str
    flags: str
    mate: str | None
    loose: int


def packed(text: str) -> str | bytes:
    """A value as it is stored: long ones are compressed."""
    return text if len(text) < _LONG else zlib.compress(text.encode())


def unpacked(value: str | bytes) -> str:
    return value if isinstance(value, str) else zlib.decompress(value).decode()


def derived(kind: str, texts: Mapping[str, str]) -> tuple[int, Any, Any, str, str, Any, int]:
    """The columns `DERIVED` of a record with these fields."""
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


def find(connection: sqlite3.Connection, kind: str, key: str) -> Row | None:
    row = connection.execute(
        f"SELECT {COLUMNS} FROM record WHERE kind = ? AND key = ?", (kind, key)
    ).fetchone()
    return None if row is None else Row._make(row)


def known(connection: sqlite3.Connection, kind: str, keys: Sequence[str]) -> Iterator[Row]:
    """Those of one kind that there are of these."""
    marks = ",".join("?" * len(keys))
    query = f"SELECT {COLUMNS} FROM record WHERE kind = ? AND key IN ({marks})"
    return map(Row._make, connection.execute(query, (kind, *keys)))


def stand(
    connection: sqlite3.Connection, records: Sequence[int]
) -> Iterator[tuple[int, str, str | bytes, int]]:
    """The fields of records, record by record: its number, name, value as stored, who said it."""
    marks = ",".join("?" * len(records))
    return connection.execute(
        f"SELECT record, name, value, said_by FROM field WHERE record IN ({marks}) ORDER BY record",
        records,
    )


def texts(connection: sqlite3.Connection, record: int) -> dict[str, str]:
    """The fields of a record by name, as canonical JSON."""
    rows = connection.execute(
        "SELECT name, value FROM field WHERE record = ? ORDER BY name", (record,)
    )
    return {name: unpacked(value) for name, value in rows}


def data(connection: sqlite3.Connection, record: int) -> dict[str, Any]:
    """The fields of a record by name, as sent."""
    return {name: json.loads(text) for name, text in texts(connection, record).items()}


def record_of(connection: sqlite3.Connection, row: Row) -> Record:
    """The whole record of a row."""
    speakers = connection.execute(
        "SELECT DISTINCT delivery_id FROM field JOIN folded ON folded.delivery = said_by"
        " WHERE record = ? ORDER BY delivery_id",
        (row.record,),
    )
    return Record(
        kind=row.kind,
        key=row.key,
        start_ms=row.start_ms,
        end_ms=row.end_ms,
        data=data(connection, row.record),
        derived=json.loads(row.derived),
        flags=tuple(json.loads(row.flags)),
        delivery_ids=tuple(speaker for (speaker,) in speakers),
    )


def weight(connection: sqlite3.Connection, record: int) -> int:
    """Bytes that the fields of a record take as they are stored."""
    (size,) = connection.execute(
        "SELECT total(length(value)) FROM field WHERE record = ?", (record,)
    ).fetchone()
    return int(size)


def every(connection: sqlite3.Connection) -> Iterator[Row]:
    """All rows in the order of kind, then key."""
    rows = connection.execute(f"SELECT {COLUMNS} FROM record ORDER BY kind, key")
    return map(Row._make, rows)


def counts(connection: sqlite3.Connection) -> dict[str, int]:
    """How many records there are of each kind that there is."""
    return dict(connection.execute("SELECT kind, count(*) FROM record GROUP BY kind"))
