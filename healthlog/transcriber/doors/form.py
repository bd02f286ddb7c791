"""Forms with files in them, read as they come: `multipart/form-data`, RFC 7578 over RFC 2046 §5.1.

Nothing but a part's head, or a piece of its content, is ever in memory; everything that a sender
could make long has a limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from healthlog.base.http1 import Malformed

MEDIA_TYPE = "multipart/form-data"

_PARTS_MAX = 20
_HEAD_MAX_BYTES = 8 * 1024
_AROUND_MAX_BYTES = 16 * 1024
"""Of what may stand before the first part, and behind the last."""

_BOUNDARY = re.compile(r"[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]", re.ASCII)
_PARAMETER = re.compile(
    r"""[ \t]*;[ \t]*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*=[ \t]*
        (?:"((?:[^"\\\r\n]|\\.)*)"|([^\s;"]+))""",
    re.VERBOSE,
)
_FIELD = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*")
_TRANSFER_PLAIN = frozenset(("", "7bit", "8bit", "binary"))


@dataclass(frozen=True, slots=True)
class Part:
    """One field. `filename` None where it is no file. `content` is to be read before the next part
    is asked for; what is left of it then is skipped."""

    name: str
    filename: str | None
    content_type: str | None
    content: Iterator[bytes]


def boundary_of(content_type: str) -> bytes:
    """The boundary that a Content-Type of a form names. Malformed."""
    said = _parameters(content_type).get("boundary", "")
    if _BOUNDARY.fullmatch(said) is None:
        raise Malformed("The form names no boundary that it can have.")
    return said.encode("ascii")


def parts(pieces: Iterable[bytes], boundary: bytes) -> Iterator[Part]:
    """The parts of a form, in their order, up to its very end. Malformed, and what `pieces`
    raises."""
    stream = _Stream(iter(pieces))
    delimiter = b"\r\n--" + boundary
    # The first delimiter may stand at the very beginning, where no line has ended yet.
    stream.put_before(b"\r\n")
    _skip(stream.until(delimiter), _AROUND_MAX_BYTES)
    for _ in range(_PARTS_MAX + 1):
        if _is_last(stream):
            _skip(stream.rest(), _AROUND_MAX_BYTES)
            return
        head = _head(stream)
        content = stream.until(delimiter)
        yield _part(head, content)
        for _rest in content:
            pass
    raise Malformed("The form has too many parts.")


class _Stream:
    """Bytes that come in pieces of any size, taken by what stands in them."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._kept = bytearray()

    def put_before(self, data: bytes) -> None:
        self._kept[:0] = data

    def take(self, size: int) -> bytes:
        """Exactly so many bytes."""
        while len(self._kept) < size:
            self._need()
        return self._taken(size)

    def line(self, most: int) -> bytes:
        """Up to the end of the line, which is left out."""
        while (end := self._kept.find(b"\r\n", 0, most + 2)) < 0:
            if len(self._kept) > most:
                raise Malformed("A line in the form is too long.")
            self._need()
        found = self._taken(end)
        self._taken(2)
        return found

    def until(self, mark: bytes) -> Iterator[bytes]:
        """All that comes before the next `mark`, which is taken, too."""
        while True:
            at = self._kept.find(mark)
            if at >= 0:
                found = self._taken(at)
                self._taken(len(mark))
                if found:
                    yield found
                return
            # The mark may have begun in what is here.
            if sure := self._taken(max(0, len(self._kept) - len(mark) + 1)):
                yield sure
            self._need()

    def rest(self) -> Iterator[bytes]:
        """Everything to the end."""
        if self._kept:
            yield self._taken(len(self._kept))
        yield from self._pieces

    def _need(self) -> None:
        piece = next(self._pieces, None)
        if piece is None:
            raise Malformed("The form ended before it was complete.")
        self._kept += piece

    def _taken(self, size: int) -> bytes:
        found = bytes(self._kept[:size])
        del self._kept[:size]
        return found


def _is_last(stream: _Stream) -> bool:
    """Whether the delimiter that was just taken closes the form."""
    two = stream.take(2)
    if two == b"--":
        return True
    stream.put_before(two)
    if stream.line(_HEAD_MAX_BYTES).strip(b" \t"):
        raise Malformed("A boundary in the form is malformed.")
    return False


def _head(stream: _Stream) -> dict[str, str]:
    """The header fields of a part by their names in lower case."""
    found: dict[str, str] = {}
    room = _HEAD_MAX_BYTES
    while line := stream.line(room):
        room -= len(line) + 2
        match = _FIELD.fullmatch(line)
        if room < 0 or match is None:
            raise Malformed("A header in the form is malformed.")
        name = match[1].decode("ascii").lower()
        if name in found:
            raise Malformed("A header in the form is given twice.")
        # RFC 7578 §5.1: UTF-8, whatever else a sender may have meant.
        found[name] = match[2].decode("utf-8", "replace")
    return found


def _part(head: dict[str, str], content: Iterator[bytes]) -> Part:
    kind, _, _ = head.get("content-disposition", "").partition(";")
    said = _parameters(head.get("content-disposition", ""))
    name = said.get("name")
    if kind.strip().lower() != "form-data" or name is None:
        raise Malformed("A part of the form has no name.")
    if head.get("content-transfer-encoding", "").lower() not in _TRANSFER_PLAIN:
        raise Malformed("A part of the form is encoded, which forms are not.")
    filename = said.get("filename", "" if "filename*" in said else None)
    return Part(name, filename, head.get("content-type"), content)


def _parameters(value: str) -> dict[str, str]:
    """The parameters behind the first word of a header's value. Malformed."""
    _, semicolon, rest = value.partition(";")
    found: dict[str, str] = {}
    rest = semicolon + rest
    at = 0
    while match := _PARAMETER.match(rest, at):
        at, name = match.end(), match[1].lower()
        if name in found:
            raise Malformed("A parameter in the form is given twice.")
        quoted = match[2]
        # Browsers escape a quote as %22 and nothing else; a backslash is one (a path of Windows).
        found[name] = match[3] if quoted is None else quoted.replace('\\"', '"')
    if rest[at:].strip(" \t;"):
        raise Malformed("A header in the form is malformed.")
    return found


def _skip(pieces: Iterable[bytes], most: int) -> None:
    for piece in pieces:
        most -= len(piece)
        if most < 0:
            raise Malformed("The form has too much around its parts.")
