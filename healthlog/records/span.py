"""When a record begins or ends, by its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from healthlog.moment import Moments
from healthlog.records.record import MEDICATION, SLEEP
from healthlog.values import is_empty

Names = tuple[str, ...]
"""Spellings of one field, in the order in which they are believed."""

START: Names = ("start", "startDate", "date")
END: Names = ("end", "endDate")
SLEEP_START: Names = ("sleepStart",)
SLEEP_END: Names = ("sleepEnd",)
SCHEDULED: Names = ("scheduledDate",)


class Instant(NamedTuple):
    """An instant with the offset it was sent with, None for one in `Z`."""

    at_ms: int
    offset_min: int | None


class Span(NamedTuple):
    """Start and end, None where they are not known."""

    start: Instant | None
    end: Instant | None


def instant(fields: Mapping[str, object], names: Names, moments: Moments) -> Instant | None:
    """The first of these fields that holds an instant; None where none does."""
    for name in names:
        value = fields.get(name)
        if not isinstance(value, str):
            continue
        try:
            moment = moments[value]
        except ValueError:
            continue
        if moment.at_ms is not None:
            return Instant(moment.at_ms, moment.offset_min)
    return None


def is_segment(fields: Mapping[str, object]) -> bool:
    """Whether a sleep record is a stretch in one stage, and not a summarised night."""
    return not is_empty(fields.get("value")) and is_empty(fields.get("sleepStart"))


def span(kind: str, fields: Mapping[str, object], moments: Moments) -> Span:
    """Start and end of a record of this kind. A dose that wasn't taken stands where it was
    scheduled."""
    starts, ends = START, END
    if kind == SLEEP and not is_segment(fields):
        starts, ends = SLEEP_START, SLEEP_END
    elif kind == MEDICATION:
        starts = (*START, *SCHEDULED)
    return Span(instant(fields, starts, moments), instant(fields, ends, moments))
