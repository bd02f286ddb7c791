"""The numbers of `/stats`: how the log is doing."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from healthlog.base.clock import text_us
from healthlog.base.db import Database
from healthlog.journal import notices, queue, tallies
from healthlog.journal.queue import Waiting
from healthlog.journal.tallies import LastDelivery
from healthlog.mart import record_rows
from healthlog.mart.store import Mart
from healthlog.model import PARSER, STATUSES
from healthlog.rebuild import RebuildState
from healthlog.version import VERSION
from healthlog.worker import WorkerState


@dataclass(frozen=True, slots=True)
class JournalNumbers:
    """What the journal knows: deliveries by status, the one that waits longest, archived bodies
    with their bytes, the last delivery of each automation, recordings by stage, when the last
    notice was sent, the kinds of what is worth one now."""

    by_status: Mapping[str, int]
    oldest_pending: Waiting | None
    bodies: int
    bytes: int
    last: Sequence[LastDelivery]
    recordings: Mapping[str, int] = field(default_factory=dict)
    noticed_at_us: int | None = None
    notices: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class MartNumbers:
    """What the mart knows: its readings, its schema, the parser by which it was last folded, its
    records by kind."""

    points: int
    schema: int
    parser: int
    records: Mapping[str, int]


def stats(
    journal: Database,
    mart: Mart,
    worker: WorkerState | None,
    now_us: int,
    rebuild: RebuildState | None = None,
    *,
    recordings: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """The whole object of the contract; `worker`, `recordings` None where no service runs,
    `rebuild` None where none is under way."""
    of_journal, of_mart = journal.read(journal_numbers), mart.read(mart_numbers)
    return told(of_journal, of_mart, worker, now_us, rebuild, recordings=recordings)


def journal_numbers(connection: sqlite3.Connection) -> JournalNumbers:
    bodies, size = tallies.archived(connection)
    return JournalNumbers(
        tallies.by_status(connection),
        queue.oldest_pending(connection),
        bodies,
        size,
        tallies.last_deliveries(connection),
        tallies.recordings(connection),
        notices.noticed_at_us(connection),
        [one.kind for one in notices.kept(connection)],
    )


def mart_numbers(connection: sqlite3.Connection) -> MartNumbers:
    (points,) = connection.execute("SELECT coalesce(sum(points), 0) FROM series").fetchone()
    (schema,) = connection.execute("SELECT max(number) FROM schema_migration").fetchone()
    last = connection.execute("SELECT parser FROM folded ORDER BY delivery DESC LIMIT 1").fetchone()
    parser = PARSER if last is None else last[0]
    return MartNumbers(points, schema or 0, parser, record_rows.counts(connection))


def told(
    journal: JournalNumbers,
    mart: MartNumbers,
    worker: WorkerState | None,
    now_us: int,
    rebuild: RebuildState | None = None,
    *,
    recordings: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """The object made of the numbers. Ages are whole seconds, counted from the clock as it was
    read when a delivery came."""
    return {
        "version": VERSION,
        "deliveries": {status: journal.by_status.get(status, 0) for status in STATUSES},
        "oldest_pending": _waiting(journal.oldest_pending, now_us),
        "archive": {"bodies": journal.bodies, "bytes": journal.bytes},
        "mart": {
            "points": mart.points,
            "records": dict(mart.records),
            "schema": mart.schema,
            "parser": mart.parser,
        },
        "worker": _worker(worker),
        "rebuild": _rebuild(rebuild),
        "last_delivery": {
            one.automation_id: {
                "name": one.name,
                "received_at": text_us(one.received_at_us),
                "age_s": _age_s(one.clock_at_us, now_us),
            }
            for one in journal.last
        },
        "notices": {
            "last_at": None if journal.noticed_at_us is None else text_us(journal.noticed_at_us),
            "open": list(journal.notices),
        },
        "recordings": {"stopped": 0, "workers": 0}
        | dict(recordings or {})
        | dict(journal.recordings),
    }


def _waiting(oldest: Waiting | None, now_us: int) -> dict[str, object] | None:
    if oldest is None:
        return None
    return {
        "delivery_id": oldest.delivery_id,
        "received_at": text_us(oldest.received_at_us),
        "age_s": _age_s(oldest.clock_at_us, now_us),
    }


def _worker(state: WorkerState | None) -> dict[str, object]:
    started_us = None if state is None else state.last_pass_started_at_us
    finished_us = None if state is None else state.last_pass_finished_at_us
    return {
        "alive": state is not None and state.alive,
        "last_pass_started_at": None if started_us is None else text_us(started_us),
        "last_pass_finished_at": None if finished_us is None else text_us(finished_us),
        "passes": None if state is None else state.passes,
        "folded": None if state is None else state.folded,
    }


def _rebuild(state: RebuildState | None) -> dict[str, object] | None:
    if state is None:
        return None
    return {
        "done": state.done,
        "total": state.total,
        "reason": state.reason,
        "started_at": text_us(state.started_at_us),
    }


def _age_s(clock_at_us: int, now_us: int) -> int:
    # A clock that was put back makes nothing come from the future.
    return max(0, now_us - clock_at_us) // 1_000_000
