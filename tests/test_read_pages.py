"""Pages of points: where each ends, how the next joins, what SQLite does for it."""

from __future__ import annotations

from datetime import UTC
from itertools import chain
from typing import Any

import pytest

from healthlog.base.clock import parse_us
from healthlog.layer import LAYERS
from healthlog.read import points as read
from healthlog.read.points import Position
from healthlog.span import Span, edge
from tests.support.reading import (
    DAYS,
    HOURS,
    MINUTES,
    SECONDS,
    Desk,
    body,
    metric,
    steps,
)


def followed(desk: Desk, name: str, **asked_for: Any) -> list[list[dict[str, Any]]]:
    """All pages, each begun where the one before says."""
    pages, behind = [], None
    while True:
        one = desk.page(name, behind=behind, **asked_for)
        pages.append(one.items)
        if one.following is None:
            return pages
        behind = one.following


def test_a_full_page_names_where_the_next_begins(desk: Desk) -> None:
    desk.send(steps(*((f"2026-05-03 09:0{n}:00 +0200", n) for n in range(5))), MINUTES)
    assert [len(one) for one in followed(desk, "step_count", limit=2)] == [2, 2, 1]
    assert [len(one) for one in followed(desk, "step_count", limit=5)] == [5]


def test_pages_over_all_layers_join_without_gap_or_double(desk: Desk) -> None:
    at = "2026-05-03 00:00:00 +0000"
    for aggregation in (SECONDS, MINUTES, HOURS, DAYS, "Weeks", "Months"):
        desk.send(steps((at, 1), (at, 2)), aggregation)
    twins = [{"date": at, "qty": 1, "source": one} for one in ("Watch", "iPhone", "Scale")]
    desk.send(body(metric("step_count", "count", *twins)), SECONDS)
    desk.send(steps(("2026-05-03", 3)), DAYS)
    whole = desk.page().items
    assert len(whole) == 6 * 2 + 3 + 1
    for limit in range(1, 8):
        assert list(chain(*followed(desk, "step_count", limit=limit))) == whole


def test_a_page_may_begin_behind_a_layer_that_is_not_asked_for(desk: Desk) -> None:
    desk.send(steps(("2026-05-03 09:00:00 +0200", 1), ("2026-05-03 09:01:00 +0200", 2)), MINUTES)
    at_ms = parse_us("2026-05-03T07:00:00Z") // 1_000
    finer, coarser = Position(at_ms, "raw", 0, 0, 0), Position(at_ms, "hour", 0, 0, 0)
    assert [len(desk.page(behind=one).items) for one in (finer, coarser)] == [2, 1]


@pytest.mark.parametrize("layer", LAYERS)
def test_a_page_is_searched_in_the_primary_key(desk: Desk, layer: str) -> None:
    span = Span(edge("2026-05-03", UTC), edge("2026-05-04", UTC))
    behind = Position(1_777_777_777_777, layer, 0, 0, 0)
    first, *joins = desk.plans(
        lambda c: list(read._rows(c, 1, layer, span, behind=behind, limit=10))
    )
    bounds = "series=? AND (at_ms,sub,origin,n)>(?,?,?,?) AND at_ms<?"
    assert first == f"SEARCH point USING PRIMARY KEY ({bounds})"
    assert len(joins) == 2
    assert all(" USING INTEGER PRIMARY KEY (rowid=?)" in plan for plan in joins)
