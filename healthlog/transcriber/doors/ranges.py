"""Ranges of bytes that a client asks for: RFC 9110 §14."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path

from healthlog.base.http1 import Headers

_PIECE_BYTES = 64 * 1024
_ONE = re.compile(
    r"bytes=[ \t]*(?:(\d{1,18})-(\d{0,18})|-(\d{1,18}))[ \t]*", re.IGNORECASE | re.ASCII
)


class Unsatisfiable(Exception):
    """The range begins behind the end."""


@dataclass(frozen=True, slots=True)
class Range:
    """From `first` to `last`, both included, of `size` bytes."""

    first: int
    last: int
    size: int

    @property
    def length(self) -> int:
        return self.last - self.first + 1

    @property
    def content_range(self) -> str:
        return f"bytes {self.first}-{self.last}/{self.size}"


def asked_for(headers: Headers, size: int, etag: str, modified_s: int) -> Range | None:
    """The range to be answered with 206; None where the whole is to be given: none was asked for,
    several were, what was asked for can't be understood (§14.2 says to ignore it), or what the
    client has is of another state. Unsatisfiable: 416."""
    said = headers.get("range")
    if said is None or not _same_state(headers.get("if-range"), etag, modified_s):
        return None
    match = _ONE.fullmatch(said.strip())
    if match is None:
        return None
    if match[3] is not None:
        return _suffix(int(match[3]), size)
    first, last = int(match[1]), int(match[2]) if match[2] else size - 1
    if match[2] and last < first:
        return None
    if first >= size:
        raise Unsatisfiable
    return Range(first, min(last, size - 1), size)


def is_known(headers: Headers, etag: str) -> bool:
    """Whether the client says that it has this very state (§13.1.2)."""
    said = headers.get("if-none-match")
    if said is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in said.split(",")]
    return said.strip() == "*" or etag in tags


def pieces(path: Path, first: int, length: int) -> Iterator[bytes]:
    """So many bytes of a file from there on. OSError when it can't be read."""
    with path.open("rb") as file:
        file.seek(first)
        while length > 0 and (piece := file.read(min(_PIECE_BYTES, length))):
            length -= len(piece)
            yield piece


def _suffix(length: int, size: int) -> Range:
    if length == 0 or size == 0:
        raise Unsatisfiable
    return Range(max(0, size - length), size - 1, size)


def _same_state(if_range: str | None, etag: str, modified_s: int) -> bool:
    """§13.1.5: by the strong tag, or by a date that is exactly that of the file."""
    if if_range is None:
        return True
    said = if_range.strip()
    if said.startswith(('"', "W/")):
        return said == etag
    try:
        return int(parsedate_to_datetime(said).timestamp()) == modified_s
    except (ValueError, OverflowError):
        return False
