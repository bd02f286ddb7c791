"""A body on its way into the archive: hashed, compressed, looked at by its two ends."""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path
from types import TracebackType
from typing import Self

from healthlog.archive.read import GZIP
from healthlog.base.files import Part

BLANKS = b" \t\r\n"
BOM = b"\xef\xbb\xbf"

# The fastest level: the sender waits for it. zlib leaves the container's mtime 0, so that equal
# bodies give equal files.
_LEVEL = 1


class Ends:
    """First and last byte of a body that is fed in pieces, blanks and a leading BOM aside.

    `first` and `last` are None as long as there was nothing else.
    """

    def __init__(self) -> None:
        self.first: int | None = None
        self.last: int | None = None
        self._held: bytes | None = b""  # what may still become a BOM; None once that is decided

    def feed(self, piece: bytes) -> None:
        """Looks at the next piece of the body, of any length."""
        if self._held is not None:
            piece = self._held + piece
            if len(piece) < len(BOM) and BOM.startswith(piece):
                self._held = piece
                return
            self._held = None
            piece = piece.removeprefix(BOM)
        rest = piece.rstrip(BLANKS)
        if not rest:
            return
        self.last = rest[-1]
        if self.first is None:
            self.first = rest.lstrip(BLANKS)[0]


class BodyWriter:
    """Writes one body into a part file; a context that discards it unless it was renamed.

    Life: write…, finish, then either `Archive.place` or discard. `size` and `sha256` are of the
    uncompressed body, `packed_sha256` is of the file. Memory does not grow with the body. Not for
    several threads at once.
    """

    def __init__(self, part: Part) -> None:
        self.size = 0
        self._part = part
        self._ends = Ends()
        self._digest = hashlib.sha256()
        self._packed = hashlib.sha256()
        self._packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, GZIP)

    def write(self, piece: bytes) -> None:
        """Appends a piece of the body."""
        self.size += len(piece)
        self._digest.update(piece)
        self._ends.feed(piece)
        self._put(self._packer.compress(piece))

    def finish(self) -> None:
        """Ends the body; its file is then durable under its part name. Never tried twice."""
        self._put(self._packer.flush())
        self._part.sync()

    def rename(self, target: Path) -> None:
        """Gives the finished file its name; durable only once the folder is synced."""
        self._part.rename(target)

    def discard(self) -> None:
        """Removes the part file, if it has not been renamed; may be called at any time."""
        self._part.discard()

    @property
    def sha256(self) -> str:
        """Checksum of what was written so far, 64 hexadecimal digits."""
        return self._digest.hexdigest()

    @property
    def packed_sha256(self) -> str:
        """Checksum of the file, once the body is finished, 64 hexadecimal digits."""
        return self._packed.hexdigest()

    @property
    def empty(self) -> bool:
        """Whether there was nothing but blanks, with or without a BOM."""
        return self._ends.first is None

    @property
    def braced(self) -> bool:
        """Whether the first byte is `{` with `}` as the last one, blanks and a BOM aside."""
        return self._ends.first == ord("{") and self._ends.last == ord("}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.discard()

    def _put(self, packed: bytes) -> None:
        if packed:
            self._packed.update(packed)
            self._part.write(packed)
