"""A mart looked at while others put another in its place."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from healthlog.base.errors import Busy, Damaged
from healthlog.databases import Unusable
from healthlog.mart.store import swap_in
from healthlog.mcp.looking import LookedAt
from tests.support.clock import FakeClock
from tests.support.damage import garble_head
from tests.support.marts import build, names


@pytest.fixture
def path(data: Path) -> Path:
    return data / "mart.db"


@pytest.fixture
def looked(path: Path, clock: FakeClock) -> LookedAt:
    build(path, clock, "old")
    return LookedAt(path, clock)


@pytest.mark.scenario("mcp", "Mart is exchanged")
def test_each_look_sees_the_mart_in_place(path: Path, looked: LookedAt, clock: FakeClock) -> None:
    assert looked.read(names) == ["old"]
    # Nothing is held open between two looks, so that the swap finds nobody reading.
    swap_in(build(path.with_name("mart.db.new"), clock, "new"), path, clock, "wal")
    assert looked.read(names) == ["new"]


@pytest.mark.scenario("mcp", "Mart is exchanged")
def test_a_mart_exchanged_during_a_look_is_looked_at_again(
    path: Path, looked: LookedAt, clock: FakeClock
) -> None:
    new = build(path.with_name("mart.db.new"), clock, "new")
    seen = []

    def work(connection: sqlite3.Connection) -> list[str]:
        seen.append(names(connection))
        if new.exists():
            os.rename(new, path)
        return seen[-1]

    assert looked.read(work) == ["new"]
    assert seen == [["old"], ["new"]]


@pytest.mark.scenario("mcp", "Mart is exchanged")
def test_damage_of_a_mart_on_its_way_out_is_not_told(
    path: Path, looked: LookedAt, clock: FakeClock
) -> None:
    new = build(path.with_name("mart.db.new"), clock, "new")

    def work(connection: sqlite3.Connection) -> list[str]:
        if new.exists():
            os.rename(new, path)
            raise Damaged("torn")
        return names(connection)

    assert looked.read(work) == ["new"]


def test_a_mart_exchanged_again_and_again_is_a_circumstance(
    path: Path, looked: LookedAt, clock: FakeClock, numbers: Iterator[int]
) -> None:
    def work(_: sqlite3.Connection) -> None:
        os.rename(build(path.with_name(f"mart.db.{next(numbers)}"), clock, "new"), path)

    with pytest.raises(Busy, match="again and again"):
        looked.read(work)


@pytest.fixture
def numbers() -> Iterator[int]:
    return iter(range(10))


def test_a_damaged_mart_is_named(path: Path, looked: LookedAt) -> None:
    garble_head(path)
    with pytest.raises(Damaged, match=r"mart\.db"):
        looked.read(names)


def test_a_mart_that_is_not_there_is_named(path: Path, clock: FakeClock) -> None:
    with pytest.raises(Unusable, match=r"mart\.db is not there"):
        LookedAt(path, clock).read(names)
