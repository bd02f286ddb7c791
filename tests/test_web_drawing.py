"""Charts, routes, traces, stages: what is drawn of which values."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from healthlog.web import nights, route, trace
from healthlog.web.charts import Chart, Mark, svg
from healthlog.web.html import Html, escape, join, tag
from healthlog.web.route import Place
from healthlog.web.scale import Tick
from healthlog.web.trace import Sample, millivolts

XMLNS = "{http://www.w3.org/2000/svg}"


def drawn(text: str) -> ET.Element:
    return ET.fromstring(text)


def marks(*values: float | None, **more: Any) -> list[Mark]:
    return [Mark(n, n + 1, value, f"{n}: {value}", **more) for n, value in enumerate(values)]


def chart(found: list[Mark], *, is_amount: bool) -> ET.Element:
    ticks = [Tick(0, "a"), Tick(2, "b")]
    last = max(len(found), 1)
    return drawn(svg(Chart("T & t", "told <b>", "u", 0, last, ticks, found, is_amount=is_amount)))


def floats(element: ET.Element, *names: str) -> list[float]:
    return [float(element.get(name) or "nan") for name in names]


def test_bars_stand_on_nought_and_are_as_high_as_their_values() -> None:
    bars = list(chart(marks(100, 50, None, 200), is_amount=True).iter("rect"))
    assert len(bars) == 3
    heights = [floats(bar, "height")[0] for bar in bars]
    assert heights[0] / heights[2] == pytest.approx(0.5, abs=0.01)
    assert heights[1] / heights[2] == pytest.approx(0.25, abs=0.01)
    feet = {round(sum(floats(bar, "y", "height")), 0) for bar in bars}
    assert len(feet) == 1


@pytest.mark.parametrize("is_amount", [True, False])
def test_what_nothing_measures_is_drawn_within_the_chart(is_amount: bool) -> None:
    odd = chart([*marks(1e308, -1e308, 5.0, low=-1e308, high=1e308)], is_amount=is_amount)
    text = ET.tostring(odd, encoding="unicode")
    assert not re.search(r"[0-9]{20}|inf|nan", text)


def test_negative_amounts_hang_below_nought() -> None:
    up, down = chart(marks(10, -10), is_amount=True).iter("rect")
    assert sum(floats(up, "y", "height")) == pytest.approx(floats(down, "y")[0], abs=0.2)


def test_a_line_breaks_where_nobody_measured() -> None:
    found = chart(marks(60, 61, None, 63, 64, None, 70), is_amount=False)
    assert len(list(found.iter("polyline"))) == 2
    assert len(list(found.iter("circle"))) == 5


def test_a_line_breaks_where_buckets_are_left_out() -> None:
    gap = [Mark(n, n + 1, 60.0, "") for n in (0, 1, 5, 6)]
    assert len(list(chart(gap, is_amount=False).iter("polyline"))) == 2


def test_a_range_without_average_is_drawn() -> None:
    found = chart(marks(None, None, low=50.0, high=80.0), is_amount=False)
    assert len([one for one in found.iter("line") if one.get("class") == "range"]) == 2
    assert len([one for one in found.iter("path") if one.get("class") == "band"]) == 1


def test_of_many_points_the_band_alone_tells_the_range() -> None:
    found = chart(marks(*[60.0] * 200, low=50.0, high=80.0), is_amount=False)
    assert [one for one in found.iter("line") if one.get("class") == "range"] == []
    assert len([one for one in found.iter("path") if one.get("class") == "band"]) == 1


def test_every_mark_tells_itself_and_the_whole_is_told_to_who_can_not_see() -> None:
    found = chart(marks(1, 2), is_amount=True)
    assert found.get("role") == "img"
    titles = [one.text for one in found.iter("title")]
    assert titles == ["T & t", "0: 1", "1: 2"]
    assert [one.text for one in found.iter("desc")] == ["told <b>"]


@pytest.mark.parametrize("is_amount", [True, False])
def test_a_chart_of_nothing_says_so(is_amount: bool) -> None:
    texts = [one.text for one in chart(marks(None), is_amount=is_amount).iter("text")]
    assert "no readings" in texts


def test_nothing_is_drawn_outside() -> None:
    found = chart(marks(*(math.sin(n) * 1e6 for n in range(50))), is_amount=False)
    for one in found.iter("circle"):
        x, y = floats(one, "cx", "cy")
        assert 0 <= x <= 720
        assert 0 <= y <= 240


# ---- routes


def test_a_route_is_as_wide_as_it_was_walked() -> None:
    """A square of one kilometre at 60 degrees north, where a degree east is half as long."""
    lat, lon = 1 / 111.32, 2 / 111.32
    corners = [(60, 0), (60, lon), (60 + lat, lon), (60 + lat, 0), (60, 0)]
    found = drawn(route.svg([Place(*one) for one in corners], "Walk"))
    line = next(found.iter("polyline")).get("points") or ""
    pairs = [tuple(map(float, pair.split(","))) for pair in line.split()]
    width = max(x for x, _ in pairs) - min(x for x, _ in pairs)
    height = max(y for _, y in pairs) - min(y for _, y in pairs)
    assert width == pytest.approx(height, rel=0.02)
    assert next(found.iter("text")).text == "200 m"


def test_north_is_up_and_the_antimeridian_is_no_journey_around_the_world() -> None:
    found = drawn(route.svg([Place(0, 179.999), Place(0.001, -179.999)], "Sail"))
    line = next(found.iter("polyline")).get("points") or ""
    (x1, y1), (x2, y2) = (tuple(map(float, pair.split(","))) for pair in line.split())
    assert x1 < x2
    assert y1 > y2
    assert (x2 - x1) == pytest.approx(2 * (y1 - y2), rel=0.05)


def test_a_long_route_is_thinned_but_keeps_its_ends() -> None:
    places = [Place(50 + n / 1e5, 8 + math.sin(n / 500) / 100) for n in range(20_000)]
    text = route.svg(places, "Ride")
    assert len(text) < 60_000
    thinned = next(drawn(text).iter("polyline")).get("points") or ""
    assert len(thinned.split()) <= 1_502


@pytest.mark.parametrize(
    "places", [[], [Place(50, 8)], [Place(50, 8)] * 3, [Place(float("nan"), 8), Place(91, 8)]]
)
def test_what_is_no_route_is_not_drawn(places: list[Place]) -> None:
    assert route.svg(places, "Nowhere") == ""


# ---- traces


def test_a_trace_is_drawn_on_millimetre_paper_in_rows_of_ten_seconds() -> None:
    samples = [Sample(n / 512, math.sin(n / 40)) for n in range(15_379)]
    text = trace.svg(samples, "Electrocardiogram")
    found = drawn(text)
    lines = [one for one in found.iter("path") if one.get("class") == "line"]
    assert len(lines) == 4
    assert sum((one.get("d") or "").count("L") + 1 for one in lines) == 15_379
    second = re.findall(r"[ML]([\d.]+) ", lines[0].get("d") or "")
    assert float(second[512]) - float(second[0]) == pytest.approx(75, abs=0.2)


@pytest.mark.parametrize(
    ("value", "unit", "mv"),
    [(500, "mcV", 0.5), (500, "µV", 0.5), (0.5, "mV", 0.5), (5e-4, "V", 0.5), (1, None, 0.001)],
)
def test_voltages_are_millivolts(value: float, unit: str | None, mv: float) -> None:
    assert millivolts(value, unit) == pytest.approx(mv)


def test_a_unit_that_nobody_knows_is_no_voltage() -> None:
    assert millivolts(1, "furlong") is None


# ---- stages


def test_stages_are_as_wide_as_they_are_long() -> None:
    night = {"deep_h": 1.0, "core_h": 2.0, "rem_h": 1.0, "awake_h": 0}
    parts = list(drawn(nights.bar(night)).iter("rect"))
    assert [one.get("class") for one in parts] == ["deep", "core", "rem"]
    assert [floats(one, "width")[0] for one in parts] == [150, 300, 150]
    assert nights.bar({"total_h": 7.0}) == ""


# ---- markup


def test_everything_is_escaped_once() -> None:
    made = tag("p", "<&>", tag("b", 'x"'), None, [1, 2.5], class_='a"b', hidden=True, lang=None)
    assert made == '<p class="a&quot;b" hidden>&lt;&amp;&gt;<b>x&quot;</b>12.5</p>'
    assert escape(made) is made
    assert join(["<", Html("<br/>")]) == "&lt;<br/>"


def test_a_trace_ends_where_its_times_cannot_be() -> None:
    beats = [Sample(n / 100, 0.1) for n in range(3_000)]
    odd = [Sample(-5.0, 0.1), *beats, Sample(7e8, 0.1), Sample(1e308, 0.1)]
    assert trace.svg(odd, "t") == trace.svg(beats, "t")
    assert trace.svg(odd[-2:], "t") == ""


def test_a_voltage_beyond_reason_stays_on_the_paper() -> None:
    text = trace.svg([Sample(0.0, 1e308), Sample(1.0, -1e308), Sample(2.0, 0.1)], "t")
    assert not re.search(r"[0-9]{20}|inf|nan", text)
