"""Elements of an export to the bodies of deliveries."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from healthlog.apple.mend import Element
from healthlog.apple.scan import Found
from healthlog.apple.section import SECTION
from healthlog.moment import parse

ELEMENTS = 5_000
BYTES = 4 * 1024 * 1024
"""A body is full with so many elements, or with elements of so many bytes."""

_COORDINATE = ("type", "startDate", "endDate", "sourceName")

Attach = Callable[[Element], int]
"""Puts into an element what the export keeps in files of its own; bytes of what it added."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One body: a JSON object with the section `appleHealth` alone, that holds the elements with
    all their attributes as they stand. `ends_at` is how far it reaches into the document."""

    body: bytes
    elements: int
    ends_at: int


class Loader:
    """Cuts one export into bodies. They depend on its content alone, so that the same export gives
    the same bodies again, byte for byte."""

    def __init__(self, locale: Callable[[], str | None], attach: Attach) -> None:
        self._locale = locale
        self._attach = attach
        self._me: dict[str, str] | None = None
        self._held: list[Element] = []
        self._weight = 0
        self.export_date: str | None = None

    @property
    def said_at_us(self) -> int | None:
        """When the export was made, None where it doesn't tell."""
        try:
            at_ms = parse(self.export_date or "").at_ms
        except ValueError:
            return None
        return None if at_ms is None else at_ms * 1000

    def chunks(self, found: Iterable[Found]) -> Iterator[Chunk]:
        """The bodies in the order of the document."""
        before = 0
        for element, ends_at in found:
            name = element[0]
            if name == "ExportDate":
                self.export_date = element[1].get("value")
            elif name == "Me":
                self._me = element[1]
            else:
                if self._is_full(element):
                    yield self._taken(before)
                self._weight += ends_at - before + self._attach(element)
                self._held.append(element)
            before = ends_at
        if self._held or self._me is not None:
            yield self._taken(before)

    def _is_full(self, following: Element) -> bool:
        held = len(self._held)
        if held == 0 or (held < ELEMENTS and self._weight < BYTES):
            return False
        # What one source says twice of one stretch of time has to be told in one breath.
        return held >= 2 * ELEMENTS or not _same_coordinate(self._held[-1], following)

    def _taken(self, ends_at: int) -> Chunk:
        section: dict[str, object] = {"exportDate": self.export_date, "locale": self._locale()}
        if self._me is not None:
            section["me"] = self._me
        section["elements"] = self._held
        body = json.dumps(
            {"data": {SECTION: section}}, ensure_ascii=False, separators=(",", ":")
        ).encode("utf-8", "replace")
        chunk = Chunk(body, len(self._held), ends_at)
        self._held, self._weight, self._me = [], 0, None
        return chunk


def _same_coordinate(one: Element, other: Element) -> bool:
    return all(one[1].get(name) == other[1].get(name) for name in _COORDINATE)
