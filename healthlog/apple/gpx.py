"""Routes of workouts: a GPX file to the points it holds."""

from __future__ import annotations

from xml.parsers import expat

GPX = "gpx"
"""The element under which a body holds a file of points, its text as it stands."""

Point = dict[str, str]

_POINT = "trkpt"


class NoRoute(Exception):
    """The file is no GPX that can be read; the message says why."""


def holds_points(content: bytes) -> bool:
    """Whether a file is a route, as far as that can be told without reading it."""
    return b"<trkpt" in content and b"<!DOCTYPE" not in content


def points(text: str) -> list[Point]:
    """The points of a route in their order: of each its attributes and whatever else it holds,
    under its own name: `lat lon ele time speed course hAcc vAcc`. NoRoute."""
    found = _Points()
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler, parser.EndElementHandler = found.start, found.end
    parser.CharacterDataHandler = found.text
    parser.StartDoctypeDeclHandler = _refused
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        raise NoRoute(f"it is no XML: line {error.lineno}") from None
    return found.found


class _Points:
    def __init__(self) -> None:
        self.found: list[Point] = []
        self._point: Point | None = None
        self._text: list[str] = []

    def start(self, name: str, attributes: Point) -> None:
        self._text.clear()
        if name == _POINT:
            self._point = attributes

    def text(self, piece: str) -> None:
        if self._point is not None:
            self._text.append(piece)

    def end(self, name: str) -> None:
        point, text = self._point, "".join(self._text).strip()
        self._text.clear()
        if point is None:
            return
        if name == _POINT:
            self.found.append(point)
            self._point = None
        elif text:
            point.setdefault(name, text)


def _refused(*_declared: object) -> None:
    # A DTD could declare entities that blow up; no GPX needs one.
    raise NoRoute("it has a DTD")
