"""The graph of imports, as the code draws it beside what docs/architecture.md allows.

`python -m tests.support.imports` prints the rows that the table lacks, ready to be pasted.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase

from tests.support.sources import ROOT, Source, sources

PACKAGE = "healthlog"
TABLE = ROOT / "docs" / "architecture.md"

Graph = dict[str, set[str]]
"""Module to the modules it imports, all without the leading `healthlog.`."""


def graph(files: Iterable[Source]) -> Graph:
    """The arrows between the modules of `files`; packages are left out, they are empty."""
    files = list(files)
    modules = {file.module for file in files if not file.is_package}
    return {
        _short(file.module): {_short(target) for target in _targets(file, modules)}
        for file in files
        if not file.is_package
    }


def imports(tree: ast.AST) -> Iterator[tuple[str, list[str], int]]:
    """Every import below `tree`: module, names taken from it (none for a plain import), line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, [], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), [a.name for a in node.names], node.lineno


def _targets(file: Source, modules: set[str]) -> Iterator[str]:
    for module, names, _ in imports(file.tree):
        if module.split(".")[0] != PACKAGE:
            continue
        submodules = [f"{module}.{name}" for name in names if f"{module}.{name}" in modules]
        yield from submodules
        # What isn't a module comes out of `module` itself.
        if len(submodules) < len(names) or not names:
            yield module


def _short(module: str) -> str:
    return module.removeprefix(f"{PACKAGE}.")


def table(text: str) -> dict[str, list[str]]:
    """Rows of the table under `## Imports`: module or pattern to what it may import."""
    section = re.search(r"^## Imports\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    rows: dict[str, list[str]] = {}
    for line in section[1].splitlines() if section else []:
        cells = line.split("|")
        if len(cells) != 4 or "`" not in cells[1]:
            continue
        for module in re.findall(r"`([^`]+)`", cells[1]):
            if module in rows:
                raise ValueError(f"{TABLE.name} has two rows for {module}")
            rows[module] = re.findall(r"`([^`]+)`", cells[2])
    return rows


def row_of(module: str, rows: Mapping[str, list[str]]) -> str | None:
    """The row that speaks of `module`: its own, else the longest pattern that fits."""
    fitting = [row for row in rows if fnmatchcase(module, row)]
    return max(fitting, key=lambda row: (row == module, len(row)), default=None)


def forbidden(arrows: Graph, rows: Mapping[str, list[str]]) -> Graph:
    """The arrows that no row allows; a module without a row has an entry, if only an empty one."""
    found: Graph = {}
    for module, targets in arrows.items():
        row = row_of(module, rows)
        allowed = rows[row] if row is not None else []
        extra = {t for t in targets if not any(fnmatchcase(t, pattern) for pattern in allowed)}
        if extra or row is None:
            found[module] = extra
    return found


def missing_rows(arrows: Graph, rows: Mapping[str, list[str]]) -> list[str]:
    """The lines that would make the table allow everything the code does."""
    lines = []
    for module, extra in sorted(forbidden(arrows, rows).items()):
        row = row_of(module, rows) or module
        names = sorted({*rows.get(row, []), *extra})
        lines.append(f"| `{row}` | {' '.join(f'`{name}`' for name in names) or 'nothing'} |")
    return lines


def main() -> int:
    rows = table(TABLE.read_text(encoding="utf-8"))
    lines = missing_rows(graph(sources(PACKAGE)), rows)
    print("\n".join(lines) or "docs/architecture.md allows every import there is")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
