"""The disk as the archive uses it: one object, so that another can record its calls or fail."""

from __future__ import annotations

from pathlib import Path

from healthlog.base import errors, files


class Disk:
    """The real disk; everything raises the names of `base.errors`."""

    def part(self, folder: Path) -> files.Part:
        """A new part file in `folder`."""
        return files.Part.create(folder)

    def make_folders(self, folder: Path, root: Path) -> None:
        """Creates what is missing between `root` and `folder`, durably."""
        files.make_folders(folder, root)

    def sync_folder(self, folder: Path) -> None:
        """Makes the names in `folder` durable."""
        files.sync_folder(folder)

    def remove(self, path: Path) -> None:
        """Removes a file if it is there; not durable by itself."""
        with errors.writing(path):
            path.unlink(missing_ok=True)

    def sweep(self, folder: Path) -> list[Path]:
        """Removes the parts in `folder`; their paths."""
        return files.sweep(folder)

    def free_bytes(self, folder: Path) -> int:
        """Bytes that may still be written where `folder` lies."""
        return files.free_bytes(folder)
