"""A stream of bytes, read piece by piece from any source.

Nothing here knows sockets. A `Source` keeps its own absolute deadline, so that no number of small
pieces adds up to more time than was granted.
"""

from __future__ import annotations

from typing import Protocol

from healthlog.base.errors import Circumstance, Refusal

PIECE_BYTES = 65536


class Cut(Circumstance):
    """The stream ended before what was announced."""


class Late(Circumstance):
    """The deadline passed."""


class Malformed(Refusal):
    """The bytes do not follow the grammar; the message is one sentence without data."""


class TooLarge(Refusal):
    """More bytes than `limit_bytes`."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"The body is larger than {size_in_words(limit_bytes)}.")
        self.limit_bytes = limit_bytes


def size_in_words(size: int) -> str:
    """`64 MiB`, `1.5 KiB`, `10 bytes`."""
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= factor:
            return f"{size / factor:.1f}".removesuffix(".0") + f" {unit}"
    return f"{size} bytes"


class Source(Protocol):
    """Where bytes come from."""

    def receive(self, size: int, /) -> bytes:
        """Up to `size` bytes, waiting for the first; b"" at the end; raises Late."""
        ...


class Reader:
    """A source that keeps what came before its turn."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.kept = bytearray()

    def fill(self) -> bool:
        """Wait for more in `kept`; False at the end of the stream."""
        piece = self._source.receive(PIECE_BYTES)
        self.kept += piece
        return bool(piece)

    def take(self, size: int) -> bytes:
        """Up to `size` bytes, waiting for the first; b"" at the end of the stream."""
        if not self.kept:
            return self._source.receive(size)
        return self.cut(min(size, len(self.kept)))

    def cut(self, size: int, skip: int = 0) -> bytes:
        """The first `size` bytes of `kept`, which loses them with `skip` more."""
        data = bytes(self.kept[:size])
        del self.kept[: size + skip]
        return data

    def line(self, limit: int) -> bytes:
        """The bytes up to CRLF, which is dropped; raises Cut, Malformed beyond `limit` bytes."""
        while (end := self.kept.find(b"\n", 0, limit + 2)) < 0:
            if len(self.kept) >= limit + 2:
                raise Malformed("A line of the chunked body is too long.")
            if not self.fill():
                raise Cut("the stream ended inside a line")
        if self.kept[end - 1 : end] != b"\r":
            raise Malformed("A line of the chunked body ends without CR.")
        return self.cut(end - 1, skip=2)
