"""The rules of the house that can be read off the source: sizes, annotations, forbidden calls."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from tests.support.sources import Function, Source, functions, source, sources, uses

FILES = sources("healthlog")
TESTS = sources("tests")

FILE_LINES = 300
FUNCTION_LINES = 60

CLOCK = "healthlog/base/clock.py"
DURABLE = "healthlog/base/files.py"

WALL_CLOCK = {
    "time.time",
    "time.time_ns",
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.datetime.today",
    "datetime.date.today",
}
MAKES_DURABLE = {"os.replace", "os.rename", "os.fsync", "os.fdatasync", "os.sync"}

BARE_BEGIN = re.compile(r"\s*begin(\s+transaction)?\s*;?\s*", re.IGNORECASE)


def test_no_file_is_longer_than_300_lines() -> None:
    lengths = [(file.path, len(file.text.splitlines())) for file in FILES]
    assert [(path, lines) for path, lines in lengths if lines > FILE_LINES] == []


def test_no_function_is_longer_than_60_lines() -> None:
    found = [
        f"{file.path}:{function.lineno} {function.name} has {length(function)} lines"
        for file in FILES + TESTS
        for function in functions(file.tree)
        if length(function) > FUNCTION_LINES
    ]
    assert found == []


def test_every_function_is_annotated() -> None:
    found = [
        f"{file.path}:{function.lineno} {function.name}: {name}"
        for file in FILES + TESTS
        for function in functions(file.tree)
        for name in unannotated(function)
    ]
    assert found == []


def test_every_module_says_its_one_concern() -> None:
    assert [
        f"{file.path}: {line}" for file in FILES if (line := unfit_docstring(file)) is not None
    ] == []


def test_only_the_clock_asks_the_time() -> None:
    assert _named(FILES, WALL_CLOCK, but=CLOCK) == []


def test_only_files_makes_things_durable() -> None:
    assert _named(FILES, MAKES_DURABLE, but=DURABLE) == []


def test_nothing_sleeps() -> None:
    assert _named(FILES + TESTS, {"time.sleep"}) == []


def test_no_script_commits_a_transaction_unasked() -> None:
    found = [
        f"{file.path}:{node.lineno}"
        for file in FILES
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Attribute) and node.attr == "executescript"
    ]
    assert found == []


def test_every_begin_says_what_it_will_do() -> None:
    # A bare BEGIN is deferred: a read that turns into a write fails at once, and the busy handler
    # isn't even asked (SQLITE_BUSY_SNAPSHOT). Who means a read writes BEGIN DEFERRED.
    assert [place for file in FILES for place in bare_begins(file)] == []


def length(function: Function) -> int:
    assert function.end_lineno is not None
    return function.end_lineno - function.lineno + 1


def unannotated(function: Function) -> list[str]:
    """Parameters without an annotation, and `return` where the result has none."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    names = [one.arg for one in every if one.annotation is None and one.arg not in {"self", "cls"}]
    return names if function.returns is not None else [*names, "return"]


def unfit_docstring(file: Source) -> str | None:
    """The first line of the module's docstring if it is missing or joins two concerns."""
    if file.is_package:
        return None
    text = ast.get_docstring(file.tree)
    if text is None:
        return "no docstring"
    first = text.splitlines()[0]
    return first if re.search(r"\band\b", first) else None


def bare_begins(file: Source) -> Iterator[str]:
    """Every call whose first argument is a BEGIN without a mode."""
    for node in ast.walk(file.tree):
        match node:
            case ast.Call(args=[ast.Constant(value=str(text)), *_]) if BARE_BEGIN.fullmatch(text):
                yield f"{file.path}:{node.lineno} {text}"
            case _:
                pass


def _named(files: Sequence[Source], names: set[str], but: str = "") -> list[str]:
    return [
        f"{file.path}:{line} {name}"
        for file in files
        if file.path != but
        for name, line in uses(file.tree)
        if name in names
    ]


# The rest asks whether the tests above could fail at all.


def test_an_alias_hides_no_forbidden_call() -> None:
    text = (
        "import time as t\nfrom time import sleep as nap\n"
        "import datetime\nfrom datetime import datetime as D\n"
        "t.time()\ndatetime.datetime.now()\nD.now()\n"
    )
    names = {name for name, _ in uses(ast.parse(text))}
    assert {"time.time", "time.sleep", "datetime.datetime.now"} <= names


def test_a_method_of_the_same_name_is_no_forbidden_call() -> None:
    text = (
        "def f(clock: Clock, text: str) -> str:\n    return text.replace('a', str(clock.time()))\n"
    )
    assert list(uses(ast.parse(text))) == []


def test_a_bare_begin_is_seen_in_any_case() -> None:
    statements = ["BEGIN", " begin transaction;", "BEGIN IMMEDIATE", "BEGIN DEFERRED"]
    text = "\n".join(f"connection.execute({statement!r})" for statement in statements)
    found = list(bare_begins(source("healthlog/x.py", text)))
    assert [place.split()[0] for place in found] == ["healthlog/x.py:1", "healthlog/x.py:2"]


def test_missing_annotations_are_named() -> None:
    tree = ast.parse("def f(self, a, *b: int, c=1, **d): ...\n")
    assert [unannotated(function) for function in functions(tree)] == [["a", "c", "d", "return"]]


def test_a_docstring_of_two_concerns_is_seen() -> None:
    assert (
        unfit_docstring(source("healthlog/x.py", '"""Reads and writes."""')) == "Reads and writes."
    )
    assert unfit_docstring(source("healthlog/x.py", "")) == "no docstring"
    assert unfit_docstring(source("healthlog/x.py", '"""Reads.\n\nAnd more."""')) is None
