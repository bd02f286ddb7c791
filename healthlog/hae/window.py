"""The text of a body as it passes by: a window over its bytes, decoded as far as needed."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator

from healthlog.base.errors import Refusal

SPAN = 64 * 1024
"""Enough to decode hundreds of elements by one call, few enough that the call keeps nobody else
waiting."""

_BOM = b"\xef\xbb\xbf"
_HALVES = (b"ud", b"uD")
_ESCAPES = tuple(b"\\" + half for half in _HALVES)
_FEW = 50

Body = Callable[[], Iterable[bytes]]
"""Opens a body anew: its bytes in pieces of any length."""


def opener(body: bytes | Body) -> Body:
    """Opens a body that may be here as a whole."""
    return (lambda: (body,)) if isinstance(body, bytes) else body


class Malformed(Refusal):
    """The body is no JSON object of the phone's kind."""


class Window:
    """What is seen of a text: `text`, read up to `pos`, the first character being number `base`
    of the body without its BOM.

    `suspect` is set once an escape came by that may be half of a surrogate pair. `check` is called
    for each piece and may raise to end a reading that takes too long. `span` characters stand in
    the window, or as many as are left.
    """

    def __init__(
        self, pieces: Iterable[bytes], check: Callable[[], None], span: int = SPAN
    ) -> None:
        self.span = span
        self.text = ""
        self.pos = 0
        self.base = 0
        self.ended = False
        self.suspect = False
        self._check = check
        self._pieces = _cut(pieces, span)
        self._decoder = getincrementaldecoder("utf-8")()
        self._tail = b""
        self._bytes = 0

    @property
    def place(self) -> int:
        """Number of the next character of the body."""
        return self.base + self.pos

    def fill(self, ahead: int = 0) -> None:
        """Let a span stand behind `pos`, or so many characters, or all that are left."""
        ahead = ahead or self.span
        if self.ended or len(self.text) - self.pos >= ahead:
            return
        self.base += self.pos
        parts = [self.text[self.pos :]]
        self.text, self.pos = "", 0
        missing = ahead - len(parts[0])
        while missing > 0 and not self.ended:
            parts.append(self._next())
            missing -= len(parts[-1])
        self.text = "".join(parts)

    def skip_to(self, place: int) -> None:
        """Go on to a character further on, without a look at what lies between."""
        while not self.ended and self.base + len(self.text) < place:
            self.base += len(self.text)
            self.text, self.pos = self._next(), 0
        self.pos = place - self.base

    def drain(self) -> None:
        """Read all that is left, in case the bytes have something to say against themselves."""
        self.text, self.pos = "", 0
        try:
            while not self.ended:
                self._next()
        finally:
            for _ in self._pieces:
                self._check()

    def _next(self) -> str:
        """The text of the next piece; "" where it ends within a character, and at the end."""
        self._check()
        piece = next(self._pieces, None)
        if piece is None:
            self.ended = True
            piece = b""
        if not self.suspect:
            seen = self._tail + piece
            self.suspect = _has_escape(seen)
            self._tail = seen[-2:]
        held = len(self._decoder.getstate()[0])
        try:
            text = self._decoder.decode(piece, self.ended)
        except UnicodeDecodeError as error:
            self.ended = True
            at = self._bytes - held + error.start
            raise Malformed(f"the body is not UTF-8 at byte {at}") from None
        self._bytes += len(piece)
        return text


def _has_escape(seen: bytes) -> bool:
    """Whether an escape stands there that may be half of a surrogate pair."""
    # One byte is looked for fifty times faster than two, and few are there.
    at = seen.find(b"\\")
    for _ in range(_FEW):
        if at < 0:
            return False
        if seen[at + 1 : at + 3] in _HALVES:
            return True
        at = seen.find(b"\\", at + 1)
    return any(escape in seen for escape in _ESCAPES)


def _cut(pieces: Iterable[bytes], most: int) -> Iterator[bytes]:
    """The same bytes without a BOM, in pieces that are not too long."""
    held: bytes | None = b""
    for piece in pieces:
        if held is not None:
            held += piece
            if len(held) < len(_BOM) and _BOM.startswith(held):
                continue
            piece, held = held.removeprefix(_BOM), None  # noqa: PLW2901 - what is left of it
        for begin in range(0, len(piece), most):
            yield piece[begin : begin + most]
    if held:
        yield held
