"""An electrocardiogram drawn on the paper that doctors know: 25 mm a second, 10 mm a millivolt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from healthlog.web.html import Html, escape

STRIP_S = 10.0
"""Seconds in a row of the paper."""

LONGEST_S = 600.0
"""So much of it is drawn: twenty times what a watch records. Later samples have a wrong time."""

_MM_S, _MM_MV = 25.0, 10.0
_PX_MM = 3.0
_LEAST_MV, _MOST_MV = -1.5, 2.0
_EDGE_MV = 20.0
"""No heart is as strong; what lies beyond is drawn at the edge."""

_UNIT_MV = {"mcv": 0.001, "uv": 0.001, "\u00b5v": 0.001, "\u03bcv": 0.001, "mv": 1.0, "v": 1000.0}


class Sample(NamedTuple):
    """Seconds from the first sample, millivolts."""

    at_s: float
    mv: float


def millivolts(value: float, unit: str | None) -> float | None:
    """A voltage in mV; None in a unit that nobody knows."""
    factor = _UNIT_MV.get((unit or "mcV").strip().lower())
    return None if factor is None else value * factor


def svg(samples: Sequence[Sample], title: str) -> Html:
    """The trace as one SVG element, row below row; empty without two samples."""
    samples = [
        Sample(at_s, max(-_EDGE_MV, min(mv, _EDGE_MV)))
        for at_s, mv in samples
        if 0 <= at_s <= LONGEST_S
    ]
    if len(samples) < 2:
        return Html()
    low = min(_LEAST_MV, *(one.mv for one in samples))
    high = max(_MOST_MV, *(one.mv for one in samples))
    low, high = math.floor(low * 2) / 2, math.ceil(high * 2) / 2
    row_h = (high - low) * _MM_MV * _PX_MM
    rows = int(samples[-1].at_s // STRIP_S) + 1
    width = STRIP_S * _MM_S * _PX_MM
    paths = [
        f'<path class="line" d="{_path(strip, number, row_h, high)}"/>'
        for number, strip in enumerate(_strips(samples, rows))
        if strip
    ]
    small, large = _PX_MM, 5 * _PX_MM
    return Html(
        f'<svg class="trace" viewBox="0 0 {width:.0f} {rows * row_h:.0f}" role="img"'
        f' aria-label="{escape(title)}"><title>{escape(title)}</title>'
        f'<defs><pattern id="mm" width="{small}" height="{small}" patternUnits="userSpaceOnUse">'
        f'<path class="mm" d="M{small} 0H0V{small}"/></pattern>'
        f'<pattern id="mm5" width="{large}" height="{large}" patternUnits="userSpaceOnUse">'
        f'<rect width="{large}" height="{large}" fill="url(#mm)"/>'
        f'<path class="mm5" d="M{large} 0H0V{large}"/></pattern></defs>'
        f'<rect width="100%" height="100%" fill="url(#mm5)"/>{"".join(paths)}</svg>'
    )


def _strips(samples: Sequence[Sample], rows: int) -> list[list[Sample]]:
    strips: list[list[Sample]] = [[] for _ in range(rows)]
    for one in samples:
        strips[min(max(int(one.at_s // STRIP_S), 0), rows - 1)].append(one)
    return strips


def _path(strip: Sequence[Sample], row: int, row_h: float, high: float) -> str:
    per_s, per_mv, top = _MM_S * _PX_MM, _MM_MV * _PX_MM, row * row_h
    begin_s = row * STRIP_S
    return "M" + "L".join(
        f"{(one.at_s - begin_s) * per_s:.1f} {top + (high - one.mv) * per_mv:.1f}" for one in strip
    )
