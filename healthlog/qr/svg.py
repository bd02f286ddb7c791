"""A QR code as SVG."""

from __future__ import annotations

import re
from html import escape

from healthlog.qr.symbol import QUIET, Symbol

_DARK_RUN = re.compile("1+")


def svg(symbol: Symbol, title: str) -> str:
    """One `<svg>` element, a module being one unit. Black on white also where the page is dark:
    not every camera reads it the other way round. `title` is what it is for those who don't see it.
    """
    side = symbol.size + 2 * QUIET
    runs = "".join(
        f"M{QUIET + run.start()} {QUIET + y}h{len(run[0])}v1h-{len(run[0])}z"
        for y, row in enumerate(symbol.rows)
        for run in _DARK_RUN.finditer(f"{row:b}"[::-1])
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" role="img"'
        f' shape-rendering="crispEdges"><title>{escape(title)}</title>'
        f'<path fill="#fff" d="M0 0h{side}v{side}h-{side}z"/><path fill="#000" d="{runs}"/></svg>'
    )
