"""What a record of sleep adds up to."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from healthlog.moment import HOUR_MS, MINUTE_MS, Moments
from healthlog.records.record import SLEEP
from healthlog.records.sleep import sources, stage
from healthlog.records.span import instant, is_segment, span
from healthlog.values import number, total

_IN_BED_START, _IN_BED_END = ("inBedStart",), ("inBedEnd",)
_STAGES = ("core", "deep", "rem")
_LONGEST_H = 24.0
_MINUTE_H = MINUTE_MS / HOUR_MS
_DIGITS = 6  # of an hour: a few milliseconds, behind which there is only the noise of doubles
_UNITS_H: Mapping[object, float] = {
    None: 1.0,
    **dict.fromkeys(("hr", "h", "hour", "hours"), 1.0),
    **dict.fromkeys(("min", "minute", "minutes"), 1 / 60),
    **dict.fromkeys(("s", "sec", "second", "seconds"), 1 / 3600),
}


def of_sleep(data: Mapping[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """Derived values and doubts of a segment (`stage`) or of a summarised night (`total_h`,
    `in_bed_h`: hours)."""
    if is_segment(data):
        found = stage(data)
        return ({}, {"stage_unknown"}) if found is None else ({"stage": found}, set())
    night = Night(data)
    hours = {"total_h": night.total_h(), "in_bed_h": night.in_bed_h()}
    known = {
        name: round(value, _DIGITS)
        for name, value in hours.items()
        if value is not None and isfinite(value)
    }
    return known, night.doubts()


class Night:
    """A summarised night: its fields as sent, in hours."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self._moments = Moments()
        self._unit_h = _UNITS_H.get(data.get("units"))

    def total_h(self) -> float | None:
        """Hours slept, however this version of the phone's app says it; None where it doesn't.

        `asleep` was the total once, and is sleep without a stage since there are stages.
        """
        if (told := self._hours("totalSleep")) > 0:
            return told
        staged, asleep = self._staged_h(), self._hours("asleep")
        if staged <= 0:
            return asleep if asleep > 0 else None
        return staged if self._asleep_overlaps() else staged + asleep

    def in_bed_h(self) -> float | None:
        """Hours in bed, from start to end of it where both are known; None where nothing is."""
        found = self._in_bed_span_h()
        if found is None and self._hours("inBed") > 0:
            return self._hours("inBed")
        return found

    def doubts(self) -> set[str]:
        told = {
            "asleep_overlaps_stages": self._hours("totalSleep") <= 0 and self._asleep_overlaps(),
            "in_bed_exceeds_span": self._in_bed_exceeds_span(),
            "in_bed_ends_before_start": (self._distance_h(_IN_BED_START, _IN_BED_END) or 0) < 0,
            "unit_doubtful": self._unit_h is None,
            "hours_implausible": any(not 0 <= hours <= _LONGEST_H for hours in self._all_h()),
        }
        return {flag for flag, holds in told.items() if holds}

    def _hours(self, name: str) -> float:
        return (number(self._data.get(name)) or 0.0) * (self._unit_h or 1.0)

    def _all_h(self) -> list[float]:
        names = ("totalSleep", "asleep", "awake", "inBed", *_STAGES)
        return [self._hours(name) for name in names]

    def _staged_h(self) -> float:
        return total(map(self._hours, _STAGES))

    def _asleep_overlaps(self) -> bool:
        """Whether sleep without a stage is told beside the stages, and may be the same sleep."""
        staged, asleep = self._staged_h(), self._hours("asleep")
        if staged <= 0 or asleep <= 0:
            return False
        if len(sources(self._data)) != 1:
            return True
        longest = self.in_bed_h() or self._span_h()
        return longest is None or staged + asleep > longest + _MINUTE_H

    def _in_bed_exceeds_span(self) -> bool:
        in_bed_span = self._in_bed_span_h()
        longest = self._span_h() if in_bed_span is None else in_bed_span
        return longest is not None and self._hours("inBed") > longest + _MINUTE_H

    def _in_bed_span_h(self) -> float | None:
        found = self._distance_h(_IN_BED_START, _IN_BED_END)
        return found if found is not None and found > 0 else None

    def _span_h(self) -> float | None:
        start, end = span(SLEEP, self._data, self._moments)
        return None if start is None or end is None else (end.at_ms - start.at_ms) / HOUR_MS

    def _distance_h(self, first: tuple[str, ...], last: tuple[str, ...]) -> float | None:
        start = instant(self._data, first, self._moments)
        end = instant(self._data, last, self._moments)
        return None if start is None or end is None else (end.at_ms - start.at_ms) / HOUR_MS
