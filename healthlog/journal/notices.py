"""What has been told of, when somebody listened: rows of the journal."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

_KEPT = "SELECT cause, kind, name, since_us, told_at_us FROM notice ORDER BY since_us, cause"
_KEEP = (
    "INSERT INTO notice (cause, kind, name, since_us) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (cause) DO NOTHING"
)
_LISTEN = (
    "INSERT INTO watch (one, listened_at_us) VALUES (1, ?)"
    " ON CONFLICT (one) DO UPDATE SET listened_at_us = excluded.listened_at_us"
)
_NOTICED = (
    "INSERT INTO watch (one, listened_at_us, noticed_at_us) VALUES (1, ?, ?)"
    " ON CONFLICT (one) DO UPDATE SET noticed_at_us = excluded.noticed_at_us"
)


class Kept(NamedTuple):
    """A cause that is not over; `told_us` is None until a notice of it was taken."""

    key: str
    kind: str
    name: str | None
    since_us: int
    told_us: int | None = None


def kept(connection: sqlite3.Connection) -> list[Kept]:
    """All causes that are not over, by when they began."""
    return [Kept(*row) for row in connection.execute(_KEPT)]


def keep(connection: sqlite3.Connection, causes: Iterable[Kept]) -> None:
    """Causes found anew; those that are there stay as they are."""
    connection.executemany(_KEEP, [one[:4] for one in causes])


def forget(connection: sqlite3.Connection, keys: Iterable[str]) -> None:
    connection.executemany("DELETE FROM notice WHERE cause = ?", [(key,) for key in keys])


def told(connection: sqlite3.Connection, keys: Iterable[str], now_us: int) -> None:
    """A notice of these was taken."""
    connection.executemany(
        "UPDATE notice SET told_at_us = ? WHERE cause = ?", [(now_us, key) for key in keys]
    )
    connection.execute(_NOTICED, (now_us, now_us))


def noticed_at_us(connection: sqlite3.Connection) -> int | None:
    """When the last notice was taken."""
    row = connection.execute("SELECT noticed_at_us FROM watch").fetchone()
    return None if row is None else row[0]


def listened_at_us(connection: sqlite3.Connection) -> int | None:
    """When somebody last listened, None if nobody ever did."""
    row = connection.execute("SELECT listened_at_us FROM watch").fetchone()
    return None if row is None else row[0]


def listen(connection: sqlite3.Connection, now_us: int, deaf_us: int, kept_us: int) -> None:
    """Somebody is listening now. A pause since the last time of more than `deaf_us` was an outage;
    those that ended more than `kept_us` ago are forgotten."""
    last_us = listened_at_us(connection)
    if last_us is not None and now_us - last_us > deaf_us:
        connection.execute("INSERT OR REPLACE INTO outage VALUES (?, ?)", (last_us, now_us))
    connection.execute("DELETE FROM outage WHERE to_us < ?", (now_us - kept_us,))
    connection.execute(_LISTEN, (now_us,))


def outages(connection: sqlite3.Connection) -> list[tuple[int, int]]:
    """Times in which nobody listened, from when to when, in their order."""
    return connection.execute("SELECT from_us, to_us FROM outage ORDER BY from_us").fetchall()
