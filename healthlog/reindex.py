"""Reindex: the whole log counted again from the archive."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from healthlog.adopt import adopt
from healthlog.archive.store import Archive
from healthlog.base import files
from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.errors import Circumstance
from healthlog.base.log import Log
from healthlog.fold import Folder
from healthlog.journal import outcomes, rows
from healthlog.mart.store import SIDECARS, open_mart, swap_in
from healthlog.model import Delivery, Verdict
from healthlog.prefix import ReplayPrefix
from healthlog.reconcile import SLICE, copy_all
from healthlog.replay import Outcome, Player, Stage


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
    """Replays a whole log into a mart of its own, beside whatever is in place."""

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
    ) -> None:
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
        try:
            with closing(open_mart(path, self._clock, self._journal_mode)) as mart:
                report = self._play(mart, composition(self._archive, self._journal))
            Database(path, clock=self._clock, journal_mode="delete").close()
        except BaseException:
            discard(path)
            raise
        return report

    def _play(self, mart: Database, found: Composition) -> Report:
        stage = Stage(
            find=self._find,
            read_body=self._archive.body,
            prefix=ReplayPrefix(self._archive.body),
            folder=Folder(mart, self._clock),
            keep=self._keep,
        )
        player = Player(
            stage,
            log=self._log,
            clock=self._clock,
            fold_timeout_s=self._fold_timeout_s,
            quiet=True,
        )
        outcome = Outcome()
        for done, delivery_id in enumerate(found.ids):
            self._progress(done, len(found.ids))
            outcome += player.play(delivery_id)
            if outcome.left_pending:
                raise Interrupted(f"{delivery_id} could not be folded now; nothing was changed")
        self._progress(len(found.ids), len(found.ids))
        return Report(
            deliveries=len(found.ids),
            bodies_without_row=len(found.bodies - found.entries),
            rows_without_body=len(found.entries - found.bodies),
            outcome=outcome,
            mart_points=mart.read(
                lambda c: int(c.execute("SELECT total(points) FROM series").fetchone()[0])
            ),
        )

    def _find(self, delivery_id: str) -> Delivery | None:
        """What the archive knows of a delivery, else what the journal does, which is more than
        the name of a body without meta tells."""
        meta = self._archive.meta(delivery_id) if self._archive.holds(delivery_id) else None
        return meta or _row(self._journal, delivery_id) or self._archive.delivery(delivery_id)

    def _keep(self, delivery_id: str, verdict: Verdict) -> None:
        if verdict.failure is not None:
            self.failed[delivery_id] = verdict


def _row(journal: Database | None, delivery_id: str) -> Delivery | None:
    if journal is None:
        return None
    entry = journal.read(lambda c: rows.get(c, delivery_id))
    return None if entry is None else entry.delivery


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
        copy_all(journal, mart)
    _write_failed(journal, replay.failed)


def _write_failed(journal: Database, failed: dict[str, Verdict]) -> None:
    verdicts = list(failed.items())
    for begin in range(0, len(verdicts), SLICE):
        journal.write(partial(_write_verdicts, batch=verdicts[begin : begin + SLICE]))


def _write_verdicts(connection: sqlite3.Connection, batch: Sequence[tuple[str, Verdict]]) -> None:
    for delivery_id, verdict in batch:
        outcomes.write_verdict(connection, delivery_id, verdict)
