"""Workouts as pages show them: what, how long, how far, where, with which heart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from healthlog.moment import Moments
from healthlog.values import NotFinite, number
from healthlog.web import route
from healthlog.web.blocks import nothing, section, table
from healthlog.web.charts import Chart, Mark, svg
from healthlog.web.html import Html, join, tag
from healthlog.web.route import Place
from healthlog.web.scale import Tick, number_text
from healthlog.web.words import seconds_text, sentence, time_text, value_text, when_text

Workout = Mapping[str, Any]
"""A record object of kind workout."""

_MINUTE_MS = 60_000


class Beat(NamedTuple):
    """Heart rate of a moment: instant in ms, least, average, greatest."""

    at_ms: int
    low: float | None
    value: float | None
    high: float | None


def name(workout: Workout) -> str:
    """What it is called, as sent."""
    return str(workout["data"].get("name") or "Workout")


def link(workout: Workout) -> Html:
    return tag("a", name(workout), href=f"/workouts/{quote(str(workout['key']), safe='')}")


def cards(workouts: Iterable[Workout]) -> Html:
    """A card each."""
    return tag("ul", [tag("li", _card(one)) for one in workouts], class_="tiles")


def _card(workout: Workout) -> Html:
    when = f"{time_text(workout.get('start'))}\u2013{time_text(workout.get('end'))}"
    told = [said for _, said in facts(workout)[:3]]
    return join((tag("h3", link(workout)), tag("p", when), tag("p", ", ".join(told))))


def listing(workouts: Sequence[Workout]) -> Html:
    """All of them, newest first."""
    if not workouts:
        return nothing("No workout is known in these dates.")
    rows = []
    for one in reversed(workouts):
        said = dict(facts(one))
        cells = (said.get(key, "\u2013") for key in ("Duration", "Distance", "Active energy"))
        rows.append(
            (link(one), when_text(one.get("start")), *cells, said.get("Heart rate", "\u2013"))
        )
    heads = ("Workout", "Began", "Duration", "Distance", "Active energy", "Heart rate")
    return table("Workouts", heads, rows)


def facts(workout: Workout) -> list[tuple[str, str]]:
    """What is known of it in single numbers, in the words and units that were sent."""
    data = workout["data"]
    found = [
        ("Duration", seconds_text(data.get("duration"))),
        ("Distance", _quantity(data.get("distance"))),
        ("Active energy", _quantity(data.get("activeEnergyBurned", data.get("activeEnergy")))),
        ("Heart rate", _quantity(_average(data))),
        ("Speed", _quantity(data.get("speed", data.get("avgSpeed")))),
        ("Elevation", _quantity(data.get("elevationUp", data.get("elevation")))),
        ("Intensity", _quantity(data.get("intensity"))),
        ("Temperature", _quantity(data.get("temperature"))),
        ("Humidity", _quantity(data.get("humidity"))),
        ("Place", str(data.get("location") or "")),
    ]
    return [(fact, said) for fact, said in found if said not in {"", "\u2013"}]


def _average(data: Mapping[str, Any]) -> object:
    rate = data.get("heartRate")
    if isinstance(rate, Mapping) and isinstance(rate.get("avg"), Mapping):
        return rate["avg"]
    return data.get("avgHeartRate")


def _quantity(value: object) -> str:
    """A `{qty, units}` as sent, or a bare number; "" for anything else."""
    if isinstance(value, Mapping):
        qty = _double(value.get("qty"))
        return "" if qty is None else value_text(qty, value.get("units"))
    found = _double(value)
    return "" if found is None else value_text(found, None)


def _double(value: object) -> float | None:
    try:
        return number(value)
    except NotFinite:
        return None


def show(workout: Workout) -> Html:
    """The page of one workout."""
    drawn = route.svg(list(places(workout)), f"Route of {name(workout)}")
    return join(
        (
            tag("p", f"{when_text(workout.get('start'))} to {when_text(workout.get('end'))}"),
            tag("dl", [join((tag("dt", fact), tag("dd", said))) for fact, said in facts(workout)]),
            _doubts(workout),
            section("Heart rate", _heart(workout)),
            section("Route", drawn or nothing("No route was sent.")),
            section("As sent", sent(workout)),
        )
    )


def _doubts(workout: Workout) -> Html | None:
    flags = workout.get("flags") or []
    return (
        tag("p", f"Doubts: {', '.join(map(sentence, flags))}.", class_="doubts") if flags else None
    )


def places(workout: Workout) -> Iterator[Place]:
    """The points of a route, in the order they were sent; what is no point is left out."""
    points = workout["data"].get("route")
    for one in points if isinstance(points, list) else ():
        if not isinstance(one, Mapping):
            continue
        latitude = _double(one.get("latitude", one.get("lat")))
        longitude = _double(one.get("longitude", one.get("lon")))
        if latitude is not None and longitude is not None:
            yield Place(latitude, longitude)


def beats(workout: Workout) -> list[Beat]:
    """Heart rates of a workout by their time; what can't be read is left out."""
    moments = Moments()
    found = []
    rates = workout["data"].get("heartRateData")
    for one in rates if isinstance(rates, list) else ():
        if not isinstance(one, Mapping):
            continue
        try:
            at_ms = moments[one.get("date")].at_ms  # type: ignore[index]
        except (TypeError, ValueError):
            continue
        low, value, high = (
            _double(one.get(key, one.get(key.lower()))) for key in ("Min", "Avg", "Max")
        )
        value = _double(one.get("qty")) if value is None else value
        if at_ms is not None and (value is not None or low is not None):
            found.append(Beat(at_ms, low, value, high))
    return sorted(found, key=lambda beat: beat.at_ms)


def _heart(workout: Workout) -> Html:
    told = beats(workout)
    if not told:
        return nothing("No heart rate was sent.")
    first = told[0].at_ms
    minutes = max((told[-1].at_ms - first) / _MINUTE_MS, 1.0)
    marks = [
        Mark(
            begin=(one.at_ms - first) / _MINUTE_MS,
            end=(one.at_ms - first) / _MINUTE_MS + 1,
            value=one.value,
            told=_beat_text(one, first),
            low=one.low,
            high=one.high,
        )
        for one in told
    ]
    step = max(1, round(minutes / 6))
    ticks = [Tick(minute, f"{minute} min") for minute in range(0, int(minutes) + 2, step)]
    values = [one.value for one in told if one.value is not None]
    said = ""
    if values:
        least, most = number_text(min(values), 0), number_text(max(values), 0)
        said = f"{len(told)} readings, {least} to {most} a minute."
    return svg(Chart("Heart rate", said, "/min", 0, minutes + 1, ticks, marks, is_amount=False))


def _beat_text(beat: Beat, first_ms: int) -> str:
    minute = (beat.at_ms - first_ms) // _MINUTE_MS
    return f"minute {minute}: {value_text(beat.value, 'count/min')}"


def sent(record: Mapping[str, Any]) -> Html:
    """Every field that was sent, its series by their length."""
    rows = []
    for key, value in record["data"].items():
        if isinstance(value, list):
            rows.append((key, f"{len(value)} entries"))
        elif isinstance(value, Mapping):
            rows.append((key, ", ".join(f"{k}: {v}" for k, v in value.items())))
        else:
            rows.append((key, str(value)))
    return table("Fields as sent", ("Field", "Value"), list(rows)) if rows else nothing("Nothing.")
