"""The files of a backup that never change once they are there: kept as they are, else copied."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from healthlog.archive.disk import Disk
from healthlog.backup.contents import Piece
from healthlog.backup.copying import (
    Measured,
    Unreadable,
    copy,
    found_at,
    measured,
    size_of,
)
from healthlog.backup.manifest import Entry
from healthlog.backup.place import Place

KEPT = "is missing here or has another size; the backup keeps what it has"
ODD = "differs from its checksum; it was copied as it is"


@dataclass(frozen=True, slots=True)
class Stored:
    """What the backup now has of a file, None if nothing; whether it was copied; what is wrong
    with the file it comes from."""

    entry: Entry | None
    copied: bool = False
    problem: str | None = None


class Store:
    """Puts files of `data` into a place that is claimed.

    What the earlier backup names is not read again, on neither side, unless `again` says so: its
    size on both sides is enough. So a file that goes bad in the log stays as it was in the backup.
    """

    def __init__(self, data: Path, place: Place, disk: Disk, *, again: bool) -> None:
        self._data = data
        self._place = place
        self._disk = disk
        self._again = again
        self._folder: Path | None = None

    def put(self, piece: Piece, recorded: Entry | None) -> Stored:
        """One file; `recorded` is what the earlier backup says of it. Raises what is about the
        place, never about the file."""
        target = self._place.root / piece.path
        if recorded is not None and self._holds(target, piece, recorded):
            same = size_of(self._data / piece.path) == recorded.bytes
            return Stored(recorded, problem=None if same else KEPT)
        return self._fetched(piece, target)

    def settle(self) -> None:
        """Makes the names of everything put so far durable."""
        if self._folder is not None:
            folder = self._folder
            while folder != self._place.root:
                self._disk.sync_folder(folder)
                folder = folder.parent
        self._folder = None

    def _holds(self, target: Path, piece: Piece, recorded: Entry) -> bool:
        if size_of(target) != recorded.bytes or piece.sha256 not in {None, recorded.sha256}:
            return False
        return not self._again or found_at(target) == Measured(recorded.bytes, recorded.sha256)

    def _fetched(self, piece: Piece, target: Path) -> Stored:
        source = self._data / piece.path
        # Of an interrupted backup, or damaged since.
        there = found_at(target)
        if there is not None and there.sha256 == piece.sha256:
            self._enter(target.parent)
            return _stored(piece, there, copied=False)
        try:
            if there is not None and measured(source) == there:
                self._enter(target.parent)
                return _stored(piece, there, copied=False)
            self._disk.make_folders(target.parent, self._place.root)
            self._enter(target.parent)
            found = copy(source, target, self._place.incoming, self._disk)
        except Unreadable as error:
            lost = piece.required or source.exists()
            return Stored(None, problem=str(error) if lost else None)
        return _stored(piece, found, copied=True)

    def _enter(self, folder: Path) -> None:
        """Files come folder by folder, so that each is synced once."""
        if folder != self._folder:
            self.settle()
            self._folder = folder


def _stored(piece: Piece, found: Measured, *, copied: bool) -> Stored:
    odd = piece.sha256 not in {None, found.sha256}
    entry = Entry(piece.path, found.bytes, found.sha256)
    return Stored(entry, copied, ODD if odd else None)
