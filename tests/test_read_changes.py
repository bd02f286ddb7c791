"""What changed since: enough for a copy to follow the mart, fold by fold."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from healthlog.fold import Folder, MartDamaged
from healthlog.mart.changes import Place, generation, page
from healthlog.mart.store import open_mart
from healthlog.params import cursor_text
from healthlog.read import points as read
from healthlog.read.changes import Since, changes
from healthlog.read.view import OTHER_ZONE
from healthlog.span import Edge, Span, edge
from tests.support.clock import FakeClock
from tests.support.earlier import BOTH, POORER, RICHER, VO2, without
from tests.support.folding import MemoryMart, delivery, no_check, planned
from tests.support.history import history
from tests.support.reading import (
    DAYS,
    HOURS,
    MINUTES,
    SECONDS,
    Desk,
    body,
    metric,
    open_desk,
    problem,
    steps,
)

CHANGES = "/api/v1/changes"
EARLY, LATE = ("2026-05-03 07:00:00 +0200", 1), ("2026-05-03 09:30:00 +0200", 2)


@pytest.fixture
def desk(data: Path, clock: FakeClock) -> Iterator[Desk]:
    with open_desk(data, clock) as desk:
        # The clock has spoken, so that only readings change.
        desk.send(steps(("2026-01-01 07:00:00 +0200", 1)), MINUTES)
        yield desk


def now(desk: Desk) -> str:
    told = desk.get(CHANGES).json()
    assert (told["items"], told["next"]) == ([], None)
    return str(told["cursor"])


def since(desk: Desk, cursor: str, **params: str) -> dict[str, Any]:
    reply = desk.get(CHANGES, since=cursor, **params)
    assert reply.status == 200, reply.body
    told: dict[str, Any] = reply.json()
    return told


def items(desk: Desk, cursor: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = since(desk, cursor)["items"]
    return found


# What is told


@pytest.mark.scenario("reading", "Changes name what a fold wrote")
def test_a_fold_names_the_stretch_it_wrote(desk: Desk) -> None:
    cursor = now(desk)
    desk.send(steps(EARLY, LATE), MINUTES)
    assert items(desk, cursor) == [
        {
            "what": "points",
            "fold": 2,
            "metric": "step_count",
            "layer": "minute",
            "from": "2026-05-03T05:00:00Z",
            "to": "2026-05-03T07:30:01Z",
        }
    ]


@pytest.mark.scenario("reading", "Changes name what a fold wrote")
def test_changes_come_in_the_order_of_the_folds(desk: Desk) -> None:
    cursor = now(desk)
    desk.send(body(metric("x", "u", {"date": EARLY[0], "qty": 1})), MINUTES)
    desk.send(steps(EARLY), MINUTES)
    desk.send(body(metric("x", "u", {"date": LATE[0], "qty": 1})), MINUTES)
    told = [(one["fold"], one["metric"]) for one in items(desk, cursor)]
    assert told == [(2, "x"), (3, "step_count"), (4, "x")]


def test_what_is_said_again_is_no_change(desk: Desk) -> None:
    desk.send(steps(EARLY, LATE), MINUTES)
    cursor = now(desk)
    desk.send(steps(EARLY, LATE), MINUTES)
    told = since(desk, cursor)
    assert told["items"] == []
    assert told["cursor"] != cursor  # the fold was seen all the same


def test_only_what_differs_is_named(desk: Desk) -> None:
    desk.send(steps(EARLY, LATE), MINUTES)
    cursor = now(desk)
    desk.send(steps(EARLY, (LATE[0], 3)), MINUTES)
    [one] = items(desk, cursor)
    assert (one["from"], one["to"]) == ("2026-05-03T07:30:00Z", "2026-05-03T07:30:01Z")


def test_an_outdated_word_changes_nothing(desk: Desk) -> None:
    desk.send(steps((EARLY[0], 5)), MINUTES)
    cursor = now(desk)
    early_us = 1_000_000
    desk.send(steps((EARLY[0], 4)), MINUTES, imported=True, said_at_us=early_us)
    assert items(desk, cursor) == []


def test_a_fraction_of_a_second_is_within_its_bounds(desk: Desk) -> None:
    cursor = now(desk)
    reading = {"date": "2026-05-03T07:00:00.250+02:00", "qty": 1}
    desk.send(body(metric("heart_rate", "count/min", reading)), SECONDS)
    [one] = items(desk, cursor)
    assert (one["from"], one["to"]) == ("2026-05-03T05:00:00.250Z", "2026-05-03T05:00:01Z")


@pytest.mark.parametrize(
    ("aggregation", "first", "last"),
    [
        (HOURS, "2026-05-02T22:00:00Z", "2026-05-02T22:00:01Z"),
        (DAYS, "2026-04-30T22:00:00Z", "2026-05-04T22:00:01Z"),
        ("Weeks", "2026-05-03", "2026-05-04"),
        ("Months", "2026-05-03", "2026-05-04"),
    ],
)
def test_the_bounds_are_those_of_a_read(
    desk: Desk, aggregation: str, first: str, last: str
) -> None:
    cursor = now(desk)
    desk.send(steps(("2026-05-03 00:00:00 +0200", 1)), aggregation)
    [one] = items(desk, cursor)
    assert (one["from"], one["to"]) == (first, last)
    layer = one["layer"]
    assert len(desk.points("step_count", layer=layer, from_=first, to=last)) == 1


def test_a_clock_that_moved_is_told(desk: Desk) -> None:
    desk.send(steps(EARLY), MINUTES)
    desk.send(steps(("2026-06-01 00:00:00 +0200", 1)), MINUTES)
    cursor = now(desk)
    desk.send(steps(("2026-05-10 07:00:00 +0900", 1)), MINUTES)
    clock_, points = items(desk, cursor)
    assert clock_ == {
        "what": "clock",
        "fold": 4,
        "from": "2026-05-07T22:00:00Z",
        "to": "2026-06-02T22:00:00Z",
    }
    assert points["what"] == "points"


# Cursors


@pytest.mark.scenario("reading", "Changes join without gap or double")
def test_pages_of_changes_join(desk: Desk) -> None:
    cursor = now(desk)
    metrics = [metric(f"m{n}", "u", {"date": EARLY[0], "qty": n}) for n in range(3)]
    for _ in range(2):
        desk.send(body(*metrics), MINUTES)
        metrics = [{**one, "data": [{"date": EARLY[0], "qty": 9}]} for one in metrics]
    whole = items(desk, cursor)
    assert len(whole) == 6
    found = []
    told: dict[str, Any] = {"next": cursor}
    while told["next"] is not None:
        told = since(desk, told["next"], limit="2")
        assert len(told["items"]) == 2
        found += told["items"]
    assert found == whole
    assert told["cursor"] == now(desk)


def test_a_cursor_of_an_unfinished_page_is_for_the_next_time_too(desk: Desk) -> None:
    cursor = now(desk)
    desk.send(
        body(*(metric(f"m{n}", "u", {"date": EARLY[0], "qty": n}) for n in range(3))), MINUTES
    )
    told = since(desk, cursor, limit="1")
    assert told["next"] == told["cursor"]
    assert len(items(desk, told["cursor"])) == 2


@pytest.mark.scenario("reading", "Cursor of another mart is gone")
def test_a_cursor_of_another_mart_is_gone(desk: Desk) -> None:
    cursor = now(desk)
    desk.mart.suspect("scripted")
    desk.mart.set_aside()
    desk.mart.open()
    reply = desk.get(CHANGES, since=cursor)
    assert problem(reply, 410) == "The mart was made anew: read everything again."
    assert items(desk, now(desk)) == []


def test_a_cursor_ahead_of_the_mart_is_gone(desk: Desk) -> None:
    name, folds = desk.mart.read(generation)
    ahead = cursor_text("c", name, folds + 1, 0)
    assert desk.get(CHANGES, since=ahead).status == 410


@pytest.mark.parametrize("text", ["x", cursor_text("p", 1, "day", 0, 0, 0), cursor_text("c", "g")])
def test_a_cursor_that_no_answer_gave_is_a_400(desk: Desk, text: str) -> None:
    assert "since" in problem(desk.get(CHANGES, since=text), 400)


def test_every_mart_has_a_name_of_its_own(data: Path, clock: FakeClock) -> None:
    names = set()
    for number in range(3):
        mart = open_mart(data / f"{number}.db", clock, "wal")
        names.add(mart.read(generation)[0])
        mart.close()
    assert len(names) == 3


def test_a_mart_keeps_its_name(desk: Desk) -> None:
    before = desk.mart.read(generation)
    desk.mart.close()
    desk.mart.open()
    assert desk.mart.read(generation) == before


def test_changes_are_found_by_their_key(desk: Desk) -> None:
    plan = "\n".join(desk.plans(lambda c: page(c, Place(1, 0), 10)))
    assert "SEARCH change USING PRIMARY KEY ((fold,series)>(?,?))" in plan
    assert "TEMP B-TREE" not in plan


# Folds


@pytest.mark.scenario("reading", "Refold is a fold of its own")
def test_a_refold_is_told_under_a_new_number(clock: FakeClock) -> None:
    mart = MemoryMart()
    one, other = delivery(1, BOTH, DAYS), delivery(2, BOTH, DAYS)
    plan = planned(one, BOTH)
    Folder(mart, clock, coverage=POORER).fold(one, without(plan, VO2), no_check)
    Folder(mart, clock, coverage=POORER).fold(other, without(plan, VO2), no_check)
    begin = mart.read(lambda c: changes(c, None, 10))
    assert begin is not None
    Folder(mart, clock, coverage=RICHER).fold(one, plan, no_check)
    found = mart.read(lambda c: changes(c, begin.reached, 10))
    assert found is not None
    assert [(item["fold"], item["metric"]) for item in found.items] == [(3, "vo2_max")]
    mart.connection.close()


def test_an_account_given_back_is_no_fold(clock: FakeClock) -> None:
    mart = MemoryMart()
    one = delivery(1, BOTH, DAYS)
    for _ in range(2):
        Folder(mart, clock).fold(one, planned(one, BOTH), no_check)
    assert mart.read(generation)[1] == 1
    mart.connection.close()


def test_a_mart_that_is_only_being_made_keeps_no_notes(clock: FakeClock) -> None:
    mart = MemoryMart()
    one = delivery(1, BOTH, DAYS)
    Folder(mart, clock, noted=False).fold(one, planned(one, BOTH), no_check)
    assert mart.read(generation)[1] == 1
    assert mart.read(lambda c: page(c, Place(0, 0), 10)) == []
    mart.connection.close()


# A copy


Copy = dict[tuple[Any, ...], dict[str, Any]]


def whole(connection: sqlite3.Connection, names: set[str]) -> Copy:
    found: Copy = {}
    for name in names:
        found |= stretch(connection, name, None, {})
    return found


def stretch(
    connection: sqlite3.Connection, name: str, layer: str | None, bounds: Mapping[str, Any]
) -> Copy:
    """The points between two bounds as texts, each under all that tells it from others. Whose
    word it is may change without notice; so may the flag of a day while it is open, and the
    offset that an end is written in where the clock moved long after the start."""
    span = Span(*(None if end is None else edge(end, UTC) for end in _both(bounds)))
    found: Copy = {}
    for item in read.points(connection, name, layer, span, limit=10_000).items:
        item.pop("delivery_id")
        if "end" in item:
            item["end"] = edge(str(item["end"]), UTC).at_us
        said = item.pop("flags", [])
        assert isinstance(said, list)
        flags = [flag for flag in said if flag != OTHER_ZONE]
        key = (name, item["layer"], item.get("at"), item["day"], repr(sorted(item.items())))
        found[key] = {**item, "flags": flags}
    return found


def follow(connection: sqlite3.Connection, copy: Copy, item: Mapping[str, Any]) -> None:
    """What a program does about one item: forget the stretch, read it again."""
    names = [item["metric"]] if item["what"] == "points" else sorted({key[0] for key in copy})
    for name in names:
        layer = item.get("layer")
        was = [
            key
            for key, point in copy.items()
            if key[0] == name and layer in {None, key[1]} and _within(point, item)
        ]
        for key in was:
            del copy[key]
        copy |= stretch(connection, name, layer, item)


def _within(point: Mapping[str, Any], bounds: Mapping[str, Any]) -> bool:
    """Whether a read with these bounds would give the point, as it was copied."""
    by_date = "at" not in point or point["layer"] in {"week", "month", "year"}
    at = edge(point["day"] if by_date else point["at"], UTC)
    places = [None if text is None else edge(text, UTC) for text in _both(bounds)]
    place, *ends = ((None if one is None else _place(one, by_date)) for one in (at, *places))
    assert place is not None
    return (ends[0] is None or place >= ends[0]) and (ends[1] is None or place < ends[1])


def _both(bounds: Mapping[str, Any]) -> tuple[str | None, str | None]:
    return bounds.get("from"), bounds.get("to")


def _place(one: Edge, by_date: bool) -> int:
    return one.day if by_date else one.at_us


@pytest.mark.scenario("reading", "Copy that follows the changes equals the mart")
@pytest.mark.parametrize("seed", range(6))
def test_a_copy_that_follows_the_changes_equals_the_mart(seed: int) -> None:
    dice = random.Random(seed)
    told = [one for one in history(seed) if one.plan is not None]
    dice.shuffle(told)
    mart = MemoryMart()
    connection = mart.connection
    folder = Folder(mart, FakeClock())
    copy: Copy = {}
    reached: Since | None = None
    for number, one in enumerate(told):
        assert one.plan is not None
        folder.fold(one.delivery, one.plan, no_check)
        if number < 5 or dice.random() < 0.3:
            reached = _catch_up(connection, copy, reached, dice.choice((1, 3, 1_000)))
    _catch_up(connection, copy, reached, 1_000)
    names = {name for (name,) in connection.execute("SELECT metric FROM series")}
    assert copy == whole(connection, names)
    assert len(copy) > 300
    connection.close()


def _catch_up(
    connection: sqlite3.Connection, copy: Copy, reached: Since | None, limit: int
) -> Since:
    if reached is None:
        names = {name for (name,) in connection.execute("SELECT metric FROM series")}
        copy |= whole(connection, names)
    while True:
        found = changes(connection, reached, limit)
        assert found is not None
        for item in found.items:
            follow(connection, copy, item)
        reached = found.reached
        if not found.more:
            return reached


# A mart that is spoiled


@pytest.mark.parametrize(
    "sql", ["DELETE FROM mart", "INSERT INTO mart SELECT * FROM mart", "DELETE FROM series"]
)
def test_a_spoiled_mart_is_damaged_and_nothing_else(desk: Desk, sql: str) -> None:
    cursor = now(desk)
    desk.send(steps(EARLY), MINUTES)
    desk.mart.write(lambda c: c.execute(sql).close())
    assert "mart is damaged" in problem(desk.get(CHANGES, since=cursor), 503)
    assert desk.mart.damage is not None


def test_a_fold_into_a_mart_without_a_name_finds_it_damaged(clock: FakeClock) -> None:
    mart = MemoryMart()
    mart.connection.execute("DELETE FROM mart")
    one = delivery(1, BOTH, DAYS)
    with pytest.raises(MartDamaged):
        Folder(mart, clock).fold(one, planned(one, BOTH), no_check)
    mart.connection.close()
