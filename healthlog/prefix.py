"""What the journal's prefix passes on: the layer a delivery inherits."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Protocol, TypeVar

from healthlog import layer as layers
from healthlog import planning
from healthlog.base.db import Database
from healthlog.base.errors import Circumstance, Damaged, is_circumstance, told
from healthlog.hae.window import Body, Malformed
from healthlog.journal import own_layers, rows
from healthlog.journal.own_layers import Earlier
from healthlog.model import PARSER, Delivery

T = TypeVar("T")

ReadBody = Callable[[Delivery], bytes | Body]
_PAGE = 100


class NoNeighbour(Circumstance):
    """The journal couldn't be asked about earlier deliveries, which says nothing of this one."""


class Prefix(Protocol):
    """The deliveries before one, asked for the layer they pass on."""

    def note(self, delivery: Delivery, own_layer: str | None) -> None:
        """Remember the layer a delivery has of its own, or that it has none."""

    def miss(self, delivery: Delivery) -> None:
        """The own layer of a delivery couldn't be worked out now. Whoever inherits past it tries
        again, without a deadline, so that the layer stays a function of meta and body."""

    def inherited(self, delivery: Delivery) -> str | None:
        """Own layer of the nearest earlier delivery of the same automation that has one."""


class JournalPrefix:
    """Prefix as the journal holds it, whatever has been folded of it. `read_body` gives the body
    of an earlier delivery."""

    def __init__(self, journal: Database, read_body: ReadBody) -> None:
        self._journal = journal
        self._read_body = read_body

    def note(self, delivery: Delivery, own_layer: str | None) -> None:
        # A declared layer is read off the row when somebody inherits it; most are never asked.
        if layers.declared(delivery.aggregation) is None:
            self._store(delivery.delivery_id, own_layer)

    def miss(self, delivery: Delivery) -> None:
        """The row goes on saying that nobody has worked it out."""

    def inherited(self, delivery: Delivery) -> str | None:
        before = delivery.position
        while page := self._earlier(delivery, before):
            for earlier in page:
                own = self._own(earlier)
                if own is not None:
                    return own
            before = page[-1].position
        return None

    def _own(self, earlier: Earlier) -> str | None:
        if earlier.own_layer_parser == PARSER:
            return earlier.own_layer
        own, for_good = layers.declared(earlier.aggregation), True
        if own is None:
            entry = self._asked(self._journal.read, lambda c: rows.get(c, earlier.delivery_id))
            if entry is None:
                return None
            own, for_good = derived(entry.delivery, self._read_body)
        if for_good:
            self._store(earlier.delivery_id, own)
        return own

    def _earlier(self, delivery: Delivery, before: tuple[int, str]) -> list[Earlier]:
        return self._asked(
            self._journal.read,
            lambda c: own_layers.earlier(c, delivery.automation_id, before, PARSER, _PAGE),
        )

    def _store(self, delivery_id: str, own_layer: str | None) -> None:
        self._asked(
            self._journal.write, lambda c: own_layers.store(c, delivery_id, own_layer, PARSER)
        )

    def _asked(
        self,
        ask: Callable[[Callable[[sqlite3.Connection], T]], T],
        work: Callable[[sqlite3.Connection], T],
    ) -> T:
        try:
            return ask(work)
        except (sqlite3.Error, Damaged) as error:
            raise NoNeighbour(f"the journal can't be asked: {told(error)}") from error


class ReplayPrefix:
    """Prefix of a replay that plays every delivery in order: the last layer noted is the
    nearest."""

    def __init__(self, read_body: ReadBody) -> None:
        self._read_body = read_body
        self._last: dict[str, str] = {}
        self._missed: dict[str, list[Delivery]] = {}

    def note(self, delivery: Delivery, own_layer: str | None) -> None:
        if delivery.automation_id is not None and own_layer is not None:
            self._last[delivery.automation_id] = own_layer
            self._missed.pop(delivery.automation_id, None)

    def miss(self, delivery: Delivery) -> None:
        if delivery.automation_id is not None:
            self._missed.setdefault(delivery.automation_id, []).append(delivery)

    def inherited(self, delivery: Delivery) -> str | None:
        automation_id = delivery.automation_id or ""
        for missed in self._missed.pop(automation_id, []):  # oldest first, the nearest stays
            self.note(missed, derived(missed, self._read_body)[0])
        return self._last.get(automation_id)


def derived(delivery: Delivery, read_body: ReadBody) -> tuple[str | None, bool]:
    """Layer that a body shows of its own, worked out without a deadline, and whether that holds
    for good: not where the body can't be read, which may be mended. Raises circumstances alone."""
    try:
        return planning.hear(delivery, read_body(delivery), _no_check).own_layer, True
    except Malformed:
        return None, True
    except Exception as error:
        if is_circumstance(error):
            raise
        return None, False


def _no_check() -> None:
    """Nothing may be decided by how fast this machine is."""
