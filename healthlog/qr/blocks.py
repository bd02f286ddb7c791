"""A QR code as text, two modules to a character."""

from __future__ import annotations

from healthlog.qr.symbol import Symbol

_OF_LIGHT = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}
_BLACK_ON_WHITE, _PLAIN = "\x1b[30;107m", "\x1b[0m"


def blocks(symbol: Symbol, *, quiet: int, coloured: bool) -> list[str]:
    """Lines of `symbol.size + 2 * quiet` columns, `quiet` of them light on every side.

    Coloured they set black and white themselves. Without colours the characters stand for the
    light modules, which is right where the text is lighter than its background.
    """
    lines = []
    for y in range(-quiet, symbol.size + quiet, 2):
        drawn = ""
        for x in range(-quiet, symbol.size + quiet):
            # The number of rows is odd: below the last one nothing is drawn.
            upper, lower = not symbol.dark(x, y), not symbol.dark(x, y + 1)
            if y + 1 >= symbol.size + quiet:
                lower = coloured
            drawn += _OF_LIGHT[not upper, not lower] if coloured else _OF_LIGHT[upper, lower]
        lines.append(f"{_BLACK_ON_WHITE}{drawn}{_PLAIN}" if coloured else drawn)
    return lines
