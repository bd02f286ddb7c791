"""QR codes as pictures, read by a decoder that is not ours."""

from __future__ import annotations

from collections.abc import Callable

import zxingcpp

from healthlog.qr.symbol import QUIET, Symbol

_SCALE = 3
_QR = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
_SHADES = {True: b"\0", False: b"\xff"}


def read(dark: Callable[[int, int], bool], width: int, height: int) -> zxingcpp.Barcode | None:
    """What the decoder finds in a picture of so many modules, None if nothing."""
    rows = (
        b"".join(_SHADES[dark(x, y)] * _SCALE for x in range(width)) * _SCALE for y in range(height)
    )
    shape = (height * _SCALE, width * _SCALE)
    found = zxingcpp.read_barcodes(memoryview(b"".join(rows)).cast("B", shape), _QR, is_pure=True)
    return found[0] if found else None


def read_symbol(symbol: Symbol) -> zxingcpp.Barcode | None:
    """What the decoder finds in a code with the light border around it."""
    side = symbol.size + 2 * QUIET
    return read(lambda x, y: symbol.dark(x - QUIET, y - QUIET), side, side)


def read_lines(lines: list[str]) -> bytes:
    """The bytes of a code that was drawn as text, in a terminal that is light on dark."""
    drawn = {"█": (True, True), "▀": (True, False), "▄": (False, True), " ": (False, False)}
    light = [[drawn[char] for char in line] for line in lines]
    # The number of rows is odd: the last line has nothing in its lower half.
    found = read(lambda x, y: not light[y // 2][x][y % 2], len(lines[0]), 2 * len(lines) - 1)
    assert found is not None
    return found.bytes
