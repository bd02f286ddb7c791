"""A backup held against its manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from healthlog.backup.copying import Unreadable, measured, size_of
from healthlog.backup.manifest import (
    ARCHIVE,
    AUDIO,
    Entry,
    MadeByNewer,
    Manifest,
    NoManifest,
    Spoiled,
    opened,
)
from healthlog.backup.place import Place
from healthlog.base import migrate
from healthlog.base.errors import Refusal
from healthlog.check import Finding

DIFFERS = "differs from its checksum"


class NotWhole(Refusal):
    """The backup isn't what was backed up; the message says what can be had of it."""


def manifest_of(place: Place) -> Manifest:
    """The manifest of a backup, whatever has become of its files. NotWhole, MadeByNewer."""
    try:
        manifest = opened(place.manifest)
    except (NoManifest, Spoiled) as error:
        raise NotWhole(
            f"{error}: {place.root} holds no whole backup;"
            " `restore --salvage` takes the archive in it, as far as it goes"
        ) from error
    refuse_newer(manifest)
    return manifest


def verify(
    place: Place,
    manifest: Manifest,
    found: Callable[[Finding], object],
    told: Callable[[int, int], object],
) -> None:
    """NotWhole if a file isn't as it was backed up, after each was told of as a finding."""
    bad = []
    for entry, problem in differing(place.root, manifest, told):
        bad.append(entry.path)
        found(Finding(entry.path, problem))
    if bad:
        raise NotWhole(
            f"{place.root}: {len(bad)} of {manifest.files} files are not as they were backed up;"
            f" `restore --salvage` takes what is there: {'; '.join(_salvaged(bad))}"
        )


def refuse_newer(manifest: Manifest) -> None:
    """MadeByNewer when a database in it is newer than this program knows."""
    for name, number in manifest.head.schema.items():
        if number > migrate.load(name)[-1].number:
            raise MadeByNewer(
                f"{manifest.path}: healthlog {manifest.head.version} made it, which is newer:"
                " restore with that"
            )


def differing(
    root: Path, manifest: Manifest, told: Callable[[int, int], object]
) -> Iterator[tuple[Entry, str]]:
    """Every file that is missing, or isn't what was backed up, with what is wrong with it."""
    for done, entry in enumerate(manifest.entries(), start=1):
        problem = _problem(root / entry.path, entry)
        if problem is not None:
            yield entry, problem
        told(done, manifest.files)


def _problem(path: Path, entry: Entry) -> str | None:
    size = size_of(path)
    if size is not None and size != entry.bytes:
        return f"has {size} bytes and should have {entry.bytes}"
    try:
        return None if measured(path).sha256 == entry.sha256 else DIFFERS
    except Unreadable as error:
        return str(error)


def _salvaged(bad: list[str]) -> Iterator[str]:
    """What becomes of files that are lost, in words."""
    names = [path.rpartition("/")[2] for path in bad if not path.startswith((ARCHIVE, AUDIO))]
    for name in names:
        if name == "mart.db":
            yield "mart.db is made again, nothing in it is lost"
        elif name == "journal.db":
            yield "journal.db is written again from the archive if SQLite can't read it"
        else:
            yield f"{name} is left out"
    for top in (ARCHIVE, AUDIO):
        count = sum(path.startswith(top) for path in bad)
        if count:
            yield f"of {top} {count} files as they are, or not at all"
