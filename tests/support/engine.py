"""A log without a door: everything that accepts, folds, mends, rebuilds, in this process."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from healthlog.accept import Intake
from healthlog.adopt import adopt
from healthlog.archive.store import Archive
from healthlog.base.db import Database
from healthlog.base.log import Log
from healthlog.fold import Folder, MartDamaged
from healthlog.journal import outcomes, queue, rows
from healthlog.journal.rows import Entry
from healthlog.mart import folded
from healthlog.mart.digest import Digest, digest
from healthlog.mart.store import MartStore
from healthlog.mending import Mending
from healthlog.model import Account, Delivery, Verdict
from healthlog.prefix import JournalPrefix
from healthlog.reindex import Replay
from healthlog.replay import Player, Stage
from healthlog.worker import Work, Worker
from tests.support.accepting import House, entry, open_house
from tests.support.clock import FakeClock


@dataclass(slots=True)
class Engine:
    """The parts of a service over a house, wired as a service wires them. `played` lists the
    deliveries the player was asked for, in order."""

    house: House
    mart: MartStore
    mending: Mending
    intake: Intake
    played: list[str] = field(default_factory=list)

    @property
    def journal(self) -> Database:
        return self.house.journal

    @property
    def clock(self) -> FakeClock:
        return self.house.clock

    def post(self, body: bytes, **facts: Any) -> Delivery:
        """One body accepted, a second after the one before."""
        self.clock.advance(1)
        return self.house.accept(self.intake, body, **facts)

    def stage(self) -> Stage:
        """What a player plays by."""
        return Stage(
            find=self.find,
            read_body=self.house.archive.opener,
            prefix=JournalPrefix(self.journal, self.house.archive.opener),
            folder=Folder(self.mart, self.clock),
            keep=self.keep,
        )

    def find(self, delivery_id: str) -> Delivery | None:
        self.played.append(delivery_id)
        found = self.journal.read(partial(rows.get, delivery_id=delivery_id))
        return None if found is None else found.delivery

    def keep(self, delivery_id: str, verdict: Verdict) -> None:
        self.journal.write(
            partial(outcomes.write_verdict, delivery_id=delivery_id, verdict=verdict)
        )

    def player(self, *, fold_timeout_s: float = 120.0, quiet: bool = False, **other: Any) -> Player:
        """A player on the usual stage, with `other` callables in places of it."""
        return Player(
            replace(self.stage(), **other),
            log=self.house.log,
            clock=self.clock,
            fold_timeout_s=fold_timeout_s,
            quiet=quiet,
        )

    def work(self) -> Work:
        """What a worker works on."""
        return Work(
            pending_page=lambda after, limit: self.journal.read(
                partial(queue.pending_page, after=after, limit=limit)
            ),
            pending_count=lambda: self.journal.read(queue.pending_count),
            before_pass=self.before_pass,
            on_damage=self.on_damage,
        )

    def before_pass(self) -> None:
        self.mending.mend()
        self.intake.settle_owed()

    def on_damage(self, damage: MartDamaged) -> None:
        self.mart.suspect(str(damage))

    def worker(
        self, player: Player | None = None, work: Work | None = None, **options: Any
    ) -> Worker:
        """A worker whose tick never comes by itself within a test."""
        plain: dict[str, Any] = {"tick_s": 3600.0, "lag_warning_s": 300.0}
        return Worker(
            work or self.work(),
            player or self.player(),
            log=self.house.log,
            clock=self.clock,
            **{**plain, **options},
        )

    def fold_all(self) -> None:
        """One pass over all that waits."""
        self.worker().run_pass()

    def restart(self) -> None:
        """What a start does before the door opens; the mart is closed before."""
        self.mart.close()
        self.mart = _mart(self.house)
        self.mending = Mending(self.journal, self.mart, self.house.log)
        self.mart.open()
        adoption = adopt(self.house.archive, self.journal, self.mending.start_over)
        self.mending.mend()
        self.intake = self.house.intake(last_stamp_us=adoption.last_stamp_us)

    def entry(self, delivery: Delivery) -> Entry:
        return entry(self.journal, delivery.delivery_id)

    def statuses(self, *deliveries: Delivery) -> list[str]:
        return [self.entry(one).parse_status for one in deliveries]

    def line(self, delivery: Delivery) -> Account | None:
        """The mart's own account of a delivery."""
        found = self.mart.read(partial(folded.find, delivery_id=delivery.delivery_id))
        return None if found is None else found.account

    def digest(self) -> Digest:
        return self.mart.read(digest)

    def said(self, msg: str) -> list[dict[str, Any]]:
        return self.house.lines(msg)

    def replay(self, *, archive: Archive | None = None, **options: Any) -> Replay:
        """A replay of this log."""
        plain: dict[str, Any] = {
            "clock": self.clock,
            "log": Log(io.StringIO(), self.clock),
            "fold_timeout_s": 120.0,
            "journal_mode": "wal",
            "progress": _unwatched,
        }
        return Replay(archive or self.house.archive, self.journal, **{**plain, **options})


@contextmanager
def open_engine(data: Path, clock: FakeClock) -> Iterator[Engine]:
    """An empty log in an empty data directory. Pauses of both databases pass on the fake clock."""
    with open_house(data, clock) as house:
        mart = _mart(house)
        engine = Engine(house, mart, Mending(house.journal, mart, house.log), house.intake())
        engine.mart.open()
        try:
            yield engine
        finally:
            engine.mart.close()


def _mart(house: House) -> MartStore:
    return MartStore(house.data, house.clock, "wal", pause=house.clock.advance)


def _unwatched(_done: int, _total: int) -> None:
    """Nobody watches the progress."""
