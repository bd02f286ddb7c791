"""A backup made: databases first, then the files of the journal's copy, the manifest last."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from healthlog.archive.disk import Disk
from healthlog.archive.scan import BODY
from healthlog.archive.store import Archive
from healthlog.backup.contents import FILES, SMALL
from healthlog.backup.copying import Unreadable, copy, found_at, measured, size_of
from healthlog.backup.manifest import ARCHIVE, AUDIO, Entry, Head, Manifest, Writer
from healthlog.backup.place import Place
from healthlog.backup.recorded import Recorded
from healthlog.backup.store import Store
from healthlog.base import errors, migrate, snapshot
from healthlog.base.clock import Clock, text_us
from healthlog.base.db import Database
from healthlog.base.errors import Circumstance, Damaged, DiskFull, IOFault
from healthlog.check import Finding, damage
from healthlog.databases import Unusable, open_to_look, remedy_of
from healthlog.home import Home
from healthlog.journal import rows, tallies
from healthlog.mart.store import identity
from healthlog.version import VERSION

_MOST_MARTS = 3
_KEPT_WITHOUT_MANIFEST = 2


class OtherLog(errors.Refusal):
    """The place holds deliveries that this log doesn't have; the message names one."""


@dataclass(slots=True)
class Report:
    """What a backup holds, and how much of it was copied now; sizes in bytes."""

    made_at: str
    deliveries: int = 0
    files: int = 0
    bytes: int = 0
    copied: int = 0
    copied_bytes: int = 0
    mart: bool = False
    findings: int = 0

    def fields(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told of findings and of progress (done, total, of what), and who may end a backup
    before the disk is full."""

    found: Callable[[Finding], object]
    told: Callable[[int, int, str], object]
    room: Callable[[], object]


class Backup:
    """Makes one backup of the log in `home`, in a place that is claimed for it.

    Until the new manifest takes the place of the old one, all that the old one names stays as it
    is: whatever ends this before, that backup is whole.
    """

    def __init__(
        self, home: Home, place: Place, *, disk: Disk, clock: Clock, watch: Watch, again: bool
    ) -> None:
        self._home = home
        self._place = place
        self._disk = disk
        self._clock = clock
        self._watch = watch
        self._store = Store(home.data, place, disk, again=again)
        self._report = Report("")

    def make(self) -> Report:
        """The whole of it. OtherLog; Unusable, Damaged where it is the journal; DiskFull about the
        place; other circumstances."""
        earlier = self._place.earlier()
        # Where no whole manifest is left, such folders are all there is of earlier journals.
        last = self._place.states()[-_KEPT_WITHOUT_MANIFEST:]
        self._place.drop_states(last if earlier is None else [earlier.head.state])
        now_us = self._clock.now_us()
        self._report = Report(text_us(now_us))
        with closing(open_to_look(self._home.journal, "journal", self._clock)) as journal:
            self._refuse_other(journal, earlier)
            schema = {name: migrate.load(name)[-1].number for name in ("journal", "mart")}
            head = Head(now_us, VERSION, self._place.new_state(now_us), schema)
            try:
                with errors.naming():
                    gone = self._fill(journal, head, earlier)
            except BaseException as error:
                self._give_up(head)
                if isinstance(error, DiskFull | IOFault):
                    raise type(error)(self._stands(error, earlier)) from error
                raise
        self._clear(head, gone)
        return self._report

    def _fill(self, journal: Database, head: Head, earlier: Manifest | None) -> list[str]:
        """Everything up to the manifest; the paths that the earlier backup alone names."""
        folder = self._place.root / head.state
        # The mart before the journal: so the copies have no line without its row.
        self._report.mart = self._copy_mart(folder)
        self._copy_journal(journal, folder)
        part = self._disk.part(self._place.incoming)
        try:
            manifest = Writer(part, head)
            recorded = Recorded(iter(()) if earlier is None else earlier.entries())
            with closing(snapshot.look(folder / self._home.journal.name)) as looked:
                self._put_all(looked, recorded, manifest)
            self._store.settle()
            self._copy_small(folder)
            for path in sorted(folder.iterdir()):
                self._add(manifest, _entry(head, path))
            self._disk.sync_folder(folder)
            manifest.finish(self._place.manifest)
        finally:
            part.discard()
        self._disk.sync_folder(self._place.root)
        return [path for path in recorded.rest() if path.startswith(AUDIO)]

    def _give_up(self, head: Head) -> None:
        """Clears away what was begun, unless the new manifest is in place already."""
        now = self._place.earlier()
        if now is None or now.head.state != head.state:
            with suppress(OSError, Circumstance):
                self._place.drop_state(head.state)

    def _clear(self, head: Head, gone: Iterable[str]) -> None:
        """What the manifest now in place doesn't name; the next backup does what is left of it."""
        for path in gone:
            self._disk.remove(self._place.root / path)
        self._place.drop_states([head.state])

    def _stands(self, error: Exception, earlier: Manifest | None) -> str:
        stands = "there is no whole backup in it yet"
        if earlier is not None:
            stands = f"the backup of {text_us(earlier.head.made_at_us)} in it is as whole as before"
        return f"{self._place.root}: {error}; {stands}"

    # Whose backup it is

    def _refuse_other(self, journal: Database, earlier: Manifest | None) -> None:
        """A log only ever grows: what lacks a delivery is another, or one that has lost it."""
        ids = self._ids_there() if earlier is None else _ids(earlier.entries())
        while batch := list(islice(ids, rows.SLICE)):
            known = journal.read(partial(rows.known, first=batch[0], last=batch[-1]))
            strangers = [one for one in batch if one not in known]
            if strangers:
                raise OtherLog(
                    f"{self._place.root} holds deliveries that {self._home.journal} doesn't know,"
                    f" {strangers[0]} for one: it belongs to another log, or this one has lost"
                    " them; name another folder"
                )

    def _ids_there(self) -> Iterator[str]:
        there = Archive(self._place.root)
        return iter(there.scan() if there.root.is_dir() else ())

    # The databases

    def _copy_mart(self, folder: Path) -> bool:
        """Whether there is a sound one: it can be made again, so it keeps nothing else off."""
        target = folder / self._home.mart.name
        problem = "was replaced again and again while it was copied"
        for _ in range(_MOST_MARTS):
            before = identity(self._home.mart)
            if before is None:
                return False
            try:
                with closing(open_to_look(self._home.mart, "mart", self._clock)) as mart:
                    self._copy(mart, target)
                # Replaced in between, it may have been read with the log of the one that followed.
                if identity(self._home.mart) == before:
                    problem = "; ".join(damage(target))
                    if not problem:
                        return True
            except IOFault as error:
                if found_at(self._home.mart) is not None:
                    raise  # it can be read to its end: the fault is the place's
                problem = str(error)
            except (Damaged, Unusable) as error:
                problem = str(error)
            self._drop(target)
        self._find(self._home.mart.name, f"{problem}; left out, for a restore makes it again")
        return False

    def _copy_journal(self, journal: Database, folder: Path) -> None:
        target = folder / self._home.journal.name
        self._copy(journal, target)
        problems = damage(target)
        if problems:
            raise Damaged(
                f"{self._home.journal} is damaged: {problems[0]}{remedy_of('journal')};"
                f" what was in {self._place.root} before is as it was"
            )

    def _copy(self, database: Database, target: Path) -> None:
        def told(done: int, total: int) -> None:
            self._watch.room()
            self._watch.told(done, total, f"pages of {target.name}")

        def work(connection: sqlite3.Connection) -> None:
            self._drop(target)  # this may be the second attempt
            snapshot.take(connection, target, told)

        database.read(work)

    def _drop(self, target: Path) -> None:
        for path in target.parent.glob(f"{target.name}*"):
            self._disk.remove(path)

    # The files

    def _put_all(self, journal: sqlite3.Connection, recorded: Recorded, manifest: Writer) -> None:
        total = sum(tallies.by_status(journal).values())
        for lister in FILES:
            for piece in lister(self._home, journal):
                self._watch.room()
                stored = self._store.put(piece, recorded.find(piece.path))
                if stored.problem is not None:
                    self._find(piece.path, stored.problem)
                if stored.entry is not None:
                    self._add(manifest, stored.entry, copied=stored.copied)
                if piece.path.endswith(BODY):
                    self._report.deliveries += 1
                    self._watch.told(self._report.deliveries, total, "deliveries")

    def _copy_small(self, folder: Path) -> None:
        for name in SMALL:
            source = self._home.data / name
            if size_of(source) is None:
                continue
            try:
                copy(source, folder / name, self._place.incoming, self._disk)
            except Unreadable as error:
                self._find(name, str(error))

    # The account

    def _add(self, manifest: Writer, entry: Entry, *, copied: bool = True) -> None:
        manifest.add(entry)
        self._report.files += 1
        self._report.bytes += entry.bytes
        if copied:
            self._report.copied += 1
            self._report.copied_bytes += entry.bytes

    def _find(self, what: str, problem: str) -> None:
        self._report.findings += 1
        self._watch.found(Finding(what, problem))


def _ids(entries: Iterable[Entry]) -> Iterator[str]:
    for entry in entries:
        if entry.path.startswith(ARCHIVE) and entry.path.endswith(BODY):
            yield entry.path.rpartition("/")[2].removesuffix(BODY)


def _entry(head: Head, path: Path) -> Entry:
    try:
        found = measured(path)
    except Unreadable as error:
        raise IOFault(f"{path} {error}") from error
    return Entry(f"{head.state}/{path.name}", found.bytes, found.sha256)
