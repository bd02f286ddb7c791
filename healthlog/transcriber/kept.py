"""Which files of recordings there should be, which there are."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from healthlog.base.errors import Damaged
from healthlog.base.files import PART_SUFFIX
from healthlog.transcriber.places import Places

_SLICE = 500
_AFTER = (
    "SELECT recording_id, extension, bytes, sha256 FROM recording"
    f" WHERE recording_id > ? ORDER BY recording_id LIMIT {_SLICE}"
)
_ONE = "SELECT 1 FROM recording WHERE recording_id = ?"


@dataclass(frozen=True, slots=True)
class Original:
    """A recording's file as it came, by its path in the data directory. `sha256` is None where none
    ever came, nor is there to be one."""

    recording_id: str
    path: str
    bytes: int
    sha256: str | None


def page(connection: sqlite3.Connection, places: Places, after: str) -> list[Original]:
    """The originals of some recordings behind that id, in the order of their ids. Damaged."""
    found = []
    for recording_id, extension, size, sha256 in connection.execute(_AFTER, (after,)):
        try:
            path = places.original(recording_id, extension)
        except ValueError as error:
            raise Damaged("a recording has no usable id or extension") from error
        found.append(Original(recording_id, _told(places, path), size, sha256))
    return found


def exists(connection: sqlite3.Connection, recording_id: str) -> bool:
    return connection.execute(_ONE, (recording_id,)).fetchone() is not None


def lying(places: Places) -> Iterator[str]:
    """Paths in the data directory of all files that are whole and nobody's work, in no order."""
    for folder, folders, names in os.walk(places.audio):
        if Path(folder) == places.audio:
            passing = {places.incoming.name, places.work.name}
            folders[:] = [name for name in folders if name not in passing]
        for name in names:
            if not name.endswith(PART_SUFFIX):
                yield _told(places, Path(folder) / name)


def _told(places: Places, path: Path) -> str:
    return path.relative_to(places.data).as_posix()
