"""The layers that deliveries have of their own, remembered so that later ones can inherit them."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from healthlog.journal.outcomes import NoRow

_STORE = "UPDATE delivery SET own_layer = ?, own_layer_parser = ? WHERE delivery_id = ?"
_EARLIER = """
SELECT delivery_id, received_at_us, own_layer, own_layer_parser, aggregation FROM delivery
WHERE automation_id = ? AND (received_at_us, delivery_id) < (?, ?)
AND (own_layer IS NOT NULL OR own_layer_parser IS NOT ?)
ORDER BY received_at_us DESC, delivery_id DESC LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What an earlier delivery can pass on. `own_layer_parser` None: nobody worked it out yet;
    `own_layer` None beside a number: that parser worked it out, and there is none."""

    delivery_id: str
    received_at_us: int
    own_layer: str | None
    own_layer_parser: int | None
    aggregation: str | None

    @property
    def position(self) -> tuple[int, str]:
        """Place in the journal's order, for the next call of `earlier`."""
        return (self.received_at_us, self.delivery_id)


def store(connection: sqlite3.Connection, delivery_id: str, layer: str | None, parser: int) -> None:
    """Notes the layer that `parser` worked out from the delivery alone; NoRow if unknown."""
    if connection.execute(_STORE, (layer, parser, delivery_id)).rowcount != 1:
        raise NoRow(f"the journal has no row for delivery {delivery_id}")


def earlier(
    connection: sqlite3.Connection,
    automation_id: str | None,
    before: tuple[int, str],
    parser: int,
    limit: int,
) -> list[Earlier]:
    """At most `limit` deliveries of this automation strictly before that position, newest first,
    leaving out those of which `parser` knows that they have no layer of their own; none without
    an automation, because there is nothing to inherit from."""
    if automation_id is None:
        return []
    found = connection.execute(_EARLIER, (automation_id, *before, parser, limit))
    return [Earlier(*row) for row in found]
