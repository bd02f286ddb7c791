"""A long answer held small while its client takes it.

What a list was made of is let go before the first byte leaves. So it costs little how many clients
are slow, and it is known by then that nothing went wrong.
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from healthlog.base.errors import Circumstance

T = TypeVar("T")

_PLAIN_BYTES = 65536
# The fastest level: JSON shrinks to a tenth even so.
_LEVEL = 1
_OUT_BYTES = 65536


class Crowded(Circumstance):
    """Too many are at the same work."""


def held(pieces: Iterable[bytes]) -> bytes | Iterable[bytes]:
    """The same bytes: as they are when they are few, else packed, to be unpacked on their way."""
    plain = bytearray()
    rest = iter(pieces)
    for piece in rest:
        plain += piece
        if len(plain) > _PLAIN_BYTES:
            return _Packed(plain, rest)
    return bytes(plain)


class _Packed:
    def __init__(self, first: bytes | bytearray, rest: Iterable[bytes]) -> None:
        packer = zlib.compressobj(_LEVEL)
        self._parts = [packer.compress(first)]
        # By slices: for a call for each item the packer would take longer than for its work.
        pending = bytearray()
        for piece in rest:
            pending += piece
            if len(pending) >= _PLAIN_BYTES:
                self._parts.append(packer.compress(pending))
                pending.clear()
        self._parts.append(packer.compress(pending))
        self._parts.append(packer.flush())

    def __iter__(self) -> Iterator[bytes]:
        unpacker = zlib.decompressobj()
        for part in self._parts:
            data = part
            while data:
                yield unpacker.decompress(data, _OUT_BYTES)
                data = unpacker.unconsumed_tail
        yield unpacker.flush()


class Turns:
    """At most `most` at a time do what is wrapped; the others wait `patience_s` for their turn."""

    def __init__(self, most: int, patience_s: float) -> None:
        self._turns = threading.BoundedSemaphore(most)
        self._patience_s = patience_s

    def take(self, work: Callable[[], T]) -> T:
        """What the work returns; Crowded when no turn came."""
        if not self._turns.acquire(timeout=self._patience_s):
            raise Crowded("no turn came in time")
        try:
            return work()
        finally:
            self._turns.release()
