"""The data directory that a backup is restored into."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from healthlog.archive.disk import Disk
from healthlog.backup.copying import IsLink, Measured, Unreadable, copy, found_at
from healthlog.base import errors, files
from healthlog.base.lock import FileLock
from healthlog.home import Home

_INCOMING = "restore"
_MAY_BE_THERE = frozenset(("lock", "lost+found"))


class NotEmpty(errors.Refusal):
    """Something is there already; the message names it."""


class Target:
    """A data directory while it is filled. A mark in it keeps every other command off until it is
    whole; what an interrupted restore has put there is taken up by the next one.

    `identity` is that of the backup, so that two are never mixed.
    """

    def __init__(self, home: Home, identity: str, disk: Disk) -> None:
        self._home = home
        self._identity = identity
        self._disk = disk
        self._incoming = home.data / _INCOMING
        self._folder: Path | None = None

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """The directory made, locked, marked. NotEmpty, NoData, Taken."""
        home = self._home
        # Before the lock, whose file would be the first thing in somebody else's folder.
        self.refuse_full()
        home.make()
        with FileLock(home.lock):
            self.refuse_full()
            files.write_whole(home.restoring, json.dumps({"of": self._identity}).encode() + b"\n")
            self._disk.make_folders(self._incoming, home.data)
            for folder in (home.data, self._incoming):
                self._disk.sweep(folder)
            yield

    def put(self, source: Path, path: str, known: Measured | None) -> Measured:
        """One file copied to its path; what is there already, by its checksum, stays. Unreadable
        where the source can't be read, or isn't what is known of it; a link is only followed to
        what is known."""
        target = self._home.data / path
        if known is not None and found_at(target) == known:
            self._enter(target.parent)
            return known
        if known is None and source.is_symlink():
            raise IsLink("is a link and was left out")
        self._disk.make_folders(target.parent, self._home.data)
        self._enter(target.parent)
        found = copy(source, target, self._incoming, self._disk)
        if known not in {None, found}:
            raise Unreadable("changed while it was copied")
        return found

    def drop(self, database: Path) -> None:
        """Removes a database, with what SQLite has put beside it."""
        for path in database.parent.glob(f"{database.name}*"):
            self._disk.remove(path)

    def settle(self) -> None:
        """Makes the names of everything put so far durable."""
        folder, self._folder = self._folder, None
        while folder is not None:
            self._disk.sync_folder(folder)
            folder = None if folder == self._home.data else folder.parent

    def done(self) -> None:
        """Takes the mark away: the directory is whole."""
        self._disk.sweep(self._incoming)
        with errors.naming():
            self._incoming.rmdir()
        self._disk.sync_folder(self._home.data)
        self._disk.remove(self._home.restoring)
        # Should the mark come back with a power cut, another restore finds everything in place.
        with suppress(OSError, errors.Circumstance):
            self._disk.sync_folder(self._home.data)

    def refuse_full(self) -> None:
        """NotEmpty when the directory isn't new, empty or ours."""
        data, mark = self._home.data, self._home.restoring
        if not data.is_dir():
            return
        with errors.naming():
            if mark.exists():
                if _said(mark) != self._identity:
                    raise NotEmpty(
                        f"data directory {data} holds an unfinished restore of another backup:"
                        " remove what is in it, or name that backup"
                    )
                return
            found = sorted({one.name for one in data.iterdir()} - _MAY_BE_THERE)
        # A mark that was being written when the power went.
        if [name for name in found if not name.endswith(files.PART_SUFFIX)]:
            raise NotEmpty(
                f"data directory {data} is not empty ({found[0]}): a backup is restored into an"
                " empty or new one only"
            )

    def _enter(self, folder: Path) -> None:
        if folder != self._folder:
            self.settle()
            self._folder = folder


def _said(mark: Path) -> object:
    try:
        return json.loads(mark.read_bytes())["of"]
    except (ValueError, KeyError, TypeError):
        return None
