"""The imports the code really has, against the table and the walls of docs/architecture.md."""

from __future__ import annotations

import ast
import graphlib
import sys

from tests.support.imports import (
    PACKAGE,
    TABLE,
    forbidden,
    graph,
    imports,
    missing_rows,
    row_of,
    table,
)
from tests.support.sources import ROOT, functions, source, sources

FILES = sources(PACKAGE)
ARROWS = graph(FILES)
ROWS = table(TABLE.read_text(encoding="utf-8"))

LATE = {
    # Read where there is a file; looked into where a name is wrong.
    ("config", "tomllib"),
    ("config", "difflib"),
    # Ways to the owner, recognisers and a bot that few have set up.
    ("notices.channels", "base.notify_mail"),
    ("transcriber.providers.choose", "transcriber.providers.openai"),
    ("transcriber.providers.choose", "transcriber.providers.yandex"),
    ("transcriber.recordings", "transcriber.telegram.bot"),
    # What few requests need, loaded as soon as the door is open.
    ("state", "openapi"),
    ("web.pair", "qr.svg"),
    ("web.pair", "qr.symbol"),
    ("commands.serve", "openapi"),
    ("commands.serve", "qr.svg"),
    ("commands.serve", "qr.symbol"),
    # What stands behind the door, loaded as soon as it is open.
    ("service", "rooms"),
}
"""What functions import, for it takes long to load."""

HINT = (
    "no row of docs/architecture.md allows this. Turn the import round, or, if the arrow is right, "
    "put the row into the table (python -m tests.support.imports prints it):"
)


def test_every_import_is_allowed_by_the_table() -> None:
    missing = missing_rows(ARROWS, ROWS)
    assert not missing, "\n".join([HINT, *missing])


def test_every_row_speaks_of_a_module_that_exists() -> None:
    spoken = {row_of(module, ROWS) for module in ARROWS}
    assert sorted(ROWS.keys() - spoken) == []


def test_imports_run_in_no_circle() -> None:
    # static_order raises CycleError, which names the circle.
    order = list(graphlib.TopologicalSorter(ARROWS).static_order())
    assert set(ARROWS) <= set(order)


def test_functions_import_only_what_a_start_can_do_without() -> None:
    late = {
        (file.module.removeprefix(f"{PACKAGE}."), module.removeprefix(f"{PACKAGE}."))
        for file in FILES
        for function in functions(file.tree)
        for module, _, _ in imports(function)
    }
    assert late == LATE


def test_base_knows_nothing_above_it() -> None:
    assert _over_the_wall("base", allowed=("base",)) == []


def test_the_transcriber_stands_on_base_alone() -> None:
    assert _over_the_wall("transcriber", allowed=("base", "transcriber")) == []


def test_only_who_runs_keeps_or_checks_recordings_knows_the_transcriber() -> None:
    knowing = {
        m for m, targets in ARROWS.items() if any(_room(t) == "transcriber" for t in targets)
    }
    above = {m for m in knowing if _room(m) not in {"transcriber", "backup"}}
    assert above <= {"voice", "check_audio"}


def test_the_standard_library_is_all_it_needs() -> None:
    own = {PACKAGE, "__future__", *sys.stdlib_module_names}
    foreign = [
        f"{file.path}:{line} {module}"
        for file in FILES
        for module, _, line in imports(file.tree)
        if module.split(".")[0] not in own
    ]
    assert foreign == []


def test_packages_reexport_nothing() -> None:
    assert [file.path for file in FILES if file.is_package and file.text.strip()] == []


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {(ROOT / file.path).parent for file in FILES}
    assert [
        str(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()
    ] == []


def _room(module: str) -> str:
    return module.partition(".")[0]


def _over_the_wall(room: str, allowed: tuple[str, ...]) -> list[str]:
    return [
        f"{module} imports {target}"
        for module, targets in sorted(ARROWS.items())
        if _room(module) == room
        for target in sorted(targets)
        if _room(target) not in allowed
    ]


# The rest asks whether the tests above could fail at all.

SAMPLE = [
    source("healthlog/base/__init__.py", ""),
    source("healthlog/base/clock.py", "import time\n"),
    source("healthlog/base/log.py", "from healthlog.base.clock import Clock\n"),
    source("healthlog/fold.py", "from healthlog.base import clock, log\nimport healthlog.layer\n"),
    source("healthlog/layer.py", "if TYPE_CHECKING:\n    from healthlog.model import Reading\n"),
]


def test_the_graph_follows_every_form_of_import() -> None:
    assert graph(SAMPLE) == {
        "base.clock": set(),
        "base.log": {"base.clock"},
        "fold": {"base.clock", "base.log", "layer"},
        "layer": {"model"},
    }


def test_an_arrow_outside_the_table_is_printed_as_the_row_to_add() -> None:
    rows = table(
        "## Imports\n| module | may import |\n|---|---|\n"
        "| `base.*` | nothing |\n| `fold` | `base.*` |\n"
    )
    assert forbidden(graph(SAMPLE), rows) == {
        "base.log": {"base.clock"},
        "fold": {"layer"},
        "layer": {"model"},
    }
    assert missing_rows(graph(SAMPLE), rows) == [
        "| `base.*` | `base.clock` |",
        "| `fold` | `base.*` `layer` |",
        "| `layer` | `model` |",
    ]


def test_a_module_s_own_row_comes_before_a_pattern() -> None:
    rows = {"hae.*": ["model"], "hae.parse": ["hae.*"], "*": []}
    assert row_of("hae.parse", rows) == "hae.parse"
    assert row_of("hae.sleep", rows) == "hae.*"


def test_an_import_inside_a_function_is_seen() -> None:
    tree = ast.parse("def f() -> None:\n    from healthlog.base import log\n")
    assert [list(imports(function)) for function in functions(tree)] == [
        [("healthlog.base", ["log"], 2)]
    ]
