"""Floors of folding: what the standard library alone needs for the same rows."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

_TABLE = (
    "CREATE TABLE p (series INT, layer INT, at INT, off INT, v REAL, lo REAL, hi REAL, source INT,"
    " delivery INT, PRIMARY KEY (series, layer, at)) WITHOUT ROWID"
)
_UPSERT = (
    "INSERT INTO p VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET v = excluded.v,"
    " lo = excluded.lo, hi = excluded.hi, source = excluded.source, delivery = excluded.delivery"
)


class BareStore:
    """A table of readings that are written without a look at what they say."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def fold(self, content: bytes) -> float:
        """Seconds that decoding a body and writing its points takes; what lies between isn't
        counted."""
        begun = time.perf_counter()
        decoded = json.loads(content)
        spent = time.perf_counter() - begun
        rows = _rows(decoded)
        begun = time.perf_counter()
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany(_UPSERT, rows)
        self._connection.execute("COMMIT")
        return spent + time.perf_counter() - begun


@contextmanager
def bare_store(folder: Path) -> Iterator[BareStore]:
    """An empty store in a new file of that folder, with the safety of ours."""
    path = folder / "floor.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(_TABLE)
        yield BareStore(connection)


def _rows(decoded: Any) -> list[tuple[object, ...]]:
    names: dict[str, int] = {}
    return [
        (
            *(names.setdefault(metric["name"], len(names)), 1, place, 180),
            *(point.get("qty", point.get("Avg")), point.get("Min"), point.get("Max"), 1, 1),
        )
        for metric in decoded["data"]["metrics"]
        for place, point in enumerate(metric["data"])
    ]
