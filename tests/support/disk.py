"""A disk that writes down what is asked of it, with accidents on order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from healthlog.archive.disk import Disk
from healthlog.base.files import Part


class WatchedPart(Part):
    """A part that tells its disk what is done to it. It is named by the order of its making."""

    disk: WatchedDisk
    label: str

    def write(self, data: bytes) -> None:
        self.disk.note(f"write {self.label}")
        super().write(data)

    def sync(self) -> None:
        self.disk.note(f"sync {self.label}")
        super().sync()

    def rename(self, target: Path) -> None:
        self.disk.note(f"rename {self.label} to {kind(target)}")
        super().rename(target)


class WatchedDisk(Disk):
    """The real disk. `events` lists the calls in their order, such as `sync part 1`,
    `rename part 2 to meta`, `sync 2026/08/02`; what `accidents` has under that text happens
    instead of the call, or just before it if it doesn't raise. `free` is what is told of free
    space, call by call, then the truth."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.free: list[int] = []
        self.accidents: dict[str, Callable[[], object]] = {}
        self._parts = 0

    def fail(self, event: str, error: Exception) -> None:
        """From now on `event` ends in `error`."""

        def accident() -> None:
            raise error

        self.accidents[event] = accident

    def note(self, event: str) -> None:
        self.events.append(event)
        accident = self.accidents.get(event)
        if accident is not None:
            accident()

    def free_bytes(self, folder: Path) -> int:
        return self.free.pop(0) if self.free else super().free_bytes(folder)

    def part(self, folder: Path) -> Part:
        self._parts += 1
        label = f"part {self._parts}"
        self.note(f"create {label}")
        part = WatchedPart.create(folder)
        assert isinstance(part, WatchedPart)
        part.disk, part.label = self, label
        return part

    def make_folders(self, folder: Path, root: Path) -> None:
        self.note(f"make {inside(folder)}")
        super().make_folders(folder, root)

    def sync_folder(self, folder: Path) -> None:
        self.note(f"sync {inside(folder)}")
        super().sync_folder(folder)

    def remove(self, path: Path) -> None:
        self.note(f"remove {kind(path)}")
        super().remove(path)


def kind(path: Path) -> str:
    """`body` or `meta`."""
    return "meta" if path.name.endswith(".meta.json") else "body"


def inside(folder: Path) -> str:
    """The folder as seen from the archive, which is itself `archive`."""
    parts = folder.parts
    return "/".join(parts[parts.index("archive") + 1 :]) or "archive"
