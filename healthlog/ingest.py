"""`POST /ingest`: a body from the door to the archive, answered once it is safe."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from healthlog.accept import Facts, Intake
from healthlog.archive.body import BodyWriter
from healthlog.archive.store import Archive
from healthlog.base.clock import Clock, text_us
from healthlog.base.coding import decoded
from healthlog.base.errors import DiskFull, Stopped
from healthlog.base.http1 import Headers, TooLarge
from healthlog.base.log import Log
from healthlog.base.troubles import Trouble
from healthlog.base.web import Problem, Request, Response, json_response
from healthlog.model import PENDING, Delivery

MIN_FREE_BYTES = 200 * 1024 * 1024
"""Below this much free space nothing is taken in, so that the databases can still be written."""

SMALLEST_SHARE = 20
"""On a small disk a twentieth of it is kept free instead."""


_CHECKED_EVERY_BYTES = 4 * 1024 * 1024
"""So often the free space is looked at again while a body comes in."""


def min_free(disk_bytes: int) -> int:
    """Bytes to be kept free on a disk of that size."""
    return min(MIN_FREE_BYTES, disk_bytes // SMALLEST_SHARE)


# What the phone sends when it is set to CSV. Any other type is taken for what it should have been:
# the body itself says better whether it is JSON.
_NOT_JSON = frozenset(("text/csv", "multipart/form-data"))
_CHOOSE_JSON = "Only JSON is taken here: choose JSON as the export format of the automation."


LONGEST_SAID = 256
"""Characters kept of what an automation says about itself in one header."""


def _never() -> bool:
    return False


def _untold(_: Exception) -> None:
    """Where nobody keeps a log of what the disk does."""


class Ingest:
    """The handler of the route. It may run in many threads.

    Refusals are raised: Problem, or the errors of body, archive and journal, which `base.web`
    answers. Whatever is raised, no part file of this body stays. `wake` sets the worker's bit;
    `stopping` tells that no body may be taken any more; `max_body` and `min_free` are bytes; `tell`
    hears what the disk had against a body.
    """

    def __init__(
        self,
        archive: Archive,
        intake: Intake,
        wake: Callable[[], None],
        *,
        log: Log,
        clock: Clock,
        max_body: int,
        min_free: int,
        stopping: Callable[[], bool] = _never,
        tell: Callable[[Exception], object] = _untold,
    ) -> None:
        self._archive = archive
        self._intake = intake
        self._wake = wake
        self._log = log
        self._clock = clock
        self._max_body = max_body
        self._min_free = min_free
        self._stopping = stopping
        self._tell = tell

    def __call__(self, request: Request) -> Response:
        """200 with id, stamp, size and checksum once all is durable; nothing is folded here."""
        begun = self._clock.monotonic()
        self._check_head(request)
        coding = request.headers.get("content-encoding")
        pieces = _watched(decoded(request.body, coding, self._max_body), self._check_space)
        try:
            delivery = self._kept(pieces, facts_of(request))
        except Trouble as error:
            self._tell(error)
            raise
        self._log.info(
            "delivery accepted",
            delivery_id=delivery.delivery_id,
            bytes=delivery.bytes,
            duration_ms=round((self._clock.monotonic() - begun) * 1000, 3),
            automation_name=delivery.automation_name,
        )
        return json_response(receipt(delivery))

    def _check_head(self, request: Request) -> None:
        if self._stopping():
            raise Stopped("the service takes no more bodies")
        kind = (request.headers.get("content-type") or "").partition(";")[0].strip().lower()
        if kind in _NOT_JSON:
            raise Problem(415, _CHOOSE_JSON)
        if (request.body.announced or 0) > self._max_body:
            raise TooLarge(self._max_body)

    def _kept(self, pieces: Iterable[bytes], facts: Facts) -> Delivery:
        self._check_space()
        with self._archive.writer() as writer:
            for piece in pieces:
                writer.write(piece)
            check_ends(writer)
            writer.finish()
            return self._accept(writer, facts)

    def _check_space(self) -> None:
        if self._archive.free_bytes() < self._min_free:
            raise DiskFull(f"{self._archive.root}: less than {self._min_free} bytes are free")

    def _accept(self, writer: BodyWriter, facts: Facts) -> Delivery:
        try:
            return self._intake.accept(writer, facts)
        finally:
            # Also after a failure: the rows owed from earlier deliveries may have been written.
            self._wake()


def _watched(pieces: Iterable[bytes], check: Callable[[], None]) -> Iterator[bytes]:
    """The same pieces; `check` is asked again and again, for others fill the disk meanwhile."""
    taken = 0
    for piece in pieces:
        taken += len(piece)
        if taken >= _CHECKED_EVERY_BYTES:
            taken = 0
            check()
        yield piece


def facts_of(request: Request) -> Facts:
    """What the head says of the body; a blank header says nothing, a long one is cut."""
    headers = request.headers
    return Facts(
        content_type=_said(headers, "content-type"),
        remote=request.remote or None,
        automation_id=_cut(headers, "automation-id"),
        automation_name=_cut(headers, "automation-name"),
        aggregation=_cut(headers, "automation-aggregation"),
        period=_cut(headers, "automation-period"),
        session_id=_cut(headers, "session-id"),
    )


def _said(headers: Headers, name: str) -> str | None:
    return (headers.get(name) or "").strip() or None


def _cut(headers: Headers, name: str) -> str | None:
    said = _said(headers, name)
    return None if said is None else said[:LONGEST_SAID].rstrip()


def check_ends(writer: BodyWriter) -> None:
    """Problem unless the body may be a JSON object, by its two ends."""
    if writer.empty:
        raise Problem(400, "The body is empty.")
    if not writer.braced:
        raise Problem(400, "The body is no whole JSON object: it must begin with { and end with }.")


def receipt(delivery: Delivery) -> dict[str, object]:
    """What whoever delivered is told."""
    return {
        "delivery_id": delivery.delivery_id,
        "received_at": text_us(delivery.received_at_us),
        "parse_status": PENDING,
        "bytes": delivery.bytes,
        "sha256": delivery.sha256,
    }
