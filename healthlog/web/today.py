"""One day as a page shows it: totals, levels, the night before, workouts, what was noted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from healthlog.moment import day_text
from healthlog.web import nights, notes, records, workouts
from healthlog.web.blocks import nothing, section, table
from healthlog.web.html import Html, join, tag
from healthlog.web.scale import long_date
from healthlog.web.words import age_text, range_text, title, value_text

Day = Mapping[str, Any]
"""The day object of the read side."""

FIRST = (
    "step_count",
    "walking_running_distance",
    "active_energy",
    "apple_exercise_time",
    "flights_climbed",
    "heart_rate",
    "resting_heart_rate",
    "heart_rate_variability",
    "weight_body_mass",
)
"""What most people look for stands first; all else follows by name."""


def show(
    day: Day,
    number: int,
    *,
    others: Sequence[Mapping[str, Any]],
    last_s: int | None,
    latest: Sequence[Mapping[str, Any]] = (),
) -> Html:
    """The day page. `number` is its date (days since 1970), `others` what else began on it,
    `last_s` the age of the last delivery, None where that is of no interest."""
    return join(
        (
            _ways(number),
            None if last_s is None else tag("p", f"Last heard {age_text(last_s)}.", class_="age"),
            section("Totals", tiles(day["totals"], number)),
            section("Levels", tiles(day["levels"], number)),
            section("Night", nights.card(day["night"]), *_naps(day)),
            section("Workouts", workouts.cards(day["workouts"])) if day["workouts"] else None,
            section("Also on this day", records.listing(others)) if others else None,
            section("Notes", _notes(day["notes"])) if day["notes"] else None,
            section("Latest known", _latest(latest)) if latest else None,
        )
    )


def _ways(number: int) -> Html:
    """To the day before, to the day after."""
    return tag(
        "nav",
        tag(
            "a", f"\u2190 {long_date(number - 1)}", href=f"/day/{day_text(number - 1)}", rel="prev"
        ),
        tag(
            "a", f"{long_date(number + 1)} \u2192", href=f"/day/{day_text(number + 1)}", rel="next"
        ),
        class_="days",
        aria_label="Days",
    )


def tiles(said: Mapping[str, Mapping[str, Any]], number: int) -> Html:
    """A tile a metric, each leading to its chart."""
    if not said:
        return nothing("Nothing was measured.")
    order = {name: place for place, name in enumerate(FIRST)}
    names = sorted(said, key=lambda name: (order.get(name, len(order)), title(name)))
    return tag("ul", [tag("li", _tile(name, said[name], number)) for name in names], class_="tiles")


def _tile(metric: str, one: Mapping[str, Any], number: int) -> Html:
    value = value_text(one.get("value"), one.get("unit"))
    ranged = None
    if isinstance(one.get("min"), int | float) and one.get("min") != one.get("max"):
        ranged = tag("p", range_text(one.get("min"), one.get("max"), one.get("unit")))
        if one.get("value") is None:
            value = range_text(one.get("min"), one.get("max"), one.get("unit"))
            ranged = None
    going_on = tag("p", "still going on", class_="going-on") if one.get("open") else None
    href = f"/metric/{quote(metric, safe='')}?span=day&at={day_text(number)}"
    return join(
        (
            tag("h3", tag("a", title(metric), href=href)),
            tag("p", value, class_="number"),
            ranged,
            going_on,
        )
    )


def _naps(day: Day) -> list[Html]:
    return [tag("div", tag("h3", "Nap"), nights.card(nap)) for nap in day["naps"]]


def _notes(told: Sequence[Mapping[str, Any]]) -> Html:
    """Spoken notes, by what they are called or how they begin."""
    return tag(
        "ul",
        [
            tag(
                "li",
                tag("a", notes.name(one), href=notes.address(one)),
                tag("p", one["summary"]) if one.get("summary") else None,
            )
            for one in told
        ],
        class_="notes",
    )


def _latest(latest: Sequence[Mapping[str, Any]]) -> Html:
    """Levels that this day may not have, each with its age."""
    rows = [
        (
            tag(
                "a", title(str(one["metric"])), href=f"/metric/{quote(str(one['metric']), safe='')}"
            ),
            value_text(one["value"], one.get("unit"))
            if "value" in one
            else range_text(one.get("min"), one.get("max"), one.get("unit")),
            age_text(one.get("age_s")),
            ", ".join(one.get("sources", [])),
        )
        for one in latest
    ]
    return table("Latest known values", ("Metric", "Value", "Measured", "By"), rows)
