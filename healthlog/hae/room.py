"""The memory that what was read of one body may take."""

from __future__ import annotations

from typing import Any

HELD = 8 * 1024 * 1024
"""About how many bytes of a body's readings and elements are held at the most; the rest is read
again where it is needed."""


class Room:
    """What is left of it, of so many bytes."""

    def __init__(self, held: int = HELD) -> None:
        self.held = held
        self._left = held

    def take(self, weight: int) -> bool:
        """Whether so many bytes more may be held; they are taken then."""
        if weight > self._left:
            return False
        self._left -= weight
        return True

    def give(self, weight: int) -> None:
        self._left += weight


class Held:
    """Elements of one array that are held as long as there is room for all of them; then none
    (None)."""

    def __init__(self, room: Room) -> None:
        self.elements: list[Any] | None = []
        self._room = room
        self._weight = 0

    def take(self, piece: list[Any], weight: int) -> bool:
        """Hold some more, of that weight together; False where they don't find room."""
        if self.elements is None or not self._room.take(weight):
            return False
        self.elements += piece
        self._weight += weight
        return True

    def drop(self) -> None:
        """Hold none any more."""
        self._room.give(self._weight)
        self._weight = 0
        self.elements = None
