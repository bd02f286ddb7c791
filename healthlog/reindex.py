"""Reindex: the whole log counted again from the archive."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from healthlog.adopt import adopt
from healthlog.ahead import FEWEST, Ahead, processes, started
from healthlog.archive.store import Archive
from healthlog.base import files
from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.errors import Circumstance
from healthlog.base.log import Log
from healthlog.fold import Folder
from healthlog.journal import outcomes, queue, rows
from healthlog.mart.remembered import Remembered
from healthlog.mart.store import SIDECARS, Mart, open_mart, swap_in
from healthlog.model import Delivery, Verdict
from healthlog.prefix import ReplayPrefix
from healthlog.preparing import Preparer
from healthlog.reconcile import SLICE, copy_all
from healthlog.replay import Outcome, Player, Stage

FEW = 20
"""So many deliveries may be left to whoever goes on."""


def _cores() -> int:
    """How many processors this process may run on."""
    return len(os.sched_getaffinity(0))


def _nothing() -> None:
    """What there is to do between slices where nobody can stop them."""


class Interrupted(Circumstance):
    """The replay ended before the last delivery; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a replay did: deliveries in all, those found on one side only, outcomes added up, and
    the readings the new mart holds."""

    deliveries: int
    bodies_without_row: int
    rows_without_body: int
    outcome: Outcome
    mart_points: int

    def fields(self) -> dict[str, int]:
        """The report flat, as it is printed and logged."""
        flat = asdict(self)
        outcome = flat.pop("outcome")
        outcome.pop("left_pending")
        folded = outcome.pop("folded")
        return {**flat, "parsed": folded - outcome["partial"], **outcome}


@dataclass(frozen=True, slots=True)
class Composition:
    """What there is to replay: ids in the journal's order, and which of them stand in the
    archive and in the journal."""

    ids: tuple[str, ...]
    bodies: frozenset[str]
    entries: frozenset[str]


def composition(archive: Archive, journal: Database | None) -> Composition:
    """Every body of the archive, with or without a row, and every row, with or without a body.

    The order of ids is the journal's order, `(received_at, id)`, for an id begins with its stamp.
    """
    # Rows first: beside a running service, no row found here can then lack a body yet to come.
    entries = frozenset(journal.read(rows.all_ids) if journal is not None else ())
    bodies = frozenset(archive.scan())
    return Composition(tuple(sorted(bodies | entries)), bodies, entries)


class Replay:
    """Replays a whole log into a mart of its own, beside whatever is in place. Deliveries are
    prepared by some `workers` (None: as many as are of use here) and folded in their order."""

    def __init__(
        self,
        archive: Archive,
        journal: Database | None,
        *,
        clock: Clock,
        log: Log,
        fold_timeout_s: float,
        journal_mode: str,
        progress: Callable[[int, int], None],
        workers: int | None = None,
    ) -> None:
        self._workers = processes(_cores()) if workers is None else workers
        self._archive = archive
        self._journal = journal
        self._clock = clock
        self._log = log
        self._fold_timeout_s = fold_timeout_s
        self._journal_mode = journal_mode
        self._progress = progress
        self.failed: dict[str, Verdict] = {}

    def into(self, path: Path) -> Report:
        """Build a mart in `path`, which must not be there, and close it as one plain file.

        The verdicts of what failed are kept in `failed`. Interrupted when circumstances stopped a
        fold; whatever ends it early, `path` is gone again."""
        with self._mart(path) as mart:
            found = composition(self._archive, self._journal)
            folder = self._folder(mart)
            with self._ahead(len(found.ids)) as ahead:
                outcome = self._play(self._player(folder, ahead), found.ids, 0, ahead)
            folder.settle()
            return Report(
                deliveries=len(found.ids),
                bodies_without_row=len(found.bodies - found.entries),
                rows_without_body=len(found.entries - found.bodies),
                outcome=outcome,
                mart_points=points_in(mart),
            )

    def beside(self, path: Path) -> tuple[Report, tuple[int, str]]:
        """Build a mart in `path` as `into` does, of the rows of a journal that a service goes on
        writing: round by round, until a round met only a few. Also gives the position of the last
        row that is in it."""
        outcome, upto, played, bereft = Outcome(), queue.ZERO, 0, 0
        with self._mart(path) as mart:
            folder = self._folder(mart)
            with self._ahead(len(self._rows_behind(upto))) as ahead:
                player = self._player(folder, ahead)
                while found := self._rows_behind(upto):
                    ids = [delivery_id for _, delivery_id in found]
                    bereft += sum(not self._archive.holds(one) for one in ids)
                    outcome += self._play(player, ids, played, ahead)
                    played, upto = played + len(ids), found[-1]
                    if len(ids) <= FEW:
                        break
            folder.settle()
            return Report(played, 0, bereft, outcome, points_in(mart)), upto

    def _rows_behind(self, position: tuple[int, str]) -> list[tuple[int, str]]:
        if self._journal is None:
            raise ValueError("only beside a journal")
        return self._journal.read(partial(rows.positions, after=position))

    @contextmanager
    def _mart(self, path: Path) -> Iterator[Database]:
        """A new mart, one plain file in the end; gone if the block ends early."""
        try:
            made = open_mart(path, self._clock, self._journal_mode, durable=False)
            with closing(made) as mart:
                yield mart
            as_one_file(path, self._clock)
        except BaseException:
            discard(path)
            raise

    def _ahead(self, deliveries: int) -> Ahead:
        """Whoever prepares so many deliveries."""
        count = self._workers if deliveries >= FEWEST else 0
        workers = started(count, self._archive.data, self._fold_timeout_s)
        preparer = Preparer(self._archive, self._clock, self._fold_timeout_s)
        return Ahead(self._find, workers, preparer.prepared)

    def _folder(self, mart: Database) -> Folder:
        # Nobody has a copy of a mart that is only being made, and nobody reads it.
        return Folder(mart, self._clock, noted=False, remembered=Remembered(late=True))

    def _player(self, folder: Folder, ahead: Ahead) -> Player:
        stage = Stage(
            find=ahead.find,
            read_body=self._archive.opener,
            prefix=ReplayPrefix(self._archive.opener),
            folder=folder,
            keep=self._keep,
            ahead=ahead.take,
        )
        return Player(
            stage,
            log=self._log,
            clock=self._clock,
            fold_timeout_s=self._fold_timeout_s,
            quiet=True,
        )

    def _play(self, player: Player, ids: Sequence[str], before: int, ahead: Ahead) -> Outcome:
        """Play these deliveries, so many having been played before."""
        outcome, total = Outcome(), before + len(ids)
        ahead.begin()
        for done, delivery_id in enumerate(ids, start=before):
            self._progress(done, total)
            ahead.look(ids, done - before)
            outcome += player.play(delivery_id)
            if outcome.left_pending:
                raise Interrupted(
                    f"{delivery_id} could not be folded now: {player.left_because};"
                    " nothing was changed"
                )
        self._progress(total, total)
        return outcome

    def _find(self, delivery_id: str) -> Delivery | None:
        """What the archive knows of a delivery, else what the journal does, which is more than
        the name of a body without meta tells."""
        meta = self._archive.meta(delivery_id)
        return meta or _row(self._journal, delivery_id) or self._archive.delivery(delivery_id)

    def _keep(self, delivery_id: str, verdict: Verdict) -> None:
        if verdict.failure is not None:
            self.failed[delivery_id] = verdict


def _row(journal: Database | None, delivery_id: str) -> Delivery | None:
    if journal is None:
        return None
    entry = journal.read(lambda c: rows.get(c, delivery_id))
    return None if entry is None else entry.delivery


def points_in(mart: Database) -> int:
    """How many readings a mart holds."""
    return mart.read(lambda c: int(c.execute("SELECT total(points) FROM series").fetchone()[0]))


def as_one_file(path: Path, clock: Clock) -> None:
    """Leave a closed mart as one plain file, durable, with nothing of SQLite's beside it."""
    Database(path, clock=clock, journal_mode="delete").close()
    files.sync_file(path)


def discard(path: Path) -> None:
    """Remove a mart's file and what SQLite keeps beside it."""
    for suffix in ("", *SIDECARS):
        files.remove(path.with_name(path.name + suffix))


def take_over(
    replay: Replay,
    archive: Archive,
    journal: Database,
    new: Path,
    path: Path,
    *,
    clock: Clock,
    journal_mode: str,
) -> None:
    """Put a replayed mart in place and rewrite the journal's outcomes after it.

    Killed in between, the next start finds journal and mart apart and brings them together."""
    swap_in(new, path, clock, journal_mode)
    adopt(archive, journal)
    with closing(open_mart(path, clock, journal_mode)) as mart:
        settle(journal, mart, replay.failed)


def settle(
    journal: Database,
    mart: Mart,
    failed: Mapping[str, Verdict],
    between: Callable[[], object] = _nothing,
) -> None:
    """Give every row the outcome that a mart just made has of it, or the verdict by which it
    failed there, a slice at a time; `between` slices something may be raised that ends it."""
    verdicts = list(failed.items())
    for begin in range(0, len(verdicts), SLICE):
        between()
        journal.write(partial(_write_verdicts, batch=verdicts[begin : begin + SLICE]))
    copy_all(journal, mart, between)


def _write_verdicts(connection: sqlite3.Connection, batch: Sequence[tuple[str, Verdict]]) -> None:
    for delivery_id, verdict in batch:
        outcomes.write_verdict(connection, delivery_id, verdict)
