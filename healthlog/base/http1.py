"""Bodies of requests: where one ends, what it says without its framing (RFC 9112 §6, §7).

What a caller needs of the streams and heads below is offered here, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from healthlog.base.heads import (
    TOKEN,
    Head,
    Headers,
    HeadRefused,
    await_head,
    parse_field,
    read_head,
)
from healthlog.base.stream import (
    PIECE_BYTES,
    Cut,
    Late,
    Malformed,
    Reader,
    Source,
    TooLarge,
    size_in_words,
)

__all__ = [
    "PIECE_BYTES",
    "Body",
    "Cut",
    "Head",
    "HeadRefused",
    "Headers",
    "Late",
    "Malformed",
    "Reader",
    "Source",
    "TooLarge",
    "await_head",
    "read_head",
    "size_in_words",
]

_CHUNK_LINE_MAX_BYTES = 1024
_EXTENSIONS_MAX_BYTES = 16384  # of all chunks of one body together
_TRAILERS_MAX_BYTES = 8192
# RFC 9112 §7.1.1, RFC 9110 §5.6.4
_QUOTED = rb'"(?:[\t !#-\[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"'
_EXTENSION = rb"[ \t]*;[ \t]*" + TOKEN + rb"(?:[ \t]*=[ \t]*(?:" + TOKEN + rb"|" + _QUOTED + rb"))?"
_CHUNK_LINE = re.compile(rb"([0-9A-Fa-f]{1,15})((?:" + _EXTENSION + rb")*)")  # RFC 9112 §7.1


class _Fixed:
    """A body of as many bytes as announced."""

    def __init__(self, reader: Reader, size: int) -> None:
        self._reader = reader
        self._left = size

    @property
    def finished(self) -> bool:
        return self._left == 0

    def read(self, size: int, _limit: int | None) -> bytes:
        data = self._reader.take(min(size, self._left))
        if not data:
            raise Cut("fewer bytes than announced")
        self._left -= len(data)
        return data


class _Chunked:
    """A body in chunks: RFC 9112 §7.1. Extensions and trailers are checked, then dropped."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._left = 0  # of the current chunk
        self._inside = False  # a chunk whose closing CRLF is still to come
        self._total = 0
        self._extensions = 0
        self.finished = False

    def read(self, size: int, limit: int | None) -> bytes:
        """Joins the chunks that are at hand: one call per tiny chunk would cost its sender less
        than us."""
        parts: list[bytes] = []
        while size > 0 and not self.finished and not (parts and not self._reader.kept):
            if self._left == 0:
                self._next_chunk(limit)
                continue
            data = self._reader.take(min(size, self._left))
            if not data:
                raise Cut("the stream ended inside a chunk")
            self._left -= len(data)
            size -= len(data)
            parts.append(data)
        return b"".join(parts)

    def _next_chunk(self, limit: int | None) -> None:
        if self._inside and self._reader.line(0):
            raise Malformed("A chunk is longer than its size.")
        found = _CHUNK_LINE.fullmatch(self._reader.line(_CHUNK_LINE_MAX_BYTES))
        if found is None:
            raise Malformed("A chunk size is malformed.")
        self._extensions += len(found[2])
        if self._extensions > _EXTENSIONS_MAX_BYTES:
            raise Malformed("The chunk extensions are too long.")
        self._left = int(found[1], 16)
        self._total += self._left
        self._inside = self._left > 0
        if limit is not None and self._total > limit:
            raise TooLarge(limit)
        if not self._inside:
            self._drop_trailers()
            self.finished = True

    def _drop_trailers(self) -> None:
        room = _TRAILERS_MAX_BYTES
        while line := self._reader.line(room):
            room -= len(line)
            try:
                parse_field(line)
            except HeadRefused:
                raise Malformed("A trailer line is malformed.") from None


class Body:
    """The body of one request, transfer coding taken off.

    `limit` (bytes, None: any) is checked before bytes are taken. After an error every further read
    raises it again: a body that broke can never look like one that ended.
    """

    def __init__(
        self,
        reader: Reader,
        announced: int | None,
        *,
        chunked: bool = False,
        before_first_read: Callable[[], None] | None = None,
        limit: int | None = None,
    ) -> None:
        self.announced = announced
        self.limit = limit
        self._reader = reader
        self._framing = _Chunked(reader) if chunked else _Fixed(reader, announced or 0)
        self._before_first_read = before_first_read
        self._fault: Exception | None = None

    @classmethod
    def of(cls, data: bytes) -> Body:
        """A body that is already here."""
        reader = Reader(_Nothing())
        reader.kept += data
        return cls(reader, len(data))

    @property
    def finished(self) -> bool:
        """Whether all of it was read, so that the next request stands next in the stream."""
        return self._framing.finished

    def read(self, n: int = PIECE_BYTES) -> bytes:
        """Up to `n` bytes (at least 1), b"" only at the real end.

        Raises Cut, Late, Malformed, TooLarge.
        """
        if self._fault is not None:
            raise self._fault
        if self.finished:
            return b""
        try:
            if self.limit is not None and (self.announced or 0) > self.limit:
                raise TooLarge(self.limit)
            self._begin()
            return self._framing.read(n, self.limit)
        except Exception as error:
            self._fault = error
            raise

    def _begin(self) -> None:
        before, self._before_first_read = self._before_first_read, None
        # RFC 9110 §10.1.1: no 100 needed for a client that sends without having waited for it.
        if before is not None and not self._reader.kept:
            before()


class _Nothing:
    def receive(self, _size: int, /) -> bytes:
        return b""
