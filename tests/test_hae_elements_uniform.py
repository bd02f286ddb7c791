"""Elements of the two plain shapes, read by the column: they come out as if read one by one."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from healthlog.hae.elements import Elements
from healthlog.reading import Columns, columns

DATE = "2026-05-03 07:00:00 +0200"
MORNING = 1_777_784_400_000
PLAIN = {"date": DATE, "qty": 1, "source": "Watch"}
RANGE = {"date": DATE, "Min": 1, "Avg": 2.5, "Max": 4, "source": "Watch"}


def uniform(elements: list[Any], latest_ms: int | None = None) -> Columns | None:
    return Elements(latest_ms).uniform(elements)


def one_by_one(elements: list[Any]) -> Columns:
    return columns(Elements(None).reading(element, ()) for element in elements)


@pytest.mark.parametrize("shape", [PLAIN, RANGE])
@pytest.mark.parametrize(
    "source", [{}, {"source": None}, {"source": ""}, {"source": "iPhone|Watch"}]
)
def test_uniform_elements_are_the_same_read_at_once(
    shape: dict[str, object], source: dict[str, object]
) -> None:
    bare = {key: value for key, value in shape.items() if key != "source"}
    elements = [
        {**bare, **source},
        dict(reversed({**bare, **source, "date": "2026-05-04T01:02:03Z"}.items())),
    ]
    assert uniform(elements) == one_by_one(elements)


def test_numbers_read_at_once_are_doubles() -> None:
    values = [0, -0.0, 5, 5.5, 2**53 + 1, 10**300, 1e-320]
    elements = [{"date": DATE, "qty": value} for value in values]
    found = uniform(elements)
    assert found is not None
    assert list(map(repr, found.qty)) == list(map(repr, one_by_one(elements).qty))


@pytest.mark.parametrize(
    "odd",
    [
        None,
        5,
        [],
        "x",
        {},
        {"date": DATE},
        {**PLAIN, "more": 1},
        {"date": DATE, "qty": 1, "Source": "Watch"},
        {**PLAIN, "date": "2026-05-03"},
        {**PLAIN, "date": "yesterday"},
        {**PLAIN, "date": None},
        {**PLAIN, "date": [DATE]},
        {**PLAIN, "date": "1899-01-01T00:00:00Z"},
        {**PLAIN, "date": "2026-05-03T05:00:00.001Z"},
        {**PLAIN, "qty": None},
        {**PLAIN, "qty": "1"},
        {**PLAIN, "qty": True},
        {**PLAIN, "qty": math.nan},
        {**PLAIN, "qty": math.inf},
        {**PLAIN, "qty": 10**400},
        {**PLAIN, "source": 5},
        {**PLAIN, "source": ["Watch"]},
        {**PLAIN, "source": True},
        RANGE,
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_odd_element_and_each_is_looked_at(odd: Any, place: int) -> None:
    elements: list[Any] = [PLAIN, PLAIN]
    elements.insert(place, odd)
    assert uniform(elements, latest_ms=MORNING) is None


def test_random_elements_come_out_the_same_either_way() -> None:
    chance = random.Random(7)
    dates = [DATE, "2026-05-03 7:05:00 am +0200", "2026-05-03T05:00:00Z", "2026-05-03"]
    numbers: list[Any] = [0, 1, -0.0, 2.5, 10**17, None, True, "1", math.nan]
    read_at_once = 0
    for _ in range(3_000):
        elements = [_random_element(chance, dates, numbers) for _ in range(chance.randint(1, 3))]
        found = uniform(elements)
        if found is not None:
            read_at_once += 1
            assert found == one_by_one(elements)
    assert read_at_once > 100


def _random_element(chance: random.Random, dates: list[str], numbers: list[Any]) -> dict[str, Any]:
    shape = chance.choice((("qty",), ("Min", "Avg", "Max")))
    pool = numbers if chance.random() < 0.2 else numbers[:5]
    element = {"date": chance.choice(dates if chance.random() < 0.2 else dates[:3])}
    element |= {key: chance.choice(pool) for key in shape}
    if chance.random() < 0.5:
        element["source"] = chance.choice(("Watch", "", "iPhone|Watch"))
    keys = list(element)
    chance.shuffle(keys)
    return {key: element[key] for key in keys}
