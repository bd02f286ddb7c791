"""One export read from its package: bodies, with an account of what could not be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from healthlog.apple.gpx import GPX, holds_points
from healthlog.apple.load import Chunk, Loader
from healthlog.apple.mend import Element
from healthlog.apple.package import Package
from healthlog.apple.samples import children
from healthlog.apple.scan import Found, Scanner
from healthlog.apple.section import ELECTROCARDIOGRAM
from healthlog.imports.zips import BadZip


@dataclass(slots=True)
class Export:
    """Reads one export, once. `recordings` counts electrocardiograms, `routes` the routes that
    were found, `routes_missing` those that the XML names and that are not there, too long or no
    GPX."""

    package: Package
    routes: int = 0
    routes_missing: int = 0
    recordings: int = 0
    scanner: Scanner = field(default_factory=Scanner)
    _loader: Loader | None = None

    @property
    def said_at_us(self) -> int | None:
        """When it was made, as far as it was read."""
        return None if self._loader is None else self._loader.said_at_us

    def chunks(self) -> Iterator[Chunk]:
        """The bodies, those of the recordings last."""
        self._loader = Loader(lambda: self.scanner.root.get("locale"), self._attach)
        yield from self._loader.chunks(self._found())

    def _found(self) -> Iterator[Found]:
        end = 0
        for found in self.scanner.elements(self.package.pieces()):
            yield found
            end = found.ends_at
        for name, content in self.package.recordings():
            text = content.decode("utf-8-sig", "replace")
            end += len(content)
            self.recordings += 1
            yield Found([ELECTROCARDIOGRAM, {"name": name, "csv": text}], end)

    def _attach(self, element: Element) -> int:
        if element[0] != "Workout":
            return 0
        added = 0
        for route in children(element, "WorkoutRoute"):
            for file in children(route, "FileReference"):
                content = self._route(file[1].get("path", ""))
                if content is None:
                    self.routes_missing += 1
                    continue
                self.routes += 1
                file[2:] = [[[GPX, {"text": content.decode("utf-8-sig", "replace")}]]]
                added += len(content)
        return added

    def _route(self, path: str) -> bytes | None:
        try:
            content = self.package.route(path)
        except BadZip:
            return None
        return content if content is not None and holds_points(content) else None
