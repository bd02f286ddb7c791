"""How names, numbers, times are said to a person."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from healthlog.series.catalogue import LAST, SUM
from healthlog.web.scale import number_text

_TITLES: Mapping[str, str] = {
    "step_count": "Steps",
    "active_energy": "Active energy",
    "basal_energy_burned": "Resting energy",
    "walking_running_distance": "Walking and running",
    "heart_rate_variability": "Heart rate variability",
    "blood_oxygen_saturation": "Blood oxygen",
    "weight_body_mass": "Weight",
    "vo2_max": "VO₂ max",
    "apple_exercise_time": "Exercise time",
    "apple_stand_time": "Stand time",
    "apple_stand_hour": "Stand hours",
    "apple_move_time": "Move time",
    "apple_sleeping_wrist_temperature": "Wrist temperature asleep",
    "flights_climbed": "Floors climbed",
    "uv_exposure": "UV exposure",
}
_UNITS: Mapping[str, str] = {"count/min": "/min", "degC": "°C", "count": "", "degF": "°F"}
KIND_TITLES: Mapping[str, str] = {
    "workout": "Workouts",
    "sleep": "Sleep",
    "ecg": "Electrocardiograms",
    "state_of_mind": "State of mind",
    "medication": "Medications",
    "symptom": "Symptoms",
    "cycle": "Cycle",
    "heart_notification": "Heart notifications",
}
_HOURS_MOST = 1e9
"""Beyond, minutes say nothing any more."""

_FUNCTIONS = {SUM: "total", LAST: "latest"}

Value = object
"""A number, or numbers by field, as the read side gives them."""


def title(metric: str) -> str:
    """A metric's name: its own if it has one, else its words."""
    return _TITLES.get(metric) or sentence(metric)


def sentence(name: str) -> str:
    """A name with underscores as words."""
    text = name.replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def function(aggregate: object) -> str:
    """What a number of several readings is."""
    return _FUNCTIONS.get(str(aggregate), "average")


def unit_text(unit: object) -> str:
    """A unit for the eye; counts have none."""
    return _UNITS.get(str(unit), str(unit)) if unit else ""


def value_text(value: Value, unit: object) -> str:
    """A value with its unit: `8,123`, `61.5 /min`, `120 / 80 mmHg`; a dash where there is none."""
    shown = unit_text(unit)
    if isinstance(value, Mapping):
        text = " / ".join(_number(one) for one in value.values())
    else:
        text = _number(value)
    return f"{text} {shown}".strip() if text else "\u2013"


def range_text(low: Value, high: Value, unit: object) -> str:
    """A range with its unit."""
    if isinstance(low, int | float) and isinstance(high, int | float):
        return f"{number_text(low)}\u2013{number_text(high)} {unit_text(unit)}".strip()
    return value_text(None, unit)


def _number(value: Value) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return number_text(float(value))


def hours_text(hours: object) -> str:
    """Hours as a person says them: `7 h 12 min`."""
    if not isinstance(hours, int | float):
        return "\u2013"
    if not abs(hours) < _HOURS_MOST:
        return f"{number_text(hours)} h"
    minutes = round(hours * 60)
    if abs(minutes) < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02} min"


def seconds_text(seconds: object) -> str:
    """A span of seconds: `45 s`, `34 min`, `1 h 02 min`."""
    if not isinstance(seconds, int | float):
        return "\u2013"
    return f"{round(seconds)} s" if seconds < 60 else hours_text(seconds / 3600)


def age_text(age_s: object) -> str:
    """How long ago: `now`, `12 min ago`, `3 h ago`, `5 days ago`."""
    if not isinstance(age_s, int | float):
        return "never"
    if age_s < 60:
        return "now"
    for unit, size in (("min", 60), ("h", 3600), ("days", 86_400)):
        limit = {"min": 3600, "h": 2 * 86_400}.get(unit)
        if limit is None or age_s < limit:
            return f"{int(age_s // size)} {unit} ago"
    return ""


def time_text(instant: object) -> str:
    """The wall time of an instant of an answer, in the offset it was recorded in: `21:50`."""
    moment = _moment(instant)
    return "" if moment is None else f"{moment:%H:%M}"


def when_text(instant: object) -> str:
    """Date and wall time of an instant of an answer: `2026-05-03 21:50`."""
    moment = _moment(instant)
    return str(instant or "") if moment is None else f"{moment:%Y-%m-%d %H:%M}"


def _moment(instant: object) -> datetime | None:
    if not isinstance(instant, str) or len(instant) <= len("2026-05-03"):
        return None
    try:
        return datetime.fromisoformat(instant)
    except ValueError:
        return None


def size_text(size: object) -> str:
    """Bytes: `18.4 MB`."""
    number = float(size) if isinstance(size, int | float) else 0.0
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            return f"{number_text(number, 0 if unit == 'B' else 1)} {unit}"
        number /= 1000
    return ""
