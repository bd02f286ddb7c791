"""What a person writes about a recording: columns that no step ever touches."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from healthlog.transcriber import search
from healthlog.transcriber.rows import topics_text

COLUMNS = ("owner", "title", "summary", "topics", "corrected_text")
"""Texts, None for none; topics are a tuple of texts."""

TITLE_MAX = 500
LONGEST = {"owner": 200, "title": TITLE_MAX, "summary": 20_000, "corrected_text": 1_000_000}
TOPICS_MAX, TOPIC_MAX = 50, 100
"""Characters of each text, topics, characters of a topic."""


def edit(connection: sqlite3.Connection, recording_id: str, changes: Mapping[str, Any]) -> bool:
    """Writes the columns that are named, and no others; False when there is no such recording.

    It needs no claim: a person and a step never write the same column. ValueError for a column
    that isn't a person's.
    """
    if not changes.keys() <= set(COLUMNS):
        raise ValueError(f"not a person's to write: {sorted(changes.keys() - set(COLUMNS))}")
    if not changes:
        query = "SELECT 1 FROM recording WHERE recording_id = ?"
        return connection.execute(query, (recording_id,)).fetchone() is not None
    values = {name: _stored(name, value) for name, value in changes.items()}
    written = connection.execute(
        f"UPDATE recording SET {', '.join(f'{name} = ?' for name in values)}"
        " WHERE recording_id = ?",
        (*values.values(), recording_id),
    ).rowcount
    search.refresh(connection, recording_id)
    return written == 1


def _stored(name: str, value: Any) -> Any:
    return topics_text(tuple(value)) if name == "topics" and value is not None else value
