"""The check: archive, journal, mart held against each other."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from healthlog.archive.read import Unreadable
from healthlog.archive.store import Archive
from healthlog.base.db import Database
from healthlog.base.errors import Damaged, Inaccessible, IOFault, told
from healthlog.base.snapshot import look
from healthlog.journal import rows
from healthlog.journal.rows import Entry
from healthlog.mart import folded
from healthlog.mart.folded import Line
from healthlog.model import FAILED, PARSED, PARTIAL, Account, Delivery

_MOST_PROBLEMS = 10

_CONTENTLESS = frozenset(("deadline", "internal", "too_large", "unreadable"))
# Of one file, which says nothing about the next.
_UNREAD = (IOFault, Inaccessible)


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
        meta, problem = _meta(archive, delivery_id)
        if problem is None and not archive.meta_is_as_written(delivery_id):
            problem = "isn't written as this program writes it"
        if problem is not None:
            yield Finding(f"{delivery_id}.meta.json", problem)
        problem = _body_problem(archive, delivery_id, meta)
        if problem is not None:
            yield Finding(f"{delivery_id}.json.gz", problem)
        progress(done, len(found.bodies))


def _meta(archive: Archive, delivery_id: str) -> tuple[Delivery | None, str | None]:
    """What the meta says, or what is wrong with it."""
    try:
        meta = archive.meta(delivery_id)
    except _UNREAD as error:
        return None, f"can't be read: {error}"
    return meta, "is missing or can't be read" if meta is None else None


def _body_problem(archive: Archive, delivery_id: str, known: Delivery | None) -> str | None:
    """What is wrong with the file of a body, held against what is known of it."""
    try:
        size, sha256 = archive.measure(delivery_id)
        packed_sha256 = archive.packed_sha256(delivery_id)
    except Unreadable as error:
        return str(error)
    except _UNREAD as error:
        return f"can't be read: {error}"
    if known is None:
        return None
    if (size, sha256) != (known.bytes, known.sha256):
        return "the body differs from its checksum"
    if known.packed_sha256 not in {None, packed_sha256}:
        # Bytes of the container that mean nothing, or others that unpack to the same.
        return "the file differs from its checksum, the body in it is whole"
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
            problem = _row_problem(archive, entry.delivery)
            if problem is not None:
                yield Finding(after, problem)
    for delivery_id in sorted(bodies):
        # A service beside may have accepted it only now.
        if not journal.read(partial(rows.exists, delivery_id=delivery_id)):
            yield Finding(delivery_id, "has a body and no row")


def _row_problem(archive: Archive, row: Delivery) -> str | None:
    meta, _ = _meta(archive, row.delivery_id)
    if meta is not None:
        return None if meta == row else "its row differs from its meta"
    # Then the row alone tells what the body was when it came.
    problem = _body_problem(archive, row.delivery_id, row)
    return None if problem is None else f"{problem} (as its row has it)"


def check_database(database: Database, name: str) -> Iterator[Finding]:
    """SQLite's own examination of a file: pages, order, indexes. Damaged when there is no reading
    it at all."""
    for problem in database.read(_examined):
        yield Finding(name, problem)


def damage(copy: Path) -> list[str]:
    """The same of a copy that nobody changes, a damaged file included."""
    with closing(look(copy)) as connection:
        try:
            return _examined(connection)
        except sqlite3.DatabaseError as error:
            return [told(error)]


def _examined(connection: sqlite3.Connection) -> list[str]:
    """What SQLite finds wrong with a file, a few of it; nothing of what is stored is in it."""
    said = connection.execute(f"PRAGMA integrity_check({_MOST_PROBLEMS})")
    lines = [line for (text,) in said for line in str(text).splitlines()]
    return [line for line in lines if line != "ok" and not line.startswith("***")]


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
