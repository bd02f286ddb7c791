"""The values that travel about records: whatever a body says that is no metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from healthlog.moment import instant_text

WORKOUT, SLEEP, ECG, STATE_OF_MIND = "workout", "sleep", "ecg", "state_of_mind"
MEDICATION, SYMPTOM, CYCLE = "medication", "symptom", "cycle"
HEART_NOTIFICATION = "heart_notification"
KINDS = (
    WORKOUT, SLEEP, ECG, STATE_OF_MIND, MEDICATION, SYMPTOM, CYCLE, HEART_NOTIFICATION
)  # fmt: skip

SECTION_OF: Mapping[str, str] = {
    WORKOUT: "workouts",
    SLEEP: "metrics.sleep_analysis",
    ECG: "ecg",
    STATE_OF_MIND: "stateOfMind",
    MEDICATION: "medications",
    SYMPTOM: "symptoms",
    CYCLE: "cycleTracking",
    HEART_NOTIFICATION: "heartRateNotifications",
}
"""The part of a body that records of a kind stand in."""

WORD_BYTES = 1_000
"""What a word takes besides its texts, about."""


class RecordWord(NamedTuple):
    """What one element of one body says of one record.

    `start_ms` and `end_ms` are instants where they are known; `named` the quarters it names for
    the clock: (instant in ms, offset in minutes), never of a time in `Z`. `fields` are its members
    as canonical JSON, empty ones left out; `series` the lengths of those that are series; `weight`
    is about how many bytes it takes.
    """

    kind: str
    key: str
    start_ms: int | None
    end_ms: int | None
    named: tuple[tuple[int, int], ...]
    fields: Mapping[str, str]
    series: Mapping[str, int]
    weight: int


@dataclass(frozen=True, slots=True)
class Record:
    """A record as all deliveries together tell it: `data` as sent, what was derived from it, the
    doubts about it, and whose words stand in it, sorted."""

    kind: str
    key: str
    start_ms: int | None
    end_ms: int | None
    data: dict[str, Any]
    derived: dict[str, Any]
    flags: tuple[str, ...]
    delivery_ids: tuple[str, ...]


def key_text(*parts: str | int) -> str:
    """Text by which a record is known among those of its kind: words as they are, instants (ms)
    as RFC 3339 in UTC."""
    return "|".join(instant_text(part) if isinstance(part, int) else part for part in parts)
