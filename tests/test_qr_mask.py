"""The penalty by which a mask is chosen, counted by hand."""

from __future__ import annotations

import pytest

from healthlog.qr import mask
from healthlog.qr.symbol import encode

ALTERNATING = [0b01010101 if y % 2 else 0b10101010 for y in range(8)]


def rows(*pictures: str) -> list[int]:
    """Rows drawn with # for dark, column 0 first."""
    return [int(picture[::-1].replace("#", "1").replace(".", "0"), 2) for picture in pictures]


def test_a_chequerboard_costs_nothing() -> None:
    assert mask.penalty(ALTERNATING) == 0


@pytest.mark.parametrize(
    ("row", "cost"),
    [("#.#.#.#.#.", 0), ("####.#.#.#", 0), ("#####.#.#.", 3), ("######.#.#", 4),
     ("##########", 8), (".....#####", 6), ("#.....#.#.", 3)],
)  # fmt: skip
def test_runs_of_five_cost_three_and_one_for_each_further(row: str, cost: int) -> None:
    assert mask._runs(rows(row)[0], len(row)) == cost


@pytest.mark.parametrize(
    ("above", "below", "cost"),
    [("##.", "##.", 3), ("###", "###", 6), ("...", "...", 6), ("##.", "#..", 0), ("#.#", ".#.", 0)],
)
def test_blocks_of_one_colour_cost_three(above: str, below: str, cost: int) -> None:
    a, b = rows(above, below)
    assert mask._blocks(a, b, 3) == cost


@pytest.mark.parametrize(
    ("row", "cost"),
    [("##.###.#...##", 0), ("##.#.###.#....#", 40), ("#....#.###.#.##", 40),
     # The light border counts: in the corner there are four light modules on the left.
     ("#.###.#.#####", 40), ("#####.#.###.#", 40), ("#.###.#....##", 80), ("#.##.#.#.#.##", 0)],
)  # fmt: skip
def test_what_looks_like_a_finder_costs_forty(row: str, cost: int) -> None:
    assert mask._finders(rows(row)[0], len(row)) == cost


@pytest.mark.parametrize(("dark", "cost"), [(50, 0), (54, 0), (55, 10), (45, 10), (0, 100)])
def test_each_five_percent_off_half_cost_ten(dark: int, cost: int) -> None:
    bits = (1 << dark) - 1
    assert mask._imbalance([bits >> 10 * n & 0x3FF for n in range(10)]) == cost


def test_columns_are_the_rows_turned() -> None:
    assert mask._columns(rows("##.", "..#", "#..")) == rows("#.#", "#..", ".#.")


def test_the_mask_taken_is_the_one_that_costs_least() -> None:
    data = b"com.HealthExport://automation?url=http"
    costs = [mask.penalty(encode(data, mask=n).rows) for n in mask.MASKS]
    assert costs[encode(data).mask] == min(costs)
    assert len(set(costs)) > 1
