"""The table of quirks, held against the tests that it names."""

from __future__ import annotations

import ast
import re

import pytest

from tests.support.sources import ROOT, sources

REASONS = ("not ours:", "reader's:", "not yet:")
NAMED = re.compile(r"`(tests/(?:\w+/)*test_\w+\.py::test_\w+)`")

TABLE = (ROOT / "docs/quirks.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TABLE.splitlines()
    if re.match(r"\| *\d", line)
]
TESTS = {
    f"{file.path}::{node.name}"
    for file in sources("tests")
    for node in file.tree.body
    if isinstance(node, ast.FunctionDef)
}


def fault(test: str) -> str | None:
    """What is wrong with the last cell of a row."""
    named = NAMED.fullmatch(test)
    if named is None:
        return None if test.startswith(REASONS) else f"neither a test nor a reason: {test}"
    return None if named[1] in TESTS else f"no such test: {named[1]}"


def test_the_table_has_every_quirk_once() -> None:
    assert [row[0] for row in ROWS] == [str(number) for number in range(1, 96)]
    assert [row[0] for row in ROWS if len(row) != 4 or not all(row)] == []


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_quirk_has_a_test_or_a_reason(row: list[str]) -> None:
    found = fault(row[-1])
    assert found is None, f"row {row[0]}: {found}"


@pytest.mark.parametrize(
    "test", ["", "`tests/test_quirks.py::test_nowhere`", "tests/test_quirks.py", "later: perhaps"]
)
def test_a_cell_that_names_nothing_is_seen(test: str) -> None:
    assert fault(test) is not None
