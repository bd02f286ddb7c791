"""What an earlier run left in the work folder, needed by nobody any more."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from healthlog.base import files
from healthlog.base.db import Database
from healthlog.base.ids import parse_id
from healthlog.transcriber.places import Places
from healthlog.transcriber.stages import working_list

_UNFINISHED = f"SELECT 1 FROM recording WHERE recording_id = ? AND stage IN ({working_list()})"


def sweep(places: Places, store: Database) -> int:
    """Removes audio and operations of recordings that are done or gone, with all that is only half
    made; how many. Before anybody works there."""
    removed = len(files.sweep(places.work))
    for path in sorted((*places.work.glob("*.wav"), *places.work.glob("*.ogg"))):
        if not _needed(store, path):
            files.remove(path)
            removed += 1
    for folder in sorted((*places.operations.glob("*"), *places.calls.glob("*"))):
        if not _needed(store, folder):
            shutil.rmtree(folder, ignore_errors=True)
            removed += 1
    return removed


def _needed(store: Database, path: Path) -> bool:
    """Whether it belongs to a recording that is under way; names begin with the recording's id."""
    # An id has one dot in it: that of its seconds.
    recording_id = ".".join(path.name.split(".")[:2])
    if parse_id(recording_id) is None:
        return False

    def work(connection: sqlite3.Connection) -> bool:
        return connection.execute(_UNFINISHED, (recording_id,)).fetchone() is not None

    return store.read(work)
