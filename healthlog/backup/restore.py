"""A backup restored: checked, copied into an empty data directory, brought up."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial

from healthlog.archive.disk import Disk
from healthlog.archive.scan import BODY
from healthlog.archive.store import Archive
from healthlog.backup import salvage
from healthlog.backup.contents import SMALL
from healthlog.backup.copying import IsLink, Measured, Unreadable
from healthlog.backup.manifest import ARCHIVE, AUDIO, Entry, Manifest, NoManifest, Spoiled, opened
from healthlog.backup.place import Place
from healthlog.backup.revive import How, Revived, revive
from healthlog.backup.target import Target
from healthlog.backup.verify import NotWhole, differing, manifest_of, refuse_newer, verify
from healthlog.base.errors import Circumstance, Damaged, Refusal
from healthlog.base.migrate import SchemaChanged, SchemaNewer
from healthlog.check import Finding
from healthlog.databases import open_up_to_date
from healthlog.home import Home

_EXPECTED = (Refusal, Circumstance, Damaged, OSError, SchemaNewer, SchemaChanged)


COUNTED = "mart.db.of-backup"
"""A mart that can't be made again, kept beside the one that can."""


class Unfinished(Circumstance):
    """A restore that has begun and can go on."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told of findings, and of progress (done, total, of what)."""

    found: Callable[[Finding], object]
    told: Callable[[int, int, str], object]


@dataclass(frozen=True, slots=True)
class Piece:
    """A file by its path in the backup, that in the data directory, and what is known of it."""

    source: str
    path: str
    known: Measured | None


@dataclass(frozen=True, slots=True)
class Pieces:
    """So many files, which can be walked once."""

    total: int
    each: Iterable[Piece]


@dataclass(frozen=True, slots=True)
class _Found:
    """What is there of a backup; a mart that knows what bodies said that are lost."""

    identity: str
    pieces: Pieces
    counted: Entry | None = None


class Restore:
    """Restores from a place into a home, which must be empty or new, or be left by an interrupted
    restore of the same backup."""

    def __init__(self, place: Place, home: Home, disk: Disk, how: How, watch: Watch) -> None:
        self._place = place
        self._home = home
        self._disk = disk
        self._how = how
        self._watch = watch

    def whole(self) -> tuple[Manifest, Revived]:
        """The backup as it was made, or nothing: NotWhole after every file that differs was told.
        NoPlace, NotEmpty, NoData, Taken; Unfinished when it may go on."""
        self._place.refuse_overlap(self._home.data)
        with self._place.held():
            manifest = manifest_of(self._place)
            target = Target(self._home, manifest.identity, self._disk)
            target.refuse_full()
            verify(self._place, manifest, self._watch.found, self._checked)
            with target.claimed(), self._going_on():
                self._fill(target, _named(manifest, ()), lenient=False)
                return manifest, self._revived(target)

    def salvaged(self) -> Revived:
        """What is there, after every file was told that isn't as it should be. The journal is
        written again where it is lost; the mart always can be. Raises like `whole`."""
        self._place.refuse_overlap(self._home.data)
        with self._place.held():
            found = self._found()
            target = Target(self._home, found.identity, self._disk)
            with target.claimed(), self._going_on():
                self._fill(target, found.pieces, lenient=True)
                if found.counted is not None:
                    target.put(self._place.root / found.counted.path, COUNTED, None)
                    target.settle()
                    self._watch.found(Finding(COUNTED, "holds what was counted of lost bodies"))
                self._mend()
                return self._revived(target)

    def _found(self) -> _Found:
        root = self._place.root
        try:
            manifest = opened(self._place.manifest)
        except (NoManifest, Spoiled) as error:
            scanned = list(salvage.scanned(self._place, self._home))
            if all(path in SMALL for _, path in scanned):
                raise NotWhole(f"{root} has no archive/: there is nothing to restore") from error
            self._watch.found(Finding(self._place.manifest.name, str(error)))
            return _Found("", Pieces(len(scanned), (Piece(*paths, None) for paths in scanned)))
        refuse_newer(manifest)
        Target(self._home, manifest.identity, self._disk).refuse_full()
        problems: set[str] = set()
        for entry, problem in differing(root, manifest, self._checked):
            problems.add(entry.path)
            self._watch.found(Finding(entry.path, problem))
        lost = any(path.startswith(ARCHIVE) and path.endswith(BODY) for path in problems)
        mart = f"{manifest.head.state}/{self._home.mart.name}"
        counted = next((one for one in manifest.entries() if one.path == mart), None)
        counted = counted if lost and mart not in problems else None
        return _Found(manifest.identity, _named(manifest, problems), counted)

    def _checked(self, done: int, total: int) -> None:
        self._watch.told(done, total, "files checked")

    # Into the home

    def _fill(self, target: Target, pieces: Pieces, *, lenient: bool) -> None:
        """Copies files; what an earlier attempt did with the databases begins anew."""
        for database in (self._home.mart, self._home.journal):
            target.drop(database)
        for done, piece in enumerate(pieces.each, start=1):
            try:
                # Of a mart nobody vouches for a replay tells more.
                if piece.known is not None or piece.path != self._home.mart.name:
                    target.put(self._place.root / piece.source, piece.path, piece.known)
            except Unreadable as error:
                if not lenient:
                    raise Unreadable(f"{self._place.root / piece.source} {error}") from error
                if isinstance(error, IsLink):
                    self._watch.found(Finding(piece.source, str(error)))
            self._watch.told(done, pieces.total, "files copied")
        target.settle()

    def _mend(self) -> None:
        """Makes of the journal what can be made of it, then of lost metas."""
        home, how = self._home, self._how
        if not salvage.is_sound(home.journal):
            self._watch.found(Finding(home.journal.name, "was written again from the archive"))
            for path in home.data.glob(f"{home.journal.name}*"):
                self._disk.remove(path)
        opened_up = partial(open_up_to_date, home.journal, home.journal.stem)
        with closing(opened_up(how.clock, how.journal_mode)) as journal:
            salvage.mend_metas(Archive(home.data), journal, self._watch.found)

    def _revived(self, target: Target) -> Revived:
        found = revive(self._home, self._how)
        target.done()
        return found

    @contextmanager
    def _going_on(self) -> Iterator[None]:
        try:
            yield
        except _EXPECTED as error:
            said = str(error)
            if isinstance(error, OSError):
                said = f"{error.filename}: {error.strerror}"
            raise Unfinished(
                f"{said}; run the same command again to go on, or remove what is in"
                f" {self._home.data}"
            ) from error


def _named(manifest: Manifest, problems: Container[str]) -> Pieces:
    """What a manifest names; of a file with a problem nothing is known."""

    def each() -> Iterator[Piece]:
        for entry in manifest.entries():
            own = entry.path.startswith((ARCHIVE, AUDIO))
            path = entry.path if own else entry.path.partition("/")[2]
            known = None if entry.path in problems else Measured(entry.bytes, entry.sha256)
            yield Piece(entry.path, path, known)

    return Pieces(manifest.files, each())
