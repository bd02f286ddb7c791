"""Deliveries as answers show them: the journal's entries, the bodies behind them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial

from healthlog.archive.read import Unreadable
from healthlog.archive.store import Archive
from healthlog.base.clock import text_us
from healthlog.base.db import Database
from healthlog.base.web import Problem, Response
from healthlog.journal import rows
from healthlog.journal.rows import Entry
from healthlog.model import Counts, Delivery

_SLICE = 100
_BODY_TYPE = "application/json"
_WRITABLE = re.compile(r"[!-~](?:[\t -~]*[!-~])?")
_GONE = "The body of this delivery is missing or damaged."
# A body is what anybody with the ingest token sent: no browser may run it as a page of ours.
_INERT = (
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "default-src 'none'; sandbox"),
)

Position = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which deliveries a list is to hold; None leaves a condition out. Microseconds UTC, `to_us`
    excluded."""

    status: str | None = None
    from_us: int | None = None
    to_us: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Delivery objects, read from the journal while they are taken, and the position that the
    next page begins behind, None at the end."""

    items: Iterator[dict[str, object]]
    following: Position | None


def page(journal: Database, wanted: Wanted, behind: Position | None, limit: int) -> Page:
    """At most `limit` deliveries behind a position in the journal's order.

    One may list a thousand rejected elements, so only a few are held at a time.
    """
    following = journal.read(
        lambda c: rows.page_end(c, wanted.status, wanted.from_us, wanted.to_us, behind, limit)
    )
    entries = _entries(journal, wanted, behind, following, limit)
    return Page((shown(entry) for entry in entries), following)


def newest(
    journal: Database, status: str | None, before: Position | None, limit: int
) -> tuple[list[dict[str, object]], Position | None]:
    """At most `limit` delivery objects, newest first, from before a position on, and the position
    that the next such list goes on before, None at the end."""
    found = journal.read(lambda c: rows.newest(c, status, before, limit + 1))
    following = found[limit - 1].delivery.position if len(found) > limit else None
    return [shown(entry) for entry in found[:limit]], following


def _entries(
    journal: Database,
    wanted: Wanted,
    behind: Position | None,
    until: Position | None,
    limit: int,
) -> Iterator[Entry]:
    """The entries of a page slice by slice. An outcome written meanwhile may move one in or out
    of a status; the end of the page stays."""
    left = limit
    while left:
        size = min(_SLICE, left)
        found = journal.read(
            partial(
                rows.page,
                status=wanted.status,
                from_us=wanted.from_us,
                to_us=wanted.to_us,
                cursor=behind,
                limit=size,
            )
        )
        for entry in found:
            if until is not None and entry.delivery.position > until:
                return
            yield entry
        if len(found) < size:
            return
        behind, left = found[-1].delivery.position, left - size


def one(journal: Database, delivery_id: str) -> Entry:
    """The entry of a delivery; a 404 if the journal has none."""
    entry = journal.read(lambda c: rows.get(c, delivery_id))
    if entry is None:
        raise Problem(404, "There is no delivery of this id.")
    return entry


def shown(entry: Entry) -> dict[str, object]:
    """The delivery object of the contract. Before the first fold it counts nothing; one that
    waits to be folded again keeps its account."""
    delivery, account, failure = entry.delivery, entry.account, entry.failure
    return {
        "delivery_id": delivery.delivery_id,
        "received_at": text_us(delivery.received_at_us),
        "automation_id": delivery.automation_id,
        "automation_name": delivery.automation_name,
        "aggregation": delivery.aggregation,
        "period": delivery.period,
        "session_id": delivery.session_id,
        "bytes": delivery.bytes,
        "sha256": delivery.sha256,
        "parse_status": entry.parse_status,
        "layer": account.layer if account else None,
        "layer_origin": account.layer_origin if account else None,
        "parser": account.parser if account else None,
        "counts": asdict(account.counts if account else Counts()),
        "uncovered": list(account.uncovered) if account else [],
        "rejected": [asdict(one) for one in account.rejected] if account else [],
        "failure": asdict(failure) if failure else None,
        "folded_at": text_us(account.folded_at_us) if account else None,
    }


def body(archive: Archive, delivery: Delivery) -> Response:
    """The body as received, streamed; a 410 if it is missing, or damaged as far as can be seen
    before the answer has begun. Later damage breaks the answer off."""
    if not archive.holds(delivery.delivery_id):
        raise Problem(410, _GONE)
    said = delivery.content_type or ""
    return Response(
        200,
        _checked(archive, delivery),
        said if _WRITABLE.fullmatch(said) else _BODY_TYPE,
        (*_INERT, ("Content-Disposition", f'attachment; filename="{delivery.delivery_id}.json"')),
        length=delivery.bytes,
    )


def _checked(archive: Archive, delivery: Delivery) -> Iterator[bytes]:
    """The body, its last piece held back until the checksum was right."""
    digest = hashlib.sha256()
    held = b""
    try:
        for piece in archive.stream(delivery.delivery_id):
            if held:
                yield held
            digest.update(piece)
            held = piece
        if digest.hexdigest() != delivery.sha256:
            raise Unreadable("the body differs from its checksum")
    except Unreadable:
        raise Problem(410, _GONE) from None
    yield held
