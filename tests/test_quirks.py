"""The table of quirks, held against the tests that it names."""

from __future__ import annotations

import pytest

from tests.support.proof import fault, rows

REASONS = ("not ours:", "reader's:")
ROWS = rows("quirks.md")


def test_the_table_has_every_quirk_once() -> None:
    assert [row[0] for row in ROWS] == [str(number) for number in range(1, 96)]
    assert [row[0] for row in ROWS if len(row) != 4 or not all(row)] == []


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_quirk_has_a_test_or_a_reason(row: list[str]) -> None:
    found = fault(row[-1], REASONS)
    assert found is None, f"row {row[0]}: {found}"


@pytest.mark.parametrize(
    "test",
    [
        *("", "tests/test_quirks.py", "later: perhaps", "not yet: somebody will"),
        "`tests/test_quirks.py::test_nowhere`",
        "`tests/test_quirks.py::test_the_table_has_every_quirk_once`, `tests/test_a.py::test_b`",
    ],
)
def test_a_cell_that_names_nothing_is_seen(test: str) -> None:
    assert fault(test, REASONS) is not None
