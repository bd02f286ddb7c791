"""A mart that can't be used, replaced by an empty one that the journal agrees with."""

from __future__ import annotations

from healthlog.base.db import Database
from healthlog.base.errors import Damaged
from healthlog.base.log import Log
from healthlog.journal import queue
from healthlog.journal.rows import Entry
from healthlog.mart.store import MartStore
from healthlog.model import LAYER_UNKNOWN
from healthlog.reconcile import ForeignMart, reconcile

MISPLACED = "a body was found that stands before others in the journal"


class Mending:
    """Keeps journal and mart in agreement: once at start, then before each pass of the worker,
    for what was met since. Not for several threads at once."""

    def __init__(self, journal: Database, mart: MartStore, log: Log) -> None:
        self._journal = journal
        self._mart = mart
        self._log = log
        self._agreed = False

    def mend(self) -> None:
        """Set a damaged mart aside, bring both together if they may be apart. Raises what journal
        and mart raise, and goes on from there when called again."""
        self._mart.open()
        self._mart.notice()
        if self._mart.damage is not None:
            self._set_aside(self._mart.damage)
        if not self._agreed:
            self._reconcile()

    def doubt(self) -> None:
        """Compare journal and mart once more: another mart is in place."""
        self._agreed = False

    def start_over(self) -> None:
        """Make ready for bodies that stand before others in the journal: what came after them
        may have been folded in a layer that it doesn't inherit any more, or in none."""
        self._set_aside(MISPLACED)
        queue.requeue_matching(self._journal, _lacked_a_layer)

    def _set_aside(self, reason: str) -> None:
        self._agreed = False
        moved = self._mart.set_aside()
        self._log.warn("mart set aside", reason=reason, file=moved.name if moved else None)
        self._mart.open()

    def _reconcile(self) -> None:
        try:
            done = reconcile(self._journal, self._mart)
        except (Damaged, ForeignMart) as error:
            if isinstance(error, Damaged) and self._mart.damage is None:
                raise  # then it is the journal
            self._set_aside(str(error))
            done = reconcile(self._journal, self._mart)
        self._agreed = True
        if done.requeued or done.copied:
            self._log.info("journal reconciled", requeued=done.requeued, copied=done.copied)


def _lacked_a_layer(entry: Entry) -> bool:
    return entry.failure is not None and entry.failure.kind == LAYER_UNKNOWN
