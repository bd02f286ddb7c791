"""Tables in the documents whose rows end with the name of the test that proves them."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cache

from tests.support.sources import ROOT, sources

_NAMED = re.compile(r"`(tests/(?:\w+/)*test_\w+\.py::test_\w+)`")


def rows(page: str) -> list[list[str]]:
    """The cells of each numbered row of a page in `docs/`."""
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()
        if re.match(r"\| *\d", line)
    ]


def fault(cell: str, reasons: Sequence[str] = ()) -> str | None:
    """What is wrong with a cell that names tests, or gives one of these reasons for there being
    none."""
    named = _NAMED.findall(cell)
    if not named or _NAMED.sub("", cell).strip(" ,"):
        return None if cell.startswith(tuple(reasons)) else f"neither a test nor a reason: {cell}"
    missing = [one for one in named if one not in _tests()]
    return f"no such test: {', '.join(missing)}" if missing else None


@cache
def _tests() -> frozenset[str]:
    return frozenset(
        f"{file.path}::{node.name}"
        for file in sources("tests")
        for node in file.tree.body
        if isinstance(node, ast.FunctionDef)
    )
