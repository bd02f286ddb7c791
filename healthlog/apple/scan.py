"""Elements of an `export.xml`, one by one as they stand below its root."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from xml.parsers import expat

from healthlog.apple.mend import END, ROOT, Element, mended, put
from healthlog.apple.stream import NotAppleHealth, from_root

ELEMENT_MAX = 8 * 1024 * 1024
"""Bytes of the longest element that is read."""

DAMAGED_MAX = 10_000

_TOP = (
    rb"<(?:ExportDate|Me|Record|Correlation|Workout|ActivitySummary|ClinicalRecord|Audiogram"
    rb"|VisionPrescription)(?=[\s/>])"
)
# Apple indents what stands below the root by one blank, and what stands deeper by more.
_INDENTED = re.compile(rb"(?:(?<=\n )|(?<=\n))" + _TOP + rb"|</HealthData>")
_ANYWHERE = re.compile(_TOP + rb"|</HealthData>")
_BEGUN = re.compile(rb"<[^/]|</HealthData>")
_INDENT = 2
_CUT = frozenset(
    expat.errors.codes[text]
    for text in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
    )
)
"""What a parser says of a document that ends too early."""


class Found(NamedTuple):
    """An element with the place in the document at which it ends, in bytes."""

    element: Element
    ends_at: int


class Scanner:
    """Reads one document. Memory does not grow with it.

    What is damaged is read around: `mended` counts elements that could be put right, `damaged`
    those that are lost, `replaced` the characters that are none; `cut` says that the document
    ended before its root did. `root` are the root's attributes.
    """

    def __init__(self) -> None:
        self.mended = 0
        self.replaced = 0
        self.damaged = 0
        self.cut = True
        self.root: dict[str, str] = {}
        self._stack: list[Element] = []
        self._found: list[Found] = []
        self._boundary: re.Pattern[bytes] | None = None
        # The document from the last element begun on, which is what a repair needs. All places
        # are counted from the root element.
        self._window = b""
        self._window_at = 0
        self._parser: expat.XMLParserType | None = None
        self._base = 0  # the place at which the parser began to count
        self._begun_at = 0
        self._ended_at = 0
        self._broken_at = 0

    def elements(self, pieces: Iterable[bytes]) -> Iterator[Found]:
        """The elements below the root in their order. NotAppleHealth for a file that is none, or
        damaged beyond use."""
        self._begin(0)
        for piece in from_root(pieces):
            self._window += piece
            self._parse(piece)
            self._resume(final=False)
            self._forget()
            yield from self._taken()
        self._parse(b"", final=True)
        self._resume(final=True)
        if self.cut and len(self._stack) > 1:
            self._lost()
        yield from self._taken()

    def _taken(self) -> list[Found]:
        found, self._found = self._found, []
        return found

    # ---- the parser

    def _begin(self, place: int) -> None:
        """A parser of its own from this place of the document on."""
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._stack.clear()
        self._base = self._begun_at = self._ended_at = place

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        depth = len(self._stack)
        if depth == 0:
            self.root = self.root or attributes
        elif depth == 1 and self._parser is not None:
            self._begun_at = self._base + self._parser.CurrentByteIndex
            if self._boundary is None:
                at = self._begun_at - self._window_at
                before = self._window[max(0, at - _INDENT) : at]
                self._boundary = _INDENTED if b"\n" in before else _ANYWHERE
        put(self._stack, [name, attributes])

    def _end(self, _name: str) -> None:
        stack = self._stack
        element = stack.pop()
        if len(stack) == 1 and self._parser is not None:
            self._ended_at = self._base + self._parser.CurrentByteIndex
            self._found.append(Found(element, self._ended_at))
        elif not stack:
            self.cut = False

    def _parse(self, piece: bytes, *, final: bool = False) -> None:
        # What follows the end of the root means nothing.
        if self._parser is None or not self.cut:
            return
        try:
            # A parser may hold tokens back until it is told that nothing follows.
            self._parser.Parse(piece, final)
        except expat.ExpatError as error:
            if self._is_open() and error.code not in _CUT:
                inside = len(self._stack) > 1
                self._parser = None
                self._broken_at = self._begun_at if inside else self._ended_at

    def _is_open(self) -> bool:
        """Whether the root has not ended; the parser's handlers may have met its end."""
        return self.cut

    def _forget(self) -> None:
        """Let go of what no repair will ask for."""
        kept_from = self._broken_at if self._parser is None else self._begun_at
        kept_from -= _INDENT
        if kept_from > self._window_at:
            self._window = self._window[kept_from - self._window_at :]
            self._window_at = kept_from
        if len(self._window) > ELEMENT_MAX:
            raise NotAppleHealth(f"an element of it is longer than {ELEMENT_MAX >> 20} MiB")

    # ---- what is damaged

    def _next(self, place: int, boundary: re.Pattern[bytes]) -> int | None:
        """The first place from here on at which there is such a boundary."""
        found = boundary.search(self._window, max(0, place - self._window_at))
        return None if found is None else self._window_at + found.start()

    def _resume(self, *, final: bool) -> None:
        """After damage, go on where the next element begins, once it is there."""
        while self._parser is None:
            known = self._window_at + len(self._window)
            begun = self._next(self._broken_at, _BEGUN)
            following = None
            if begun is not None and not self._ends(begun):
                following = self._next(begun + 1, self._boundary or _ANYWHERE)
            elif begun is not None:
                following = begun
            if following is None:
                if not final:
                    return
                following = known
            self._mend(self._broken_at if begun is None else begun, following)
            self._begin(following - len(ROOT))
            self._begun_at = self._ended_at = following
            self._parse(ROOT + self._window[following - self._window_at :], final=final)

    def _ends(self, place: int) -> bool:
        return self._window.startswith(END, place - self._window_at)

    def _mend(self, begins_at: int, ends_at: int) -> None:
        at = self._window_at
        element, replaced, lost = mended(self._window[begins_at - at : ends_at - at])
        if lost:
            self._lost()
        if element is not None:
            self.mended += 1
            self.replaced += replaced
            self._found.append(Found(element, ends_at))

    def _lost(self) -> None:
        self.damaged += 1
        if self.damaged > DAMAGED_MAX:
            raise NotAppleHealth(f"more than {DAMAGED_MAX} of its elements are damaged")
