"""What is remembered of the mart between two deliveries: never more than what stands there."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from healthlog.base.db import Database
from healthlog.fold import Folder
from healthlog.hae import parse as parsing
from healthlog.hae.room import Room
from healthlog.mart import remembered
from healthlog.mart.digest import Digest, digest
from healthlog.mart.remembered import Remembered
from healthlog.mart.store import open_mart
from healthlog.model import Account
from healthlog.planning import Overdue
from tests.support.bodies import body, metric, minutes
from tests.support.clock import FakeClock
from tests.support.folding import MINUTES, MemoryMart, delivery, no_check, overdue_after, planned

T = TypeVar("T")


class Told:
    """Folds bodies into a mart in a file, with an eye on what is asked of its points."""

    def __init__(self, path: Path, remembered: Remembered) -> None:
        self.mart = open_mart(path, FakeClock(), "wal")
        self.remembered = remembered
        self.folder = Folder(self.mart, FakeClock(), remembered=remembered)
        self.asked: list[str] = []
        self.number = 0

    def fold(self, content: bytes, check: Callable[[], None] = no_check) -> Account:
        self.number += 1
        one = delivery(self.number, content, MINUTES)
        return self.folder.fold(one, planned(one, content), check)

    def traced(self, content: bytes, table: str = " point ") -> list[str]:
        """What is asked of a table while a body is folded."""
        asked: list[str] = []
        self.mart.write(lambda c: c.set_trace_callback(asked.append))
        self.fold(content)
        self.mart.write(lambda c: c.set_trace_callback(None))
        return [query for query in asked if table in query]

    def said_by(self) -> set[int]:
        rows = self.mart.read(lambda c: c.execute("SELECT said_by FROM point").fetchall())
        return {number for (number,) in rows}


def told(path: Path, remembered: Remembered) -> Iterator[Told]:
    made = Told(path, remembered)
    yield made
    made.mart.close()


@pytest.fixture
def usual(tmp_path: Path) -> Iterator[Told]:
    yield from told(tmp_path / "mart.db", Remembered())


@pytest.fixture
def late(tmp_path: Path) -> Iterator[Told]:
    yield from told(tmp_path / "mart.db", Remembered(late=True))


def fresh(*bodies: bytes) -> Digest:
    """What a mart says that remembers nothing from one body to the next."""
    mart = MemoryMart()
    for number, content in enumerate(bodies, 1):
        one = delivery(number, content, MINUTES)
        Folder(mart, FakeClock()).fold(one, planned(one, content), no_check)
    with closing(mart.connection):
        return mart.read(digest)


def test_what_is_told_once_more_is_not_read_again(usual: Told) -> None:
    usual.fold(minutes(90))
    asked = usual.traced(minutes(95))
    assert [query.split()[0] for query in asked].count("UPDATE") == 1
    # Whether anything stands behind the news, once.
    assert [query.split()[0] for query in asked].count("SELECT") == 1
    assert usual.mart.read(digest) == fresh(minutes(90), minutes(95))


@pytest.mark.scenario("fold", "What another has written is seen")
def test_what_another_connection_wrote_is_not_overlooked(usual: Told, tmp_path: Path) -> None:
    usual.fold(minutes(30))
    with closing(Database(tmp_path / "mart.db", clock=FakeClock())) as another:
        another.write(lambda c: c.execute("DELETE FROM point WHERE at_ms % 120000 = 0").rowcount)
    account = usual.fold(minutes(30))
    assert (account.counts.new, account.counts.same) == (15, 15)
    assert usual.mart.read(digest).points == 30


@pytest.mark.scenario("fold", "What another has written is seen")
def test_what_another_folder_wrote_is_not_overlooked(usual: Told) -> None:
    usual.fold(minutes(30))
    other = Folder(usual.mart, FakeClock())
    one = delivery(2, minutes(40), MINUTES)
    other.fold(one, planned(one, minutes(40)), no_check)
    usual.number = 2
    assert usual.fold(minutes(40)).counts.same == 40
    assert usual.mart.read(digest) == fresh(minutes(30), minutes(40), minutes(40))


@pytest.mark.scenario("fold", "Fold that broke off is forgotten")
@pytest.mark.parametrize("kind", ["usual", "late"])
def test_a_fold_that_broke_off_leaves_nothing_behind(
    request: pytest.FixtureRequest, kind: str
) -> None:
    mart: Told = request.getfixturevalue(kind)
    mart.fold(minutes(300))
    with pytest.raises(Overdue):
        mart.fold(minutes(700), overdue_after(2))
    mart.folder.settle()
    assert mart.mart.read(digest) == fresh(minutes(300))
    mart.fold(minutes(310))
    mart.folder.settle()
    assert mart.said_by() == {2}
    assert mart.mart.read(lambda c: c.execute("SELECT count(*) FROM point").fetchone()) == (310,)


def test_a_late_one_writes_who_says_it_in_the_end(late: Told) -> None:
    for _ in range(3):
        late.fold(minutes(30))
    assert late.said_by() == {1}
    late.folder.settle()
    assert late.said_by() == {3}
    assert late.mart.read(digest) == fresh(*[minutes(30)] * 3)


def test_a_usual_one_owes_nothing(usual: Told) -> None:
    for number in (1, 2):
        usual.fold(minutes(30))
        assert not usual.remembered.owes
        assert usual.said_by() == {number}


@pytest.mark.parametrize("most", [0, 10, 45, 1_000])
@pytest.mark.parametrize("is_late", [False, True])
def test_no_more_is_held_than_there_is_room_for(
    tmp_path: Path, most: int, *, is_late: bool
) -> None:
    remembered = Remembered(most_rows=most, late=is_late)
    bodies = [minutes(40, first) for first in (0, 20, 500, 510, 0, 530)]
    mart = Told(tmp_path / "mart.db", remembered)
    with closing(mart.mart):
        for content in bodies:
            mart.fold(content)
            assert sum(map(len, remembered.points._held.values())) <= most + 90
        mart.folder.settle()
        assert mart.mart.read(digest) == fresh(*bodies)


def symptoms(count: int, severity: str = "mild") -> bytes:
    """So many records, one for each minute."""
    told = [
        {"name": "Cough", "start": at, "end": at, "severity": severity}
        for at in (f"2026-05-03 08:{minute:02}:00 +0200" for minute in range(count))
    ]
    return body(symptoms=told)


def said_of_records(mart: Told) -> set[int]:
    rows = mart.mart.read(lambda c: c.execute("SELECT said_by FROM field").fetchall())
    return {number for (number,) in rows}


def test_records_told_once_more_are_not_read_again(usual: Told) -> None:
    usual.fold(symptoms(20))
    asked = usual.traced(symptoms(20), " field ")
    assert [query.split()[0] for query in asked] == ["UPDATE"]
    assert said_of_records(usual) == {2}
    assert usual.mart.read(digest) == fresh(symptoms(20), symptoms(20))


def test_a_record_told_in_other_words_is(usual: Told) -> None:
    bodies = [symptoms(20), symptoms(20), symptoms(9, "severe"), symptoms(20, "severe")]
    counts = [usual.fold(one).counts for one in bodies]
    assert [(one.new, one.same, one.changed) for one in counts] == [
        (20, 0, 0), (0, 20, 0), (0, 0, 9), (0, 9, 11)
    ]  # fmt: skip
    assert usual.mart.read(digest) == fresh(*bodies)


def test_a_record_told_twice_in_one_body_counts_twice(usual: Told) -> None:
    usual.fold(symptoms(3))
    first, *_ = json.loads(symptoms(3))["data"]["symptoms"]
    counts = usual.fold(body(symptoms=[first, first])).counts
    assert (counts.received, counts.same) == (2, 2)


def test_records_are_late_too(late: Told) -> None:
    bodies = [symptoms(20), symptoms(20), symptoms(4, "severe"), symptoms(20)]
    for one in bodies:
        late.fold(one)
    late.folder.settle()
    assert said_of_records(late) == {4}
    assert late.mart.read(digest) == fresh(*bodies)


def test_a_log_of_years_leaves_no_more_numbers_than_there_is_room_for(
    usual: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "MOST_NUMBERS", 5)
    for _ in range(20):
        usual.fold(minutes(2))
        assert len(usual.remembered.ranks) <= 5
        assert len(usual.remembered.names) <= 5
        assert len(usual.remembered.quarters) <= 5


class Retried(MemoryMart):
    """A mart whose next write meets a lock at its commit, and is done once more."""

    meets_a_lock = False

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self.meets_a_lock:
            self.meets_a_lock = False
            self.connection.execute("BEGIN IMMEDIATE")
            work(self.connection)
            self.connection.execute("ROLLBACK")
        return super().write(work)


@pytest.mark.parametrize("content", [minutes(30), symptoms(9)], ids=["points", "records"])
def test_what_is_owed_is_written_by_a_second_attempt(content: bytes) -> None:
    mart = Retried()
    folder = Folder(mart, FakeClock(), remembered=Remembered(late=True))
    for number in (1, 2, 3):
        one = delivery(number, content, MINUTES)
        folder.fold(one, planned(one, content), no_check)
    mart.meets_a_lock = True
    folder.settle()
    assert mart.read(digest) == fresh(*[content] * 3)
    mart.connection.close()


def test_what_is_owed_survives_a_last_fold_that_broke_off(late: Told) -> None:
    for _ in range(2):
        late.fold(symptoms(3))
    with pytest.raises(Overdue):
        late.fold(symptoms(3, "severe"), overdue_after(1))
    late.folder.settle()
    assert said_of_records(late) == {2}


def seconds(count: int, plus: int = 0) -> bytes:
    """So many seconds of one day, each with its own number."""
    times = {f"{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}": at + plus for at in range(count)}
    told = {f"2026-05-03 {time} +0200": float(qty) for time, qty in times.items()}
    return body(metric("step_count", told))


def test_a_long_body_leaves_nothing_of_what_stood_before_it(
    usual: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual.fold(seconds(50))
    with monkeypatch.context() as patched:
        patched.setattr(parsing, "Room", partial(Room, 10_000))
        counts = usual.fold(seconds(4_000, plus=1)).counts
    assert (counts.new, counts.changed) == (3_950, 50)
    assert usual.fold(seconds(70, plus=1)).counts.same == 70


def test_many_series_are_not_held(usual: Told) -> None:
    at = {"2026-05-03 08:00:00 +0200": 1.0}
    for _ in range(3):
        usual.fold(body(*(metric(f"made_up_{number}", at) for number in range(6_000))))
        assert len(usual.remembered.points._held) < 3_000
    asked = usual.traced(minutes(2))
    assert len([query for query in asked if query.startswith("UPDATE")]) <= 1


def test_long_words_are_not_held(usual: Told) -> None:
    at = {"2026-05-03 08:00:00 +0200": 1.0}
    usual.fold(body(*(metric(f"{number}" + "x" * 600, at, "y" * 600) for number in range(20))))
    assert len(usual.remembered.names) == 0
    long = {"name": "Cough", "start": next(iter(at)), "end": next(iter(at)), "z" * 3_000: 1}
    usual.fold(body(symptoms=[long]))
    assert len(usual.remembered.records._known) == 0


@pytest.mark.parametrize("is_late", [False, True])
def test_records_that_come_again_take_the_place_of_those_that_do_not(
    tmp_path: Path, *, is_late: bool
) -> None:
    told_ = Told(tmp_path / "mart.db", Remembered(most_records=20, late=is_late))
    with closing(told_.mart):
        for _ in range(2):
            told_.fold(symptoms(20))
        more = symptoms(40).replace(b"Cough", b"Fever")
        for _ in range(3):
            told_.fold(more)
        known = told_.remembered.records._known
        assert len(known) == 20
        assert {key.split("|")[2] for _, key in known} == {"Fever"}


def test_a_few_readings_over_many_rows_ask_for_theirs_alone(usual: Told) -> None:
    usual.fold(minutes(600))
    asked = usual.traced(minutes(600))
    assert len(asked) < 9
    few = json.loads(minutes(600))
    del few["data"]["metrics"][0]["data"][1:-1]
    asked = usual.traced(json.dumps(few).encode())
    assert len([query for query in asked if query.startswith("UPDATE")]) == 2
    assert usual.mart.read(digest).points == 600
