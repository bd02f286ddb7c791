"""What the wheel is made of, against what lies in the checkout."""

from __future__ import annotations

import tomllib
from typing import Any

from healthlog.version import VERSION
from tests.support.sources import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKED: dict[str, Any] = PROJECT["tool"]["setuptools"]


def test_every_package_is_packed() -> None:
    inits = (ROOT / "healthlog").rglob("__init__.py")
    packages = {".".join(path.parent.relative_to(ROOT).parts) for path in inits}
    assert set(PACKED["packages"]) == packages | {"healthlog.migrations"}


def test_the_migrations_are_packed_from_the_top_of_the_checkout() -> None:
    assert PACKED["package-dir"]["healthlog.migrations"] == "migrations"
    [pattern] = PACKED["package-data"]["healthlog.migrations"]
    packed = set((ROOT / "migrations").glob(pattern))
    assert packed
    assert packed == {path for path in (ROOT / "migrations").rglob("*") if path.is_file()}


def test_what_pages_load_is_packed() -> None:
    folder = ROOT / "healthlog" / "web"
    [pattern] = PACKED["package-data"]["healthlog.web"]
    packed = set(folder.glob(pattern))
    assert {path.name for path in packed} >= {"style.css", "icon.svg"}
    own = {".py", ".pyc"}
    assert packed == {p for p in folder.rglob("*") if p.is_file() and p.suffix not in own}


def test_the_program_knows_its_version() -> None:
    assert PROJECT["project"]["version"] == VERSION
    assert f"## {VERSION}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_nothing_is_needed_at_run_time() -> None:
    assert PROJECT["project"]["dependencies"] == []
    assert "optional-dependencies" not in PROJECT["project"]
