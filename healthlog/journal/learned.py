"""What the parser learned since rows were folded, as far as the rows themselves can tell."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from healthlog.base.stored import items

# The status stands in these texts as the condition of the partial index has it.
_PARTIAL = """
SELECT received_at_us, delivery_id, coverage, uncovered FROM delivery
WHERE parse_status <> 'pending' AND parse_status = 'partial'
AND (received_at_us, delivery_id) > (?, ?)
ORDER BY received_at_us, delivery_id LIMIT ?
"""
_FAILED = """
SELECT delivery_id FROM delivery
WHERE parse_status <> 'pending' AND parse_status = 'failed' AND parser IS NOT ?
ORDER BY received_at_us, delivery_id LIMIT ?
"""
_RECORD = "INSERT INTO learned (coverage, learned_at_us, returned) VALUES (?, ?, ?)"


@dataclass(frozen=True, slots=True)
class Partial:
    """A `partial` row: under which coverage it was folded, what it left uncovered."""

    received_at_us: int
    delivery_id: str
    coverage: int
    uncovered: tuple[str, ...]

    @property
    def position(self) -> tuple[int, str]:
        """Place in the journal's order."""
        return (self.received_at_us, self.delivery_id)


def partials(connection: sqlite3.Connection, after: tuple[int, str], limit: int) -> list[Partial]:
    """At most `limit` partial rows strictly behind `after`, in the journal's order."""
    found = connection.execute(_PARTIAL, (*after, limit))
    return [Partial(at, one, number, tuple(items(names))) for at, one, number, names in found]


def failed_otherwise(connection: sqlite3.Connection, parser: int, limit: int) -> list[str]:
    """Ids of at most `limit` rows that failed by a parser of another number."""
    return [one for (one,) in connection.execute(_FAILED, (parser, limit))]


def recorded(connection: sqlite3.Connection) -> int | None:
    """The coverage that was last looked for, None before the first time."""
    number: int | None = connection.execute("SELECT max(coverage) FROM learned").fetchone()[0]
    return number


def record(connection: sqlite3.Connection, coverage: int, now_us: int, returned: int) -> None:
    """Note that all rows were looked at for that coverage. A greater one, of a newer program that
    ran here before, holds no more: what this one folds has to be looked at again."""
    connection.execute("DELETE FROM learned WHERE coverage >= ?", (coverage,))
    connection.execute(_RECORD, (coverage, now_us, returned))
