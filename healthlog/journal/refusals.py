"""The requests that were refused last, as they outlive a restart."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields, replace

MOST = 200
"""So many rows there are at most."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A request that was answered with an error, `times` between the two instants.

    `path` has no query; `announced` is the Content-Length; None and "" stand for what was not said.
    """

    first_at_us: int
    last_at_us: int
    times: int
    status: int
    reason: str
    method: str
    path: str
    remote: str
    upload: bool
    content_type: str
    announced: int | None
    user_agent: str


_COLUMNS = ", ".join(field.name for field in fields(Refused))
_UPLOAD = [field.name for field in fields(Refused)].index("upload")
_PLACES = ", ".join("?" for _ in fields(Refused))


def read_all(connection: sqlite3.Connection) -> list[Refused]:
    """All of them, the last one last."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM refusal ORDER BY place").fetchall()
    return [replace(Refused(*row), upload=bool(row[_UPLOAD])) for row in rows]


def write_all(connection: sqlite3.Connection, refused: Sequence[Refused]) -> None:
    """These instead of those that were there, at most MOST, the last one last."""
    connection.execute("DELETE FROM refusal")
    connection.executemany(
        f"INSERT INTO refusal (place, {_COLUMNS}) VALUES (?, {_PLACES})",
        [(place, *astuple(one)) for place, one in enumerate(refused[-MOST:])],
    )
