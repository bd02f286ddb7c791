"""The reconciliation: whatever journal or mart claims of the other is made true."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from healthlog.base.db import Database
from healthlog.journal import outcomes, queue, rows
from healthlog.journal.rows import Entry
from healthlog.mart import folded
from healthlog.mart.folded import Line
from healthlog.mart.store import Mart
from healthlog.model import FAILED, PARSED, PARTIAL, Verdict

SLICE = rows.SLICE


class ForeignMart(Exception):
    """The mart holds a delivery that the journal doesn't know: it belongs to another log."""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """Rows that went back to the queue, and rows that got the account the mart keeps."""

    requeued: int = 0
    copied: int = 0


def reconcile(journal: Database, mart: Mart) -> Reconciled:
    """Compare every row with the mart's own account, a slice at a time.

    A row that claims to be folded and has no line goes back to the queue. A row with an outcome
    other than its line gets that of the line (a process was killed between swapping a mart in
    and copying its outcomes). What is pending stays so: its fold will find the line. ForeignMart
    when the mart has a line of a delivery that isn't in the journal.
    """
    after, requeued, copied, known = "", 0, 0, 0
    while entries := journal.read(partial(rows.page_by_id, after=after, limit=SLICE)):
        first, last = entries[0].delivery.delivery_id, entries[-1].delivery.delivery_id
        found = mart.read(partial(folded.between, first=first, last=last))
        lines = {line.delivery_id: line for line in found}
        known += len(lines.keys() & {entry.delivery.delivery_id for entry in entries})
        requeued += queue.requeue(journal, _without_line(entries, lines))
        copied += _copy(journal, _differing(entries, lines))
        after = last
    if known != mart.read(folded.count):
        raise ForeignMart("mart.db holds deliveries that journal.db doesn't know")
    return Reconciled(requeued, copied)


def _nothing() -> None:
    """What there is to do between slices where nobody can stop them."""


def copy_all(journal: Database, mart: Mart, between: Callable[[], object] = _nothing) -> int:
    """Give every row the outcome that a mart just built has of it; how many were given one.
    `between` slices something may be raised that ends it."""
    after, copied = "", 0
    while lines := mart.read(partial(folded.after, delivery_id=after, limit=SLICE)):
        between()
        after = lines[-1].delivery_id
        copied += _copy(journal, lines)
    return copied


def _without_line(entries: Sequence[Entry], lines: dict[str, Line]) -> list[str]:
    return [
        entry.delivery.delivery_id
        for entry in entries
        if entry.parse_status in (PARSED, PARTIAL) and entry.delivery.delivery_id not in lines
    ]


def _differing(entries: Sequence[Entry], lines: dict[str, Line]) -> list[Line]:
    return [
        line
        for entry in entries
        if entry.parse_status in (PARSED, PARTIAL, FAILED)
        and (line := lines.get(entry.delivery.delivery_id)) is not None
        and (entry.failure is not None or entry.account != line.account)
    ]


def _copy(journal: Database, lines: Sequence[Line]) -> int:
    def work(connection: sqlite3.Connection) -> None:
        for line in lines:
            outcomes.write_verdict(connection, line.delivery_id, Verdict(line.account))

    if lines:
        journal.write(work)
    return len(lines)
