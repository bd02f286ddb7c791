"""A report over a chosen period, to be printed for a doctor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from healthlog.hae.words import SKIPPED, TAKEN
from healthlog.moment import day_text
from healthlog.series.catalogue import SUM
from healthlog.web import metric as metric_page
from healthlog.web import nights as nights_page
from healthlog.web import records as records_page
from healthlog.web.blocks import nothing, section, table
from healthlog.web.html import Html, join, tag
from healthlog.web.scale import long_date
from healthlog.web.view import MONTH, View
from healthlog.web.words import hours_text, range_text, title, unit_text, value_text, when_text

CHARTED = (
    "blood_pressure",
    "heart_rate",
    "resting_heart_rate",
    "blood_glucose",
    "blood_oxygen_saturation",
    "weight_body_mass",
    "step_count",
)
"""Metrics whose course is drawn; all are in the table."""


@dataclass(frozen=True, slots=True)
class Period:
    """What a report holds, of the dates from `first` to before `until`: the day series by metric,
    nights as the day object has them, records by kind."""

    first: int
    until: int
    series: Mapping[str, Mapping[str, Any]]
    nights: Sequence[Mapping[str, Any]]
    records: Mapping[str, Sequence[Mapping[str, Any]]]


def show(period: Period) -> Html:
    """The whole report, the form for another period first (it isn't printed)."""
    return join(
        (
            _form(period),
            tag(
                "p", f"{long_date(period.first)} to {long_date(period.until - 1)}", class_="period"
            ),
            section("Measurements", measurements(period)),
            section("Course", *_charts(period)),
            section("Sleep", *_sleep(period)),
            section("Medications", medications(period.records.get("medication", ()))),
            _kind("Symptoms", period, "symptom"),
            _kind("Electrocardiograms", period, "ecg"),
            _kind("Heart notifications", period, "heart_notification"),
            _kind("State of mind", period, "state_of_mind"),
            tag(
                "p",
                "Values as recorded by the owner's own devices; each day counted once over all of"
                " them. Not a diagnosis.",
                class_="hint",
            ),
        )
    )


def _form(period: Period) -> Html:
    return tag(
        "form",
        tag("label", "From ", tag("input", type="date", name="from", value=day_text(period.first))),
        tag("label", "to ", tag("input", type="date", name="to", value=day_text(period.until - 1))),
        tag("button", "Show"),
        tag("button", "Print", type="button", id="print"),
        method="get",
        action="/report",
        class_="line",
    )


def measurements(period: Period) -> Html:
    """Every metric with its average a day and the range it moved in."""
    rows: list[tuple[object, ...]] = []
    for name in sorted(period.series, key=title):
        series = period.series[name]
        items = series["items"]
        if not items:
            continue
        is_sum = series["aggregate"] == SUM
        values = [one["value"] for one in items if isinstance(one.get("value"), int | float)]
        unit = series.get("unit")
        average = value_text(sum(values) / len(values), unit) if values else _fields(items, unit)
        rows.append((title(name), average, _range(items, unit), f"{len(items)}", _kind_of(is_sum)))
    if not rows:
        return nothing("Nothing was measured.")
    heads = ("Metric", "Average a day", "Range", "Days with readings", "A day is")
    return table("Measurements", heads, rows)


def _kind_of(is_sum: bool) -> str:
    return "a total" if is_sum else "an average"


def _fields(items: Sequence[Mapping[str, Any]], unit: object) -> str:
    """The averages of a metric measured by field, such as blood pressure."""
    by_field: dict[str, list[float]] = {}
    for item in items:
        if isinstance(item.get("value"), Mapping):
            for name, value in item["value"].items():
                by_field.setdefault(name, []).append(value)
    means = {name: float(f"{sum(all_) / len(all_):.0f}") for name, all_ in by_field.items()}
    return value_text(means, unit) if means else "\u2013"


def _range(items: Sequence[Mapping[str, Any]], unit: object) -> str:
    """From the least to the greatest, by field where a metric is measured so."""
    lows = [one.get("min", one.get("value")) for one in items]
    highs = [one.get("max", one.get("value")) for one in items]
    if any(isinstance(one, Mapping) for one in lows):
        names = dict.fromkeys(name for low in lows if isinstance(low, Mapping) for name in low)
        told = []
        for name in names:
            low = [one[name] for one in lows if isinstance(one, Mapping) and name in one]
            high = [one[name] for one in highs if isinstance(one, Mapping) and name in one]
            told.append(f"{min(low):g}\u2013{max(high):g}")
        return f"{' / '.join(told)} {unit_text(unit)}".strip()
    known = [one for one in (*lows, *highs) if isinstance(one, int | float)]
    return range_text(min(known), max(known), unit) if known else "\u2013"


def _charts(period: Period) -> list[Html]:
    drawn = []
    for number, name in enumerate(CHARTED, 1):
        series = period.series.get(name)
        if series and series["items"]:
            seen = View(name, MONTH, period.first, period.until)
            chart = metric_page.chart(seen, series, number)
            drawn.append(
                tag(
                    "figure",
                    tag("h3", title(name)),
                    chart,
                    tag("figcaption", metric_page.told(seen, series)),
                )
            )
    return drawn or [nothing("Nothing of what is drawn here was measured.")]


def _sleep(period: Period) -> list[Html]:
    nights = [one for one in period.nights if one["session"] != "nap"]
    hours = [one["total_h"] for one in nights if one.get("total_h")]
    if not hours:
        return [nothing("No night is known.")]
    average = sum(hours) / len(hours)
    told = (
        f"{len(hours)} nights, {hours_text(average)} on average,"
        f" from {hours_text(min(hours))} to {hours_text(max(hours))}."
    )
    return [tag("p", told), nights_page.chart(nights, period.first, period.until, 90)]


def medications(doses: Sequence[Mapping[str, Any]]) -> Html:
    """How often each was taken, and how often not: a skipped dose never counts as taken."""
    counts: dict[str, Counter[str]] = {}
    for one in doses:
        status = str((one.get("derived") or {}).get("status") or "unknown")
        counts.setdefault(records_page.name(one), Counter())[status] += 1
    if not counts:
        return nothing("No dose was logged.")
    rows: list[tuple[object, ...]] = [
        (
            name,
            f"{found[TAKEN]}",
            f"{found[SKIPPED]}",
            f"{found.total() - found[TAKEN] - found[SKIPPED]}",
        )
        for name, found in sorted(counts.items())
    ]
    return table("Doses", ("Medication", "Taken", "Skipped", "Not said"), rows)


def _kind(heading: str, period: Period, kind: str) -> Html | None:
    found = period.records.get(kind, ())
    if not found:
        return None
    rows: list[tuple[object, ...]] = [
        (
            when_text(one.get("start") or one.get("day")),
            records_page.name(one),
            records_page.said(one),
        )
        for one in found
    ]
    return section(heading, table(heading, ("When", "What", "Said"), rows))
