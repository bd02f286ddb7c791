"""The project's Python files as text with their syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Source:
    """One file; `module` is its dotted name, `healthlog.base` for `healthlog/base/__init__.py`."""

    path: str
    module: str
    text: str

    @property
    def tree(self) -> ast.Module:
        return _parsed(self.path, self.text)

    @property
    def is_package(self) -> bool:
        return self.path.endswith("/__init__.py")


def source(path: str, text: str) -> Source:
    """The file at `path`, relative to the repository, if its contents were `text`."""
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    return Source(path, ".".join(parts), text)


@cache
def _parsed(path: str, text: str) -> ast.Module:
    return ast.parse(text, path)


@cache
def sources(folder: str) -> tuple[Source, ...]:
    """Every Python file under `folder` of the repository, in the order of their names."""
    return tuple(
        source(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / folder).rglob("*.py"))
    )


def functions(tree: ast.Module) -> Iterator[Function]:
    """Every function and method, nested ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def uses(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Full names of everything imported that is named, with the line: `datetime.datetime.now`, 12.

    Names are followed through `import a as b` and `from a import b as c`: no alias hides one.
    """
    known = _imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)
        elif isinstance(node, ast.Attribute):
            name = _dotted(node, known)
            if name:
                yield name, node.lineno


def _imported(tree: ast.Module) -> dict[str, str]:
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.split(".")[0]
                known[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return known


def _dotted(node: ast.expr, known: dict[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute):
        head = _dotted(node.value, known)
        return f"{head}.{node.attr}" if head else None
    return None
