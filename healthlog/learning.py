"""The return of what was folded by rules that knew less."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.coverage import COVERED, Coverage
from healthlog.journal import learned, queue
from healthlog.journal.rows import SLICE
from healthlog.mart import folded
from healthlog.mart.store import Mart
from healthlog.model import PARSER

MOST_RETURNED = SLICE
"""More than this many would stand before the deliveries of today: a rebuild takes them then."""


@dataclass(frozen=True, slots=True)
class Learned:
    """Rows returned to the queue, or why the mart has to be rebuilt instead; never both."""

    returned: int = 0
    rebuild: str | None = None


def learn(
    journal: Database,
    mart: Mart,
    clock: Clock,
    *,
    coverage: Coverage = COVERED,
    parser: int = PARSER,
) -> Learned:
    """Compare what was folded with what this program knows; once at start, when journal and mart
    agree, before anything is folded.

    `partial` rows that name what was learned since go back to the queue, so do rows that failed
    by another parser: in one transaction with the note that this was done. They are left as they
    are where a rebuild will take them, and found again until it has. Raises what both raise.
    """
    others = mart.read(partial(folded.of_other_parsers, parser=parser))
    if others:
        return Learned(rebuild=f"{others} deliveries were folded by another parser")
    known = journal.read(learned.recorded)
    failed = journal.read(partial(learned.failed_otherwise, parser=parser, limit=MOST_RETURNED + 1))
    news = [] if known == coverage.number else _with_news(journal, coverage)
    if len(failed) + len(news) > MOST_RETURNED:
        return Learned(rebuild=f"more than {MOST_RETURNED} deliveries hold what was learned since")
    if known == coverage.number and not failed:
        return Learned()
    return Learned(
        journal.write(partial(_put_back, ids=[*failed, *news], number=coverage.number, clock=clock))
    )


def note(journal: Database, clock: Clock, coverage: Coverage = COVERED) -> None:
    """Note that a rebuild has taken all there was."""
    journal.write(partial(_put_back, ids=(), number=coverage.number, clock=clock))


def _with_news(journal: Database, coverage: Coverage) -> list[str]:
    """Partial rows that hold what was learned since they were folded, as many as matter."""
    found: list[str] = []
    after = queue.ZERO
    while len(found) <= MOST_RETURNED and (
        page := journal.read(partial(learned.partials, after=after, limit=SLICE))
    ):
        after = page[-1].position
        found += (one.delivery_id for one in page if coverage.has_news(one.uncovered, one.coverage))
    return found


def _put_back(connection: sqlite3.Connection, ids: Sequence[str], number: int, clock: Clock) -> int:
    returned = queue.put_back(connection, ids)
    learned.record(connection, number, clock.now_us(), returned)
    return returned
