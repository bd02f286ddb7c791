"""Rows of a series in memory: what was changed can be taken back, what is owed is written."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from healthlog.mart.standing import COLUMNS, Row, Standing, loaded
from tests.support.folding import MemoryMart

SERIES = 7
SAID_BY = COLUMNS.index("said_by")


@pytest.fixture
def mart() -> Iterator[MemoryMart]:
    made = MemoryMart()
    yield made
    made.connection.close()


def row(at_ms: int, n: int = 0, said_by: int = 1, qty: float = 1.0) -> Row:
    told: dict[str, Any] = dict.fromkeys(COLUMNS)
    told |= {"at_ms": at_ms, "sub": 0, "origin": 0, "n": n, "qty": qty, "tag": 1}
    return tuple((told | {"said_by": said_by}).values())


def write(mart: MemoryMart, rows: list[Row]) -> None:
    marks = ", ".join("?" * (len(COLUMNS) + 1))
    into = f"INSERT INTO point ({', '.join(COLUMNS)}, series) VALUES ({marks})"
    mart.connection.executemany(into, [(*one, SERIES) for one in rows])


def held(rows: list[Row], first_ms: int = 0, last_ms: int = 1_000) -> Standing:
    return Standing(SERIES, first_ms, last_ms, [list(column) for column in zip(*rows, strict=True)])


def stored(mart: MemoryMart, first_ms: int, last_ms: int) -> list[Row]:
    return list(zip(*loaded(mart.connection, SERIES, first_ms, last_ms), strict=True))


def everything(standing: Standing) -> list[Row]:
    return standing.rows(0, len(standing))


def test_a_place_holds_the_rows_between_two_instants() -> None:
    standing = held([row(10), row(20), row(20, n=1), row(30)])
    assert standing.place(0, 9) == (0, 0)
    assert standing.place(10, 20) == (0, 3)
    assert standing.place(20, 29) == (1, 3)
    assert standing.place(31, 99) == (4, 4)


@pytest.mark.parametrize("number", range(40))
def test_what_was_not_kept_is_taken_back(number: int) -> None:
    chance = random.Random(number)
    rows = [row(at_ms, said_by=chance.randint(1, 3)) for at_ms in range(0, 400, 10)]
    standing = held(rows, 0, 390)
    change(standing, chance)
    standing.keep()
    kept = everything(standing), standing._state()
    for _ in range(chance.randint(1, 12)):
        change(standing, chance)
        standing.spoken_ms += 10
    standing.undo()
    assert (everything(standing), standing._state()) == kept


def change(standing: Standing, chance: random.Random) -> None:
    begin = chance.randint(0, len(standing) - 1)
    end = chance.randint(begin + 1, len(standing))
    kind = chance.randint(0, 2)
    if kind == 0:
        standing.let_say(begin, end, chance.randint(4, 9), {1, 2, 3})
    elif kind == 1:
        standing.put(begin, end, [row(standing.columns[0][begin], n=n) for n in range(3)])
    else:
        last_ms = standing.last_ms
        more = [row(last_ms + 10), row(last_ms + 20)]
        standing.extend(last_ms + 30, list(zip(*more, strict=True)))


@pytest.mark.parametrize("number", range(40))
def test_what_is_owed_is_written_and_nothing_else(mart: MemoryMart, number: int) -> None:
    chance = random.Random(number)
    # Several rows of one instant may be said by different deliveries.
    rows = [row(at_ms, n, chance.randint(1, 4)) for at_ms in range(25) for n in range(at_ms % 3)]
    write(mart, rows)
    write(mart, [row(-1), row(2_000)])
    standing = held(rows)
    for _ in range(3):
        begin = chance.randint(0, len(rows) - 1)
        standing.let_say(begin, chance.randint(begin + 1, len(rows)), chance.randint(5, 9), {1, 2})
    standing.settle(mart.connection)
    assert not standing.is_owed
    assert stored(mart, 0, 1_000) == everything(standing)
    assert stored(mart, -9, 9_999)[:: len(rows) + 1] == [row(-1), row(2_000)]


def test_only_those_are_replaced_that_are_named() -> None:
    standing = held([row(10, said_by=1), row(20, said_by=2), row(30, said_by=1)])
    standing.let_say(0, 3, 5, {1})
    assert [one[SAID_BY] for one in everything(standing)] == [5, 2, 5]


def test_one_other_word_and_it_is_not_the_same() -> None:
    standing = held([row(10), row(20), row(30)])
    said = [list(column) for column in zip(row(20), row(30), strict=True)][:SAID_BY]
    assert standing.says(1, said)
    assert not standing.says(0, said)
    for place, other in enumerate(("x", 1, 2, 3, 4.5, 0.0, 0.0, 0.0, 2, "{}", 60)):
        changed = [list(column) for column in said]
        changed[place][1] = other
        assert not standing.says(1, changed)


def test_what_is_forgotten_is_not_held() -> None:
    standing = held([row(10), row(20), row(30)])
    standing.forget_before(20)
    assert everything(standing) == [row(20), row(30)]
    assert (standing.first_ms, standing.last_ms) == (20, 1_000)


def test_stretches_are_found_by_the_key(mart: MemoryMart) -> None:
    asked: list[str] = []
    write(mart, [row(10), row(20)])
    mart.connection.set_trace_callback(asked.append)
    standing = held(stored(mart, 0, 99))
    standing.let_say(0, 2, 5, {1})
    standing.settle(mart.connection)
    mart.connection.set_trace_callback(None)
    queries = [query for query in asked if "point" in query]
    assert len(queries) == 2
    for query in queries:
        plan = mart.connection.execute(f"EXPLAIN QUERY PLAN {query}").fetchall()
        [only] = [step[3] for step in plan]
        assert only.startswith("SEARCH point USING PRIMARY KEY (series=? AND ")
