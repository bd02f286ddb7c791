"""What Prometheus is told of how things stand whenever it asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.errors import Circumstance, Damaged
from healthlog.base.metrics import Registry
from healthlog.journal import queue, tallies
from healthlog.mart.store import Mart
from healthlog.stats import mart_numbers
from healthlog.worker import WorkerState

Sample = tuple[Mapping[str, str], float]


@dataclass(frozen=True, slots=True)
class Gauges:
    """What is asked of the databases whenever somebody looks. What can't be read now is left out:
    the rest is worth telling, above all then."""

    journal: Database
    mart: Mart
    clock: Clock
    worker_state: Callable[[], WorkerState | None]

    def register(self, registry: Registry) -> None:
        for name, told, read in (
            ("healthlog_pending", "Deliveries that wait to be folded.", self._pending),
            (
                "healthlog_oldest_pending_seconds",
                "How long the oldest of them has waited; 0 without any.",
                self._oldest_s,
            ),
            ("healthlog_points", "Readings in the mart.", self._points),
            (
                "healthlog_last_delivery_timestamp_seconds",
                "When each automation was last heard, in seconds since 1970.",
                self._last,
            ),
            ("healthlog_worker_alive", "Whether the thread that folds is alive.", self._alive),
        ):
            registry.gauge(name, told, _there(read))

    def _pending(self) -> list[Sample]:
        return [({}, self.journal.read(queue.pending_count))]

    def _oldest_s(self) -> list[Sample]:
        oldest = self.journal.read(queue.oldest_pending)
        waited_us = 0 if oldest is None else self.clock.now_us() - oldest.clock_at_us
        return [({}, max(0, waited_us) / 1_000_000)]

    def _points(self) -> list[Sample]:
        return [({}, self.mart.read(mart_numbers).points)]

    def _last(self) -> list[Sample]:
        last = self.journal.read(tallies.last_deliveries)
        return [({"automation": one.automation_id}, one.clock_at_us / 1_000_000) for one in last]

    def _alive(self) -> list[Sample]:
        state = self.worker_state()
        return [({}, int(state is not None and state.alive))]


def _there(read: Callable[[], list[Sample]]) -> Callable[[], list[Sample]]:
    def told() -> list[Sample]:
        try:
            return read()
        except (Circumstance, Damaged):
            return []

    return told
