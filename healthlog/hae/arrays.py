"""Arrays of a body that are too long to be held: read anew each time they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, TypeGuard

from healthlog.hae.gist import Gist
from healthlog.hae.scanner import Scanner
from healthlog.hae.window import SPAN, Body, Window

_NOWHERE = "\0"
"""No JSON holds it: so elements that may be long in parts are never decoded whole."""


class Rereader:
    """Opens a body, whenever it is to be read, at its begin or where one of its arrays begins.
    Arrays that are read in the order of the body are found by going on from the one before.

    `check` is called for each piece and may raise to end a reading that takes too long.
    """

    def __init__(self, body: Body, check: Callable[[], None], span: int = SPAN) -> None:
        self._body = body
        self._check = check
        self._span = span
        self._kept: Scanner | None = None

    def opened(self) -> Scanner:
        """A cursor at the first character."""
        return Scanner(Window(self._body(), self._check, self._span))

    def pieces(self, array: LongArray) -> Iterator[list[Any]]:
        """The elements of an array, some at a time."""
        scanner, self._kept = self._kept, None
        if scanner is not None and scanner.window.place > array.place:
            scanner.window.drain()
            scanner = None
        if scanner is None:
            scanner = self.opened()
        scanner.window.skip_to(array.place)
        read = array.read
        for piece in scanner.pieces(flat=read is None, shows=_NOWHERE if read else ""):
            yield [(read or Scanner.value)(scanner)] if piece is None else piece
        self.close()  # another may have been read meanwhile
        self._kept = scanner

    def close(self) -> None:
        """Read to the end what is open: only there is it known whether these were the bytes."""
        scanner, self._kept = self._kept, None
        if scanner is not None:
            scanner.window.drain()


class LongArray:
    """An array of a body: where it begins, how many elements it has, how one that is not short is
    read (None: as it is), and what was gathered of them at the first reading, if anything."""

    def __init__(
        self,
        rereader: Rereader,
        place: int,
        *,
        read: Callable[[Scanner], Any] | None = None,
        gist: Gist | None = None,
    ) -> None:
        self._rereader = rereader
        self.place = place
        self.read = read
        self.gist = gist
        self.length = 0

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[Any]:
        """The elements one by one."""
        return chain.from_iterable(self.pieces())

    def pieces(self) -> Iterator[list[Any]]:
        """The elements, some at a time; not to be asked again before it has come to the end."""
        return self._rereader.pieces(self)


Array = list[Any] | LongArray


def is_array(value: object) -> TypeGuard[Array]:
    return isinstance(value, list | LongArray)


def pieces_of(array: Array, most: int = 1_000) -> Iterator[list[Any]]:
    """The elements of an array, some at a time."""
    if isinstance(array, LongArray):
        yield from array.pieces()
    else:
        for begin in range(0, len(array), most):
            yield array[begin : begin + most]
