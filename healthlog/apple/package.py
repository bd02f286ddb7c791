"""An export as it lies on a disk: the zip that the phone makes, or its files side by side."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Protocol

from healthlog.apple.stream import NotAppleHealth, is_export
from healthlog.imports.zips import PIECE, BadZip, unpacked, whole

RECORDING_MAX = 4 * 1024 * 1024
ROUTE_MAX = 8 * 1024 * 1024
"""Bytes of the longest recording and the longest route that are taken."""

_HEAD = 64 * 1024
_RATIO_MAX = 500
_CANDIDATES = 32
_UNREADABLE = "unreadable"


class Package(Protocol):
    """An export with what belongs to it. `size` is that of its XML in bytes, `left` counts the
    files in it that are not taken, by their folders or names, or as `unreadable`."""

    size: int
    left: Counter[str]

    def pieces(self) -> Iterator[bytes]:
        """The XML in pieces."""

    def route(self, path: str) -> bytes | None:
        """The file of a route by the path that the XML gives; None if it is not there or too
        long."""

    def recordings(self) -> Iterator[tuple[str, bytes]]:
        """Names and contents of the electrocardiograms."""


class ZipPackage:
    """The phone's zip. Nothing in it is ever written to a path; names choose among its members."""

    def __init__(self, archive: zipfile.ZipFile, export: zipfile.ZipInfo) -> None:
        self.size = export.file_size
        self._archive = archive
        self._export = export
        self._routes: dict[str, zipfile.ZipInfo] = {}
        self._recordings: list[zipfile.ZipInfo] = []
        self.left: Counter[str] = Counter()
        for member in archive.infolist():
            path = PurePosixPath(member.filename)
            if member.is_dir() or member is export:
                continue
            if path.suffix.lower() == ".gpx":
                self._routes.setdefault(path.name, member)
            elif _is_recording(path):
                self._recordings.append(member)
            else:
                beside = path.parent == PurePosixPath(export.filename).parent
                self.left[path.name if beside else path.parent.name or path.name] += 1

    def pieces(self) -> Iterator[bytes]:
        return unpacked(self._archive, self._export)

    def route(self, path: str) -> bytes | None:
        member = self._routes.get(PurePosixPath(path).name)
        return None if member is None else whole(self._archive, member, ROUTE_MAX)

    def recordings(self) -> Iterator[tuple[str, bytes]]:
        for member in sorted(self._recordings, key=lambda one: one.filename):
            try:
                content = whole(self._archive, member, RECORDING_MAX)
            except BadZip:
                content = None
            if content is None:
                self.left[_UNREADABLE] += 1
            else:
                yield PurePosixPath(member.filename).name, content


class FilePackage:
    """An unpacked export: its XML, with the folders beside it."""

    def __init__(self, path: Path) -> None:
        self.size = path.stat().st_size
        self.left: Counter[str] = Counter()
        self._path = path

    def pieces(self) -> Iterator[bytes]:
        with self._path.open("rb") as file:
            while piece := file.read(PIECE):
                yield piece

    def route(self, path: str) -> bytes | None:
        # Of the path that the XML gives only the name counts, so that it can't lead elsewhere.
        return _short(self._path.parent / "workout-routes" / PurePosixPath(path).name, ROUTE_MAX)

    def recordings(self) -> Iterator[tuple[str, bytes]]:
        for path in sorted((self._path.parent / "electrocardiograms").glob("*.csv")):
            content = _short(path, RECORDING_MAX)
            if content is None:
                self.left[_UNREADABLE] += 1
            else:
                yield path.name, content


def export_in(archive: zipfile.ZipFile) -> zipfile.ZipInfo | None:
    """The member that is the export, told by what stands in it: its name is in the phone's
    language. None if there is none."""
    xml = [one for one in archive.infolist() if one.filename.lower().endswith(".xml")]
    # The other one, in a clinic's format, is named alike and mostly shorter.
    for member in sorted(xml, key=lambda one: -one.file_size)[:_CANDIDATES]:
        head = next(unpacked(archive, member, _HEAD), b"")
        if is_export(head):
            if member.file_size > _RATIO_MAX * max(member.compress_size, 1):
                raise NotAppleHealth("it is packed tighter than any export can be")
            return member
    return None


def _short(path: Path, most: int) -> bytes | None:
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError:
        return None
    return content if len(content) <= most else None


def _is_recording(path: PurePosixPath) -> bool:
    named = path.parent.name == "electrocardiograms" or path.name.startswith("ecg_")
    return named and path.suffix.lower() == ".csv"
