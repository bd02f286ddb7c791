"""Rows of points, many at a time, as they are written."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

SAID = ("at_ms", "sub", "origin", "n", "qty", "min", "avg", "max", "tag", "detail", "offset_min")
"""The columns of a reading in its series."""

_AT_ONCE = (64, 8, 1)


def add(connection: sqlite3.Connection, columns: Mapping[str, Sequence[Any]]) -> None:
    """Write new rows, column by column."""
    # Each value bound costs as much as reading one. Most columns say the same all along, or
    # nothing.
    told: dict[str, Sequence[Any]] = {}
    same: dict[str, Any] = {}
    for name, column in columns.items():
        first = column[0]
        if name == "at_ms" or column[-1] != first or column.count(first) < len(column):
            told[name] = column
        elif first is not None:
            same[name] = first
    values, once = _row_by_row(list(told.values())), list(same.values())
    begin = 0
    # Several rows by one statement, for to begin one costs as much as to write a row; but few
    # different statements, for each has to be prepared.
    for rows in _AT_ONCE:
        width = rows * len(told)
        end = len(values) - (len(values) - begin) % width
        if begin < end:
            statement = _statement(tuple(told), tuple(same), rows)
            some = (once + values[at : at + width] for at in range(begin, end, width))
            connection.executemany(statement, some)
        begin = end


@lru_cache(256)
def _statement(told: tuple[str, ...], same: tuple[str, ...], rows: int) -> str:
    """Inserts so many rows; bound are the values that all have, then those of each row."""
    row = f"({', '.join('?' * len(told))})"
    own = [f"column{number}" for number in range(1, len(told) + 1)]
    return (
        f"INSERT INTO point ({', '.join((*told, *same))}) SELECT {', '.join((*own, *same))}"
        f" FROM (SELECT {', '.join(f'? AS {name}' for name in same)}),"
        f" (VALUES {', '.join([row] * rows)})"
    )


def _row_by_row(columns: Sequence[Sequence[Any]]) -> list[Any]:
    """The values of all rows, one row after the other."""
    values: list[Any] = [None] * (len(columns) * len(columns[0]))
    for number, column in enumerate(columns):
        values[number :: len(columns)] = column
    return values
