"""What one merged record says of a night."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from healthlog.hae.words import ASLEEP, AWAKE, CORE, DEEP, REM
from healthlog.model import Rank
from healthlog.moment import Moments
from healthlog.reading import Sources
from healthlog.records import derive
from healthlog.records.record import SLEEP, Record
from healthlog.records.sleep import sources
from healthlog.records.span import instant, is_segment
from healthlog.series import units
from healthlog.series.buckets import Offsets, Stretch
from healthlog.values import NotFinite, number

STAGED = (DEEP, REM, CORE)
"""Stages that only a device tells which looks for them."""

SLEPT = frozenset((*STAGED, ASLEEP))

_OVERLAPS = "asleep_overlaps_stages"


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch in one stage, by whose word."""

    key: str
    sources: Sources
    rank: Rank
    stretch: Stretch
    stage: str


@dataclass(frozen=True, slots=True)
class Summary:
    """A night as the phone has summed it up: when it was slept, when its owner was in bed, where
    that is known; hours by stage, none of a stage that wasn't measured."""

    key: str
    sources: Sources
    rank: Rank
    slept: Stretch
    bed: Stretch | None
    is_nap: bool
    asleep_h: float | None
    in_bed_h: float | None
    hours: Mapping[str, float] = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    @property
    def stretch(self) -> Stretch:
        """The time it speaks of: that in bed, where it is known."""
        return self.slept if self.bed is None else self.bed


def said(record: Record, rank: Rank, offsets: Offsets) -> Segment | Summary | None:
    """What a record of sleep says; None where it says nothing that counts: without start or end,
    or with a word for its stage that nobody knows."""
    start_ms, end_ms = record.start_ms, record.end_ms
    if start_ms is None or end_ms is None or end_ms <= start_ms:
        return None
    stretch, data = Stretch(start_ms, end_ms), record.data
    if is_segment(data):
        stage = record.derived.get("stage")
        if not isinstance(stage, str):
            return None
        return Segment(record.key, sources(data), rank, stretch, stage)
    return Summary(
        record.key,
        sources(data),
        rank,
        stretch,
        _bed(record),
        is_nap(stretch, offsets),
        _hours_of(record.derived.get("total_h")),
        _hours_of(record.derived.get("in_bed_h")),
        _by_stage(record),
        record.flags,
    )


def is_nap(slept: Stretch, offsets: Offsets) -> bool:
    """Whether a stretch of sleep is a nap and no night."""
    found = derive.by_clock(SLEEP, {}, *slept, offsets.offset_min)
    return bool(found["session"] == derive.NAP)


def _bed(record: Record) -> Stretch | None:
    moments = Moments()
    start = instant(record.data, ("inBedStart",), moments)
    end = instant(record.data, ("inBedEnd",), moments)
    if start is None or end is None or end.at_ms <= start.at_ms:
        return None
    return Stretch(start.at_ms, end.at_ms)


def _by_stage(record: Record) -> dict[str, float]:
    """Hours by stage. Zeros everywhere mean that nobody measured; beside others they are zeros."""
    convert = units.converter("", record.data.get("units") or "hr", "hr")
    found: dict[str, float] = {}
    for stage in (*STAGED, ASLEEP, AWAKE):
        value = _number(record.data.get(stage))
        hours = value if value is None or convert is None else convert(value)
        if hours is not None:
            found[stage] = hours
    measured = any(found.get(stage, 0.0) > 0 for stage in STAGED)
    if _OVERLAPS in record.flags:
        found.pop(ASLEEP, None)  # told beside the stages, it is the same sleep again
    return {
        stage: hours
        for stage, hours in found.items()
        if hours > 0 or (measured and stage != ASLEEP)
    }


def _hours_of(value: object) -> float | None:
    found = _number(value)
    return found if found is not None and found >= 0 else None


def _number(value: object) -> float | None:
    try:
        return number(value)
    except NotFinite:
        return None
