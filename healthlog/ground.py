"""What the parts of a service stand on."""

from __future__ import annotations

from dataclasses import dataclass

from healthlog.accept import Intake
from healthlog.adopt import Adoption
from healthlog.archive.store import Archive
from healthlog.base import migrate
from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.files import total_bytes
from healthlog.base.log import Log
from healthlog.config import Settings
from healthlog.ingest import min_free
from healthlog.mart.store import MartStore


@dataclass(frozen=True, slots=True)
class Ground:
    """What every part stands on."""

    settings: Settings
    archive: Archive
    journal: Database
    mart: MartStore
    log: Log
    clock: Clock

    @property
    def min_free(self) -> int:
        """Bytes that are kept free on the disk of the data."""
        return min_free(total_bytes(self.settings.data))


def make_intake(ground: Ground, adoption: Adoption) -> Intake:
    """The one way by which bodies get their place in the journal."""
    return Intake(
        ground.archive,
        ground.journal,
        clock=ground.clock,
        log=ground.log,
        last_stamp_us=adoption.last_stamp_us,
        newest_migration=max(
            migrate.newest_date(migrate.load(name)) for name in ("journal", "mart")
        ),
    )
