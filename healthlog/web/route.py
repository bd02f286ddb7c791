"""A route drawn as a line: where somebody went, without a map of anybody else's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from healthlog.web.html import Html, escape

SIZE = 480
_MARGIN = 16
_MOST = 1_500
"""Points drawn; more can't be seen."""

_DEGREE_M = 111_320.0
_BARS_M = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)


class Place(NamedTuple):
    """Degrees north and east."""

    latitude: float
    longitude: float


def svg(places: Sequence[Place], title: str) -> Html:
    """The route as one SVG element with its start, its end and a bar of the scale; empty without at
    least two places that differ."""
    whole = [one for one in places if _is_on_earth(one)]
    if len(set(whole)) < 2:
        return Html()
    drawn = _thinned(whole)
    points = _flat(drawn)
    width = max(x for x, _ in points) - min(x for x, _ in points)
    height = max(y for _, y in points) - min(y for _, y in points)
    per_m = (SIZE - 2 * _MARGIN) / max(width, height, 1.0)
    left, top = min(x for x, _ in points), min(y for _, y in points)
    box_w, box_h = width * per_m + 2 * _MARGIN, height * per_m + 2 * _MARGIN + 20
    pixels = [((x - left) * per_m + _MARGIN, (y - top) * per_m + _MARGIN) for x, y in points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in pixels)
    (x1, y1), (x2, y2) = pixels[0], pixels[-1]
    return Html(
        f'<svg class="route" viewBox="0 0 {max(box_w, 120):.0f} {box_h:.0f}" role="img"'
        f' aria-label="{escape(title)}"><title>{escape(title)}</title>'
        f'<polyline class="line" points="{line}"/>'
        f'<circle class="start" cx="{x1:.1f}" cy="{y1:.1f}" r="5"><title>start</title></circle>'
        f'<circle class="finish" cx="{x2:.1f}" cy="{y2:.1f}" r="5"><title>end</title></circle>'
        f"{_bar(per_m, box_h)}</svg>"
    )


def _is_on_earth(place: Place) -> bool:
    return (
        math.isfinite(place.latitude)
        and math.isfinite(place.longitude)
        and abs(place.latitude) <= 90
        and abs(place.longitude) <= 180
    )


def _thinned(places: Sequence[Place]) -> list[Place]:
    """Every so many of them, the first and the last always."""
    step = math.ceil(len(places) / _MOST)
    thinned = list(places[::step])
    if thinned[-1] != places[-1]:
        thinned.append(places[-1])
    return thinned


def _flat(places: Sequence[Place]) -> list[tuple[float, float]]:
    """Metres east and south of the first place; true enough for as far as anybody walks. Whoever
    crosses the antimeridian goes on on the other side."""
    first = places[0]
    shrink = max(math.cos(math.radians(first.latitude)), 0.01)
    flat = []
    for one in places:
        east = (one.longitude - first.longitude + 180) % 360 - 180
        south = first.latitude - one.latitude
        flat.append((east * _DEGREE_M * shrink, south * _DEGREE_M))
    return flat


def _bar(per_m: float, box_h: float) -> str:
    """A bar of a round length, at most 100 pixels."""
    length_m = max((one for one in _BARS_M if one * per_m <= 100), default=_BARS_M[0])
    label = f"{length_m // 1000} km" if length_m >= 1000 else f"{length_m} m"
    y = box_h - 8
    end = _MARGIN + length_m * per_m
    return (
        f'<path class="bar" d="M{_MARGIN} {y - 4:.1f}V{y:.1f}H{end:.1f}V{y - 4:.1f}"/>'
        f'<text x="{end + 6:.1f}" y="{y:.1f}">{label}</text>'
    )
