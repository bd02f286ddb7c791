"""What belongs to a backup: one table of the kinds of files, each with who knows which they are."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from healthlog.archive.store import Archive
from healthlog.config import FILE_NAME
from healthlog.home import Home
from healthlog.journal import rows
from healthlog.transcriber import kept
from healthlog.transcriber.places import Places


@dataclass(frozen=True, slots=True)
class Piece:
    """A file by its path in the data directory, which is also that in the backup; its checksum if
    the journal knows it; whether it must be there."""

    path: str
    sha256: str | None = None
    required: bool = True


Lister = Callable[[Home, sqlite3.Connection], Iterator[Piece]]
"""Lists files in the order of their paths, given the copy of the journal."""


def archive_files(home: Home, journal: sqlite3.Connection) -> Iterator[Piece]:
    """Body and meta of every row. What somebody put into the archive by hand has no meta."""
    archive, after = Archive(home.data), ""
    while entries := rows.page_by_id(journal, after, rows.SLICE):
        for entry in entries:
            after = entry.delivery.delivery_id
            body, meta = archive.body_path(after), archive.meta_path(after)
            yield Piece(_path(body, home), entry.delivery.packed_sha256)
            yield Piece(_path(meta, home), required=False)


def audio_files(home: Home, journal: sqlite3.Connection) -> Iterator[Piece]:
    """What came with every row, be it still there, and every other file that is nobody's work."""
    places = Places(home.data)
    found = {path: Piece(path) for path in kept.lying(places)}
    after = ""
    while originals := kept.page(journal, places, after):
        for one in originals:
            after = one.recording_id
            if one.sha256 is not None:
                found[one.path] = Piece(one.path, one.sha256)
    return (found[path] for path in sorted(found))


FILES: tuple[Lister, ...] = (archive_files, audio_files)
"""In the order of their paths. A file once copied is never looked at again while its size stays."""

SMALL = ("tokens.json", FILE_NAME)
"""Copied anew into every backup, if they are there; beside both databases."""


def _path(path: Path, home: Home) -> str:
    return path.relative_to(home.data).as_posix()
