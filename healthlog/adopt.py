"""What a start makes good of an interrupted accept: rows for bodies that have none.

Only while nobody accepts: before the door opens, under the lock of the data directory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from healthlog.accept import insert_all
from healthlog.archive.store import Archive
from healthlog.base.db import Database
from healthlog.base.ids import parse_id
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


def _nothing() -> None:
    """What has to be done about bodies out of order, where nothing was folded yet."""


def adopt(
    archive: Archive, journal: Database, start_over: Callable[[], object] = _nothing
) -> Adoption:
    """Clears the archive of leftovers, then writes a row for every body that has none, in the
    journal's order. Raises what archive and journal raise; may then simply be run again.

    `start_over` is called before the first row that is out of order is written: after it, an
    interruption would leave no trace of what has to be folded again."""
    archive.prepare()
    swept = archive.sweep()
    found = archive.inventory()
    for delivery_id in found.lonely_metas:
        archive.remove_meta(delivery_id)
    last = journal.read(rows.last_position)
    adopted: list[str] = []
    out_of_order = False
    for ids in _slices(found.bodies):
        missing = _missing(journal, ids)
        if missing and not adopted and last is not None and _position(missing[0]) < last:
            out_of_order = True
            start_over()
        _adopt_slice(archive, journal, missing)
        adopted += missing
    return Adoption(
        adopted=tuple(adopted),
        swept=tuple(path.name for path in swept),
        metas_removed=found.lonely_metas,
        out_of_order=out_of_order,
        last_stamp_us=_last_stamp(found.bodies, last),
    )


def _missing(journal: Database, ids: Sequence[str]) -> list[str]:
    known = journal.read(partial(rows.known, first=ids[0], last=ids[-1]))
    return [delivery_id for delivery_id in ids if delivery_id not in known]


def _adopt_slice(archive: Archive, journal: Database, missing: Sequence[str]) -> None:
    if missing:
        # Before the transaction, which must not wait for files. The rename of an orphan may never
        # have reached the disk: a row must not outlive its body in a power cut.
        archive.sync(missing)
        deliveries = [archive.delivery(delivery_id) for delivery_id in missing]
        journal.write(partial(insert_all, deliveries=deliveries), budget_s=BUDGET_S)


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
