"""What Prometheus is told of deliveries: counted from the start of the process."""

from __future__ import annotations

from healthlog.base.metrics import Registry
from healthlog.entry import INGEST_PATH
from healthlog.model import FAILED, PARSED, PARTIAL


class Meters:
    """Both methods may be called from many threads."""

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
