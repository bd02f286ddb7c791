"""The modules of a QR code that its version alone decides, with the places of all others.

A row is an int: bit x is the module in column x, 1 is dark. ISO/IEC 18004:2015, clauses 6.3, 7.7.3
(order of placement), 7.9 (format information) and 7.10 (version information).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from healthlog.qr.capacity import aligned_at, size

_FORMAT_BITS = {"L": 0b01, "M": 0b00, "Q": 0b11, "H": 0b10}
_FORMAT_CODE, _FORMAT_MASK = 0b10100110111, 0b101010000010010
_VERSION_CODE = 0b1111100100101
_VERSION_FROM = 7
_TIMING = 6
"""Row and column of the timing patterns."""


@dataclass(frozen=True, slots=True)
class Frame:
    """`dark` has the fixed patterns, `fixed` has a bit wherever no data may stand."""

    version: int
    dark: tuple[int, ...]
    fixed: tuple[int, ...]

    @property
    def size(self) -> int:
        """Modules along one side."""
        return len(self.dark)


class _Canvas:
    def __init__(self, side: int) -> None:
        self.dark = [0] * side
        self.fixed = [0] * side

    def put(self, x: int, y: int, *, dark: bool) -> None:
        """One module, which no later one may take; outside of the code there is none."""
        side = len(self.dark)
        if 0 <= x < side and 0 <= y < side and not self.fixed[y] >> x & 1:
            self.fixed[y] |= 1 << x
            self.dark[y] |= dark << x


def frame(version: int) -> Frame:
    """Finders, alignment, timing, version, the dark module, and a place kept for the format."""
    side = size(version)
    canvas = _Canvas(side)
    for x, y in ((3, 3), (side - 4, 3), (3, side - 4)):
        # With the light border that separates a finder from the rest.
        _rings(canvas, x, y, (True, True, False, True, False))
    aligned = aligned_at(version)
    for x in aligned:
        for y in aligned:
            # Those in the corners of the finders are no patterns of their own.
            if not canvas.fixed[y] >> x & 1:
                _rings(canvas, x, y, (True, False, True))
    for n in range(side):
        canvas.put(n, _TIMING, dark=n % 2 == 0)
        canvas.put(_TIMING, n, dark=n % 2 == 0)
    for x, y in (*_format_places(side), (8, side - 8)):
        canvas.put(x, y, dark=(x, y) == (8, side - 8))
    for x, y, dark in _version_modules(version):
        canvas.put(x, y, dark=dark)
    return Frame(version, tuple(canvas.dark), tuple(canvas.fixed))


def _rings(canvas: _Canvas, x: int, y: int, rings: tuple[bool, ...]) -> None:
    """Squares around a centre, given from the middle outwards."""
    reach = len(rings)
    for dy in range(1 - reach, reach):
        for dx in range(1 - reach, reach):
            canvas.put(x + dx, y + dy, dark=rings[max(abs(dx), abs(dy))])


def _version_modules(version: int) -> Iterator[tuple[int, int, bool]]:
    if version < _VERSION_FROM:
        return
    bits = _coded(version, 12, _VERSION_CODE)
    for n in range(18):
        far, near = size(version) - 11 + n % 3, n // 3
        dark = bool(bits >> n & 1)
        yield far, near, dark
        yield near, far, dark


def _format_places(side: int) -> tuple[tuple[int, int], ...]:
    """Where the fifteen bits stand, twice, the least bit first each time (figure 25)."""
    along = [*range(6), 7, 8]
    first = [(8, n) for n in along] + [(n, 8) for n in (7, 5, 4, 3, 2, 1, 0)]
    second = [(side - 1 - n, 8) for n in range(8)] + [(8, side - 7 + n) for n in range(7)]
    return (*first, *second)


def with_format(rows: list[int], level: str, mask: int) -> list[int]:
    """The rows with what tells level and mask."""
    bits = _coded(_FORMAT_BITS[level] << 3 | mask, 10, _FORMAT_CODE) ^ _FORMAT_MASK
    found = list(rows)
    for n, (x, y) in enumerate(_format_places(len(rows))):
        found[y] = found[y] & ~(1 << x) | (bits >> n % 15 & 1) << x
    return found


def _coded(value: int, extra: int, code: int) -> int:
    """A value followed by the `extra` bits of its BCH code."""
    rest = value << extra
    while rest.bit_length() > extra:
        rest ^= code << rest.bit_length() - extra - 1
    return value << extra | rest


def free_places(layout: Frame) -> Iterator[tuple[int, int]]:
    """Where the data goes: two columns at a time from the right, upwards, then downwards, in turn;
    the column of the timing pattern is left out."""
    side, fixed = layout.size, layout.fixed
    upwards = True
    for right in (*range(side - 1, _TIMING, -2), *range(_TIMING - 1, 0, -2)):
        for y in reversed(range(side)) if upwards else range(side):
            for x in (right, right - 1):
                if not fixed[y] >> x & 1:
                    yield x, y
        upwards = not upwards
