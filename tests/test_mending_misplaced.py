"""Bodies found late that stand before others in the journal."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from healthlog.base.db import Database
from healthlog.mart.digest import digest
from healthlog.model import Delivery
from tests.support.bodies import ONE_DAY, TWO_DAYS, minutes
from tests.support.engine import Engine


def bad_marts(engine: Engine) -> list[Path]:
    """Files of marts set aside, without what lies beside them."""
    found = engine.house.data.glob("mart.db.bad-*")
    return sorted(path for path in found if not path.name.endswith(("-wal", "-shm")))


# Bodies that stand before others


def misplaced(engine: Engine) -> list[Delivery]:
    """Two deliveries folded before bodies were found whose layer they should have inherited:
    the first had another one, the second had none."""
    engine.post(minutes(60), automation_id="A")
    lost = [engine.post(TWO_DAYS, automation_id=name) for name in ("A", "B")]
    heirs = [engine.post(ONE_DAY, automation_id=name) for name in ("A", "B")]

    def forget(connection: sqlite3.Connection) -> None:
        for one in lost:
            connection.execute("DELETE FROM delivery WHERE delivery_id = ?", (one.delivery_id,))

    engine.journal.write(forget)
    engine.fold_all()
    assert (engine.statuses(*heirs), layers(engine, *heirs)) == (
        ["parsed", "failed"],
        ["minute", None],
    )
    return heirs


def layers(engine: Engine, *deliveries: Delivery) -> list[str | None]:
    accounts = [engine.entry(one).account for one in deliveries]
    return [None if account is None else account.layer for account in accounts]


def test_what_inherited_past_a_misplaced_body_is_folded_again(engine: Engine) -> None:
    heirs = misplaced(engine)
    engine.restart()
    assert len(bad_marts(engine)) == 1
    engine.fold_all()
    assert layers(engine, *heirs) == ["day", "day"]
    replayed = engine.house.data / "replayed.db"
    engine.replay().into(replayed)
    assert of_file(replayed, engine) == engine.digest()


def of_file(path: Path, engine: Engine) -> object:
    with closing(Database(path, clock=engine.clock, readonly=True)) as mart:
        return mart.read(digest)


@pytest.mark.parametrize("step", range(1, 5))
def test_a_start_killed_at_any_step_over_misplaced_bodies_is_repeated(
    engine: Engine, step: int
) -> None:
    heirs = misplaced(engine)
    begun = [0]

    def accident() -> None:
        begun[0] += 1
        if begun[0] == step:
            raise SystemExit

    engine.house.disk.accidents = {"begin rows": accident, "rows": accident}
    with pytest.raises(SystemExit):
        engine.restart()
    engine.house.disk.accidents.clear()
    engine.restart()
    engine.fold_all()
    assert layers(engine, *heirs) == ["day", "day"]
