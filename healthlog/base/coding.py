"""Content codings of a body taken off while it is read: RFC 9110 §8.4, RFC 1952."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from healthlog.base.http1 import PIECE_BYTES, Body, Malformed, TooLarge

_GZIP_ONLY = 16 + zlib.MAX_WBITS
_OUT_BYTES = 262144
# Every member costs a new decompressor: a body of empty members would cost us more than its sender.
_MEMBERS_MAX = 1000


class CodingUnknown(Malformed):
    """A content coding that is not known here."""


def decoded(body: Body, encoding: str | None, limit: int) -> Iterator[bytes]:
    """The decoded bytes of `body`, in pieces of at most 256 KiB, never more than `limit` in all.

    `encoding` is the header Content-Encoding. Raises CodingUnknown at once, before anything is
    read; while reading TooLarge (on the decoded size), Malformed (bad or cut gzip), and what the
    body raises.
    """
    coding = (encoding or "").strip(" \t").lower()
    if coding in {"", "identity"}:
        return _limited(_pieces(body), limit)
    if coding in {"gzip", "x-gzip"}:
        return _limited(_unzipped(_pieces(body)), limit)
    raise CodingUnknown("The only content coding known here is gzip.")


def _pieces(body: Body) -> Iterator[bytes]:
    while piece := body.read(PIECE_BYTES):
        yield piece


def _limited(pieces: Iterator[bytes], limit: int) -> Iterator[bytes]:
    total = 0
    for piece in pieces:
        total += len(piece)
        if total > limit:
            raise TooLarge(limit)
        yield piece


def _unzipped(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Member after member, as `cat a.gz b.gz` makes them."""
    member: _Member | None = None
    members = 0
    for piece in pieces:
        rest = piece
        while rest:
            if member is None:
                members += 1
                if members > _MEMBERS_MAX:
                    raise Malformed("The gzip body has too many members.")
                member = _Member()
            yield from member.feed(rest)
            rest = member.after
            if member.ended:
                member = None
    if member is not None or members == 0:
        raise Malformed("The gzip body ends early.")


class _Member:
    """One gzip member, its checksum verified at its end."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(_GZIP_ONLY)

    @property
    def ended(self) -> bool:
        return self._zlib.eof

    @property
    def after(self) -> bytes:
        """What follows the member's end in what was fed last."""
        return self._zlib.unused_data

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Bounded pieces: what a few bytes blow up to never stands in memory at once."""
        while data and not self._zlib.eof:
            try:
                out = self._zlib.decompress(data, _OUT_BYTES)
            except zlib.error:
                raise Malformed("The gzip body is malformed.") from None
            data = self._zlib.unconsumed_tail
            if out:
                yield out
