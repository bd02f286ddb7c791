"""The table of sections: which reader takes which section of a body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from healthlog.apple.section import SECTION, opened
from healthlog.hae import (
    cycle,
    ecg,
    heart_notifications,
    medications,
    sleep,
    state_of_mind,
    symptoms,
    workouts,
)
from healthlog.hae.envelope import sections
from healthlog.hae.identity import Identify
from healthlog.hae.metrics import SLEEP, Metrics, MetricsReader
from healthlog.hae.records import RecordsReader
from healthlog.records.record import RecordWord

METRICS = "metrics"

RECORDS: Mapping[str, Identify] = {
    "workouts": workouts.identify,
    "stateOfMind": state_of_mind.identify,
    "medications": medications.identify,
    "symptoms": symptoms.identify,
    "cycleTracking": cycle.identify,
    "ecg": ecg.identify,
    "heartRateNotifications": heart_notifications.identify,
}
"""Sections of records, by how their elements are identified. The metric `sleep_analysis` holds
records too, and goes to `sleep`."""

READ = frozenset((METRICS, f"{METRICS}.{SLEEP}", *RECORDS, SECTION))
"""What is read of a body: sections, and metrics that have a reader of their own (`metrics.NAME`).
Each stands in `coverage.LEARNED`, too."""

_HOURS = frozenset((None, "hr"))


@dataclass(frozen=True, slots=True)
class Parsed:
    """A body read: its metrics, its words about records in the order of the body, and the names
    of sections that no reader takes, as sent. What `metrics` says of rejections and of elements
    received is said of the whole body. `layer` is set where a section declares one of its own."""

    metrics: Metrics
    records: tuple[RecordWord, ...]
    unread: frozenset[str]
    layer: str | None = None


def parse(body: bytes, latest_ms: int | None, check: Callable[[], None]) -> Parsed:
    """Read a body.

    `latest_ms` is the last instant believed (None: any); `check` is called now and then and may
    raise to end a reading that takes too long. Malformed when the body is no JSON object of the
    phone's kind.
    """

    def nights(sent_as: str, unit: str | None, data: object) -> None:
        # A record can be read alone: what the metric says of all its nights, each night says.
        more = {} if unit in _HOURS else {"units": unit}
        records.section(f"metrics.{sent_as}", data, sleep.identify, more)

    metrics = MetricsReader(latest_ms, check, nights)
    records = RecordsReader(latest_ms, check, metrics.found)
    unread: set[str] = set()
    apple = opened(sections(body))
    for name, value in apple.sections:
        check()
        if name == METRICS:
            metrics.section(value)
        elif name in RECORDS:
            records.section(name, value, RECORDS[name])
        else:
            unread.add(name)
    return Parsed(
        metrics.found, tuple(records.words), frozenset(unread) | apple.unread, apple.layer
    )
