"""`migrate` as a person runs it: up, down, status of both databases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.process import serving
from tests.support.shell import run


def status(data: Path) -> list[str]:
    ran = run("migrate", "status", "--data", data)
    assert ran.status == 0
    return ran.out.splitlines()


@pytest.mark.scenario("operations", "Empty directory is migrated by serve")
def test_an_empty_directory_is_migrated_by_serve(data: Path) -> None:
    assert status(data) == ["journal: not there yet", "mart: not there yet"]
    with serving(data) as child:
        assert child.stop() == 0
    lines = status(data)
    assert {line.split()[0] for line in lines} == {"journal", "mart"}
    assert all(": applied 20" in line for line in lines)


def test_up_says_what_it_applied_and_then_nothing(data: Path) -> None:
    first = run("migrate", "up", "--data", data)
    assert first.status == 0
    assert first.out.startswith("journal 0001 ")
    assert run("migrate", "up", "--data", data).out == ""


def test_down_takes_back_what_is_above_the_number(data: Path) -> None:
    run("migrate", "up", "--data", data)
    ran = run("migrate", "down", "--database", "mart", "--to", "0", "--data", data)
    assert ran.status == 0
    assert ran.out.splitlines()[-1] == "mart 0001 points: down"
    left = {(line.split()[0], line.split(": ")[1][:7]) for line in status(data)}
    assert left == {("journal", "applied"), ("mart", "missing")}
    assert run("migrate", "up", "--data", data).status == 0
    assert json.loads(run("digest", "--data", data).out)["points"] == 0


@pytest.mark.parametrize("more", [[], ["--to", "0"], ["--database", "mart"]])
def test_down_needs_to_be_told_what(data: Path, more: list[str]) -> None:
    assert run("migrate", "down", *more, "--data", data).refused(2, "--database", "--to")


def test_a_number_that_is_not_there_is_named(data: Path) -> None:
    run("migrate", "up", "--data", data)
    ran = run("migrate", "down", "--database", "mart", "--to", "7", "--data", data)
    assert ran.refused(2, "--to 7", "mart")


def test_beside_a_service_nothing_is_migrated(data: Path) -> None:
    with serving(data) as child:
        assert run("migrate", "up", "--data", data).refused(1, str(data / "lock"))
        assert child.stop() == 0
