"""The check of recordings: each file held against its row, each row against its file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath

from healthlog.base import errors
from healthlog.base.db import Database
from healthlog.base.errors import Inaccessible, IOFault
from healthlog.base.ids import parse_id
from healthlog.check import Finding
from healthlog.transcriber import kept
from healthlog.transcriber.kept import Original
from healthlog.transcriber.places import Places


def check_audio(data: Path, journal: Database) -> Iterator[Finding]:
    """Every recording's file read and compared with its checksum; files that no recording has."""
    places = Places(data)
    # Before the rows: a service beside places a file first, its row second.
    strays = set(kept.lying(places))
    after = ""
    while found := journal.read(partial(kept.page, places=places, after=after)):
        for original in found:
            after = original.recording_id
            strays.discard(original.path)
            problem = None if original.sha256 is None else _problem(data, original)
            # Removed by its owner only now, it has no row either.
            if problem is not None and journal.read(partial(kept.exists, recording_id=after)):
                yield Finding(original.path, problem)
    for path in sorted(strays):
        recording_id = PurePosixPath(path).stem
        known = parse_id(recording_id) is not None and journal.read(
            partial(kept.exists, recording_id=recording_id)
        )
        if not known and (data / path).exists():
            yield Finding(path, "is no file of a recording that has a row")


def _problem(data: Path, original: Original) -> str | None:
    path = data / original.path
    try:
        with errors.reading(path), path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
    except FileNotFoundError:
        return "is missing, and its recording has a row"
    except (IOFault, Inaccessible, OSError) as error:
        return f"can't be read: {errors.told(error)}"
    same = (size, sha256) == (original.bytes, original.sha256)
    return None if same else "differs from its checksum"
