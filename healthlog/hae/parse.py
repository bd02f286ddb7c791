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
from healthlog.hae.arrays import Rereader
from healthlog.hae.envelope import walked
from healthlog.hae.identity import Identify
from healthlog.hae.memory import Memory
from healthlog.hae.metrics import SLEEP, Metrics, MetricsReader
from healthlog.hae.records import RecordsReader
from healthlog.hae.room import Room
from healthlog.hae.window import SPAN, Body, opener
from healthlog.outline import Quarters
from healthlog.records.outline import RecordsOutline
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
    """A body read: its metrics, its words about records in the order of the body (or an `outline`
    of them) with the quarters of an hour that each section `named`, by the ordinal of its first
    element, and the names of sections that no reader takes, as sent. What `metrics` says of
    rejections and of elements received is said of the whole body. `layer` is set where a section
    declares one of its own; `rereader` reads again what isn't held."""

    metrics: Metrics
    records: tuple[RecordWord, ...]
    named: tuple[tuple[int, Quarters], ...]
    unread: frozenset[str]
    layer: str | None = None
    outline: RecordsOutline | None = None
    rereader: Rereader | None = None


def parse(
    body: bytes | Body,
    latest_ms: int | None,
    check: Callable[[], None],
    *,
    room: Room | None = None,
    memory: Memory | None = None,
    span: int = SPAN,
) -> Parsed:
    """Read a body.

    `latest_ms` is the last instant believed (None: any); `check` is called now and then and may
    raise to end a reading that takes too long; `room` is the memory for what is held, `span` how
    much of the body is looked at together; `memory` is that of earlier bodies. Malformed when the
    body is no JSON object of the phone's kind; MemoryError for one that can't be read in little
    memory.
    """

    def nights(sent_as: str, unit: str | None, data: object) -> None:
        # A record can be read alone: what the metric says of all its nights, each night says.
        more = {} if unit in _HOURS else {"units": unit}
        records.section(f"metrics.{sent_as}", data, sleep.identify, more)

    room = room or Room()
    memory = memory or Memory()
    metrics = MetricsReader(latest_ms, check, nights, room=room, moments=memory.moments)
    records = RecordsReader(latest_ms, check, metrics.found, room=room, memory=memory)
    unread: set[str] = set()
    rereader = Rereader(opener(body), check, span)
    apple = opened(walked(rereader, room, metrics.gist_of))
    for name, value in apple.sections:
        check()
        if name == METRICS:
            metrics.section(value)
        elif name in RECORDS:
            records.section(name, value, RECORDS[name])
        else:
            unread.add(name)
    return Parsed(
        metrics.found,
        tuple(records.words),
        tuple(records.named),
        frozenset(unread) | apple.unread,
        apple.layer,
        records.outline,
        rereader,
    )
