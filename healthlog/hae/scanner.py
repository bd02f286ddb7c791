"""JSON read off a window: value by value, long arrays a slice at a time.

The language is that of `json.loads`: NaN and Infinity are numbers, of equal keys in one object the
last counts. Whatever is short is decoded by the decoder of the standard library, by one call for
many elements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from healthlog.hae.decode import (
    UNDECIDED,
    Fault,
    decode,
    decode_elements,
    demand_levels,
    has_lone_surrogate,
    too_deep,
)
from healthlog.hae.depth import DEEPEST
from healthlog.hae.window import Malformed, Window

T = TypeVar("T")

LONGEST_TOKEN = 16 * 1024 * 1024
"""Characters of one text or number; MemoryError for a longer one."""

MOST_MEMBERS = 20_000
"""Members of an object that is not short; MemoryError for more."""

HEAVIEST = 160 * 1024 * 1024
"""What one value may weigh: a byte for each character and VALUE for each value in it, which is
about what it takes decoded; MemoryError for more."""

VALUE = 64

_SPANS = 2
"""Objects and arrays that don't end within so many spans are read piece by piece."""

_PATIENCE = 16
"""So many elements are decoded one by one before many at once are tried again, the first time."""

_BLANKS = re.compile(r"[ \t\n\r]*")


class _Long:
    """In the place of a value that nobody asked for and that is too long to be decoded at once."""


LONG = _Long()


class Scanner:
    """A cursor over the text of a body. What is malformed raises Malformed; `spoiled` is set once
    a text was met that holds half of a surrogate pair and counts."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.spoiled = False
        self._depth = 0
        self._weight: int | None = None
        self._value: Any = None

    def peek(self) -> str:
        """The next character that is no blank; "" at the end."""
        window = self.window
        while True:
            found = _BLANKS.match(window.text, window.pos)
            assert found is not None
            window.pos = found.end()
            if window.pos < len(window.text):
                return window.text[window.pos]
            if window.ended:
                return ""
            window.fill()

    def end(self) -> None:
        """Nothing but blanks may follow."""
        if self.peek():
            raise self._malformed("Extra data", self.window.pos)

    def short(self) -> Any:
        """The value at the cursor; LONG for an object or array that isn't short."""
        if self._whole():
            return self._value
        if self.peek() == "{":
            for _ in self.members():
                self.short()
        else:
            for piece in self.pieces():
                if piece is None:
                    self.short()
        return LONG

    def value(self) -> Any:
        """The value at the cursor, however long. MemoryError when it is too heavy."""
        self._weight = 0
        try:
            return self._built()
        finally:
            self._weight = None

    def collected(self, read: Callable[[str], T]) -> dict[str, T]:
        """The object at the cursor; `read` is given each key and takes in the value behind it. Of
        equal keys the last counts, in the place of the first."""
        found: dict[str, T] = {}
        for key in self.members():
            found[key] = read(key)
            if len(found) > MOST_MEMBERS:
                raise MemoryError(f"an object of the body has more than {MOST_MEMBERS} members")
        return found

    def members(self) -> Iterator[str]:
        """The keys of the object at the cursor, which stands before each one's value then."""
        # A value that is spoiled spoils nothing if its key comes again.
        spoiled: set[str] = set()
        before, self.spoiled = self.spoiled, False
        self._open()
        if self.peek() == "}":
            self.window.pos += 1
        else:
            while True:
                key = self._key()
                yield key
                (spoiled.add if self.spoiled else spoiled.discard)(key)
                self.spoiled = False
                if self._passes(",}", "Expecting ',' delimiter") == "}":
                    break
        self._depth -= 1
        self.spoiled = before or bool(spoiled)

    def pieces(self, *, flat: bool = True, shows: str = "") -> Iterator[list[Any] | None]:
        """The elements of the array at the cursor, as many at a time as are decoded by one call;
        None for one that isn't short, before which the cursor stands then.

        `flat` where they are not expected to hold others; one that is short has the character
        `shows` in it.
        """
        self._open()
        if self.peek() == "]":
            self.window.pos += 1
            self._depth -= 1
            return
        patience, left = _PATIENCE, 0 if flat else _PATIENCE
        while True:
            if left == 0 and self._batch():
                yield self._value
            else:
                if left == 0:
                    patience, left = 2 * patience, patience
                left -= 1
                yield [self._value] if self._whole(shows) else None
            if self._passes(",]", "Expecting ',' delimiter") == "]":
                break
        self._depth -= 1

    # ---- what the cursor passes

    def _open(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise too_deep()
        self.peek()
        self.window.pos += 1

    def _passes(self, expected: str, otherwise: str) -> str:
        """The next character, one of those expected."""
        found = self.peek()
        if not found or found not in expected:
            raise self._malformed(otherwise, self.window.pos)
        self.window.pos += 1
        return found

    def _key(self) -> str:
        if self.peek() != '"':
            message = "Expecting property name enclosed in double quotes"
            raise self._malformed(message, self.window.pos)
        self._whole()
        key: str = self._value
        self._passes(":", "Expecting ':' delimiter")
        self.peek()
        return key

    # ---- what is decoded by one call, into `_value`

    def _whole(self, shows: str = "") -> bool:
        """Decode the value at the cursor and pass it; False for an object or array that doesn't
        end in sight."""
        window = self.window
        first = self.peek()
        is_open = first in ("{", "[")
        shows = shows or ("]" if first == "[" else "")
        window.fill()
        while True:
            if not is_open or window.ended or window.text.find(shows, window.pos) >= 0:
                found = decode(window.text, window.pos, ended=window.ended)
                if not isinstance(found, Fault):
                    value, end = found
                    self._pass(end, window.text[window.pos : end], value)
                    return True
                if window.ended or 0 <= found.at < len(window.text) - UNDECIDED:
                    raise self._malformed(*found)
            ahead = len(window.text) - window.pos
            if is_open and ahead >= _SPANS * window.span:
                return False
            if ahead > LONGEST_TOKEN:
                raise MemoryError("a text or number of the body is too long")
            window.fill(min(2 * ahead, LONGEST_TOKEN + 1))

    def _batch(self) -> bool:
        """Decode many elements of an array at once and pass them; False where that fails.

        The text is cut where an element seems to end. If that can be decoded as elements of an
        array, it has been cut in the right place: what has been read up to there doesn't depend on
        what follows.
        """
        window = self.window
        window.fill()
        text, pos, last = window.text, window.pos, window.pos + window.span
        end = text.find("]", pos, last)
        if end < 0:
            end = text.rfind("},", pos, last) + 1 or text.rfind(",", pos, last)
        if end <= pos:
            return False
        inside = text[pos:end]
        found = decode_elements(inside)
        if found is None:
            return False
        self._pass(end, inside, found)
        return True

    def _pass(self, end: int, text: str, value: Any) -> None:
        """Go behind what was decoded, with a look at what the decoder doesn't look at."""
        demand_levels(text, value, DEEPEST - self._depth)
        if self.window.suspect and has_lone_surrogate(value):
            self.spoiled = True
        if self._weight is not None:
            self._weight += len(text) + VALUE * (1 + text.count(","))
            if self._weight > HEAVIEST:
                raise MemoryError("an element of the body is too long")
        self._value = value
        self.window.pos = end

    # ---- what is built of pieces

    def _built(self) -> Any:
        if self._whole():
            return self._value
        if self.peek() == "{":
            return self.collected(lambda _: self._built())
        built: list[Any] = []
        for piece in self.pieces():
            if piece is None:
                built.append(self._built())
            else:
                built += piece
        return built

    def _malformed(self, message: str, at: int) -> Malformed:
        place = self.window.base + at
        return Malformed(f"the body is no JSON: {message} at character {place}")
