"""`POST /api/v1/import`: a body of a file, handed over by the command `import` of this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from healthlog.accept import Facts, Intake
from healthlog.archive.store import Archive
from healthlog.base.answers import HeaderPairs
from healthlog.base.clock import parse_us
from healthlog.base.coding import decoded
from healthlog.base.db import Database
from healthlog.base.errors import DiskFull, Stopped
from healthlog.base.log import Log
from healthlog.base.web import Problem, Request, Response, json_response
from healthlog.ingest import MIN_FREE_BYTES, check_ends, facts_of, receipt
from healthlog.journal import queue, rows

SAID_AT = "Healthlog-Said-At"
"""Header: when the word of the file was spoken, RFC 3339; absent where the file doesn't tell."""

JOURNAL = "Healthlog-Journal"
"""Header: which journal is meant, as `journal_mark` tells, so that no file is imported into a log
that only listens at the same address."""

BODY_MAX = 1024 * 1024 * 1024
"""Bytes: as long as any setting of `max_body` lets a file be, by which the command goes."""

WAITING_MAX = 16
"""So many deliveries may wait to be folded. An import goes on only then, so that what the phone
sends meanwhile never waits behind all of it."""

_SOON: HeaderPairs = (("Retry-After", "1"),)


def journal_mark(path: Path) -> str:
    """What tells the journal at `path` from every other file of this machine."""
    told = path.stat()
    return f"{told.st_dev:x}-{told.st_ino:x}"


def _never() -> bool:
    return False


def closed(_: Request) -> Response:
    """In the place of a door that a service doesn't have."""
    raise Problem(503, "Nothing is imported here.")


class ImportDoor:
    """The handler of the route. One body at a time; others are asked to come again.

    `mark` is that of its journal. `known` bodies are not taken twice: the answer says
    `"known": true`. Nothing is folded here.
    """

    def __init__(
        self,
        archive: Archive,
        journal: Database,
        intake: Intake,
        wake: Callable[[], None],
        *,
        log: Log,
        mark: str,
        body_max: int = BODY_MAX,
        min_free: int = MIN_FREE_BYTES,
        waiting_max: int = WAITING_MAX,
        stopping: Callable[[], bool] = _never,
    ) -> None:
        self._archive = archive
        self._journal = journal
        self._intake = intake
        self._wake = wake
        self._log = log
        self._mark = mark
        self._body_max = body_max
        self._min_free = min_free
        self._waiting_max = waiting_max
        self._stopping = stopping
        self._turn = threading.Lock()

    def __call__(self, request: Request) -> Response:
        """200 with the receipt of the delivery, or for a body that the journal has."""
        if self._stopping():
            raise Stopped("the service takes no more bodies")
        if request.headers.get(JOURNAL) != self._mark:
            raise Problem(409, "This service keeps another data directory.")
        facts = _facts(request)
        if not self._turn.acquire(blocking=False):
            raise Problem(503, "Another import is at work.", _SOON)
        try:
            return self._take(request, facts)
        finally:
            self._turn.release()

    def _take(self, request: Request, facts: Facts) -> Response:
        if self._journal.read(queue.pending_count) >= self._waiting_max:
            self._wake()
            raise Problem(503, "Earlier deliveries wait to be folded first.", _SOON)
        if self._archive.free_bytes() < self._min_free:
            raise DiskFull(f"less than {self._min_free} bytes are free")
        coding = request.headers.get("content-encoding")
        with self._archive.writer() as writer:
            for piece in decoded(request.body, coding, self._body_max):
                writer.write(piece)
            check_ends(writer)
            sha256 = writer.sha256
            if self._journal.read(lambda c: rows.holds(c, sha256, facts.aggregation)):
                return json_response({"known": True, "sha256": sha256})
            writer.finish()
            try:
                delivery = self._intake.accept(writer, facts)
            finally:
                self._wake()
        self._log.info(
            "delivery accepted",
            delivery_id=delivery.delivery_id,
            bytes=delivery.bytes,
            automation_name=delivery.automation_name,
        )
        return json_response({"known": False, **receipt(delivery)})


def _facts(request: Request) -> Facts:
    said = request.headers.get(SAID_AT)
    try:
        said_at_us = None if said is None else parse_us(said)
    except ValueError:
        raise Problem(400, f"The header {SAID_AT} is no RFC 3339 instant.") from None
    # An automation would pass on its layer to what it sends itself.
    return replace(facts_of(request), automation_id=None, imported=True, said_at_us=said_at_us)
