"""Recordings coming in: none is accepted before its file is durable, then its row."""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterable

from healthlog.base import files
from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.errors import DiskFull
from healthlog.base.files import Part
from healthlog.base.ids import make_id, parse_id
from healthlog.base.log import Log
from healthlog.transcriber import rows
from healthlog.transcriber.places import Places
from healthlog.transcriber.rows import Arrival, Meta, Recording
from healthlog.transcriber.stop import Stopper

Beside = Callable[[sqlite3.Connection, str], None]
"""What is to be committed together with a recording's row; it gets the recording's id."""

_TAIL_BYTES = 4
_WRITE_BUDGET_S = 5.0


def _nothing(_connection: sqlite3.Connection, _recording_id: str) -> None:
    """What is committed beside a row by default."""


class Intake:
    """The one way in, for every door. May be used by many threads.

    Raises the names of `base.errors` (DiskFull, Busy, …) and whatever the pieces raise; then
    nothing was accepted. `min_free` bytes of the disk are left to others. `wake` tells the workers
    that there is something to do.
    """

    def __init__(
        self,
        places: Places,
        store: Database,
        *,
        clock: Clock,
        log: Log,
        wake: Callable[[], None],
        stopper: Stopper,
        min_free: int = 0,
    ) -> None:
        self._places = places
        self._store = store
        self._clock = clock
        self._log = log
        self._wake = wake
        self._stopper = stopper
        self._min_free = min_free
        self._turn = threading.Lock()

    def prepare(self) -> None:
        """Removes what an earlier run left half taken; before any `take`."""
        files.sweep(self._places.incoming)

    def take(
        self,
        pieces: Iterable[bytes],
        meta: Meta | Callable[[], Meta],
        beside: Beside = _nothing,
    ) -> Recording:
        """Accept a recording whose file comes in pieces of any size, never all in memory. `meta`
        may be asked for at the end: a form can tell of its file behind it."""
        begun = self._clock.monotonic()
        digest = hashlib.sha256()
        files.make_folders(self._places.incoming, self._places.data)
        part = Part.create(self._places.incoming)
        try:
            for piece in pieces:
                self._check_space()
                digest.update(piece)
                part.write(piece)
            part.sync()
            known = meta if isinstance(meta, Meta) else meta()
            taken = self._settle(part, known, digest.hexdigest(), beside)
        finally:
            part.discard()
        self._note(taken, begun)
        self._wake()
        return taken

    def take_refused(
        self, meta: Meta, error: str, beside: Beside = _nothing, *, told: str | None = None
    ) -> Recording:
        """Note a recording whose file can't be had: stopped with a verdict from the first, as its
        sender is told. `error` is a text of the program, and so is `told`, for the sender, where
        the usual words say too little."""
        begun = self._clock.monotonic()

        def work(connection: sqlite3.Connection) -> Recording:
            now_us = self._clock.now_us()
            arrival = Arrival(self._id_after(connection, now_us), now_us, 0, None)
            _written(connection, arrival, meta, beside)
            return self._stopper.refused(connection, arrival.recording_id, error)

        with self._turn:
            taken = self._store.write(work, budget_s=_WRITE_BUDGET_S)
        self._note(taken, begun)
        self._stopper.tell(taken, told)
        return taken

    def _check_space(self) -> None:
        if files.free_bytes(self._places.audio) < self._min_free:
            raise DiskFull(f"less than {self._min_free} bytes are free")

    def _settle(self, part: Part, meta: Meta, sha256: str, beside: Beside) -> Recording:
        # One at a time, so that the order of the ids is that in which the rows appear.
        with self._turn:
            now_us = self._clock.now_us()
            recording_id = self._store.read(lambda c: self._id_after(c, now_us))
            target = self._places.original(recording_id, meta.extension)
            files.make_folders(target.parent, self._places.data)
            part.rename(target)
            files.sync_folder(target.parent)
            arrival = Arrival(recording_id, now_us, part.size, sha256)
            return self._store.write(
                lambda c: _written(c, arrival, meta, beside), budget_s=_WRITE_BUDGET_S
            )

    def _id_after(self, connection: sqlite3.Connection, now_us: int) -> str:
        """An id behind all there are, also when the clock was put back."""
        last = rows.last_id(connection)
        last_us = -1 if last is None else parse_id(last) or 0
        return make_id(max(now_us, last_us + 1), secrets.token_hex(_TAIL_BYTES))

    def _note(self, taken: Recording, begun: float) -> None:
        self._log.info(
            "recording accepted",
            recording_id=taken.recording_id,
            source=taken.source,
            bytes=taken.bytes,
            duration_ms=round((self._clock.monotonic() - begun) * 1000, 3),
        )


def _written(
    connection: sqlite3.Connection, arrival: Arrival, meta: Meta, beside: Beside
) -> Recording:
    rows.insert(connection, arrival, meta)
    beside(connection, arrival.recording_id)
    taken = rows.get(connection, arrival.recording_id)
    assert taken is not None
    return taken
