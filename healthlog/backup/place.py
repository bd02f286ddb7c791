"""The folder a backup lies in: whose it is, who works on it, what interrupted runs left there."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from healthlog.archive.disk import Disk
from healthlog.backup.manifest import FILE, Manifest, NoManifest, Spoiled, opened
from healthlog.base import errors
from healthlog.base.clock import text_us
from healthlog.base.lock import FileLock

MARK = "healthlog-backup"
"""Says that a folder is one of ours, before anything else is in it; locked by who works on it."""

INCOMING = "incoming"
STATE = re.compile(r"state-[0-9TZ.]+", re.ASCII)
_NOBODY_S = frozenset(("lost+found",))


class NoPlace(errors.Refusal):
    """The folder can't be used; the message names it."""


class Place:
    """Paths of a backup."""

    def __init__(self, root: Path, disk: Disk) -> None:
        self.root = root
        self.mark = root / MARK
        self.manifest = root / FILE
        self.incoming = root / INCOMING
        self._disk = disk

    @contextmanager
    def claimed(self, data: Path) -> Iterator[None]:
        """The folder made and held for a new backup of `data`, cleared of what an interrupted
        one left. NoPlace when it isn't for us, Taken when another backup is at work in it."""
        self.refuse_overlap(data)
        self._make()
        with errors.naming():
            names = {path.name for path in self.root.iterdir()}
        if MARK not in names and not names <= _NOBODY_S:
            raise NoPlace(
                f"{self.root} is not empty and holds no backup of healthlog: name an empty folder"
            )
        try:
            lock = FileLock(self.mark)
            lock.acquire()
        except (OSError, errors.Inaccessible) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise NoPlace(f"{self.root} can't be written to: {reason}") from error
        with ExitStack() as held:
            held.callback(lock.release)
            self._disk.sync_folder(self.root)
            self._disk.make_folders(self.incoming, self.root)
            self._disk.sweep(self.incoming)
            yield

    @contextmanager
    def held(self) -> Iterator[None]:
        """The folder as it stands, kept from changing where anybody could change it. NoPlace when
        there is none, Taken when a backup is at work in it."""
        if not self.root.is_dir():
            raise NoPlace(f"{self.root} is no folder")
        with ExitStack() as held:
            if self.mark.is_file():
                lock = FileLock(self.mark)
                # On a medium that can't be written to there is nobody to be kept off.
                with suppress(OSError, errors.Inaccessible):
                    lock.acquire()
                held.callback(lock.release)
            yield

    def earlier(self) -> Manifest | None:
        """The whole backup that is there already; None where there is none, or one that is
        damaged."""
        try:
            return opened(self.manifest)
        except (NoManifest, Spoiled):
            return None

    def new_state(self, us: int) -> str:
        """Makes the folder for what changes from one backup to the next; its name."""
        name = "state-" + text_us(us).replace("-", "").replace(":", "")
        self._disk.make_folders(self.root / name, self.root)
        return name

    def states(self) -> list[str]:
        """Such folders, the newest last."""
        with errors.naming():
            found = [one.name for one in self.root.iterdir() if STATE.fullmatch(one.name)]
        return sorted(found)

    def drop_states(self, kept: Container[str]) -> None:
        """Removes all others."""
        for name in self.states():
            if name not in kept:
                self.drop_state(name)

    def drop_state(self, name: str) -> None:
        folder = self.root / name
        with errors.naming():
            for path in sorted(folder.iterdir()):
                self._disk.remove(path)
            folder.rmdir()

    def _make(self) -> None:
        if self.root.is_dir():
            return
        if self.root.exists() or self.root.is_symlink():
            raise NoPlace(f"{self.root} is no folder")
        # Not its parents too: where a disk isn't mounted, its place in the tree may be missing.
        if not self.root.parent.is_dir():
            raise NoPlace(f"{self.root}: {self.root.parent} is not there")
        try:
            self._disk.make_folders(self.root, self.root.parent)
        except (OSError, errors.Inaccessible) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise NoPlace(f"{self.root} can't be made: {reason}") from error

    def refuse_overlap(self, data: Path) -> None:
        """NoPlace when one lies in the other."""
        root, data = self.root.resolve(), data.resolve()
        if root == data or data in root.parents:
            raise NoPlace(f"{self.root} lies in the data directory {data}: name a folder outside")
        if root in data.parents:
            raise NoPlace(f"the data directory {data} lies in {self.root}: name another folder")
