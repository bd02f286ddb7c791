"""Full-text search over what was said, with titles, topics (SQLite FTS5)."""

from __future__ import annotations

import sqlite3

_FORGET = (
    "DELETE FROM recording_search"
    " WHERE rowid = (SELECT number FROM recording WHERE recording_id = ?)"
)
_TAKE_IN = (
    "INSERT INTO recording_search (rowid, text, title, topics)"
    " SELECT number, coalesce(corrected_text, text), title, topics"
    " FROM recording WHERE recording_id = ?"
)


def refresh(connection: sqlite3.Connection, recording_id: str) -> None:
    """Takes in what a recording holds now. Whoever writes text, title or topics calls this in the
    same transaction."""
    forget(connection, recording_id)
    connection.execute(_TAKE_IN, (recording_id,))


def forget(connection: sqlite3.Connection, recording_id: str) -> None:
    """Leaves a recording out; before its row is removed."""
    connection.execute(_FORGET, (recording_id,))


def asked_for(text: str) -> str | None:
    """The query in FTS5's language for words that a person typed: recordings that hold all of them,
    the last one as a beginning. None when there is no word in it."""
    words = ["".join(c for c in word if c.isalnum()) for word in _split(text)]
    words = [word for word in words if word]
    if not words:
        return None
    return " ".join(f'"{word}"' for word in words) + "*"


def _split(text: str) -> list[str]:
    # As the index does it: whatever is no letter and no digit parts words.
    return "".join(c if c.isalnum() else " " for c in text).split()
