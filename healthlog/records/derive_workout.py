"""What follows from a workout as it was sent: its kind, its doubts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from healthlog.hae.workout_types import type_of
from healthlog.moment import Moments
from healthlog.records.span import START, Span, instant
from healthlog.values import number, words

_SLACK_S = 60.0
_FASTEST_KMH = 400.0
_KMH = {"km/hr": 1.0, "km/h": 1.0, "kmph": 1.0, "m/s": 3.6, "mi/hr": 1.609344, "mph": 1.609344}
_METRES = {"m": 1.0, "cm": 0.01, "km": 1_000.0, "yd": 0.9144, "ft": 0.3048, "mi": 1_609.344}
_NO_SPEED = "m/hr"  # kilometres an hour that were labelled so
# What Apple's export says is the same in every language; the live feed gives a name alone.
_KINDS = ("workoutActivityType", "name")


def of_workout(data: Mapping[str, Any], span: Span) -> tuple[dict[str, Any], set[str]]:
    """Its kind (`type`), if the words for it are known, and its flags."""
    said = [word for name in _KINDS if (word := words(data.get(name))) is not None]
    known = next((found for word in said if (found := type_of(word)) is not None), None)
    flags = doubts(data, span)
    if known is None:
        return {}, flags | ({"type_unknown"} if said else set())
    return {"type": known}, flags


def doubts(data: Mapping[str, Any], span: Span) -> set[str]:
    """Flags of a workout."""
    told = {
        "heart_rate_is_recovery": _is_recovery(data, span),
        "unit_doubtful": _is_unit_doubtful(data),
        "speed_implausible": any(map(_is_implausible, _speeds(data))),
        "duration_exceeds_span": _exceeds(data, span),
    }
    return {flag for flag, holds in told.items() if holds}


def _is_recovery(data: Mapping[str, Any], span: Span) -> bool:
    """Whether the heart rate has samples, and none of them from the workout itself: the phone has
    put the minutes after it there."""
    if span.start is None or span.end is None:
        return False
    moments = Moments()
    samples = data.get("heartRateData")
    found = [
        at.at_ms
        for sample in (samples if isinstance(samples, list) else ())
        if isinstance(sample, dict)
        and (at := instant(sample, ("date", "timestamp", *START), moments)) is not None
    ]
    return bool(found) and not any(span.start.at_ms <= at_ms < span.end.at_ms for at_ms in found)


def _speeds(data: Mapping[str, Any]) -> Iterator[tuple[float, str]]:
    """Number and unit of every speed that has both: single ones, and those of a series."""
    for name, value in data.items():
        if name.lower().endswith("speed"):
            quantities = map(_quantity, value if isinstance(value, list) else (value,))
            yield from (one for one in quantities if one is not None)


def _quantity(value: object) -> tuple[float, str] | None:
    if not isinstance(value, dict):
        return None
    qty, unit = number(value.get("qty")), words(value.get("units"))
    return None if qty is None or unit is None else (qty, unit)


def _is_unit_doubtful(data: Mapping[str, Any]) -> bool:
    if any("/" not in unit or unit == _NO_SPEED for _, unit in _speeds(data)):
        return True
    lap = _quantity(data.get("lapLength"))
    return lap is not None and 0 < lap[0] * _METRES.get(lap[1], 0.0) < 1


def _is_implausible(speed: tuple[float, str]) -> bool:
    qty, unit = speed
    return qty * _KMH.get(unit, 0.0) > _FASTEST_KMH


def _exceeds(data: Mapping[str, Any], span: Span) -> bool:
    """Whether it lasted longer than from its start to its end, pauses left out."""
    if span.start is None or span.end is None:
        return False
    duration_s = number(data.get("duration"))
    span_s = (span.end.at_ms - span.start.at_ms) / 1000
    return duration_s is not None and duration_s > span_s + _SLACK_S
