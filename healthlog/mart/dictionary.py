"""Short numbers for the words that rows repeat: series, tags, origins."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from healthlog import candidates
from healthlog.base.stored import pair
from healthlog.candidates import Origin, Tag
from healthlog.mart.kept import Kept

NO_ORIGIN, DATE_ALONE = 0, -1
_ORIGINS: Mapping[Origin, int] = {
    candidates.NO_ORIGIN: NO_ORIGIN,
    candidates.DATE_ALONE: DATE_ALONE,
}
_LONGEST = 500
_NOTHING: Mapping[str, str | None] = {}


class Dictionary:
    """Numbers of words within one write transaction; `known` are those of earlier ones."""

    def __init__(
        self, connection: sqlite3.Connection, known: Kept[tuple[str, Hashable], int]
    ) -> None:
        self._connection = connection
        self._known = known

    def series(self, metric: str, layer: str) -> int:
        found = self._known.get(("series", (metric, layer)))
        if found is None:
            found = self._number("series", {"metric": metric, "layer": layer})
            self._keep(("series", (metric, layer)), len(metric), found)
        return found

    def tag(self, tag: Tag) -> int:
        found = self._known.get(("tag", tag))
        if found is None:
            unit, sources = tag
            label = {"label": _text([unit, list(sources)])}
            said = {"unit": unit, "sources": _text(list(sources))}
            found = self._number("tag", label, said)
            self._keep(("tag", tag), len(label["label"]), found)
        return found

    def origin(self, origin: Origin) -> int:
        found = _ORIGINS.get(origin)
        if found is None:
            found = self._known.get(("origin", origin))
        if found is None:
            sources, reason = origin
            label = _text([sources if sources is None else list(sources), reason])
            found = self._number("origin", {"label": label})
            self._keep(("origin", origin), len(label), found)
        return found

    def _keep(self, name: tuple[str, Hashable], length: int, number: int) -> None:
        """Know a word from now on, if it isn't long: whoever sends may make up many."""
        if length <= _LONGEST:
            self._known.put(name, number)

    def _number(
        self, table: str, label: Mapping[str, str], more: Mapping[str, str | None] = _NOTHING
    ) -> int:
        """The number of the row with a label; a new row says `more` beside."""
        where = " AND ".join(f"{name} = ?" for name in label)
        query = f"SELECT {table} FROM {table} WHERE {where}"
        row = self._connection.execute(query, tuple(label.values())).fetchone()
        if row is not None:
            return int(row[0])
        said = {**label, **more}
        insert = f"INSERT INTO {table} ({', '.join(said)}) VALUES ({', '.join('?' * len(said))})"
        number = self._connection.execute(insert, tuple(said.values())).lastrowid
        assert number is not None
        return number


def _text(value: Sequence[object]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


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
