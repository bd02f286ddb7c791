"""What a start makes good of an interrupted accept: rows for bodies that have none.

Only while nobody accepts: before the door opens, under the lock of the data directory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from healthlog.accept import insert_all
from healthlog.archive import Archive
from healthlog.archive_id import parse_id
from healthlog.base.db import Database
from healthlog.journal import rows

BUDGET_S = 10.0
"""Nobody waits for an answer yet, so that one transaction may wait for its lock this long."""


@dataclass(frozen=True, slots=True)
class Adoption:
    """What was found. `out_of_order`: an adopted body stands before a row that was there already,
    so that deliveries may have inherited a layer without knowing of it. `last_stamp_us` is the
    greatest of journal and archive, None when both are empty."""

    adopted: tuple[str, ...]
    swept: tuple[str, ...]
    metas_removed: tuple[str, ...]
    out_of_order: bool
    last_stamp_us: int | None


def adopt(archive: Archive, journal: Database) -> Adoption:
    """Clears the archive of leftovers, then writes a row for every body that has none, in the
    journal's order. Raises what archive and journal raise; may then simply be run again."""
    archive.prepare()
    swept = archive.sweep()
    found = archive.inventory()
    for delivery_id in found.lonely_metas:
        archive.remove_meta(delivery_id)
    last = journal.read(rows.last_position)
    adopted: list[str] = []
    for ids in _slices(found.bodies):
        adopted += _adopt_slice(archive, journal, ids)
    return Adoption(
        adopted=tuple(adopted),
        swept=tuple(path.name for path in swept),
        metas_removed=found.lonely_metas,
        out_of_order=bool(adopted and last is not None and _position(adopted[0]) < last),
        last_stamp_us=_last_stamp(found.bodies, last),
    )


def _adopt_slice(archive: Archive, journal: Database, ids: Sequence[str]) -> list[str]:
    known = journal.read(partial(rows.known, first=ids[0], last=ids[-1]))
    missing = [delivery_id for delivery_id in ids if delivery_id not in known]
    if missing:
        # Read before the transaction, which must not wait for files.
        deliveries = [archive.delivery(delivery_id) for delivery_id in missing]
        journal.write(partial(insert_all, deliveries=deliveries), budget_s=BUDGET_S)
    return missing


def _slices(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + rows.SLICE] for start in range(0, len(ids), rows.SLICE))


def _position(delivery_id: str) -> tuple[int, str]:
    return (_stamp(delivery_id), delivery_id)


def _stamp(delivery_id: str) -> int:
    us = parse_id(delivery_id)
    if us is None:
        raise ValueError("not an id")
    return us


def _last_stamp(bodies: Sequence[str], last: tuple[int, str] | None) -> int | None:
    stamps = [_stamp(delivery_id) for delivery_id in bodies[-1:]]
    if last is not None:
        stamps.append(last[0])
    return max(stamps, default=None)
