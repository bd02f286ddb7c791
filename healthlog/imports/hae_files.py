"""Files that the app Health Auto Export writes: JSON, packed or not, as bodies of deliveries."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple

from healthlog.apple.section import SECTION
from healthlog.archive.body import BLANKS, BOM
from healthlog.base.errors import Refusal
from healthlog.hae.arrays import is_array
from healthlog.hae.envelope import Malformed, sections
from healthlog.imports.zips import BadZip, open_zip, whole
from healthlog.moment import DAY_MS, Moments

_METRICS = "metrics"
# Where elements say when they begin or end; what stands deeper are samples of theirs.
_TIMES = (
    *("date", "start", "end", "startDate", "endDate"),
    *("sleepStart", "sleepEnd", "inBedStart", "inBedEnd"),
)


class NoBody(Refusal):
    """What the file holds can't be a body; the message says why."""


class Body(NamedTuple):
    """One body with the name of the file it stands in."""

    name: str
    content: bytes


def plain(path: Path, most: int) -> Body:
    """The body in a `.json` or `.json.gz`. NoBody, also above `most` bytes; BadZip."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        content = _unpacked(file, most) if packed else file.read(most + 1)
    return Body(path.name, _checked(content, most))


def zipped(path: Path, most: int) -> Iterator[Body | tuple[str, Refusal]]:
    """The bodies in a zip, by the names of its members; with the reason those that are none."""
    with open_zip(path) as archive:
        members = [one for one in archive.infolist() if is_json(one.filename)]
        for member in sorted(members, key=lambda one: one.filename):
            name = PurePosixPath(member.filename).name
            try:
                content = whole(archive, member, most)
                if content is None:
                    raise _too_long(most)
                if content[:2] == b"\x1f\x8b":
                    content = _unpacked(io.BytesIO(content), most)
                yield Body(name, _checked(content, most))
            except (NoBody, BadZip) as refusal:
                yield name, refusal


def is_json(name: str) -> bool:
    """Whether a file of this name holds a body."""
    path = PurePosixPath(name.lower())
    hidden = path.name.startswith(".") or "__macosx" in path.parts
    return path.name.endswith((".json", ".json.gz")) and not hidden


def said_at_us(content: bytes, clock_at_us: int) -> int | None:
    """The latest start or end, not later than the clock, of anything that the elements of a body
    name; None where they name none, or nothing can be read in it."""
    try:
        found = sections(content)
    except (Malformed, MemoryError):
        return None
    moments = Moments()
    latest_us: int | None = None
    for name, value in found:
        for element in _elements(name, value):
            for at_us in _times(element, moments):
                if at_us <= clock_at_us and (latest_us is None or at_us > latest_us):
                    latest_us = at_us
    return latest_us


def _elements(name: str, value: object) -> Iterator[dict[str, Any]]:
    if name == SECTION and isinstance(value, dict):
        # A body that an import has made speaks as of the day of its export.
        yield {"date": value.get("exportDate")}
    if not is_array(value):
        return
    for element in value:
        if not isinstance(element, dict):
            continue
        data = element.get("data") if name == _METRICS else None
        if is_array(data):
            yield from (one for one in data if isinstance(one, dict))
        elif name != _METRICS:
            yield element


def _times(element: dict[str, Any], moments: Moments) -> Iterator[int]:
    for name in _TIMES:
        try:
            moment = moments[element[name]]
        except (KeyError, TypeError, ValueError):
            continue
        # A date alone counts from its midnight as if in UTC.
        yield (moment.day * DAY_MS if moment.at_ms is None else moment.at_ms) * 1000


def _checked(content: bytes, most: int) -> bytes:
    if len(content) > most:
        raise _too_long(most)
    core = content.removeprefix(BOM).strip(BLANKS)
    if not core:
        raise NoBody("it is empty")
    if core[:1] != b"{" or core[-1:] != b"}":
        raise NoBody("it is no whole JSON object")
    return content


def _unpacked(file: BinaryIO, most: int) -> bytes:
    try:
        with gzip.GzipFile(fileobj=file, mode="rb") as unpacked:
            return unpacked.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise BadZip(f"it can't be unpacked: {error}") from None


def _too_long(most: int) -> NoBody:
    return NoBody(f"it is longer than {most} bytes, the setting max_body")
