"""Elements of one metric object read while they pass by: readings, or what is needed of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from healthlog.hae.elements import Elements, Unfit
from healthlog.hae.room import Room
from healthlog.outline import LISTED, Outline
from healthlog.reading import NONE, Columns, columns, joined

_READING = 150
"""About how many bytes a reading takes that is held."""


def readings_of(
    elements: Elements,
    piece: Sequence[Any],
    first: int,
    needed: tuple[str, ...],
    unfit: Callable[[int, str], None],
) -> tuple[Columns, Sequence[int]]:
    """The readings of some elements, the first of which stands in place `first`, with the place of
    each; `unfit` is told of every element that can't be taken, and why."""
    uniform = None if needed else elements.uniform(piece)
    if uniform is not None:
        return uniform, range(first, first + len(piece))
    readings, places = [], []
    for place, element in enumerate(piece, first):
        try:
            readings.append(elements.reading(element, needed))
            places.append(place)
        except Unfit as reason:
            unfit(place, str(reason))
    return columns(readings), places


class Gist:
    """What was read of one array of elements. The readings are held as long as there is `room` for
    them (None: whatever they take), else there is an outline of them."""

    def __init__(self, elements: Elements, needed: tuple[str, ...], room: Room | None) -> None:
        self.needed = needed
        self.count = 0
        self.taken = 0
        self.unfit = 0
        self.listed: list[tuple[int, str]] = []
        self.outline: Outline | None = None
        self._elements = elements
        self._room = room
        self._parts: list[Columns] = []
        self._places: list[Sequence[int]] = []

    def take(self, piece: Sequence[Any]) -> None:
        """Read the elements that follow."""
        if not piece:
            return
        found, places = readings_of(self._elements, piece, self.count, self.needed, self._reject)
        self.count += len(piece)
        self.taken += len(places)
        if not places:
            return
        if self.outline is None and self._room and not self._room.take(_READING * len(places)):
            self._let_go(self._room)
        if self.outline is None:
            self._parts.append(found)
            self._places.append(places)
        else:
            self.outline.add(found.moments, found.at_ms, places)

    def held(self, first: int) -> tuple[Sequence[int], Columns]:
        """The readings with their places, the first element of all standing in place `first`."""
        if not self._parts:
            return [], NONE
        if self.taken == self.count:
            return range(first, first + self.count), joined(self._parts)
        return [first + place for part in self._places for place in part], joined(self._parts)

    def _let_go(self, room: Room) -> None:
        self.outline = Outline()
        for part, places in zip(self._parts, self._places, strict=True):
            self.outline.add(part.moments, part.at_ms, places)
            room.give(_READING * len(places))
        self._parts, self._places = [], []

    def _reject(self, place: int, reason: str) -> None:
        self.unfit += 1
        if len(self.listed) < LISTED:
            self.listed.append((place, reason))
