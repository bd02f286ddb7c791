"""The mart's own account of what was folded into it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from healthlog.base.errors import Damaged
from healthlog.base.stored import DANGLING, UNREADABLE, items, members, pairs
from healthlog.mart.kept import Kept
from healthlog.model import Account, Counts, Delivery, Rank, Rejected

_COUNTS = "received, new, changed, same, outdated, rejected_count, incomparable"
_ACCOUNT = f"folded_at_us, layer, layer_origin, {_COUNTS}, uncovered, rejected, parser, coverage"
_LINE = f"delivery, delivery_id, parts, {_ACCOUNT}"
_NONE: Mapping[str, Counts] = {}


@dataclass(frozen=True, slots=True)
class Line:
    """One folded delivery: its number in this mart, its account, the counts of it by part."""

    delivery: int
    delivery_id: str
    account: Account
    parts: Mapping[str, Counts] = field(default_factory=dict)


def find(connection: sqlite3.Connection, delivery_id: str) -> Line | None:
    row = connection.execute(
        f"SELECT {_LINE} FROM folded WHERE delivery_id = ?",
        (delivery_id,),
    ).fetchone()
    return None if row is None else _line(row)


def after(connection: sqlite3.Connection, delivery_id: str, limit: int) -> list[Line]:
    """Lines in the order of their ids, beginning behind `delivery_id`."""
    rows = connection.execute(
        f"SELECT {_LINE} FROM folded WHERE delivery_id > ? ORDER BY delivery_id LIMIT ?",
        (delivery_id, limit),
    ).fetchall()
    return [_line(row) for row in rows]


def between(connection: sqlite3.Connection, first: str, last: str) -> list[Line]:
    """Lines of the ids from `first` to `last`, both included."""
    rows = connection.execute(
        f"SELECT {_LINE} FROM folded WHERE delivery_id BETWEEN ? AND ?",
        (first, last),
    ).fetchall()
    return [_line(row) for row in rows]


def count(connection: sqlite3.Connection) -> int:
    (lines,) = connection.execute("SELECT count(*) FROM folded").fetchone()
    return int(lines)


def of_other_parsers(connection: sqlite3.Connection, parser: int) -> int:
    """How many lines were written by rules of another number."""
    query = "SELECT count(*) FROM folded WHERE parser <> ?"
    (lines,) = connection.execute(query, (parser,)).fetchone()
    return int(lines)


def next_number(connection: sqlite3.Connection) -> int:
    (greatest,) = connection.execute("SELECT max(delivery) FROM folded").fetchone()
    return int(greatest or 0) + 1


def write(
    connection: sqlite3.Connection,
    number: int,
    delivery: Delivery,
    account: Account,
    parts: Mapping[str, Counts] = _NONE,
) -> None:
    """Write the line of a delivery, replacing one that earlier rules have written."""
    counts = account.counts
    connection.execute(
        "INSERT OR REPLACE INTO folded (delivery, delivery_id, said_at_us, received_at_us,"
        f" spoke_at_us, parts, {_ACCOUNT}) VALUES ({', '.join('?' * 20)})",
        (
            number,
            delivery.delivery_id,
            delivery.said_at_us,
            delivery.received_at_us,
            delivery.spoke_at_us,
            json.dumps({part: one.as_row() for part, one in parts.items()}, ensure_ascii=False),
            account.folded_at_us,
            account.layer,
            account.layer_origin,
            counts.received,
            counts.new,
            counts.changed,
            counts.same,
            counts.outdated,
            counts.rejected,
            counts.incomparable,
            json.dumps(account.uncovered, ensure_ascii=False),
            json.dumps([[one.where, one.reason] for one in account.rejected], ensure_ascii=False),
            account.parser,
            account.coverage,
        ),
    )


class Ranks:
    """Ranks of the deliveries named by rows: that of the delivery which is folded has no row yet,
    others are read once each, and `known` from then on."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        number: int,
        rank: Rank,
        known: Kept[int, Rank] | None = None,
    ) -> None:
        self._connection = connection
        self._known: Kept[int, Rank] = Kept() if known is None else known
        self._known.put(number, rank)

    def of(self, number: int) -> Rank:
        rank = self._known.get(number)
        if rank is None:
            row = self._connection.execute(
                "SELECT said_at_us, received_at_us, delivery_id FROM folded WHERE delivery = ?",
                (number,),
            ).fetchone()
            if row is None:
                raise Damaged(DANGLING)
            rank = (row[0], row[1], row[2])
            self._known.put(number, rank)
        return rank


def _line(row: tuple[Any, ...]) -> Line:
    number, delivery_id, parts, folded_at_us, layer, origin, *rest = row
    uncovered, rejected, parser, coverage = rest[7:]
    account = Account(
        folded_at_us=folded_at_us,
        layer=layer,
        layer_origin=origin,
        counts=Counts(*rest[:7]),
        uncovered=tuple(items(uncovered)),
        rejected=tuple(Rejected(where, reason) for where, reason in pairs(rejected)),
        parser=parser,
        coverage=coverage,
    )
    by_part = {part: _counts(counts) for part, counts in members(parts).items()}
    return Line(number, delivery_id, account, by_part)


def _counts(stored: object) -> Counts:
    if not isinstance(stored, list) or len(stored) != len(fields(Counts)):
        raise Damaged(UNREADABLE)
    return Counts(*stored)
