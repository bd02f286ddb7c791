"""A restored log brought up: reconciled as at every start, folded, compared with a replay."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from healthlog import learning
from healthlog.adopt import adopt
from healthlog.archive.store import Archive
from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.errors import Damaged
from healthlog.base.log import Log
from healthlog.builder import PATIENCE
from healthlog.check import contentless
from healthlog.databases import open_up_to_date
from healthlog.fold import Folder, MartDamaged
from healthlog.home import Home
from healthlog.journal import outcomes, queue, rows
from healthlog.mart.digest import Digest, digest
from healthlog.mart.store import NEW, MartStore, open_mart, sweep
from healthlog.mending import Mending
from healthlog.model import Delivery, Verdict
from healthlog.prefix import JournalPrefix
from healthlog.reindex import Interrupted, Replay, discard, take_over
from healthlog.replay import Outcome, Player, Stage

NONE_CAME = "the backup has no usable mart.db"
DIFFERED = "it differed from a replay of the archive"
_PAGE = 100


@dataclass(frozen=True, slots=True)
class Revived:
    """What came of it: deliveries there are, those folded here that the mart of the backup didn't
    know, the digest, and why a replay took the mart's place, None if it didn't have to."""

    deliveries: int
    folded: int
    digest: Digest
    replaced: str | None

    @property
    def as_expected(self) -> bool:
        """Whether nothing came out that nobody can explain."""
        return self.replaced != DIFFERED


@dataclass(frozen=True, slots=True)
class How:
    """By what a log is brought up; the progress is that of the replay."""

    clock: Clock
    log: Log
    fold_timeout_s: float
    journal_mode: str
    progress: Callable[[int, int], None]


def revive(home: Home, how: How) -> Revived:
    """Bring up the log in a directory that nobody else has; the mart in place is then that of the
    backup if a replay of the archive comes to the same digest, else the replay.

    Raises circumstances, Interrupted among them, and Damaged about the journal; may then simply be
    run again."""
    archive = Archive(home.data)
    archive.prepare()
    sweep(home.mart)
    new = home.mart.with_name(home.mart.name + NEW)
    with closing(open_up_to_date(home.journal, "journal", how.clock, how.journal_mode)) as journal:
        live = _Live(home, archive, journal, how)
        found, reason = live.folded()
        replay = Replay(
            archive,
            journal,
            clock=how.clock,
            log=how.log,
            fold_timeout_s=how.fold_timeout_s * PATIENCE,
            journal_mode=how.journal_mode,
            progress=how.progress,
        )
        report = replay.into(new)
        with closing(open_mart(new, how.clock, "delete")) as mart:
            expected = mart.read(digest)
        if found == expected:
            discard(new)
            return Revived(report.deliveries, live.outcome.folded, expected, None)
        take_over(
            *(replay, archive, journal, new, home.mart),
            clock=how.clock,
            journal_mode=how.journal_mode,
        )
        learning.note(journal, how.clock)
        return Revived(report.deliveries, live.outcome.folded, expected, reason or DIFFERED)


class _Live:
    """What a service does at its start, up to the end of its first pass."""

    def __init__(self, home: Home, archive: Archive, journal: Database, how: How) -> None:
        self._home = home
        self._archive = archive
        self._journal = journal
        self._how = how
        self.outcome = Outcome()

    def folded(self) -> tuple[Digest | None, str | None]:
        """The digest of the mart once nothing waits any more, None where there is no mart to go
        on with; a reason for which that of a replay may differ."""
        if not self._home.mart.exists():
            adopt(self._archive, self._journal)
            return None, NONE_CAME
        how = self._how
        mart = MartStore(self._home.data, how.clock, how.journal_mode)
        with closing(mart):
            try:
                return self._first_pass(mart)
            except (Damaged, MartDamaged) as error:
                if isinstance(error, Damaged) and mart.damage is None:
                    raise  # then it is the journal
                return None, f"it is damaged: {error}"

    def _first_pass(self, mart: MartStore) -> tuple[Digest | None, str | None]:
        mending = Mending(self._journal, mart, self._how.log)
        mart.open()
        adopt(self._archive, self._journal, mending.start_over)
        mending.mend()
        due = learning.learn(self._journal, mart, self._how.clock).rebuild
        if due is not None:
            return None, due
        self._fold(mart)
        without = sum(contentless(self._journal).values())
        chance = f"{without} deliveries had failed for reasons that are not in their content"
        return mart.read(digest), chance if without else None

    def _fold(self, mart: MartStore) -> None:
        player, cursor = self._player(mart), queue.ZERO
        while page := self._journal.read(partial(_pending, after=cursor)):
            for cursor in page:
                self.outcome += player.play(cursor[1])
                if self.outcome.left_pending:
                    raise Interrupted(f"{cursor[1]} could not be folded now")

    def _player(self, mart: MartStore) -> Player:
        stage = Stage(
            find=self._find,
            read_body=self._archive.body,
            prefix=JournalPrefix(self._journal, self._archive.body),
            folder=Folder(mart, self._how.clock),
            keep=self._keep,
        )
        return Player(
            stage,
            log=self._how.log,
            clock=self._how.clock,
            fold_timeout_s=self._how.fold_timeout_s * PATIENCE,
            quiet=True,
        )

    def _find(self, delivery_id: str) -> Delivery | None:
        entry = self._journal.read(partial(rows.get, delivery_id=delivery_id))
        return None if entry is None else entry.delivery

    def _keep(self, delivery_id: str, verdict: Verdict) -> None:
        self._journal.write(
            partial(outcomes.write_verdict, delivery_id=delivery_id, verdict=verdict)
        )


def _pending(connection: sqlite3.Connection, after: tuple[int, str]) -> list[tuple[int, str]]:
    return queue.pending_page(connection, after, _PAGE)
