"""Zip files that somebody else made, read member by member without a path being written."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from healthlog.base.errors import Refusal

PIECE = 64 * 1024

_DIRECTORY_MAX = 64 * 1024 * 1024
_END_MARK, _END_SIZE, _COMMENT_MAX = b"PK\x05\x06", 22, 65_535
_WIDE_MARK, _WIDE_SIZE, _WIDE = b"PK\x06\x07", 20, 0xFFFFFFFF


class BadZip(Refusal):
    """The file can't be unpacked; the message says why."""


@contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """A zip, its directory looked at before it is read. BadZip if it is none."""
    with path.open("rb") as file:
        if _directory_size(file) > _DIRECTORY_MAX:
            raise BadZip("its directory is longer than that of any export")
        try:
            archive = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError) as error:
            raise BadZip(f"it is no zip: {error}") from None
        with archive:
            yield archive


def unpacked(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, piece: int = PIECE
) -> Iterator[bytes]:
    """A member in pieces. BadZip where it can't be read."""
    try:
        with archive.open(member) as file:
            while data := file.read(piece):
                yield data
    except (zipfile.BadZipFile, zlib.error, EOFError, struct.error) as error:
        raise BadZip(f"{PurePosixPath(member.filename).name} in it is damaged: {error}") from None
    except (RuntimeError, NotImplementedError) as error:
        # Encrypted, or packed in a manner that Python doesn't know.
        raise BadZip(f"{PurePosixPath(member.filename).name} in it is locked: {error}") from None


def whole(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes | None:
    """All of a member; None if it is longer than `most` bytes, whatever the directory says."""
    content = bytearray()
    for piece in unpacked(archive, member):
        content += piece
        if len(content) > most:
            return None
    return bytes(content)


def _directory_size(file: BinaryIO) -> int:
    """Bytes of the zip's directory, which Python reads whole; 0 if there is none to be found."""
    size = file.seek(0, 2)
    tail_at = max(0, size - _END_SIZE - _COMMENT_MAX - _WIDE_SIZE)
    file.seek(tail_at)
    tail = file.read()
    at = tail.rfind(_END_MARK)
    if at < 0 or len(tail) < at + _END_SIZE:
        return 0
    directory: int = struct.unpack_from("<I", tail, at + 12)[0]
    if directory != _WIDE or at < _WIDE_SIZE:
        return directory
    mark, _, end_at = struct.unpack_from("<4sIQ", tail, at - _WIDE_SIZE)
    if mark != _WIDE_MARK:
        return directory
    file.seek(end_at)
    end = file.read(56)
    return int(struct.unpack_from("<Q", end, 40)[0]) if len(end) == 56 else directory
