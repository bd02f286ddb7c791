"""The sink of an import that has the data directory to itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from healthlog.accept import Facts, Intake
from healthlog.adopt import adopt
from healthlog.archive.store import Archive
from healthlog.base import migrate
from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.errors import DiskFull
from healthlog.base.log import Log
from healthlog.config import Settings
from healthlog.databases import open_up_to_date
from healthlog.home import Home
from healthlog.ingest import MIN_FREE_BYTES
from healthlog.journal import rows
from healthlog.mart.store import MartStore
from healthlog.mending import Mending


class LocalSink:
    """Accepts bodies as the service would, through the same section."""

    def __init__(self, archive: Archive, journal: Database, intake: Intake) -> None:
        self._archive = archive
        self._journal = journal
        self._intake = intake

    def holds(self, sha256: str, aggregation: str | None) -> bool:
        return self._journal.read(lambda c: rows.holds(c, sha256, aggregation))

    def take(self, content: bytes, facts: Facts) -> bool:
        if self._archive.free_bytes() < MIN_FREE_BYTES:
            raise DiskFull(f"less than {MIN_FREE_BYTES} bytes are free")
        with self._archive.writer() as writer:
            writer.write(content)
            writer.finish()
            self._intake.accept(writer, facts)
        return True


@contextmanager
def open_local(settings: Settings, clock: Clock, log: Log) -> Iterator[LocalSink]:
    """The sink of a data directory whose lock the caller holds, made good of what an interrupted
    accept left."""
    home = Home(settings.data)
    archive = Archive(settings.data)
    mode = settings.journal_mode
    with closing(open_up_to_date(home.journal, "journal", clock, mode)) as journal:
        mart = MartStore(settings.data, clock, mode)
        with closing(mart):
            adoption = adopt(archive, journal, Mending(journal, mart, log).start_over)
        intake = Intake(
            archive,
            journal,
            clock=clock,
            log=log,
            last_stamp_us=adoption.last_stamp_us,
            newest_migration=max(
                migrate.newest_date(migrate.load(name)) for name in ("journal", "mart")
            ),
        )
        yield LocalSink(archive, journal, intake)
