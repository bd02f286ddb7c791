"""Removing a recording for good: its files, what recognisers keep of it, its rows."""

from __future__ import annotations

import sqlite3
from contextlib import suppress

from healthlog.base import files
from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.transcriber import attempts, claims, rows, search
from healthlog.transcriber.attempts import Attempt
from healthlog.transcriber.places import Places
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.steps.recognising import Recognising


class Removal:
    """Removes at any stage, whoever is at work on it: from then on nobody can write it any more."""

    def __init__(
        self, store: Database, places: Places, recognising: Recognising, clock: Clock
    ) -> None:
        self._store = store
        self._places = places
        self._recognising = recognising
        self._clock = clock

    def remove(self, recording_id: str) -> bool:
        """False when there is no such recording.

        The rows go last: should anything before fail, the recording is still there to be seen and
        removed again.
        """
        found = self._store.write(lambda c: self._taken(c, recording_id))
        if found is None:
            return False
        recording, made = found
        for attempt in made:
            if attempt.operation is not None:
                # It may be a recogniser that can't be reached: that is no reason to keep the rest.
                with suppress(Exception):
                    self._recognising.provider(attempt.provider).forget(attempt.operation)
        files.remove(self._places.normalised(recording_id))
        original = self._places.original(recording_id, recording.extension)
        if original.parent.is_dir():
            files.remove(original)
            files.sync_folder(original.parent)
        self._store.write(lambda c: _rows_removed(c, recording_id))
        return True

    def _taken(
        self, connection: sqlite3.Connection, recording_id: str
    ) -> tuple[Recording, list[Attempt]] | None:
        claims.take_over(connection, recording_id, self._clock.now_us())
        recording = rows.get(connection, recording_id)
        return None if recording is None else (recording, attempts.of(connection, recording_id))


def _rows_removed(connection: sqlite3.Connection, recording_id: str) -> None:
    search.forget(connection, recording_id)
    # Attempts and events go with it.
    connection.execute("DELETE FROM recording WHERE recording_id = ?", (recording_id,))
