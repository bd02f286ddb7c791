"""Rows of points, written many at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from healthlog.mart import point_rows
from healthlog.mart.point_rows import SAID
from tests.support.folding import MemoryMart

COUNT = 37


@pytest.fixture
def mart() -> Iterator[MemoryMart]:
    made = MemoryMart()
    yield made
    made.connection.close()


def columns(**told: Any) -> dict[str, list[Any]]:
    """So many readings one after the other, that say the same but for when they are and how much;
    and what is told otherwise."""
    plain: dict[str, list[Any]] = {name: [None] * COUNT for name in SAID}
    plain |= {name: [0] * COUNT for name in ("sub", "origin", "n")}
    plain |= {
        "at_ms": [1_000 + number for number in range(COUNT)],
        "qty": [number / 7 for number in range(COUNT)],
        "tag": [5] * COUNT,
    }
    return plain | told


def add(mart: MemoryMart, said: dict[str, list[Any]], said_by: int = 3) -> None:
    who: dict[str, list[Any]] = {
        "said_by": [said_by] * COUNT,
        "closed_by": [None] * COUNT,
        "series": [1] * COUNT,
    }
    point_rows.add(mart.connection, said | who)


@pytest.mark.parametrize("told", [{}, {"detail": ["{}"] * COUNT}, {"min": [None] * 36 + [1.5]}])
def test_rows_are_written_as_they_are_told(mart: MemoryMart, told: dict[str, list[Any]]) -> None:
    said = columns(**told)
    add(mart, said)
    rows = mart.connection.execute(
        f"SELECT {', '.join(SAID)}, said_by, closed_by, series FROM point ORDER BY at_ms"
    ).fetchall()
    expected = list(zip(*said.values(), strict=True))
    assert rows == [(*row, 3, None, 1) for row in expected]
