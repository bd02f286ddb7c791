"""A metric as a page shows it: its chart over a span, where its numbers come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from healthlog.moment import day_text
from healthlog.series.catalogue import SUM
from healthlog.web import numbers
from healthlog.web.blocks import nothing, section, table
from healthlog.web.charts import Chart, Mark, svg
from healthlog.web.html import Html, join, tag
from healthlog.web.scale import Tick, date_of, date_ticks, day_of, hour_ticks, long_date
from healthlog.web.view import ALL, DAY, SPANS, View, address, month_after
from healthlog.web.words import (
    age_text,
    range_text,
    title,
    unit_text,
    value_text,
    when_text,
)


def show(
    seen: View,
    series: Mapping[str, Any],
    *,
    other: tuple[View, Mapping[str, Any]] | None = None,
    names: Sequence[str] = (),
) -> Html:
    """The page: the chart, another one beside it if it was asked for, the numbers as a table."""
    query = {"span": seen.span, "at": day_text(seen.until - 1)}
    if other is not None:
        query["with"] = other[0].metric
    return join(
        (
            _spans(seen, query),
            _moves(seen, query),
            tag("figure", chart(seen, series, 1), tag("figcaption", told(seen, series))),
            None
            if other is None
            else tag(
                "figure",
                tag("h2", title(other[0].metric)),
                chart(other[0], other[1], 2, "c2"),
                tag("figcaption", told(*other)),
            ),
            _beside(seen, names, query),
            section("Numbers", numbers.listing(seen, series)),
        )
    )


def _spans(seen: View, query: Mapping[str, str]) -> Html:
    links = [
        tag(
            "a",
            span,
            href=address(seen.metric, **{**query, "span": span}),
            aria_current="true" if span == seen.span else None,
        )
        for span in SPANS
    ]
    return tag("nav", links, class_="spans", aria_label="Span")


def _moves(seen: View, query: Mapping[str, str]) -> Html | None:
    if seen.span == ALL:
        return None
    step = seen.until - seen.first
    back = {**query, "at": day_text(seen.first - 1)}
    on = {**query, "at": day_text(seen.until - 1 + step)}
    return tag(
        "nav",
        tag("a", "\u2190 earlier", href=address(seen.metric, **back), rel="prev"),
        tag("span", " \u2013 ".join(dict.fromkeys(map(long_date, (seen.first, seen.until - 1))))),
        tag("a", "later \u2192", href=address(seen.metric, **on), rel="next"),
        class_="days",
        aria_label="Earlier, later",
    )


def _beside(seen: View, names: Sequence[str], query: Mapping[str, str]) -> Html | None:
    if not names:
        return None
    chosen = query.get("with")
    options = [tag("option", "nothing", value="")] + [
        tag("option", title(name), value=name, selected=name == chosen)
        for name in names
        if name != seen.metric
    ]
    return tag(
        "form",
        tag("input", type="hidden", name="span", value=seen.span),
        tag("input", type="hidden", name="at", value=query["at"]),
        tag("label", "Beside it ", tag("select", options, name="with")),
        tag("button", "Show"),
        action=address(seen.metric),
        method="get",
        class_="line",
    )


def chart(seen: View, series: Mapping[str, Any], number: int, color: str = "c1") -> Html:
    """The series as a chart."""
    is_amount = series["aggregate"] == SUM
    if seen.span == DAY:
        first, last = 0.0, 24.0
        ticks: Sequence[Tick] = hour_ticks()
    else:
        first, last = float(seen.first), float(seen.until)
        ticks = date_ticks(seen.first, seen.until)
    return svg(
        Chart(
            title=f"{title(seen.metric)} by {seen.bucket}",
            told=told(seen, series),
            unit=unit_text(series.get("unit")),
            first=first,
            last=last,
            ticks=ticks,
            marks=[_mark(seen, series, item) for item in series["items"]],
            is_amount=is_amount,
            color=color,
        ),
        number,
    )


def told(seen: View, series: Mapping[str, Any]) -> str:
    """What the chart says in one sentence."""
    items = series["items"]
    if not items:
        return "No readings in these dates."
    values = [float(one["value"]) for one in items if isinstance(one.get("value"), int | float)]
    if not values:
        return f"{len(items)} {seen.bucket}s with readings."
    unit = series.get("unit")
    total = ""
    if series["aggregate"] == SUM:
        total = f" {value_text(sum(values), unit)} in all,"
    average = f"{value_text(sum(values) / len(values), unit)} {_article(seen.bucket)} on average"
    return (
        f"{len(items)} {seen.bucket}s with readings,{total} {average},"
        f" from {value_text(min(values), unit)} to {value_text(max(values), unit)}."
    )


def _article(bucket: str) -> str:
    return f"an {bucket}" if bucket == "hour" else f"a {bucket}"


def _mark(seen: View, series: Mapping[str, Any], item: Mapping[str, Any]) -> Mark:
    begin, end = _place(seen, str(item["start"]))
    value, low, high = item.get("value"), item.get("min"), item.get("max")
    if isinstance(value, Mapping):
        # Of blood pressure the stroke from the one number to the other is what doctors look at.
        low, high = min(value.values()), max(value.values())
    told_by = _label(series, item)
    return Mark(
        begin, end, _plain(value), told_by, _plain(low), _plain(high), bool(item.get("open"))
    )


def _place(seen: View, start: str) -> tuple[float, float]:
    """Where a bucket stands on the axis: hours of the day, else dates."""
    if seen.span == DAY:
        moment = datetime.fromisoformat(start)
        hour = moment.hour + moment.minute / 60
        return hour, hour + 1
    day = day_of(date_of(0).fromisoformat(start[:10]))
    if seen.span != ALL:
        return day, day + 1
    return day, month_after(day)


def _plain(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _label(series: Mapping[str, Any], item: Mapping[str, Any]) -> str:
    when = when_text(item["start"])
    said = value_text(item.get("value"), item.get("unit", series.get("unit")))
    if isinstance(item.get("min"), int | float) and item.get("min") != item.get("max"):
        said += f" ({range_text(item['min'], item.get('max'), series.get('unit'))})"
    more = " and going on" if item.get("open") else ""
    return f"{when}: {said}{more}"


def listing(metrics: Sequence[Mapping[str, Any]]) -> Html:
    """Every metric there is."""
    if not metrics:
        return nothing("Nothing has come yet.")
    rows = [
        (
            tag("a", title(str(one["name"])), href=address(str(one["name"]))),
            unit_text(one.get("unit")),
            ", ".join(one["layers"]),
            f"{one['points']:,}",
            when_text(one["first_at"]),
            when_text(one["last_at"]),
            age_text(one["age_s"]),
        )
        for one in sorted(metrics, key=lambda one: title(str(one["name"])))
    ]
    heads = ("Metric", "Unit", "Layers", "Readings", "First", "Last", "Age")
    return table("Metrics", heads, rows)
