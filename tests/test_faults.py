"""The table of faults, held against the tests that it names."""

from __future__ import annotations

import pytest

from tests.support.proof import fault, rows

ROWS = rows("faults.md")


def test_the_table_is_whole() -> None:
    assert [row[0] for row in ROWS] == [str(number) for number in range(1, len(ROWS) + 1)]
    assert [row[0] for row in ROWS if len(row) != 5 or not all(row)] == []


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_fault_has_a_test(row: list[str]) -> None:
    assert fault(row[-1]) is None, f"row {row[0]}: {fault(row[-1])}"


@pytest.mark.parametrize("cell", ["", "`tests/test_faults.py::test_nowhere`", "not ours: no"])
def test_a_cell_that_names_nothing_is_seen(cell: str) -> None:
    assert fault(cell) is not None
