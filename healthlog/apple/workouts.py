"""Workouts of Apple's export as elements of the live feed's section `workouts`.

They have no id: like those of the feed's first version they are known by name, start, end, and a
reader finds the one that the feed sent by start and end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress

from healthlog.apple.gpx import GPX, NoRoute, points
from healthlog.apple.mend import Element
from healthlog.apple.names import bare, metric_name, unit_name
from healthlog.apple.samples import Metadata, children, metadata, quantity
from healthlog.apple.words import workout_name

Attributes = Mapping[str, str]
Said = dict[str, object]

_SUMS: Mapping[str, str] = {
    "ActiveEnergyBurned": "activeEnergyBurned",
    "BasalEnergyBurned": "basalEnergyBurned",
    "FlightsClimbed": "flightsClimbed",
    "StepCount": "stepCount",
    "SwimmingStrokeCount": "totalSwimmingStrokeCount",
}
_SPEEDS = frozenset(("RunningSpeed", "CyclingSpeed", "WalkingSpeed", "RowingSpeed"))
_SECONDS: Mapping[str, float] = {"s": 1.0, "min": 60.0, "hr": 3600.0}
_NOTED: Mapping[str, str] = {
    "HKAverageMETs": "intensity",
    "HKAverageSpeed": "avgSpeed",
    "HKElevationAscended": "elevationUp",
    "HKElevationDescended": "elevationDown",
    "HKLapLength": "lapLength",
    "HKMaximumSpeed": "maxSpeed",
    "HKWeatherHumidity": "humidity",
    "HKWeatherTemperature": "temperature",
}
_MEASURE = re.compile(r"\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s+(\S.*?)\s*\Z")
_ROUTE: Mapping[str, str] = {
    "lat": "latitude",
    "latitude": "latitude",
    "lon": "longitude",
    "longitude": "longitude",
    "ele": "altitude",
    "altitude": "altitude",
    "speed": "speed",
    "course": "course",
    "hAcc": "horizontalAccuracy",
    "horizontalAccuracy": "horizontalAccuracy",
    "vAcc": "verticalAccuracy",
    "verticalAccuracy": "verticalAccuracy",
}


def workout(element: Element) -> Said:
    """What a `Workout` says. Absent is what it doesn't say."""
    attributes: Attributes = element[1]
    activities = children(element, "WorkoutActivity")
    # Exports of iOS 16 tell totals and notes within the one activity alone.
    only = activities[0] if len(activities) == 1 else None
    noted = (metadata(only) if only else {}) | metadata(element)
    statistics = _statistics(element, only)
    said: Said = {
        "start": attributes.get("startDate"),
        "end": attributes.get("endDate"),
        "source": attributes.get("sourceName"),
        "workoutActivityType": attributes.get("workoutActivityType"),
    }
    said |= _totals(attributes) | _summed(statistics) | _places(attributes, noted) | _notes(noted)
    more: Said = {
        "duration": _seconds(attributes),
        "statistics": [_statistic(one) for one in statistics],
        "events": [_event(one[1]) for one in children(element, "WorkoutEvent")],
        "activities": [_activity(one) for one in activities] if only is None else [],
        "route": list(_route(element)),
        "metadata": noted,
    }
    return said | {name: value for name, value in more.items() if value or value == 0}


def measure(text: str) -> dict[str, object] | None:
    """`45443 cm` as quantity with unit; None for another text."""
    found = _MEASURE.match(text)
    if found is None:
        return None
    return {"qty": quantity(found[1], None), "units": unit_name(found[2])}


def _statistics(element: Element, only: Element | None) -> list[Element]:
    own = children(element, "WorkoutStatistics")
    told = {one[1].get("type") for one in own}
    inner = children(only, "WorkoutStatistics") if only is not None else []
    return own + [one for one in inner if one[1].get("type") not in told]


def _seconds(attributes: Attributes) -> float | None:
    length = quantity(attributes.get("duration", ""), None)
    factor = _SECONDS.get(attributes.get("durationUnit", "s"))
    return length * factor if isinstance(length, float) and factor is not None else None


def _totals(attributes: Attributes) -> Said:
    """Totals as they stood in the workout itself until iOS 15."""
    said: Said = {}
    for name, field in (("totalDistance", "distance"), ("totalEnergyBurned", "activeEnergyBurned")):
        value = quantity(attributes.get(name, ""), None)
        # Where nothing was measured they are 0.
        if isinstance(value, float) and value != 0:
            said[field] = {"qty": value, "units": unit_name(attributes.get(name + "Unit", ""))}
    return said


def _summed(statistics: Iterable[Element]) -> Said:
    said: Said = {}
    for _, attributes, *_ in statistics:
        kind, unit = bare(attributes.get("type", "")), unit_name(attributes.get("unit", ""))
        found = {
            name: {"qty": value, "units": unit}
            for name in ("sum", "average", "minimum", "maximum")
            if isinstance(value := quantity(attributes.get(name, ""), None), float)
        }
        if kind == "HeartRate":
            said |= _heart(found)
        elif kind in _SPEEDS:
            said |= _named(found, average="avgSpeed", maximum="maxSpeed")
        elif kind.startswith("Distance"):
            said |= _named(found, sum="distance")
        elif kind in _SUMS:
            said |= _named(found, sum=_SUMS[kind])
    return said


def _named(found: Mapping[str, object], **names: str) -> Said:
    return {name: found[one] for one, name in names.items() if one in found}


def _heart(found: Mapping[str, object]) -> Said:
    rates = _named(found, minimum="min", average="avg", maximum="max")
    said = _named(found, average="avgHeartRate", maximum="maxHeartRate")
    return said | ({"heartRate": rates} if rates else {})


def _statistic(element: Element) -> Said:
    attributes: Attributes = element[1]
    said: Said = {"name": metric_name(attributes.get("type", ""))}
    for name in ("sum", "average", "minimum", "maximum"):
        if name in attributes:
            said[name] = quantity(attributes[name], None)
    if "unit" in attributes:
        said["units"] = unit_name(attributes["unit"])
    return said


def _event(attributes: Attributes) -> Said:
    said: Said = {"type": attributes.get("type", "").removeprefix("HKWorkoutEventType")}
    if "date" in attributes:
        said["date"] = attributes["date"]
    length = _seconds(attributes) if "duration" in attributes else None
    return said if length is None else said | {"duration": length}


def _activity(element: Element) -> Said:
    attributes: Attributes = element[1]
    said: Said = {
        "uuid": attributes.get("uuid"),
        "start": attributes.get("startDate"),
        "end": attributes.get("endDate"),
        "activeDuration": _seconds(attributes),
        "statistics": [_statistic(one) for one in children(element, "WorkoutStatistics")],
        "metadata": metadata(element),
    }
    return {name: value for name, value in said.items() if value or value == 0}


def _places(attributes: Attributes, noted: Metadata) -> Said:
    """The name, which says where, and where it was."""
    indoor = {"0": False, "1": True}.get(noted.get("HKIndoorWorkout", ""))
    pool = {"1": True, "2": False}.get(noted.get("HKSwimmingLocationType", ""))
    name = workout_name(attributes.get("workoutActivityType", ""), indoor=indoor, pool=pool)
    said: Said = {"name": name}
    if pool is not None:
        said["location"] = "Pool" if pool else "Open Water"
    elif indoor is not None:
        said |= {"location": "Indoor" if indoor else "Outdoor", "isIndoor": indoor}
    return said


def _notes(noted: Metadata) -> Said:
    said: Said = {}
    for key, field in _NOTED.items():
        found = measure(noted.get(key, ""))
        if found is None:
            continue
        value = found["qty"]
        if key == "HKWeatherHumidity" and isinstance(value, float) and value > 100:
            found["qty"] = value / 100  # a share of 1 in percent, taken for a number and so again
        if field.startswith("elevation") and found["units"] == "cm" and isinstance(value, float):
            found = {"qty": value / 100, "units": "m"}
        said[field] = found
    return said


def _route(element: Element) -> Iterable[Said]:
    for route in children(element, "WorkoutRoute"):
        for place in children(route, "Location"):
            yield _point(place[1])
        for file in children(route, "FileReference"):
            for held in children(file, GPX):
                # Of what is no route nothing is said; the file stays in the archive.
                with suppress(NoRoute):
                    yield from map(_point, points(held[1].get("text", "")))


def _point(attributes: Attributes) -> Said:
    said: Said = {"timestamp": attributes.get("time") or attributes.get("date")}
    for name, value in attributes.items():
        if name in _ROUTE:
            said[_ROUTE[name]] = quantity(value, None)
    return said
