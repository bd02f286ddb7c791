"""Which recordings a list, or the notes of a day, hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from healthlog.transcriber import rows, search
from healthlog.transcriber.rows import Recording

_SPOKEN = "coalesce(recorded_at_us, accepted_at_us)"

BEGINNING_CHARACTERS = 1000
"""So much of each text is read for a list: all of it may be hours of speech."""

_TEXTS = frozenset(("text", "corrected_text"))
_COLUMNS = ", ".join(
    f"substr({name}, 1, {BEGINNING_CHARACTERS})" if name in _TEXTS else name
    for name in rows.columns().split(", ")
)

# `+` keeps the order of the ids, in which pages join, from being made by sorting.
_PAGE = f"SELECT {_COLUMNS} FROM recording WHERE recording_id > :behind"
_STAGE, _STOPPED = " AND +stage = :stage", " AND +stopped_at_us IS NOT NULL"
_GOING, _REASON = " AND +stopped_at_us IS NULL", " AND +stop_reason = :reason"
_FOUND = " AND number IN (SELECT rowid FROM recording_search WHERE recording_search MATCH :words)"
_ORDER = " ORDER BY recording_id LIMIT :limit"
_SPOKEN_WITHIN = (
    f"SELECT {_COLUMNS} FROM recording WHERE {_SPOKEN} >= ? AND {_SPOKEN} < ?"
    f" ORDER BY {_SPOKEN}, recording_id"
)


class NoWord(Exception):
    """There is no word in what was asked for."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """`stage` its name, `stopped` whether it is or isn't, or for which reason, `words` that it
    holds; None: any."""

    stage: str | None = None
    stopped: bool | str | None = None
    words: str | None = None


def page(
    connection: sqlite3.Connection, wanted: Wanted, behind: str, limit: int
) -> tuple[Sequence[Recording], str | None]:
    """So many recordings behind that id, the oldest first, with the id behind which others follow,
    if they do. Of their texts there is only the beginning. NoWord."""
    query, given = _PAGE, {"behind": behind, "limit": limit + 1}
    values: dict[str, object] = dict(given)
    if wanted.stage is not None:
        query, values = query + _STAGE, values | {"stage": wanted.stage}
    if isinstance(wanted.stopped, str):
        query, values = query + _REASON, values | {"reason": wanted.stopped}
    elif wanted.stopped is not None:
        query += _STOPPED if wanted.stopped else _GOING
    if wanted.words is not None:
        words = search.asked_for(wanted.words)
        if words is None:
            raise NoWord
        query, values = query + _FOUND, values | {"words": words}
    found = [rows.recording(row) for row in connection.execute(query + _ORDER, values)]
    following = found[limit - 1].recording_id if len(found) > limit else None
    return found[:limit], following


def spoken_within(
    connection: sqlite3.Connection, first_us: int, last_us: int
) -> Sequence[Recording]:
    """The recordings of a stretch of time, from `first_us` to before `last_us`, in its order. Of
    their texts there is only the beginning."""
    found = connection.execute(_SPOKEN_WITHIN, (first_us, last_us))
    return [rows.recording(row) for row in found]
