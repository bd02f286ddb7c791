"""Records of Apple's export, one by one, as elements of the sections that the live feed sends."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import NamedTuple

from healthlog.apple.mend import Element
from healthlog.apple.names import METRICS, bare, metric_name, unit_name
from healthlog.apple.words import (
    CYCLE,
    HEART,
    NO_VALUE,
    SLEEP_STAGES,
    SYMPTOMS,
    category_value,
)
from healthlog.moment import Moments

Attributes = Mapping[str, str]
Metadata = dict[str, str]


class Reading(NamedTuple):
    """An element of a metric: name and unit of the metric, the element."""

    metric: str
    unit: str | None
    element: dict[str, object]


class Told(NamedTuple):
    """An element of another section: the section's name, the element."""

    section: str
    element: dict[str, object]


_CATEGORY = "HKCategoryTypeIdentifier"
_DURATIONS: Mapping[str, tuple[str, int]] = {
    "MindfulSession": ("min", 60),
    "HandwashingEvent": ("s", 1),
    "ToothbrushingEvent": ("s", 1),
}
_HOUR_MS = 3_600_000
_MEALS: Mapping[str, str] = {"1": "Before Meal", "2": "After Meal"}
_DOSES: Mapping[str, str] = {"1": "Basal", "2": "Bolus"}
_PROTECTION: Mapping[str, str] = {"0": "Protection Not Used", "1": "Protection Used"}
# By these a program knows its own entries again; they say nothing of what was measured, and would
# tell two copies of one sample apart.
_BOOKKEEPING = re.compile(r"Sync|UUID|Identifier")
_LEADING_NUMBER = re.compile(r"\s*(-?\d+(?:\.\d+)?)")


class Samples:
    """Reads the records of one body; dates that repeat are read once."""

    def __init__(self) -> None:
        self._moments = Moments()
        self._metrics: dict[tuple[str, str], tuple[str, str]] = {}
        self._categories: Mapping[str, Callable[[Attributes, Metadata], Reading | Told]] = {
            "SleepAnalysis": self._sleep,
            "AppleStandHour": self._stand_hour,
            "SexualActivity": self._sexual_activity,
            **dict.fromkeys(_DURATIONS, self._lasting),
            **dict.fromkeys(SYMPTOMS, self._symptom),
            **dict.fromkeys(CYCLE, self._cycle),
            **dict.fromkeys(HEART, self._warning),
        }

    def record(self, element: Element) -> Reading | Told | None:
        """What a `Record` says; None where it doesn't say of what."""
        attributes: Attributes = element[1]
        kind = attributes.get("type")
        if not kind:
            return None
        if kind.startswith(_CATEGORY):
            of_kind = self._categories.get(bare(kind), self._event)
            return of_kind(attributes, metadata(element))
        return self._quantity(kind, attributes, element)

    def blood_pressure(self, element: Element) -> Reading | None:
        """Both pressures of a `Correlation`; None where it holds neither."""
        found: dict[str, object] = {}
        unit = None
        for inner in children(element, "Record"):
            kind = bare(inner[1].get("type", ""))
            side = {"BloodPressureSystolic": "systolic", "BloodPressureDiastolic": "diastolic"}
            if kind in side and "value" in inner[1]:
                unit = inner[1].get("unit", unit)
                found[side[kind]] = quantity(inner[1]["value"], None)
        if not found:
            return None
        said = _dated(element[1]) | found | _said(metadata(element))
        return Reading(METRICS["BloodPressure"], unit and unit_name(unit), said)

    # ---- quantities

    def _quantity(self, kind: str, attributes: Attributes, element: Element) -> Reading:
        value, unit = attributes.get("value"), attributes.get("unit")
        if unit is None and (value is None or not isinstance(quantity(value, None), float)):
            return self._event(attributes, metadata(element))
        said = _dated(attributes)
        if value is not None:
            said["qty"] = quantity(value, unit)
        if len(element) > 2:
            said |= self._more(kind, element)
        spelled = self._metrics.get((kind, unit or ""))
        if spelled is None:
            spelled = metric_name(kind), unit_name(unit or "")
            self._metrics[kind, unit or ""] = spelled
        return Reading(spelled[0], spelled[1] or None, said)

    def _more(self, kind: str, element: Element) -> dict[str, object]:
        noted = metadata(element)
        more: dict[str, object] = {}
        if kind.endswith("BloodGlucose") and noted.get("HKBloodGlucoseMealTime") in _MEALS:
            more["mealTime"] = _MEALS[noted.pop("HKBloodGlucoseMealTime")]
        if kind.endswith("InsulinDelivery") and noted.get("HKInsulinDeliveryReason") in _DOSES:
            more["reason"] = _DOSES[noted.pop("HKInsulinDeliveryReason")]
        beats = [
            beat[1]
            for series in children(element, "HeartRateVariabilityMetadataList")
            for beat in children(series, "InstantaneousBeatsPerMinute")
        ]
        if beats:
            more["beats"] = beats
        return more | _said(noted)

    # ---- categories

    def _event(self, attributes: Attributes, noted: Metadata) -> Reading:
        """Something that happened: it counts once, and its word is kept."""
        value = category_value(attributes.get("value", NO_VALUE))
        said = _dated(attributes) | {"qty": 1.0}
        if value != NO_VALUE:
            said["value"] = value
        return Reading(metric_name(attributes["type"]), "count", said | _said(noted))

    def _stand_hour(self, attributes: Attributes, noted: Metadata) -> Reading:
        stood = category_value(attributes.get("value", "")) == "Stood"
        said = _dated(attributes) | {"qty": 1.0 if stood else 0.0}
        return Reading(METRICS["AppleStandHour"], "count", said | _said(noted))

    def _lasting(self, attributes: Attributes, noted: Metadata) -> Reading:
        kind = bare(attributes["type"])
        unit, seconds = _DURATIONS[kind]
        said = _dated(attributes)
        lasted_ms = self._lasted_ms(attributes)
        if lasted_ms is not None:
            said["qty"] = lasted_ms / 1000 / seconds
        return Reading(METRICS[kind], unit, said | _said(noted))

    def _sexual_activity(self, attributes: Attributes, noted: Metadata) -> Reading:
        used = noted.pop("HKSexualActivityProtectionUsed", "")
        said = _dated(attributes) | {_PROTECTION.get(used, "Unspecified"): 1.0}
        return Reading(METRICS["SexualActivity"], "count", said | _said(noted))

    def _sleep(self, attributes: Attributes, noted: Metadata) -> Told:
        value = category_value(attributes.get("value", ""))
        said: dict[str, object] = {
            "startDate": attributes.get("startDate"),
            "endDate": attributes.get("endDate"),
            "value": SLEEP_STAGES.get(value, value),
            "source": attributes.get("sourceName"),
        }
        lasted_ms = self._lasted_ms(attributes)
        if lasted_ms is not None:
            said["qty"] = lasted_ms / _HOUR_MS
        return Told(METRICS["SleepAnalysis"], said | _said(noted))

    def _symptom(self, attributes: Attributes, noted: Metadata) -> Told:
        said = _spanned(attributes) | {"name": SYMPTOMS[bare(attributes["type"])]}
        said["severity"] = _value_words(attributes)
        if "HKWasUserEntered" in noted:
            said["userEntered"] = noted.pop("HKWasUserEntered") == "1"
        return Told("symptoms", said | _said(noted))

    def _cycle(self, attributes: Attributes, noted: Metadata) -> Told:
        said = _spanned(attributes) | {"name": CYCLE[bare(attributes["type"])]}
        said["value"] = _value_words(attributes)
        if "HKMenstrualCycleStart" in noted:
            said["isCycleStart"] = noted.pop("HKMenstrualCycleStart") == "1"
        return Told("cycleTracking", said | _said(noted))

    def _warning(self, attributes: Attributes, noted: Metadata) -> Told:
        said = _spanned(attributes) | {"heartNotification": HEART[bare(attributes["type"])]}
        threshold = _LEADING_NUMBER.match(noted.get("HKHeartRateEventThreshold", ""))
        if threshold is not None:
            said["threshold"] = float(threshold[1])
        return Told("heartRateNotifications", said | _said(noted))

    def _lasted_ms(self, attributes: Attributes) -> int | None:
        try:
            start = self._moments[attributes.get("startDate")]  # type: ignore[index]
            end = self._moments[attributes.get("endDate")]  # type: ignore[index]
        except ValueError:
            return None
        if start.at_ms is None or end.at_ms is None:
            return None
        return end.at_ms - start.at_ms


def quantity(text: str, unit: str | None) -> float | str:
    """A value as a number; what is none stays as it stands. HealthKit's percent are shares of 1,
    the live feed's of 100."""
    try:
        if "_" in text:
            return text
        return float(Decimal(text).scaleb(2)) if unit == "%" else float(text)
    except (ValueError, ArithmeticError):
        return text


def children(element: Element, name: str) -> list[Element]:
    """The elements of that name inside."""
    return [inner for inner in element[2] if inner[0] == name] if len(element) > 2 else []


def metadata(element: Element) -> Metadata:
    """What is noted beside an element, by its keys. Of equal keys the last counts."""
    return {
        key: entry[1].get("value", "")
        for entry in children(element, "MetadataEntry")
        if (key := entry[1].get("key", "")) and not _BOOKKEEPING.search(key)
    }


def _dated(attributes: Attributes) -> dict[str, object]:
    """Start, end and source of a reading, as far as they are told."""
    said: dict[str, object] = {"date": attributes.get("startDate")}
    if "endDate" in attributes:
        said["end"] = attributes["endDate"]
    if "sourceName" in attributes:
        said["source"] = attributes["sourceName"]
    return said


def _spanned(attributes: Attributes) -> dict[str, object]:
    return {
        "start": attributes.get("startDate"),
        "end": attributes.get("endDate"),
        "source": attributes.get("sourceName"),
    }


def _value_words(attributes: Attributes) -> str | None:
    value = category_value(attributes.get("value", NO_VALUE))
    return None if value == NO_VALUE else _WORDS.get(value, value)


_WORDS: Mapping[str, str] = {
    "NotPresent": "Not Present",
    "NoChange": "No Change",
    "EggWhite": "Egg White",
    "LuteinizingHormoneSurge": "Luteinizing Hormone Surge",
    "EstrogenSurge": "Estrogen Surge",
    "IntrauterineDevice": "Intrauterine Device",
    "VaginalRing": "Vaginal Ring",
}


def _said(noted: Metadata) -> dict[str, object]:
    return {"metadata": noted} if noted else {}
