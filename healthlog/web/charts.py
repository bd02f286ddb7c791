"""Charts of series as SVG: bars of amounts, lines of levels with the band they ranged in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from healthlog.web.html import Html, escape
from healthlog.web.scale import LARGEST, Scale, Tick, round_ticks

WIDTH, HEIGHT = 720, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 8, 26, 28
_GAP = 0.16
"""Share of a bar's place left empty."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One bucket on the axis of time: from `begin` to `end` in the units of the chart's ticks.

    `value`, `low` and `high` are None where nobody measured, which is drawn as a gap. `open` says
    that the bucket goes on. `told` is read out, and shown when it is pointed at.
    """

    begin: float
    end: float
    value: float | None
    told: str
    low: float | None = None
    high: float | None = None
    open: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """What is drawn: the axis of time from `first` to `last` with its ticks, marks in their order.

    `is_amount` draws bars from nought, else a line with its band. `title` and `told` are for who
    can't see it; `unit` stands at the axis. `color` is the class of the strokes.
    """

    title: str
    told: str
    unit: str
    first: float
    last: float
    ticks: Sequence[Tick]
    marks: Sequence[Mark]
    is_amount: bool
    color: str = "c1"


def svg(chart: Chart, number: int = 1) -> Html:
    """The chart as one SVG element; `number` makes its ids unique in a page."""
    marks = [_drawable(mark) for mark in chart.marks]
    return Html("".join(_parts(replace(chart, marks=marks), number)))


def _drawable(mark: Mark) -> Mark:
    """The mark within what an axis can have."""
    value, low, high = (
        None if one is None else max(-LARGEST, min(one, LARGEST))
        for one in (mark.value, mark.low, mark.high)
    )
    return replace(mark, value=value, low=low, high=high)


def _parts(chart: Chart, number: int) -> Iterator[str]:
    ids = f"chart{number}-title chart{number}-told"
    yield (
        f'<svg class="chart {escape(chart.color)}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f' aria-labelledby="{ids}" preserveAspectRatio="xMidYMid meet">'
        f'<title id="chart{number}-title">{escape(chart.title)}</title>'
        f'<desc id="chart{number}-told">{escape(chart.told)}</desc>'
    )
    across = Scale(chart.first, chart.last, _LEFT, WIDTH - _RIGHT)
    low, high = _range(chart)
    up_ticks = round_ticks(low, high)
    up = Scale(up_ticks[0].at, up_ticks[-1].at, HEIGHT - _BOTTOM, _TOP)
    yield from _grid(chart, across, up, up_ticks)
    if not any(mark.value is not None or mark.low is not None for mark in chart.marks):
        middle = (WIDTH + _LEFT) / 2
        yield f'<text class="none" x="{middle:.0f}" y="{HEIGHT / 2:.0f}">no readings</text>'
    elif chart.is_amount:
        yield from _bars(chart.marks, across, up)
    else:
        yield from _levels(chart.marks, across, up)
    yield "</svg>"


def _range(chart: Chart) -> tuple[float, float]:
    found = [
        one for mark in chart.marks for one in (mark.value, mark.low, mark.high) if one is not None
    ]
    if not found:
        return 0.0, 1.0
    return (min(0.0, *found), max(0.0, *found)) if chart.is_amount else (min(found), max(found))


def _grid(chart: Chart, across: Scale, up: Scale, up_ticks: Sequence[Tick]) -> Iterator[str]:
    yield '<g class="grid" aria-hidden="true">'
    for tick in up_ticks:
        y = up(tick.at)
        yield f'<line x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text class="up" x="{_LEFT - 6}" y="{y + 4:.1f}">{escape(tick.label)}</text>'
    for tick in chart.ticks:
        if chart.first <= tick.at <= chart.last:
            x = across(tick.at)
            y = HEIGHT - _BOTTOM
            yield f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="{y}" y2="{y + 4}"/>'
            at_edge = ' class="end"' if x > WIDTH - 40 else ""
            yield f'<text{at_edge} x="{x:.1f}" y="{HEIGHT - 10}">{escape(tick.label)}</text>'
    yield f'<text class="unit" x="4" y="12">{escape(chart.unit)}</text></g>'


def _bars(marks: Sequence[Mark], across: Scale, up: Scale) -> Iterator[str]:
    yield '<g class="bars">'
    nought = up(0.0)
    for mark in marks:
        if mark.value is None:
            continue
        left, right = across(mark.begin), across(mark.end)
        width = max((right - left) * (1 - _GAP), 0.75)
        x = (left + right - width) / 2
        y = up(mark.value)
        kind = ' class="open"' if mark.open else ""
        yield (
            f'<rect{kind} x="{x:.1f}" y="{min(y, nought):.1f}" width="{width:.1f}"'
            f' height="{abs(nought - y):.1f}"><title>{escape(mark.told)}</title></rect>'
        )
    yield "</g>"


def _levels(marks: Sequence[Mark], across: Scale, up: Scale) -> Iterator[str]:
    """The band and the line, broken where nobody measured; a point where one stands alone."""
    for stretch in _unbroken(marks):
        band = [one for one in stretch if one.low is not None and one.high is not None]
        if len(band) > 1:
            yield f'<path class="band" d="{_band(band, across, up)}"/>'
        valued = [one for one in stretch if one.value is not None]
        if len(valued) > 1:
            points = " ".join(
                f"{across((one.begin + one.end) / 2):.1f},{up(one.value or 0.0):.1f}"
                for one in valued
            )
            yield f'<polyline class="line" points="{points}"/>'
    yield '<g class="points">'
    small = len(marks) > 120
    for mark in marks:
        yield from _point(mark, across, up, small)
    yield "</g>"


def _point(mark: Mark, across: Scale, up: Scale, small: bool) -> Iterator[str]:
    x = across((mark.begin + mark.end) / 2)
    kind = ' class="open"' if mark.open else ""
    told = f"<title>{escape(mark.told)}</title>"
    # Many of them would hide the line; the band says the same, and a point its own range.
    told_by_point = small and mark.value is not None
    if mark.low is not None and mark.high is not None and not told_by_point:
        y1, y2 = up(mark.low), up(mark.high)
        yield f'<line class="range" x1="{x:.1f}" x2="{x:.1f}" y1="{y1:.1f}" y2="{y2:.1f}">'
        yield f"{told}</line>"
    if mark.value is not None:
        radius = 1.5 if small else 3
        yield f'<circle{kind} cx="{x:.1f}" cy="{up(mark.value):.1f}" r="{radius}">{told}</circle>'


def _unbroken(marks: Sequence[Mark]) -> Iterator[list[Mark]]:
    """Stretches of marks that touch and were measured."""
    number = 0
    numbered: list[tuple[int, Mark]] = []
    before: Mark | None = None
    for mark in marks:
        if mark.value is None and mark.low is None:
            before = None
            continue
        if before is None or mark.begin > before.end + (before.end - before.begin) * 0.5:
            number += 1
        numbered.append((number, mark))
        before = mark
    for _, together in groupby(numbered, key=lambda pair: pair[0]):
        yield [mark for _, mark in together]


def _band(marks: Sequence[Mark], across: Scale, up: Scale) -> str:
    over = [(across((m.begin + m.end) / 2), up(m.high or 0.0)) for m in marks]
    under = [(across((m.begin + m.end) / 2), up(m.low or 0.0)) for m in reversed(marks)]
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in (*over, *under)) + "Z"
