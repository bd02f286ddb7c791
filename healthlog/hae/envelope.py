"""The outermost shape of a body: a text to named sections."""

from __future__ import annotations

from collections.abc import Callable, Sized
from functools import partial
from typing import Any

from healthlog.apple.section import ELEMENTS, SECTION
from healthlog.hae.arrays import Array, LongArray, Rereader
from healthlog.hae.gist import Gist
from healthlog.hae.room import Held, Room
from healthlog.hae.scanner import VALUE, Scanner
from healthlog.hae.window import Body, Malformed, opener
from healthlog.values import is_empty

__all__ = ["SECTIONS", "Malformed", "Section", "sections", "walked"]

SECTIONS = (
    "metrics",
    "workouts",
    "stateOfMind",
    "medications",
    "symptoms",
    "cycleTracking",
    "ecg",
    "heartRateNotifications",
)
"""The sections the phone is known to send."""

Section = tuple[str, Any]
"""Name as sent and contents; one name may come twice (in `data` and beside it)."""

_OF_METRIC = frozenset(("name", "units", "data"))

_OBJECTS = 2
"""Metric objects without what is long in them are held up to so many times as much as all else; if
there are more, they are read again, too."""

_OBJECT = 1024
"""Bytes that such an object takes, about."""

_DECODED = 4
"""Bytes that a character of an element takes decoded, about."""

_UNNAMED = 2_000
"""So many elements are held until it is known what metric they are of."""

GistOf = Callable[[object], Gist | None]
"""Begins the gist of the elements of a metric object, given its name, None where that isn't known
yet; None for those that are no readings."""


def sections(body: bytes | Body) -> list[Section]:
    """The sections of a body of which nothing else is asked; as `walked` says."""
    return walked(Rereader(opener(body), _no_check))


def walked(
    rereader: Rereader, room: Room | None = None, gist_of: GistOf | None = None
) -> list[Section]:
    """The non-empty sections of a body, in the order of the body.

    They are the members of `data`; without `data`, those of the body itself (other senders drop
    the wrapper). Known sections beside `data` count too (bodies of 2021). Of equal keys in one
    object the last counts. NaN and Infinity are read. Malformed says what is wrong, without
    quoting the body.

    What is long is not held: arrays of known sections are a LongArray then, all else LONG.
    MemoryError for what can't be read in little memory.
    """
    scanner = rereader.opened()
    walk = _Walk(rereader, room or Room(), gist_of or _no_gist)
    try:
        found = walk.top(scanner)
    except (Malformed, MemoryError):
        # These may not be the bytes that were received, and that would be worse.
        scanner.window.drain()
        raise
    return [(name, value) for name, value in found if not is_empty(value)]


def _no_check() -> None:
    """It may take as long as it takes."""


def _no_gist(_name: object) -> None:
    """Nobody gathers anything at the first reading."""


class _Walk:
    """Reads the envelope of one body."""

    def __init__(self, rereader: Rereader, room: Room, gist_of: GistOf) -> None:
        self._rereader = rereader
        self._room = room
        self._gist_of = gist_of

    def top(self, scanner: Scanner) -> list[Section]:
        top: dict[str, Any] | None = None
        if scanner.peek() == "{":
            top = scanner.collected(partial(self._member, scanner))
        else:
            scanner.short()
        scanner.end()
        if scanner.spoiled:
            raise Malformed("the body holds half of a surrogate pair")
        if top is None:
            raise Malformed("the body is no JSON object")
        if "data" not in top:
            return list(top.items())
        data = top["data"]
        if data is None or data == []:
            data = {}
        if not isinstance(data, dict):
            raise Malformed("`data` is no JSON object")
        found: list[Section] = []
        for name, value in top.items():
            if name == "data":
                found += data.items()
            elif name in SECTIONS:
                found.append((name, value))
        return found

    def _member(self, scanner: Scanner, key: str) -> Any:
        if key == "data" and scanner.peek() == "{":
            return scanner.collected(partial(self._section, scanner))
        return self._section(scanner, key)

    def _section(self, scanner: Scanner, key: str) -> Any:
        first = scanner.peek()
        if first == "[":
            if key == "metrics":
                return self._metrics(scanner)
            if key in SECTIONS or key == SECTION:
                return self._elements(scanner)
        if first == "{" and key == SECTION:
            return scanner.collected(partial(self._of_export, scanner))
        return scanner.short()

    def _of_export(self, scanner: Scanner, key: str) -> Any:
        is_array = key == ELEMENTS and scanner.peek() == "["
        return self._elements(scanner) if is_array else scanner.short()

    def _elements(self, scanner: Scanner) -> Array:
        """An array each element of which is asked for whole."""
        array, held = LongArray(self._rereader, scanner.window.place), Held(self._room)
        begin = array.place
        for piece in scanner.pieces():
            found = [scanner.value()] if piece is None else piece
            array.length += len(found)
            if not held.take(found, _weight(scanner.window.place - begin, found)):
                held.drop()
            begin = scanner.window.place
        return array if held.elements is None else held.elements

    def _metrics(self, scanner: Scanner) -> Array:
        """An array of metric objects. They are held, what is long in them isn't."""
        array = LongArray(self._rereader, scanner.window.place, read=self._metric)
        held = Held(Room(_OBJECTS * self._room.held))
        begin = array.place
        for piece in scanner.pieces(flat=False, shows="]"):
            if piece is None:
                found, weight = [self._metric(scanner)], _OBJECT
            else:
                found, weight = piece, _weight(scanner.window.place - begin, piece)
            array.length += len(found)
            if not held.take(found, weight):
                held.drop()
            begin = scanner.window.place
        return array if held.elements is None else held.elements

    def _metric(self, scanner: Scanner) -> Any:
        """A metric object with its name, its unit, its data."""
        name: object = None

        def member(key: str) -> Any:
            nonlocal name
            if key == "data" and scanner.peek() == "[":
                return self._data(scanner, name)
            value = scanner.short()
            if key == "name":
                name = value
            return value if key in _OF_METRIC else None

        return scanner.collected(member) if scanner.peek() == "{" else scanner.short()

    def _data(self, scanner: Scanner, name: object) -> Array:
        """The elements of a metric. Where there are many their gist is taken at once, if they are
        readings, as they are as long as nothing speaks against it."""
        array, held = LongArray(self._rereader, scanner.window.place), Held(self._room)
        gist = self._gist_of(name)
        few = _UNNAMED if name is None else 0
        begin = array.place
        for piece in scanner.pieces():
            found = [scanner.value()] if piece is None else piece
            array.length += len(found)
            weight = _weight(scanner.window.place - begin, found)
            if array.gist is not None:
                array.gist.take(found)
            elif gist is None:
                if not held.take(found, weight):
                    held.drop()
            elif array.length > few or not held.take(found, weight):
                array.gist = gist
                gist.take(held.elements or [])
                held.drop()
                gist.take(found)
            begin = scanner.window.place
        return array if held.elements is None else held.elements


def _weight(characters: int, elements: Sized) -> int:
    return _DECODED * characters + VALUE * len(elements)
