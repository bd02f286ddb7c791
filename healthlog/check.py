"""The check: archive, journal, mart held against each other."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from healthlog.archive.read import Unreadable
from healthlog.archive.store import Archive
from healthlog.base.db import Database
from healthlog.base.errors import Damaged
from healthlog.journal import rows
from healthlog.journal.rows import Entry
from healthlog.mart import folded
from healthlog.mart.folded import Line
from healthlog.model import FAILED, PARSED, PARTIAL, Account, Delivery

_CONTENTLESS = frozenset(("deadline", "internal", "too_large", "unreadable"))


class MartUnreadable(Exception):
    """The mart is damaged; the message says how."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that isn't as it should be: the file or delivery, and what is wrong with it."""

    what: str
    problem: str


def check_archive(archive: Archive, progress: Callable[[int, int], None]) -> Iterator[Finding]:
    """Every file of the archive read and compared with its checksum."""
    found = archive.inventory()
    for path in found.strays:
        yield Finding(path, "is no file of the archive")
    for delivery_id in found.lonely_metas:
        # A service beside may have been between meta and body when the folder was listed.
        if not archive.holds(delivery_id):
            yield Finding(f"{delivery_id}.meta.json", "has no body")
    for done, delivery_id in enumerate(found.bodies, start=1):
        meta = archive.meta(delivery_id)
        if meta is None:
            yield Finding(f"{delivery_id}.meta.json", "is missing or can't be read")
        problem = _body_problem(archive, delivery_id, meta)
        if problem is not None:
            yield Finding(f"{delivery_id}.json.gz", problem)
        progress(done, len(found.bodies))


def _body_problem(archive: Archive, delivery_id: str, meta: Delivery | None) -> str | None:
    try:
        size, sha256 = archive.measure(delivery_id)
    except Unreadable as error:
        return str(error)
    if meta is not None and (size, sha256) != (meta.bytes, meta.sha256):
        return "the body differs from its checksum"
    return None


def check_journal(archive: Archive, journal: Database) -> Iterator[Finding]:
    """Rows and bodies compared: neither without the other, and both saying the same."""
    bodies = set(archive.scan())
    after = ""
    while entries := journal.read(partial(rows.page_by_id, after=after, limit=rows.SLICE)):
        for entry in entries:
            after = entry.delivery.delivery_id
            bodies.discard(after)
            if not archive.holds(after):
                yield Finding(after, "has a row and no body")
                continue
            meta = archive.meta(after)
            if meta is not None and meta != entry.delivery:
                yield Finding(after, "its row differs from its meta")
    for delivery_id in sorted(bodies):
        # A service beside may have accepted it only now.
        if not journal.read(partial(rows.exists, delivery_id=delivery_id)):
            yield Finding(delivery_id, "has a body and no row")


def check_accounts(journal: Database, mart: Database) -> Iterator[Finding]:
    """Outcomes of the journal compared with the mart's own accounts, both ways. MartUnreadable."""
    after = ""
    while entries := journal.read(partial(rows.page_by_id, after=after, limit=rows.SLICE)):
        first, after = entries[0].delivery.delivery_id, entries[-1].delivery.delivery_id
        lines = _told(mart, partial(folded.between, first=first, last=after))
        accounts = {line.delivery_id: line.account for line in lines}
        for entry in entries:
            problem = _account_problem(entry, accounts.get(entry.delivery.delivery_id))
            if problem is not None:
                yield Finding(entry.delivery.delivery_id, problem)
    yield from _foreign(journal, mart)


def _foreign(journal: Database, mart: Database) -> Iterator[Finding]:
    after = ""
    while lines := _told(mart, partial(folded.after, delivery_id=after, limit=rows.SLICE)):
        first, after = lines[0].delivery_id, lines[-1].delivery_id
        there = journal.read(partial(rows.known, first=first, last=after))
        for line in lines:
            if line.delivery_id not in there:
                yield Finding(line.delivery_id, "is folded in the mart and has no row")


def _told(mart: Database, work: Callable[[sqlite3.Connection], list[Line]]) -> list[Line]:
    try:
        return mart.read(work)
    except Damaged as error:
        raise MartUnreadable(f"can't be read: {error}") from error


def _account_problem(entry: Entry, account: Account | None) -> str | None:
    if entry.parse_status in (PARSED, PARTIAL):
        if account is None:
            return f"counts as {entry.parse_status} and the mart doesn't know it"
        if account != entry.account:
            return "its account differs from the mart's"
    if entry.parse_status == FAILED and account is not None:
        return "counts as failed and the mart has folded it"
    return None


def contentless(journal: Database) -> dict[str, int]:
    """How many failed deliveries give nothing for reasons that are not in their content, by
    kind: a digest can't speak for them."""
    found: dict[str, int] = {}
    cursor: tuple[int, str] | None = None
    while entries := journal.read(partial(_failed, cursor=cursor)):
        cursor = entries[-1].delivery.position
        for entry in entries:
            if entry.failure is not None and entry.failure.kind in _CONTENTLESS:
                found[entry.failure.kind] = found.get(entry.failure.kind, 0) + 1
    return found


def _failed(connection: sqlite3.Connection, cursor: tuple[int, str] | None) -> list[Entry]:
    return rows.page(connection, FAILED, None, None, cursor, rows.SLICE)
