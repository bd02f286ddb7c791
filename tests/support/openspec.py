"""The specifications under openspec/specs, read as far as the tests ask them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.support.sources import ROOT, Source

FOLDER = ROOT / "openspec" / "specs"

HEADING = re.compile(r"^(#{1,6})[ \t]+(.*?)[ \t]*$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```[ \t]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Scenario:
    """One `#### Scenario:` with the text under it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Requirement:
    """One `### Requirement:`; `text` ends where its first scenario begins."""

    name: str
    text: str
    scenarios: tuple[Scenario, ...]


@dataclass(frozen=True, slots=True)
class Spec:
    """One `spec.md`; `capability` is its folder's name, `stray` are headings out of place."""

    capability: str
    purpose: str
    requirements: tuple[Requirement, ...]
    stray: tuple[str, ...]


def specs() -> list[Spec]:
    """Every specification of the project, in the order of their names."""
    files = sorted(FOLDER.glob("*/spec.md"))
    return [read(path.parent.name, path.read_text(encoding="utf-8")) for path in files]


def read(capability: str, text: str) -> Spec:
    """The specification written in `text`."""
    purpose, stray = "", []
    requirements: list[Requirement] = []
    for level, title, body in _parts(text):
        kind, _, name = title.partition(": ")
        if (level, title) == (2, "Purpose"):
            purpose = body
        elif (level, kind) == (3, "Requirement"):
            requirements.append(Requirement(name, body, ()))
        elif (level, kind) == (4, "Scenario") and requirements:
            last = requirements.pop()
            scenarios = (*last.scenarios, Scenario(name, body))
            requirements.append(Requirement(last.name, last.text, scenarios))
        elif level > 2 or kind in {"Requirement", "Scenario"}:
            stray.append(title)
    return Spec(capability, purpose, tuple(requirements), tuple(stray))


def _parts(text: str) -> Iterator[tuple[int, str, str]]:
    """Level, title and the text as far as the next heading; fenced examples hold no headings."""
    plain = FENCE.sub("", text)
    found = list(HEADING.finditer(plain))
    ends = [match.start() for match in found[1:]] + [len(plain)]
    for match, end in zip(found, ends, strict=True):
        yield len(match[1]), match[2], plain[match.end() : end].strip()


def faults(spec: Spec) -> Iterator[str]:
    """What `openspec validate --strict` would object to, and headings that it would overlook."""
    if len(spec.purpose) < 50:
        yield "the purpose has less than 50 characters"
    if not spec.requirements:
        yield "no requirement"
    yield from (f"a heading out of place: {title}" for title in spec.stray)
    yield from (
        f"two requirements are called {name}"
        for name in _doubles(r.name for r in spec.requirements)
    )
    every = [
        scenario.name for requirement in spec.requirements for scenario in requirement.scenarios
    ]
    yield from (f"two scenarios are called {name}" for name in _doubles(every))
    for requirement in spec.requirements:
        yield from (f"{requirement.name}: {fault}" for fault in _requirement_faults(requirement))


def _requirement_faults(requirement: Requirement) -> Iterator[str]:
    if not re.search(r"\b(SHALL|MUST)\b", requirement.text):
        yield "neither SHALL nor MUST"
    if not requirement.scenarios:
        yield "no scenario"
    for scenario in requirement.scenarios:
        if "**WHEN**" not in scenario.text or "**THEN**" not in scenario.text:
            yield f"{scenario.name} lacks WHEN or THEN"


def _doubles(names: Iterable[str]) -> list[str]:
    names = list(names)
    return sorted({name for name in names if names.count(name) > 1})


def marks(file: Source) -> Iterator[tuple[str, str, int]]:
    """Capability, scenario and line of every `pytest.mark.scenario(...)` in `file`.

    ValueError for a mark whose two arguments aren't both written out: such a one can't be found.
    """
    for node in ast.walk(file.tree):
        if not (isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.scenario")):
            continue
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        values = [arg.value for arg in given if isinstance(arg, ast.Constant)]
        match values:
            case [str(capability), str(name)] if len(given) == 2:
                yield capability, name, node.lineno
            case _:
                raise ValueError(
                    f"{file.path}:{node.lineno}: a scenario mark takes two written-out strings"
                )
