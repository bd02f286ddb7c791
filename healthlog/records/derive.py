"""What follows from a merged record: derived values, doubts, its local day."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from healthlog.hae.finding_words import flow_of, rhythm_of, severity_of
from healthlog.hae.words import status_of
from healthlog.moment import DAY_MS, HOUR_MS, MINUTE_MS, Moments
from healthlog.records import derive_night, derive_samples, derive_workout
from healthlog.records.record import (
    CYCLE,
    ECG,
    HEART_NOTIFICATION,
    MEDICATION,
    SLEEP,
    STATE_OF_MIND,
    SYMPTOM,
    WORKOUT,
)
from healthlog.records.span import Span, is_segment, span
from healthlog.values import number, words

NIGHT, NAP = "night", "nap"

_NAP_FROM_MS, _NAP_UNTIL_MS, NAP_SHORTER_MS = 9 * HOUR_MS, 20 * HOUR_MS, 4 * HOUR_MS
_HEART_SERIES = ("heartRateData", "heartRate", "heartRateVariation")
_VALENCES = (
    "very_unpleasant", "unpleasant", "slightly_unpleasant", "neutral",
    "slightly_pleasant", "pleasant", "very_pleasant",
)  # fmt: skip

Found = tuple[dict[str, Any], set[str]]
"""Derived values and flags."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A function of kind and data alone: start and end (ms), values, flags in order."""

    start_ms: int | None
    end_ms: int | None
    values: dict[str, Any]
    flags: tuple[str, ...]


def derived(kind: str, data: Mapping[str, Any]) -> Derived:
    """What follows from a record's data, whatever the clock says."""
    found = span(kind, data, Moments())
    values, flags = _OF_KIND[kind](data, found) if kind in _OF_KIND else ({}, set())
    if found.start and found.end and found.end.at_ms < found.start.at_ms:
        flags.add("ends_before_start")
    return Derived(
        None if found.start is None else found.start.at_ms,
        None if found.end is None else found.end.at_ms,
        values,
        tuple(sorted(flags)),
    )


def day(
    kind: str, start_ms: int | None, end_ms: int | None, offset_min: Callable[[int], int]
) -> int | None:
    """The local day (since 1970) that a record belongs to, by the offset at an instant (ms): sleep
    to the day it ends on, everything else to the day it begins on."""
    edges = (end_ms, start_ms) if kind == SLEEP else (start_ms, end_ms)
    at_ms = next((one for one in edges if one is not None), None)
    return None if at_ms is None else (at_ms + offset_min(at_ms) * MINUTE_MS) // DAY_MS


def by_clock(
    kind: str,
    data: Mapping[str, Any],
    start_ms: int | None,
    end_ms: int | None,
    offset_min: Callable[[int], int],
) -> dict[str, Any]:
    """Derived values that depend on the local time: `session` of a summarised night, a `nap` when
    it begins from 09:00 to 20:00 and lasts under four hours. `data` may
    hold anything under its names."""
    if kind != SLEEP or is_segment(data) or start_ms is None or end_ms is None:
        return {}
    local_ms = (start_ms + offset_min(start_ms) * MINUTE_MS) % DAY_MS
    by_day = _NAP_FROM_MS <= local_ms < _NAP_UNTIL_MS
    return {"session": NAP if by_day and end_ms - start_ms < NAP_SHORTER_MS else NIGHT}


def _sleep(data: Mapping[str, Any], _: Span) -> Found:
    return derive_night.of_sleep(data)


def _workout(data: Mapping[str, Any], found: Span) -> Found:
    return derive_workout.of_workout(data, found)


def _ecg(data: Mapping[str, Any], found: Span) -> Found:
    voltages = data.get("voltageMeasurements")
    values, flags = _samples([voltages], found)
    said = number(data.get("numberOfVoltageMeasurements"))
    if isinstance(voltages, list) and said is not None and said > len(voltages):
        flags.add("samples_missing")
    word, doubts = _translated(data, "classification", rhythm_of)
    return values | word, flags | doubts


def _heart_notification(data: Mapping[str, Any], found: Span) -> Found:
    return _samples([data.get(name) for name in _HEART_SERIES], found)


def _samples(series: list[object], found: Span) -> Found:
    year, told = derive_samples.epoch(series, found)
    if year is not None:
        return {"epoch": year}, set()
    return {}, {"epoch_unknown"} if told else set()


def _medication(data: Mapping[str, Any], _: Span) -> Found:
    return _translated(data, "status", status_of)


def _symptom(data: Mapping[str, Any], _: Span) -> Found:
    return _translated(data, "severity", severity_of)


def _cycle(data: Mapping[str, Any], _: Span) -> Found:
    """Much besides bleeding is told by a value, in words that are nothing to doubt."""
    flow = flow_of(words(data.get("value")) or "")
    return ({} if flow is None else {"flow": flow}), set()


def _translated(data: Mapping[str, Any], name: str, meaning: Callable[[str], str | None]) -> Found:
    """What the word of a field means under the same name, a doubt where nobody knows it."""
    word = words(data.get(name))
    if word is None:
        return {}, set()
    meant = meaning(word)
    return ({}, {f"{name}_unknown"}) if meant is None else ({name: meant}, set())


def _state_of_mind(data: Mapping[str, Any], _: Span) -> Found:
    """The classification as a word: it is sent as one, and documented as a number from 1 to 7."""
    value = data.get("valenceClassification")
    if value is None:
        return {}, set()
    if type(value) is int and 1 <= value <= len(_VALENCES):
        return {"classification": _VALENCES[value - 1]}, set()
    word = "_".join((words(value) or "").lower().split())
    if word in _VALENCES:
        return {"classification": word}, set()
    return {}, {"classification_unknown"}


_OF_KIND: Mapping[str, Callable[[Mapping[str, Any], Span], Found]] = {
    SLEEP: _sleep,
    WORKOUT: _workout,
    ECG: _ecg,
    HEART_NOTIFICATION: _heart_notification,
    MEDICATION: _medication,
    STATE_OF_MIND: _state_of_mind,
    SYMPTOM: _symptom,
    CYCLE: _cycle,
}
