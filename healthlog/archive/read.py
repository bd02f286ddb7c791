"""Bodies read back from their gzip files, in pieces."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from healthlog.base.errors import Refusal, reading

PIECE = 256 * 1024
"""Bytes handed on at once."""

GZIP = 31
"""What zlib calls deflate with the window of 32 KiB in a gzip container."""


class Unreadable(Refusal):
    """The body is missing, damaged, or not the one that was received."""


class TooLong(Unreadable):
    """The body is longer than the reader's limit."""


def open_body(path: Path) -> BinaryIO:
    """The file of a body, opened; Unreadable if there is none."""
    try:
        with reading(path):
            return path.open("rb")
    except OSError as error:
        raise Unreadable("the body is missing") from error


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """The uncompressed body in pieces of at most PIECE bytes; closes the file at the end.

    Unreadable for a file that is damaged or cut; a failing device stays a circumstance.
    """
    with file:
        try:
            unpacking, members = None, 0
            while packed := _raw(file):
                while packed:
                    if unpacking is None:
                        # Behind a member may stand another, or zeros.
                        packed = packed.lstrip(b"\0") if members else packed
                        if not packed:
                            break
                        unpacking, members = zlib.decompressobj(GZIP), members + 1
                    yield from _unpacked(unpacking, packed)
                    packed = unpacking.unused_data
                    if unpacking.eof:
                        unpacking = None
            if unpacking is not None or not members:
                raise Unreadable("the body's file is cut or empty")
        except (OSError, zlib.error) as error:
            raise Unreadable("the body's file is damaged") from error


def _unpacked(unpacking: zlib._Decompress, packed: bytes) -> Iterator[bytes]:
    """What so many bytes of a member hold, in pieces."""
    while True:
        piece = unpacking.decompress(packed, PIECE)
        if piece:
            yield piece
        packed = unpacking.unconsumed_tail
        # All may have been taken in and not yet be given out.
        if unpacking.eof or (not packed and len(piece) < PIECE):
            return


def raw_pieces(file: BinaryIO) -> Iterator[bytes]:
    """The file itself in pieces of at most PIECE bytes; closes it at the end, raises like
    `pieces`."""
    with file:
        try:
            while piece := _raw(file):
                yield piece
        except OSError as error:
            raise Unreadable("the body's file is damaged") from error


def _raw(file: BinaryIO) -> bytes:
    with reading(Path(file.name)):
        return file.read(PIECE)
