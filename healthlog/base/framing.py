"""The wire form of an answer: RFC 9112 §4, §6."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus

from healthlog.base.answers import Response
from healthlog.base.shield import shielded

SLICE_BYTES = 65536
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
LAST_CHUNK = b"0\r\n\r\n"

_BODILESS = {204, 304}


@dataclass(frozen=True, slots=True)
class Framing:
    """How the end of an answer is told: by `length` (bytes), in chunks, else by closing."""

    length: int | None
    chunked: bool
    bodiless: bool  # neither body nor length: RFC 9110 §8.6

    @property
    def ends_by_close(self) -> bool:
        return self.length is None and not self.chunked and not self.bodiless


def framing_of(response: Response, minor: int) -> Framing:
    """For a request of HTTP/1.`minor`; 1.0 knows no chunks."""
    if response.status in _BODILESS:
        return Framing(None, chunked=False, bodiless=True)
    if isinstance(response.body, bytes):
        return Framing(len(response.body), chunked=False, bodiless=False)
    return Framing(response.length, response.length is None and minor > 0, bodiless=False)


def head_of(response: Response, framing: Framing, *, connection: str, now_us: int) -> bytes:
    """Status line, fields, blank line. `connection` is the header's value, "" for none."""
    fields = [("Date", formatdate(now_us / 1e6, usegmt=True))]
    if not framing.bodiless:
        fields.append(("Content-Type", response.content_type))
    if framing.length is not None:
        fields.append(("Content-Length", str(framing.length)))
    if framing.chunked:
        fields.append(("Transfer-Encoding", "chunked"))
    if connection:
        fields.append(("Connection", connection))
    fields.extend(shielded(response))
    lines = [f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}"]
    lines.extend(f"{name}: {value}" for name, value in fields)
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


def chunk(data: bytes) -> bytes:
    """`data`, not empty, as one chunk."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def slices(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in slices of 64 KiB; the last may be shorter, none is empty."""
    pending = bytearray()
    for piece in pieces:
        pending += piece
        while len(pending) >= SLICE_BYTES:
            yield bytes(pending[:SLICE_BYTES])
            del pending[:SLICE_BYTES]
    if pending:
        yield bytes(pending)
