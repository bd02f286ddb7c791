"""A log replayed, swapped in, held against what it was before."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from healthlog.archive.store import Archive
from healthlog.base.db import Database
from healthlog.journal.rows import Entry
from healthlog.mart.digest import Digest, digest
from healthlog.model import Delivery
from healthlog.reindex import Replay, take_over
from tests.support.bodies import NO_JSON, ONE_DAY, PARTIAL, TWO_DAYS, body, days, metric, minutes
from tests.support.engine import Engine

WEIGHT = body(metric("weight_body_mass", {"2026-05-03 10:00:00 +0200": 80.5}))


def digest_of(path: Path, engine: Engine) -> Digest:
    with closing(Database(path, clock=engine.clock, readonly=True)) as mart:
        return mart.read(digest)


def forget(engine: Engine, *deliveries: Delivery) -> None:
    """Takes the rows of deliveries out of the journal."""

    def work(connection: sqlite3.Connection) -> None:
        for one in deliveries:
            connection.execute("DELETE FROM delivery WHERE delivery_id = ?", (one.delivery_id,))

    engine.journal.write(work)


def lose(engine: Engine, one: Delivery) -> None:
    """Takes the files of a delivery out of the archive."""
    engine.house.archive.body_path(one.delivery_id).unlink()
    engine.house.archive.meta_path(one.delivery_id).unlink()


def swap(engine: Engine, replay: Replay, new: Path) -> None:
    """What the command does once the new mart is there, then a start."""
    engine.mart.close()
    take_in(engine, replay, new)
    engine.restart()


def take_in(engine: Engine, replay: Replay, new: Path) -> None:
    """What the command does once the new mart is there."""
    take_over(
        replay,
        engine.house.archive,
        engine.journal,
        new,
        engine.mart.path,
        clock=engine.clock,
        journal_mode="wal",
    )


def settled(entry: Entry) -> tuple[Any, ...]:
    """What a replay must reach again."""
    account = entry.account
    assert account is not None
    failure = None if entry.failure is None else entry.failure.kind
    return (entry.parse_status, failure, account.layer, account.layer_origin, account.uncovered)


def fill(engine: Engine) -> list[Delivery]:
    """Good, partial, malformed and layerless deliveries of two automations, folded live."""
    sent = [minutes(60), WEIGHT, NO_JSON, PARTIAL, ONE_DAY, TWO_DAYS, days({"2026-05-04": 7000})]
    posted = [engine.post(one, automation_id=name) for one in sent for name in ("A", "B")]
    posted += [engine.post(WEIGHT), engine.post(ONE_DAY)]
    engine.fold_all()
    return posted


class Scripted(Archive):
    """An archive that does something before a body is read."""

    before: Callable[[Delivery], object]

    def body(self, one: Delivery) -> bytes:
        self.before(one)
        return super().body(one)

    def opener(self, one: Delivery) -> Callable[[], Iterator[bytes]]:
        self.before(one)
        return super().opener(one)


def scripted(engine: Engine, before: Callable[[Delivery], object]) -> Scripted:
    archive = Scripted(engine.house.data)
    archive.before = before
    return archive
