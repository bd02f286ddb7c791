"""Short numbers for the words that rows repeat: series, tags, origins."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from healthlog import candidates
from healthlog.base.stored import pair
from healthlog.candidates import Origin, Tag

NO_ORIGIN, DATE_ALONE = 0, -1


class Dictionary:
    """Numbers of words within one write transaction; made anew for each, so that a rollback
    leaves nothing remembered that isn't there."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._tags: dict[Tag, int] = {}
        self._origins: dict[Origin, int] = {
            candidates.NO_ORIGIN: NO_ORIGIN,
            candidates.DATE_ALONE: DATE_ALONE,
        }

    def series(self, metric: str, layer: str) -> int:
        self._connection.execute(
            "INSERT INTO series (metric, layer) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (metric, layer),
        )
        return _only(
            self._connection,
            "SELECT series FROM series WHERE metric = ? AND layer = ?",
            (metric, layer),
        )

    def tag(self, tag: Tag) -> int:
        found = self._tags.get(tag)
        if found is None:
            unit, sources = tag
            found = self._tags[tag] = self._number("tag", [unit, list(sources)])
        return found

    def origin(self, origin: Origin) -> int:
        found = self._origins.get(origin)
        if found is None:
            sources, reason = origin
            label = [sources if sources is None else list(sources), reason]
            found = self._origins[origin] = self._number("origin", label)
        return found

    def _number(self, table: str, label: Sequence[object]) -> int:
        text = json.dumps(label, ensure_ascii=False, separators=(",", ":"))
        self._connection.execute(
            f"INSERT INTO {table} (label) VALUES (?) ON CONFLICT DO NOTHING", (text,)
        )
        return _only(self._connection, f"SELECT {table} FROM {table} WHERE label = ?", (text,))


def _only(connection: sqlite3.Connection, sql: str, values: tuple[object, ...]) -> int:
    (number,) = connection.execute(sql, values).fetchone()
    return int(number)


def tags(connection: sqlite3.Connection) -> dict[int, Tag]:
    """Every tag by its number."""
    return {number: (unit, tuple(sources)) for number, (unit, sources) in _all(connection, "tag")}


def origins(connection: sqlite3.Connection) -> dict[int, Origin]:
    """Every origin by its number, that of no origin and of a date alone included."""
    found = {NO_ORIGIN: candidates.NO_ORIGIN, DATE_ALONE: candidates.DATE_ALONE}
    for number, (sources, reason) in _all(connection, "origin"):
        found[number] = (None if sources is None else tuple(sources), reason)
    return found


def _all(connection: sqlite3.Connection, table: str) -> list[tuple[int, tuple[Any, Any]]]:
    rows = connection.execute(f"SELECT {table}, label FROM {table}").fetchall()
    return [(number, pair(label)) for number, label in rows]
