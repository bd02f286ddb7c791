"""What the journal's prefix passes on: the layer a delivery inherits."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Protocol

from healthlog import fold
from healthlog import layer as layers
from healthlog.base.db import Database
from healthlog.base.errors import Refusal
from healthlog.journal import own_layers, rows
from healthlog.journal.own_layers import Earlier
from healthlog.model import PARSER, Delivery

_PAGE = 100


class Prefix(Protocol):
    """The deliveries before one, asked for the layer they pass on."""

    def note(self, delivery: Delivery, own_layer: str | None) -> None:
        """Remember the layer a delivery has of its own, or that it has none."""

    def inherited(self, delivery: Delivery) -> str | None:
        """Own layer of the nearest earlier delivery of the same automation that has one."""


class JournalPrefix:
    """Prefix as the journal holds it, whatever has been folded of it.

    `read_body` gives the body of an earlier delivery (Refusal when it can't be had: such a one
    passes on nothing but what its header declares).
    """

    def __init__(self, journal: Database, read_body: Callable[[Delivery], bytes]) -> None:
        self._journal = journal
        self._read_body = read_body

    def note(self, delivery: Delivery, own_layer: str | None) -> None:
        self._journal.write(
            lambda c: own_layers.store(c, delivery.delivery_id, own_layer, PARSER)
        )

    def inherited(self, delivery: Delivery) -> str | None:
        before = delivery.position
        while page := self._earlier(delivery, before):
            for earlier in page:
                own = self._own(earlier)
                if own is not None:
                    return own
            before = page[-1].position
        return None

    def _earlier(self, delivery: Delivery, before: tuple[int, str]) -> list[Earlier]:
        return self._journal.read(
            lambda c: own_layers.earlier(c, delivery.automation_id, before, _PAGE)
        )

    def _own(self, earlier: Earlier) -> str | None:
        if earlier.own_layer_parser == PARSER:
            return earlier.own_layer
        own = layers.declared(earlier.aggregation) or self._derived(earlier.delivery_id)

        def store(connection: sqlite3.Connection) -> None:
            own_layers.store(connection, earlier.delivery_id, own, PARSER)

        self._journal.write(store)
        return own

    def _derived(self, delivery_id: str) -> str | None:
        entry = self._journal.read(lambda c: rows.get(c, delivery_id))
        if entry is None:
            return None
        try:
            body = self._read_body(entry.delivery)
            return fold.hear(entry.delivery, body, _no_check).own_layer
        except Refusal:
            return None


class ReplayPrefix:
    """Prefix of a replay that plays every delivery in order: the last layer noted is the
    nearest."""

    def __init__(self) -> None:
        self._last: dict[str, str] = {}

    def note(self, delivery: Delivery, own_layer: str | None) -> None:
        if delivery.automation_id is not None and own_layer is not None:
            self._last[delivery.automation_id] = own_layer

    def inherited(self, delivery: Delivery) -> str | None:
        return self._last.get(delivery.automation_id or "")


def _no_check() -> None:
    """Working out what an earlier delivery passes on has no deadline of its own."""
