"""The documents, held against the program they describe."""

from __future__ import annotations

import argparse
import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from healthlog import cli, config
from healthlog.openapi import document
from healthlog.setting import Setting
from tests.support.sources import ROOT, sources

DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.glob("*.md"))]


def _page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def _commands() -> dict[str, argparse.ArgumentParser]:
    """Every command by its name, as the parser knows it."""
    [action] = [a for a in cli.parser()._actions if isinstance(a, argparse._SubParsersAction)]
    return dict(action.choices)


def _flags() -> Iterator[tuple[str, str]]:
    """Command and flag of everything that isn't a setting."""
    settings = {setting.flag for setting in config.TABLE} | {"--config", "--help"}
    for name, command in _commands().items():
        for action in command._actions:
            for flag in action.option_strings:
                if flag.startswith("--") and flag not in settings:
                    yield name, flag


@pytest.mark.parametrize("line", ["python -m healthlog serve", "make test"])
def test_the_readme_has_its_two_commands(line: str) -> None:
    assert f"    {line}" in README.splitlines()


def test_the_first_command_runs_on_the_standard_library_alone(tmp_path: Path) -> None:
    for folder in ("healthlog", "migrations"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    # -S: without site-packages nothing that was installed can be imported.
    with subprocess.Popen(
        [sys.executable, "-S", "-m", "healthlog", "serve"],
        cwd=tmp_path,
        env={"HEALTHLOG_LISTEN": "127.0.0.1:0"},
        stdout=subprocess.PIPE,
        text=True,
    ) as service:
        assert service.stdout is not None
        started = any('"service started"' in line for line in service.stdout)
        service.terminate()
        service.stdout.read()
    assert started
    assert service.returncode == 0
    assert (tmp_path / "data" / "journal.db").exists()


@pytest.mark.parametrize("name", sorted(_commands()))
def test_every_command_is_documented(name: str) -> None:
    assert f"\n## {name}\n" in _page("commands.md")
    assert f"\n| `{name}` |" in _page("commands.md")


def test_no_command_is_documented_that_is_not_there() -> None:
    documented = re.findall(r"^## (\w+)$", _page("commands.md"), re.MULTILINE)
    assert sorted(documented) == sorted(_commands())


@pytest.mark.parametrize("name", sorted(_commands()))
def test_every_command_has_help(name: str) -> None:
    [action] = [a for a in cli.parser()._actions if isinstance(a, argparse._SubParsersAction)]
    assert {pseudo.dest for pseudo in action._choices_actions if pseudo.help} >= {name}


@pytest.mark.parametrize(("command", "flag"), sorted(_flags()))
def test_every_flag_is_documented(command: str, flag: str) -> None:
    _, _, section = _page("commands.md").partition(f"\n## {command}\n")
    assert f"`{flag}" in section.split("\n## ")[0]


@pytest.mark.parametrize("setting", config.TABLE, ids=[setting.name for setting in config.TABLE])
def test_every_setting_is_documented_with_its_default(setting: Setting) -> None:
    missing = "generated" if setting.secret and not setting.table else "none"
    default = f"`{setting.default}`" if setting.default else missing
    assert f"\n| `{setting.name}` | {default} | " in _page("settings.md")
    assert setting.help


def test_no_setting_is_documented_that_is_not_there() -> None:
    documented = re.findall(r"^\| `(\w+)` \|", _page("settings.md"), re.MULTILINE)
    assert documented == [setting.name for setting in config.TABLE]


def test_the_example_of_a_settings_file_is_taken(data: Path) -> None:
    found = re.search(r"```toml\n(.*?)```", _page("settings.md"), re.DOTALL)
    assert found is not None
    assert tomllib.loads(found[1])
    (data / config.FILE_NAME).write_text(found[1], encoding="utf-8")
    assert config.settings({"data": str(data)}, {}, None).listen == ("0.0.0.0", 8787)


@pytest.mark.parametrize(
    "example", re.findall(r"```toml\n(.*?)```", _page("reverse-proxy.md"), re.DOTALL)
)
def test_the_examples_of_https_are_taken(data: Path, example: str) -> None:
    (data / config.FILE_NAME).write_text(example, encoding="utf-8")
    assert config.settings({"data": str(data)}, {}, None).hosts == ("health.example.org",)


def test_every_address_is_documented() -> None:
    screens = {"healthlog.entry", "healthlog.routes", "healthlog.web.pages"}
    files = [file for file in sources("healthlog") if file.module in screens]
    nodes = (node for file in files for node in ast.walk(file.tree))
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    served = {text for text in constants if isinstance(text, str) and re.match(r"/\w|/$", text)}
    # Those of the recordings have their own table of routes; the description is held to both.
    served |= {path for path in document()["paths"] if "recordings" in path}
    documented = {
        path
        for page, row in (
            ("api.md", r"^\| `(?:GET|POST|PATCH|DELETE) (\S+)` \|"),
            ("pages.md", r"^\| `(/\S*)` \|"),
        )
        for path in re.findall(row, _page(page), re.MULTILINE)
    }
    assert served == documented


def test_every_log_line_an_owner_sees_is_documented() -> None:
    logs = _page("logs.md")
    assert sorted(place for text, place in _messages() if f"`{text}`" not in logs) == []


def _messages() -> Iterator[tuple[str, str]]:
    """Text and place of every constant message that is logged above DEBUG."""
    levels = {"info", "warn", "error", "exception"}
    for file in sources("healthlog"):
        for node in ast.walk(file.tree):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=log, attr=level),
                    args=[ast.Constant(value=str(text)), *_],
                ) if level in levels and ast.unparse(log).endswith("log"):
                    yield text, f"{file.path}:{node.lineno} {text}"
                case _:
                    pass


def test_links_lead_somewhere() -> None:
    broken = [
        f"{page.name}: {target}"
        for page in PAGES
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert broken == []


def test_lines_of_the_changelog_say_what_kind_they_are() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    entries = [line for line in lines if line.startswith("* ")]
    assert entries
    assert [line for line in entries if not re.match(r"\* (Add|Fix|Change) ", line)] == []
