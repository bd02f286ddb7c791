"""The eight masks of a QR code, with the penalty by which one of them is chosen.

ISO/IEC 18004:2015, clause 7.8. Rows are ints as in `frame`, so that one operation looks at a whole
row: a mask is tried on thousands of modules, eight times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from healthlog.qr.frame import Frame

# Table 10; i is the row, j the column. Each repeats after twelve rows.
_LIGHTENED: tuple[Callable[[int, int], bool], ...] = (
    lambda i, j: (i + j) % 2 == 0,
    lambda i, _: i % 2 == 0,
    lambda _, j: j % 3 == 0,
    lambda i, j: (i + j) % 3 == 0,
    lambda i, j: (i // 2 + j // 3) % 2 == 0,
    lambda i, j: i * j % 2 + i * j % 3 == 0,
    lambda i, j: (i * j % 2 + i * j % 3) % 2 == 0,
    lambda i, j: ((i + j) % 2 + i * j % 3) % 2 == 0,
)
_PERIOD = 12

MASKS = range(len(_LIGHTENED))

# Table 11: what a run of five costs, a block of two by two, a look-alike of a finder, 5 % of too
# many dark or light modules.
_RUN, _BLOCK, _FINDER, _BALANCE = 3, 3, 40, 10
_LOOKS_LIKE_A_FINDER = (0b00001011101, 0b10111010000)
_QUIET = 4
"""Light modules around a code."""


def masked(rows: Sequence[int], layout: Frame, mask: int) -> list[int]:
    """The rows with every module of the data inverted where the mask says so."""
    turned = _LIGHTENED[mask]
    side = layout.size
    pattern = [sum(turned(i, j) << j for j in range(side)) for i in range(_PERIOD)]
    return [
        row ^ pattern[i % _PERIOD] & ~fixed
        for i, (row, fixed) in enumerate(zip(rows, layout.fixed, strict=True))
    ]


def penalty(rows: Sequence[int]) -> int:
    """How hard a code is to read; the mask with the least is taken."""
    columns = _columns(rows)
    return (
        sum(_runs(line, len(rows)) + _finders(line, len(rows)) for line in (*rows, *columns))
        + sum(_blocks(a, b, len(rows)) for a, b in pairwise(rows))
        + _imbalance(rows)
    )


def _columns(rows: Sequence[int]) -> list[int]:
    # As text, least column first, because turning one bit after the other takes far longer.
    texts = [f"{row:0{len(rows)}b}"[::-1] for row in reversed(rows)]
    return [int("".join(column), 2) for column in zip(*texts, strict=True)]


def _like_its_neighbour(line: int, side: int) -> int:
    """A bit for every module that is as the next one."""
    return ~(line ^ line >> 1) & (1 << side - 1) - 1


def _runs(line: int, side: int) -> int:
    """3 for a run of five, 1 more for each further module."""
    alike = _like_its_neighbour(line, side)
    fives = alike & alike >> 1 & alike >> 2 & alike >> 3
    begun = fives & ~(fives << 1)
    return fives.bit_count() + (_RUN - 1) * begun.bit_count()


def _finders(line: int, side: int) -> int:
    """40 for each 1:1:3:1:1 with four light modules on one side of it, be they those around the
    code; twice that with four on either side."""
    padded = line << _QUIET
    found = 0
    for pattern in _LOOKS_LIKE_A_FINDER:
        at = (1 << side + 2 * _QUIET - 10) - 1
        for n in range(11):
            shifted = padded >> n
            at &= shifted if pattern >> n & 1 else ~shifted
        found += at.bit_count()
    return _FINDER * found


def _blocks(row: int, below: int, side: int) -> int:
    """3 for each two by two modules of one colour, overlapping ones too."""
    alike = _like_its_neighbour(row, side) & _like_its_neighbour(below, side)
    return _BLOCK * (alike & ~(row ^ below)).bit_count()


def _imbalance(rows: Sequence[int]) -> int:
    """10 for each whole 5 % by which the dark modules are away from half."""
    every = len(rows) ** 2
    dark = sum(row.bit_count() for row in rows)
    return _BALANCE * (abs(2 * dark - every) * 10 // every)
