"""One file copied durably, its checksum taken on the way."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from healthlog.archive.disk import Disk
from healthlog.base import errors

PIECE = 1024 * 1024


class Unreadable(errors.Refusal):
    """A file is missing or can't be read; the message says which of both, and why."""


class IsLink(Unreadable):
    """A link where a backup has a file: it may lead anywhere."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Size and checksum of a file."""

    bytes: int
    sha256: str


def copy(source: Path, target: Path, incoming: Path, disk: Disk) -> Measured:
    """Copies a file by way of a part in `incoming`, replacing what is there; durable once the
    folder of `target` is synced. Unreadable is about the source, all else about the target."""
    digest = hashlib.sha256()
    part = disk.part(incoming)
    try:
        for piece in _pieces(source):
            digest.update(piece)
            part.write(piece)
        part.sync()
        part.rename(target)
    finally:
        part.discard()
    return Measured(part.size, digest.hexdigest())


def measured(path: Path) -> Measured:
    """What a file is, by reading it. Unreadable."""
    size, digest = 0, hashlib.sha256()
    for piece in _pieces(path):
        size += len(piece)
        digest.update(piece)
    return Measured(size, digest.hexdigest())


def found_at(path: Path) -> Measured | None:
    """What a file is, None where there is none that can be read."""
    try:
        return measured(path) if size_of(path) is not None else None
    except Unreadable:
        return None


def size_of(path: Path) -> int | None:
    """Size of a plain file; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size if path.is_file() else None


def _pieces(path: Path) -> Iterator[bytes]:
    try:
        # A pipe would keep whoever opens it waiting for ever.
        if path.exists() and not path.is_file():
            raise Unreadable("is no plain file")
        with errors.naming(), path.open("rb") as file:
            while piece := file.read(PIECE):
                yield piece
    except FileNotFoundError:
        raise Unreadable("is missing") from None
    except errors.IOFault as error:
        raise Unreadable(f"can't be read: {error}") from error
    except OSError as error:
        raise Unreadable(f"can't be read: {error.strerror}") from error
