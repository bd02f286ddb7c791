"""What changed since a program last looked, in the words of the calls it reads by."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import NamedTuple

from healthlog.layer import DATED, DAY
from healthlog.mart.changes import Change, Place, generation, page
from healthlog.moment import DAY_MS, day_text, instant_text

_SECOND_MS = 1_000
_LAST_SERIES = 2**63 - 1


class Since(NamedTuple):
    """How far a copy of the mart goes: which mart, and the place of the last change that is in
    it."""

    generation: str
    fold: int
    series: int


@dataclass(frozen=True, slots=True)
class ChangePage:
    """Changes in the order of the folds, how far a copy goes that takes them in, and whether more
    follow."""

    items: list[dict[str, object]]
    reached: Since
    more: bool


def changes(connection: sqlite3.Connection, since: Since | None, limit: int) -> ChangePage | None:
    """At most `limit` changes that a copy lacks; without a copy none, for it begins with reading
    everything. None when the copy is of another mart, which says nothing of this one."""
    name, folds = generation(connection)
    now = Since(name, folds, _LAST_SERIES)
    if since is None:
        return ChangePage([], now, more=False)
    if since.generation != name or since.fold > folds:
        return None
    found = page(connection, Place(since.fold, since.series), limit + 1)
    items = [_shown(one) for one in found[:limit]]
    if len(found) <= limit:
        return ChangePage(items, now, more=False)
    last = found[limit - 1]
    return ChangePage(items, Since(name, last.fold, last.series), more=True)


def _shown(change: Change) -> dict[str, object]:
    if change.record is not None:
        kind, key = change.record
        return {"what": "record", "fold": change.fold, "kind": kind, "key": key}
    first, last = _edges(change)
    edges = (("from", first), ("to", last))
    return {
        **({"what": "clock"} if change.metric is None else {"what": "points"}),
        "fold": change.fold,
        **({} if change.metric is None else {"metric": change.metric, "layer": change.layer}),
        **{name: edge for name, edge in edges if edge is not None},
    }


def _edges(change: Change) -> tuple[str | None, str | None]:
    """Bounds of a read that finds all that changed: the first included, the last not."""
    first_ms, last_ms = change.first_ms, change.last_ms
    if change.layer in DATED - {DAY}:
        assert first_ms is not None
        assert last_ms is not None
        return day_text(first_ms // DAY_MS), day_text(last_ms // DAY_MS + 1)
    if change.layer in {DAY, None}:
        # A date may stand beside, in whatever zone it is asked for; days flag others of their date.
        first_ms = None if first_ms is None else first_ms - 2 * DAY_MS
        last_ms = None if last_ms is None else last_ms + 2 * DAY_MS
    return (
        None if first_ms is None else instant_text(first_ms),
        None if last_ms is None else instant_text((last_ms // _SECOND_MS + 1) * _SECOND_MS),
    )
