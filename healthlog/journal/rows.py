"""Rows of the deliveries: written once when accepted, read back as entries."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from healthlog.base.errors import Damaged
from healthlog.base.stored import UNREADABLE, items
from healthlog.model import PENDING, STATUSES, Account, Counts, Delivery, Failure, Rejected

SLICE = 1_000
"""The most rows one transaction may touch, so that accepting never waits for long."""

END_US = 2**63 - 1
"""Later than every instant."""

_DELIVERY = (
    "delivery_id, received_at_us, clock_at_us, said_at_us, bytes, sha256, clock_doubtful, imported,"
    " content_type, remote, automation_id, automation_name, aggregation, period, session_id,"
    " packed_sha256"
)
_OUTCOME = (
    "parse_status, failure_kind, failure_message, own_layer, own_layer_parser, folded_at_us, layer,"
    " layer_origin, uncovered, rejected, parser, coverage"
)
_COUNTS = "received, new, changed, same, outdated, rejected_count, incomparable"
_ENTRY = f"{_DELIVERY}, {_OUTCOME}, {_COUNTS}"

# Columns in the order of _ENTRY: 0-15 the delivery, 16-27 the outcome, 28-34 the counts.
Row = tuple[Any, ...]

_INSERT = f"""
INSERT INTO delivery ({_DELIVERY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (delivery_id) DO NOTHING
"""

# Adoption may bring a row that is older than the automation's last word.
_LAST_WORD = """
INSERT INTO automation (automation_id, name, received_at_us, delivery_id) VALUES (?, ?, ?, ?)
ON CONFLICT (automation_id) DO UPDATE SET
    name = excluded.name,
    received_at_us = excluded.received_at_us,
    delivery_id = excluded.delivery_id
WHERE (excluded.received_at_us, excluded.delivery_id) > (received_at_us, delivery_id)
"""

_BETWEEN = "(received_at_us, delivery_id) > (?, ?) AND received_at_us < ?"
_IN_ORDER = "ORDER BY received_at_us, delivery_id LIMIT ? OFFSET ?"
# The status stands in these texts as the conditions of the partial indexes have it: a bound value
# alone would not let SQLite see that the index fits.
_ANY = f"FROM delivery WHERE {_BETWEEN} {_IN_ORDER}"
_PENDING = f"FROM delivery WHERE parse_status = 'pending' AND {_BETWEEN} {_IN_ORDER}"
_OF_STATUS = (
    f"FROM delivery WHERE parse_status <> 'pending' AND parse_status = ? AND {_BETWEEN} {_IN_ORDER}"
)


_BACKWARDS = "ORDER BY received_at_us DESC, delivery_id DESC LIMIT ?"
_BEFORE = "(received_at_us, delivery_id) < (?, ?)"
_NEWEST = {
    None: f"FROM delivery WHERE {_BEFORE} {_BACKWARDS}",
    PENDING: f"FROM delivery WHERE parse_status = 'pending' AND {_BEFORE} {_BACKWARDS}",
}
_NEWEST_OF_STATUS = (
    f"FROM delivery WHERE parse_status <> 'pending' AND parse_status = ? AND {_BEFORE} {_BACKWARDS}"
)


_HOLDS = (
    "SELECT 1 FROM delivery WHERE sha256 = ? AND failure_kind IS NOT 'unreadable' AND NOT"
    " (failure_kind IS 'layer_unknown' AND ? IS NOT NULL AND aggregation IS NOT ?) LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A delivery with its outcome as the journal keeps it.

    `account` is that of the last fold, also while the delivery waits to be folded again, and
    None before the first. `own_layer` None with a number in `own_layer_parser` means that it was
    worked out by that parser and there is none.
    """

    delivery: Delivery
    parse_status: str
    account: Account | None = None
    failure: Failure | None = None
    own_layer: str | None = None
    own_layer_parser: int | None = None


def insert(connection: sqlite3.Connection, delivery: Delivery) -> bool:
    """Writes the row of a new delivery as `pending`; False if the journal has that id already,
    in which case nothing changes."""
    values = (
        delivery.delivery_id,
        delivery.received_at_us,
        delivery.clock_at_us,
        delivery.said_at_us,
        delivery.bytes,
        delivery.sha256,
        int(delivery.clock_doubtful),
        int(delivery.imported),
        delivery.content_type,
        delivery.remote,
        delivery.automation_id,
        delivery.automation_name,
        delivery.aggregation,
        delivery.period,
        delivery.session_id,
        delivery.packed_sha256,
    )
    if connection.execute(_INSERT, values).rowcount != 1:
        return False
    if delivery.imported:
        return True  # a file tells nothing of when an automation was heard last
    word = (delivery.automation_id or "", delivery.automation_name, *delivery.position)
    connection.execute(_LAST_WORD, word)
    return True


def get(connection: sqlite3.Connection, delivery_id: str) -> Entry | None:
    """The entry of one delivery, None if the journal doesn't know it."""
    row = connection.execute(
        f"SELECT {_ENTRY} FROM delivery WHERE delivery_id = ?", (delivery_id,)
    ).fetchone()
    return _entry(row) if row else None


def exists(connection: sqlite3.Connection, delivery_id: str) -> bool:
    """Whether the journal has a row for this id."""
    query = "SELECT 1 FROM delivery WHERE delivery_id = ?"
    return connection.execute(query, (delivery_id,)).fetchone() is not None


def holds(connection: sqlite3.Connection, sha256: str, aggregation: str | None = None) -> bool:
    """Whether there is a delivery of a body with this checksum that can still be read. One that
    failed for want of a layer is none to whoever declares another time grouping than it did."""
    values = (sha256, aggregation, aggregation)
    return connection.execute(_HOLDS, values).fetchone() is not None


def known(connection: sqlite3.Connection, first: str, last: str) -> set[str]:
    """The ids from `first` to `last`, both inclusive, that have a row."""
    query = "SELECT delivery_id FROM delivery WHERE delivery_id BETWEEN ? AND ?"
    return {row[0] for row in connection.execute(query, (first, last))}


def last_stamp(connection: sqlite3.Connection) -> int | None:
    """The greatest `received_at_us` of the journal, None while it is empty."""
    query = "SELECT max(received_at_us) FROM delivery"
    stamp: int | None = connection.execute(query).fetchone()[0]
    return stamp


def last_position(connection: sqlite3.Connection) -> tuple[int, str] | None:
    """The greatest `(received_at_us, delivery_id)` of the journal, None while it is empty."""
    query = (
        "SELECT received_at_us, delivery_id FROM delivery"
        " ORDER BY received_at_us DESC, delivery_id DESC LIMIT 1"
    )
    row: tuple[int, str] | None = connection.execute(query).fetchone()
    return row


def page(  # noqa: PLR0917 - the bounds of a page are as many
    connection: sqlite3.Connection,
    status: str | None,
    from_us: int | None,
    to_us: int | None,
    cursor: tuple[int, str] | None,
    limit: int,
) -> list[Entry]:
    """At most `limit` entries in the journal's order, newest last: received from `from_us`
    (inclusive) to `to_us` (exclusive), behind `cursor` (exclusive; the position of the last entry
    of the page before), with that status. None leaves a bound open. ValueError for a status that
    does not exist."""
    sql, bounds = _listed(status, from_us, to_us, cursor)
    return [
        _entry(row) for row in connection.execute(f"SELECT {_ENTRY} {sql}", (*bounds, limit, 0))
    ]


def page_end(  # noqa: PLR0917 - the bounds of a page are as many
    connection: sqlite3.Connection,
    status: str | None,
    from_us: int | None,
    to_us: int | None,
    cursor: tuple[int, str] | None,
    limit: int,
) -> tuple[int, str] | None:
    """The position of the last entry of such a page if others follow it, else None."""
    sql, bounds = _listed(status, from_us, to_us, cursor)
    query = f"SELECT received_at_us, delivery_id {sql}"
    found: list[tuple[int, str]] = connection.execute(query, (*bounds, 2, limit - 1)).fetchall()
    return found[0] if len(found) == 2 else None


def _listed(
    status: str | None, from_us: int | None, to_us: int | None, cursor: tuple[int, str] | None
) -> tuple[str, tuple[int | str, ...]]:
    """The end of a query over such entries with what is bound in it, limit and offset aside."""
    if status is not None and status not in STATUSES:
        raise ValueError(f"there is no status {status!r}")
    # No id is less than "", so that the bound before (from_us, "") includes from_us.
    start = max(cursor or (-1, ""), (-1 if from_us is None else from_us, ""))
    bounds = (*start, END_US if to_us is None else to_us)
    if status is None:
        return _ANY, bounds
    return (_PENDING, bounds) if status == PENDING else (_OF_STATUS, (status, *bounds))


def newest(
    connection: sqlite3.Connection,
    status: str | None,
    before: tuple[int, str] | None,
    limit: int,
) -> list[Entry]:
    """At most `limit` entries against the journal's order, from the one before the position
    `before` on, or the last of all; with that status, None for any. ValueError for a status that
    does not exist."""
    if status is not None and status not in STATUSES:
        raise ValueError(f"there is no status {status!r}")
    sql, bounds = _NEWEST.get(status, _NEWEST_OF_STATUS), before or (END_US, "")
    of_status = () if status in _NEWEST else (status,)
    rows = connection.execute(f"SELECT {_ENTRY} {sql}", (*of_status, *bounds, limit))
    return [_entry(row) for row in rows]


def page_by_id(connection: sqlite3.Connection, after: str, limit: int) -> list[Entry]:
    """At most `limit` entries in the order of their ids, strictly behind `after`."""
    found = connection.execute(
        f"SELECT {_ENTRY} FROM delivery WHERE delivery_id > ? ORDER BY delivery_id LIMIT ?",
        (after, limit),
    )
    return [_entry(row) for row in found]


def all_ids(connection: sqlite3.Connection) -> list[str]:
    """The ids of all rows, sorted."""
    found = connection.execute("SELECT delivery_id FROM delivery ORDER BY delivery_id")
    return [row[0] for row in found]


def positions(connection: sqlite3.Connection, after: tuple[int, str]) -> list[tuple[int, str]]:
    """The positions of all rows strictly behind `after`, in the journal's order."""
    query = (
        "SELECT received_at_us, delivery_id FROM delivery"
        " WHERE (received_at_us, delivery_id) > (?, ?) ORDER BY received_at_us, delivery_id"
    )
    return connection.execute(query, after).fetchall()


def _entry(row: Row) -> Entry:
    status, kind, message, own_layer, own_layer_parser, folded_at_us = row[16:22]
    return Entry(
        delivery=_delivery(row),
        parse_status=status,
        account=None if folded_at_us is None else _account(row),
        failure=None if kind is None else Failure(kind, message),
        own_layer=own_layer,
        own_layer_parser=own_layer_parser,
    )


def _delivery(row: Row) -> Delivery:
    return Delivery(*row[:6], *map(bool, row[6:8]), *row[8:16])


def _account(row: Row) -> Account:
    folded_at_us, layer, layer_origin, uncovered, rejected, parser, coverage = row[21:28]
    return Account(
        folded_at_us=folded_at_us,
        layer=layer,
        layer_origin=layer_origin,
        counts=Counts(*row[28:35]),
        uncovered=tuple(items(uncovered)),
        rejected=tuple(map(_rejected, items(rejected))),
        parser=parser,
        coverage=coverage,
    )


def _rejected(one: Any) -> Rejected:
    try:
        return Rejected(one["where"], one["reason"])
    except (KeyError, TypeError):
        raise Damaged(UNREADABLE) from None
