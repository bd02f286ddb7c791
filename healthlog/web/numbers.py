"""The numbers behind a chart, each with the way to where it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from healthlog.moment import day_text
from healthlog.web.blocks import nothing, table
from healthlog.web.html import Html, tag
from healthlog.web.scale import date_of, day_of
from healthlog.web.view import ALL, DAY, MONTH, View, address, month_after
from healthlog.web.words import function, range_text, value_text, when_text


def listing(seen: View, series: Mapping[str, Any]) -> Html:
    """The same as a table, newest first, each with the way to where it comes from."""
    if not series["items"]:
        return nothing("No readings in these dates.")
    rows = []
    for item in reversed(series["items"]):
        unit = item.get("unit", series.get("unit"))
        layer = str(item["layer"])
        shown = value_text(item.get("value"), unit) + (" (going on)" if item.get("open") else "")
        why = _why(seen, layer, str(item["start"]))
        ranged = range_text(item.get("min"), item.get("max"), unit)
        sources = ", ".join(item.get("sources", []))
        rows.append((when_text(item["start"]), shown, ranged, layer, sources, why))
    heads = (seen.bucket.capitalize(), function(series["aggregate"]).capitalize())
    return table("Numbers", (*heads, "Range", "Taken from", "By", "Where from"), rows)


def _why(seen: View, layer: str, start: str) -> Html:
    """The way to where a number comes from: the deliveries that said it, or what it is made of."""
    if layer == seen.bucket:
        return why_link(seen.metric, layer, start)
    if seen.span == DAY:
        query = urlencode({"metric": seen.metric, "hour": start})
        return tag("a", "readings", href=f"/points?{query}")
    span, at = DAY, start
    if seen.span == ALL:
        day = day_of(date_of(0).fromisoformat(start))
        span, at = MONTH, day_text(month_after(day) - 1)
    return tag("a", "parts", href=address(seen.metric, span=span, at=at))


def why_link(metric: str, layer: str, start: str) -> Html:
    """The way to the deliveries that spoke of one number."""
    query = urlencode({"metric": metric, "layer": layer, "at": start})
    return tag("a", "why", href=f"/why?{query}")


def points(items: Sequence[Mapping[str, Any]]) -> Html:
    """Readings as they were folded, each with the way to who said it."""
    if not items:
        return nothing("There is no reading in this hour.")
    rows = [
        (
            when_text(one.get("at", one["day"])),
            one["layer"],
            value_text(one.get("qty", one.get("avg")), one.get("unit")),
            range_text(one.get("min"), one.get("max"), one.get("unit")),
            ", ".join(one["sources"]),
            why_link(str(one["metric"]), str(one["layer"]), str(one.get("at", one["day"]))),
        )
        for one in items
    ]
    heads = ("At", "Layer", "Value", "Range", "By", "Where from")
    return table("Readings", heads, rows)
