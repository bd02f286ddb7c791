"""Bodies read back from their gzip files, in pieces."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from healthlog.base.errors import Circumstance, Refusal, named

PIECE = 256 * 1024
"""Bytes handed on at once."""


class Unreadable(Refusal):
    """The body is missing, damaged, or not the one that was received."""


class TooLong(Unreadable):
    """The body is longer than the reader's limit."""


def open_body(path: Path) -> BinaryIO:
    """The file of a body, opened; Unreadable if there is none, or none that may be read."""
    try:
        return path.open("rb")
    except OSError as error:
        raise _reason(error, "the body is missing or may not be read") from error


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """The uncompressed body in pieces of at most PIECE bytes; closes the file at the end.

    Unreadable for a file that is damaged or cut; a failing device stays a circumstance.
    """
    with file:
        try:
            if os.fstat(file.fileno()).st_size == 0:
                # gzip reads an empty file as an empty body, but nobody wrote such a file.
                raise Unreadable("the body's file is empty")
            with gzip.GzipFile(fileobj=file, mode="rb") as unpacked:
                while piece := unpacked.read(PIECE):
                    yield piece
        except (EOFError, zlib.error) as error:
            raise Unreadable("the body's file is cut or damaged") from error
        except OSError as error:
            raise _reason(error, "the body's file is damaged") from error


def _reason(error: OSError, otherwise: str) -> Exception:
    better = named(error)
    return better if isinstance(better, Circumstance) else Unreadable(otherwise)
