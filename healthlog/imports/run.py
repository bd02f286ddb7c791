"""An import: files to deliveries, skipping what the journal has."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from healthlog.accept import Facts
from healthlog.apple.export import Export
from healthlog.apple.package import FilePackage, Package, ZipPackage, export_in
from healthlog.apple.stream import NotAppleHealth, is_export
from healthlog.archive.body import BLANKS, BOM
from healthlog.base.clock import Clock
from healthlog.base.errors import Refusal
from healthlog.imports import hae_files
from healthlog.imports.zips import BadZip, open_zip

_HEAD = 64 * 1024
_MIB = 1024 * 1024


class NotTaken(Refusal):
    """A file that can't be imported; the message names it, with the reason."""


class Sink(Protocol):
    """Where bodies go: into this log, or to the service that has it."""

    def holds(self, sha256: str, aggregation: str | None) -> bool:
        """Whether the journal has such a body, with this time grouping if it needs one."""

    def take(self, content: bytes, facts: Facts) -> bool:
        """Make it a delivery, durably; False if it was known after all."""


@dataclass(slots=True)
class Report:
    """What an import did. `problems` are sentences about what was not read."""

    files: int = 0
    deliveries: int = 0
    skipped: int = 0
    elements: int = 0
    routes: int = 0
    recordings: int = 0
    mended: int = 0
    replaced: int = 0
    damaged: int = 0
    problems: list[str] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)

    def fields(self) -> dict[str, object]:
        """The report as it is printed."""
        counts = {name: getattr(self, name) for name in self.__slots__ if name != "problems"}
        return {**counts, "left": dict(sorted(self.left.items())), "problems": len(self.problems)}


Watch = Callable[[str], Callable[[int, int], None]]
"""Progress of one file, in MiB done of all."""


class Importer:
    """Imports file after file. What an earlier run has brought in, cut short or not, is skipped by
    its checksum. `most` bytes may a body of the app have; `aggregation` is declared for them."""

    def __init__(
        self, sink: Sink, clock: Clock, watch: Watch, *, most: int, aggregation: str | None = None
    ) -> None:
        self._sink = sink
        self._clock = clock
        self._watch = watch
        self._most = most
        self._aggregation = aggregation
        self.report = Report()

    def take(self, path: Path) -> None:
        """Import one file, told by what stands in it. What is wrong with it stands in the report;
        raises what the sink raises."""
        self.report.files += 1
        try:
            with path.open("rb") as file:
                head = file.read(_HEAD)
            if head.startswith(b"PK"):
                self._zip(path)
            elif is_export(head):
                self._export(path.name, FilePackage(path))
            elif head.startswith(b"\x1f\x8b") or head.removeprefix(BOM).lstrip(BLANKS)[:1] == b"{":
                self._body(hae_files.plain(path, self._most))
            else:
                raise NotTaken("it is neither an export of Apple's Health nor JSON")
        except (NotAppleHealth, BadZip, hae_files.NoBody, NotTaken) as refusal:
            self._problem(path.name, refusal)

    def _zip(self, path: Path) -> None:
        with open_zip(path) as archive:
            export = export_in(archive)
            if export is not None:
                self._export(path.name, ZipPackage(archive, export))
                return
        found = 0
        for body in hae_files.zipped(path, self._most):
            found += 1
            if isinstance(body, hae_files.Body):
                self._body(body)
            else:
                self._problem(f"{path.name}: {body[0]}", body[1])
        if not found:
            raise NotTaken("there is neither an export of Apple's Health in it nor JSON")

    # ---- Apple's export

    def _export(self, name: str, package: Package) -> None:
        export, before = Export(package), self.report.elements
        try:
            for body in self._watched(name, export):
                facts = Facts(
                    content_type="application/json",
                    automation_name=name,
                    imported=True,
                    said_at_us=export.said_at_us,
                )
                self._deliver(body, facts)
        finally:
            self._account(export)
        if export.scanner.cut:
            self._problem(name, "it ends before its end")
        elif self.report.elements == before:
            self._problem(name, "there is nothing in it; the phone sometimes exports such")
        if export.scanner.damaged:
            self._problem(name, f"{export.scanner.damaged} elements are damaged and left out")
        if export.routes_missing:
            self._problem(name, f"{export.routes_missing} routes are missing or no GPX")

    def _watched(self, name: str, export: Export) -> Iterator[bytes]:
        say = self._watch(name)
        size = max(export.package.size // _MIB, 1)
        for chunk in export.chunks():
            yield chunk.body
            self.report.elements += chunk.elements
            say(min(chunk.ends_at // _MIB, size - 1), size)
        say(size, size)

    def _account(self, export: Export) -> None:
        report, scanner = self.report, export.scanner
        report.routes += export.routes
        report.recordings += export.recordings
        report.mended += scanner.mended
        report.replaced += scanner.replaced
        report.damaged += scanner.damaged
        report.left += export.package.left

    # ---- the app's JSON

    def _body(self, body: hae_files.Body) -> None:
        clock_at_us = self._clock.now_us()
        facts = Facts(
            content_type="application/json",
            automation_name=body.name,
            aggregation=self._aggregation,
            imported=True,
            said_at_us=hae_files.said_at_us(body.content, clock_at_us),
        )
        self._deliver(body.content, facts)

    def _deliver(self, content: bytes, facts: Facts) -> None:
        sha256 = hashlib.sha256(content).hexdigest()
        if not self._sink.holds(sha256, facts.aggregation) and self._sink.take(content, facts):
            self.report.deliveries += 1
        else:
            self.report.skipped += 1

    def _problem(self, name: str, what: object) -> None:
        self.report.problems.append(f"{name}: {what}")
