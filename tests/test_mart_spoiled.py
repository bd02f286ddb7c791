"""Texts and references of the mart that are spoiled: damage like any other, told without them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from healthlog.mart.digest import digest
from tests.support.bodies import PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.engine import Engine, open_engine
from tests.support.reading import DAYS, body, metric, open_desk, problem
from tests.support.shell import run

CANARY = "canary"
NO_UTF_8 = f"CAST(x'{CANARY.encode().hex()}ff' AS TEXT)"
LABELS = {
    "a tag that is no UTF-8": f"UPDATE tag SET label = {NO_UTF_8} WHERE tag = 1",
    "a tag that is no JSON": f"UPDATE tag SET label = '[{CANARY}' WHERE tag = 1",
    "a tag of another shape": f"UPDATE tag SET label = '[\"{CANARY}\"]' WHERE tag = 1",
    "a tag that is gone": "DELETE FROM tag",
}
DETAILS = {
    "a detail that is no JSON": f"UPDATE point SET detail = '{CANARY}'",
    "a detail of another shape": f"UPDATE point SET detail = '[\"{CANARY}\"]'",
}
ACCOUNTS = {
    "an account that is no UTF-8": f"UPDATE folded SET uncovered = {NO_UTF_8}",
    "an account that is no JSON": f"UPDATE folded SET uncovered = '{CANARY}'",
    "an account of another shape": f"UPDATE folded SET rejected = '[[\"{CANARY}\"]]'",
}
ORIGINS = {
    "an origin that is no JSON": f"UPDATE origin SET label = '{CANARY}'",
    "deliveries that are gone": "UPDATE point SET said_by = 99",
}


def spoil(data: Path, sql: str) -> None:
    with closing(sqlite3.connect(data / "mart.db")) as connection:
        connection.execute(sql)
        connection.commit()


@pytest.fixture
def engine(data: Path, clock: FakeClock) -> Iterator[Engine]:
    with open_engine(data, clock) as engine:
        for one in (TWO_DAYS, PARTIAL, minutes(3)):
            engine.post(one)
        dosed = {"date": "2026-05-03 12:00:00 +0200", "qty": 1, "reason": "Basal", "source": "Pump"}
        engine.post(body(metric("insulin_delivery", "IU", dosed)), aggregation="Default")
        engine.fold_all()
        yield engine


@pytest.mark.parametrize("sql", [*LABELS.values(), *DETAILS.values()], ids=[*LABELS, *DETAILS])
def test_readers_are_asked_to_come_back(data: Path, clock: FakeClock, sql: str) -> None:
    with open_desk(data, clock) as desk:
        week = {"date": "2026-05-04 00:00:00 +0200", "qty": 1}
        desk.send(body(metric("step_count", "count", week)), "Weeks")
        spoil(data, sql)
        for path in ("/api/v1/points?metric=step_count", "/api/v1/metrics"):
            reply = desk.get(path)
            assert "mart is damaged" in problem(reply, 503)
            assert CANARY.encode() not in reply.body
        assert desk.mart.damage is not None
        assert CANARY not in desk.mart.damage
        assert CANARY not in desk.house.stream.getvalue()


def test_a_reading_that_is_gone_is_missed(data: Path, clock: FakeClock) -> None:
    with open_desk(data, clock) as desk:
        day = {"date": "2026-05-04 00:00:00 +0200", "qty": 1}
        desk.send(body(metric("step_count", "count", day)), DAYS)
        spoil(data, "DELETE FROM point")
        assert problem(desk.get("/api/v1/metrics"), 503)


EVERYTHING = {**LABELS, **ACCOUNTS, **ORIGINS}


@pytest.mark.scenario("operations", "Spoiled text is damage without its words")
@pytest.mark.parametrize("sql", EVERYTHING.values(), ids=EVERYTHING)
def test_commands_say_so_in_one_sentence(engine: Engine, data: Path, sql: str) -> None:
    engine.mart.close()
    spoil(data, sql)
    if sql not in ACCOUNTS.values():
        assert run("digest", "--data", data).refused(1, str(data / "mart.db"), "damaged")
    ran = run("check", "--rebuild", "--data", data)
    assert ran.status == 1
    assert ran.out.startswith("mart.db: ")
    assert CANARY not in ran.out + ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("sql", EVERYTHING.values(), ids=EVERYTHING)
def test_the_mart_is_set_aside_with_the_next_pass(engine: Engine, data: Path, sql: str) -> None:
    before = engine.digest()
    spoil(data, sql)
    if sql in ACCOUNTS.values():
        engine.restart()
    else:
        with pytest.raises(Exception, match="damaged"):
            engine.mart.read(digest)
    engine.fold_all()
    assert engine.digest() == before
    assert len(engine.said("mart set aside")) == 1
    assert CANARY not in str(engine.said("mart set aside"))
