"""What Prometheus is told of deliveries: the numbers of `GET /metrics`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.errors import Circumstance, Damaged
from healthlog.base.metrics import Registry
from healthlog.journal import queue, tallies
from healthlog.mart.store import Mart
from healthlog.model import FAILED, PARSED, PARTIAL
from healthlog.stats import mart_numbers
from healthlog.worker import WorkerState

INGEST_PATH = "/ingest"

Sample = tuple[Mapping[str, str], float]


class Meters:
    """Counts from the start of the process; both methods may be called from many threads."""

    def __init__(self, registry: Registry) -> None:
        self._outcomes = registry.counter(
            "healthlog_deliveries_total", "Deliveries folded, by how it ended.", ("status",)
        )
        self._refused = registry.counter(
            "healthlog_delivery_refused_total",
            "Deliveries refused at the door, by HTTP status.",
            ("status",),
        )
        self._accepting = registry.histogram(
            "healthlog_accept_seconds", "From the head of a delivery to its answer of 200."
        )
        self._folding = registry.histogram("healthlog_fold_seconds", "Whole folds of a delivery.")
        for status in (PARSED, PARTIAL, FAILED):
            self._outcomes.add(0, status=status)

    def judged(self, status: str, seconds: float) -> None:
        """An outcome was kept. What circumstances stopped has none."""
        self._outcomes.add(status=status)
        self._folding.observe(seconds)

    def answered(self, path: str, status: int, seconds: float) -> None:
        """A request was answered; of deliveries it is counted."""
        if path != INGEST_PATH:
            return
        if status == 200:
            self._accepting.observe(seconds)
        elif status >= 400:
            self._refused.add(status=str(status))


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
