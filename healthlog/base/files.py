"""Durable files: the only module that makes bytes survive a power cut.

Order matters: file contents are synced before a rename, the folder after it. A failed fsync is
never repeated, because the kernel may have dropped the dirty pages and would report success.
All functions raise the names of `errors` for a full disk, a failing device, used-up descriptors and
a place that can't be written; the message begins with the path.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from healthlog.base import errors

PART_SUFFIX = ".part"


class Part:
    """A file being written under a name that `sweep` removes after a crash.

    Life: create, write…, sync, rename; discard at any point. Not for several threads at once.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.size = 0
        self._descriptor: int | None = descriptor
        self._synced = False
        self._gone = False

    @classmethod
    def create(cls, folder: Path, suffix: str = PART_SUFFIX, mode: int = 0o600) -> Part:
        """A new empty part with a random name in `folder`; the suffix must end in `.part`."""
        if not suffix.endswith(PART_SUFFIX):
            raise ValueError(f"the suffix of a part must end in {PART_SUFFIX}")
        path = folder / (secrets.token_hex(8) + suffix)
        with errors.writing(path):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        part = cls(path, descriptor)
        if mode != 0o600:
            part._set_mode(mode)
        return part

    def write(self, data: bytes) -> None:
        """Append all of `data`."""
        descriptor = self._open_descriptor()
        view = memoryview(data)
        with errors.writing(self.path):
            while view:
                written = os.write(descriptor, view)
                view = view[written:]
                self.size += written

    def sync(self) -> None:
        """Force the contents to the disk, then close; never tried twice on one part."""
        descriptor = self._open_descriptor()
        self._descriptor = None
        with errors.writing(self.path):
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        self._synced = True

    def rename(self, target: Path) -> None:
        """Give the synced part its final name, replacing what was there; no folder sync."""
        if not self._synced or self._gone:
            raise ValueError("only a synced part can be renamed, once")
        with errors.writing(target):
            self.path.replace(target)
        self._gone = True

    def discard(self) -> None:
        """Close, remove; does nothing after a rename or a second time. Leftovers are swept."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(descriptor)
        if not self._gone:
            self._gone = True
            with contextlib.suppress(OSError):
                self.path.unlink()

    def _open_descriptor(self) -> int:
        if self._descriptor is None:
            raise ValueError("the part is closed")
        return self._descriptor

    def _set_mode(self, mode: int) -> None:
        try:
            with errors.writing(self.path):
                os.fchmod(self._open_descriptor(), mode)
        except BaseException:
            self.discard()
            raise


def sync_folder(folder: Path) -> None:
    """Force the folder's entries (new names, renames, removals) to the disk."""
    with errors.writing(folder):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sync_file(path: Path) -> None:
    """Force the contents of a closed file to the disk; for what others have written. Never of a
    database that is open: closing it here would drop the locks of all connections of this process
    to it."""
    with errors.naming():
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def make_folders(folder: Path, root: Path) -> None:
    """Create what is missing between `root`, which exists, and `folder`, mode 0700, durably.

    ValueError when `folder` isn't inside `root`.
    """
    here = root
    for name in folder.relative_to(root).parts:
        if name == os.pardir:
            raise ValueError("the folder must be inside the root")
        here = here / name
        _make_folder(here)


def _make_folder(folder: Path) -> None:
    with errors.writing(folder):
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            if folder.is_dir():
                return
            raise
    try:
        sync_folder(folder.parent)
    except BaseException:
        # Left in place it would pass for durable at the next call.
        with contextlib.suppress(OSError):
            folder.rmdir()
        raise


def write_whole(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Replace the file at `path` durably: readers see the old contents or the new, never a mix."""
    part = Part.create(path.parent, mode=mode)
    try:
        part.write(data)
        part.sync()
        part.rename(path)
    finally:
        part.discard()
    sync_folder(path.parent)


def rename(source: Path, target: Path) -> None:
    """Give a closed file another name in the same file system; no folder sync."""
    with errors.writing(target):
        source.replace(target)


def remove(path: Path) -> None:
    """Remove a file if it is there; no folder sync."""
    with errors.writing(path):
        path.unlink(missing_ok=True)


def sweep(folder: Path) -> list[Path]:
    """Remove the parts lying directly in `folder` (none if it is missing); the removed paths.

    Only while nobody writes there: at start, under the lock.
    """
    removed = []
    with errors.writing(folder):
        for path in sorted(folder.glob("*" + PART_SUFFIX)):
            if path.is_symlink() or path.is_file():
                path.unlink(missing_ok=True)
                removed.append(path)
    return removed


def free_bytes(folder: Path) -> int:
    """Bytes an unprivileged process may still write on the file system of `folder`."""
    with errors.writing(folder):
        figures = os.statvfs(folder)
    return figures.f_bavail * figures.f_frsize


def total_bytes(folder: Path) -> int:
    """Size of the file system of `folder`."""
    with errors.writing(folder):
        figures = os.statvfs(folder)
    return figures.f_blocks * figures.f_frsize
