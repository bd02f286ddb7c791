"""What can still be had of a backup that isn't whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from healthlog.archive.meta import meta_bytes
from healthlog.archive.read import Unreadable
from healthlog.archive.store import FOLDER, INCOMING, Archive
from healthlog.backup.contents import SMALL
from healthlog.backup.manifest import ARCHIVE
from healthlog.backup.place import Place
from healthlog.base import files
from healthlog.base.db import Database
from healthlog.check import Finding, damage
from healthlog.home import Home
from healthlog.journal import rows
from healthlog.model import Delivery
from healthlog.transcriber import kept
from healthlog.transcriber.places import Places


def scanned(place: Place, home: Home) -> Iterator[tuple[str, str]]:
    """Paths of what lies in a folder that no manifest tells of, each with that in a data
    directory: a backup, an interrupted one, or a bare copy of `archive/`."""
    for folder, folders, names in os.walk(place.root / ARCHIVE):
        if Path(folder) == place.root / FOLDER:
            folders[:] = [name for name in folders if name != INCOMING]
        for name in sorted(names):
            if not name.endswith(files.PART_SUFFIX):
                path = (Path(folder) / name).relative_to(place.root).as_posix()
                yield path, path
    yield from ((path, path) for path in sorted(kept.lying(Places(place.root))))
    for state in reversed(place.states()):
        if (place.root / state / home.journal.name).is_file():
            names = [home.journal.name, *SMALL]
            yield from ((f"{state}/{name}", name) for name in names)
            return
    yield from ((name, name) for name in SMALL)


def is_sound(journal: Path) -> bool:
    """Whether SQLite finds nothing wrong with a journal that was copied."""
    return journal.is_file() and not damage(journal)


def mend_metas(archive: Archive, journal: Database, found: Callable[[Finding], object]) -> None:
    """Writes metas that are lost or changed again from their rows, where the body shows that the
    row is right."""
    after = ""
    while entries := journal.read(partial(rows.page_by_id, after=after, limit=rows.SLICE)):
        for entry in entries:
            after = entry.delivery.delivery_id
            if _is_of_row(archive, entry.delivery):
                path = archive.meta_path(after)
                files.write_whole(path, meta_bytes(entry.delivery))
                found(Finding(path.name, "was written again from the journal"))


def _is_of_row(archive: Archive, row: Delivery) -> bool:
    """Whether a body is that of its row, while the archive by itself would say other things."""
    if not archive.holds(row.delivery_id) or archive.delivery(row.delivery_id) == row:
        return False
    try:
        return archive.packed_sha256(row.delivery_id) == row.packed_sha256
    except Unreadable:
        return False
