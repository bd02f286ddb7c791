"""What a QR code can hold: its size, codewords, blocks, by version with level.

ISO/IEC 18004:2015; tables and clauses are named where they are used.
"""

from __future__ import annotations

from collections.abc import Mapping

LEVELS = ("L", "M", "Q", "H")
"""Levels of error correction, the weakest first: about 7, 15, 25 and 30 % may be spoiled."""

VERSIONS = range(1, 41)

_LONG_COUNT_FROM = 10
"""From this version on, the number of bytes takes sixteen bits instead of eight (table 3)."""


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


# Both by version, from 1 to 40 (table 9).
_CORRECTION: Mapping[str, tuple[int, ...]] = {
    "L": _numbers(
        "7 10 15 20 26 18 20 24 30 18 20 24 26 30 22 24 28 30 28 28"
        " 28 28 30 30 26 28 30 30 30 30 30 30 30 30 30 30 30 30 30 30"
    ),
    "M": _numbers(
        "10 16 26 18 24 16 18 22 22 26 30 22 22 24 24 28 28 26 26 26"
        " 26 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28"
    ),
    "Q": _numbers(
        "13 22 18 26 18 24 18 22 20 24 28 26 24 20 30 24 28 28 26 30"
        " 28 30 30 30 30 28 30 30 30 30 30 30 30 30 30 30 30 30 30 30"
    ),
    "H": _numbers(
        "17 28 22 16 22 28 26 26 24 28 24 28 22 24 24 30 28 28 26 28"
        " 30 24 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30"
    ),
}
_BLOCKS: Mapping[str, tuple[int, ...]] = {
    "L": _numbers(
        "1 1 1 1 1 2 2 2 2 4 4 4 4 4 6 6 6 6 7 8"
        " 8 9 9 10 12 12 12 13 14 15 16 17 18 19 19 20 21 22 24 25"
    ),
    "M": _numbers(
        "1 1 1 2 2 4 4 4 5 5 5 8 9 9 10 10 11 13 14 16"
        " 17 17 18 20 21 23 25 26 28 29 31 33 35 37 38 40 43 45 47 49"
    ),
    "Q": _numbers(
        "1 1 2 2 4 4 6 6 8 8 8 10 12 16 12 17 16 18 21 20"
        " 23 23 25 27 29 34 34 35 38 40 43 45 48 51 53 56 59 62 65 68"
    ),
    "H": _numbers(
        "1 1 2 4 4 4 5 6 8 8 11 11 16 16 18 16 19 21 25 25"
        " 25 34 30 32 35 37 40 42 45 48 51 54 57 60 63 66 70 74 77 81"
    ),
}


def size(version: int) -> int:
    """Modules along one side."""
    return 4 * version + 17


def aligned_at(version: int) -> tuple[int, ...]:
    """Rows and columns in which alignment patterns have their centres (annex E): evenly spaced
    from the far end, by an even step, with what is left over between the first two."""
    if version == 1:
        return ()
    count = version // 7 + 2
    # Version 32 alone departs from the even spacing.
    step = 26 if version == 32 else (4 * version + 2 * count + 1) // (2 * count - 2) * 2
    last = size(version) - 7
    return (6, *(last - step * n for n in reversed(range(count - 1))))


def codewords(version: int) -> int:
    """Codewords of data and correction together: what the fixed patterns leave free."""
    side, aligned = size(version), len(aligned_at(version))
    free = side * side - 3 * 64 - 2 * (side - 16) - 31  # finders, timing, format
    if aligned:
        # Three corners have no alignment pattern; on row and column 6 the timing runs through.
        free -= 25 * (aligned * aligned - 3) - 2 * 5 * (aligned - 2)
    if version >= 7:
        free -= 2 * 18
    return free // 8


def correction(version: int, level: str) -> int:
    """Codewords of correction in each block."""
    return _CORRECTION[level][version - 1]


def blocks(version: int, level: str) -> int:
    """Blocks that the data is divided into."""
    return _BLOCKS[level][version - 1]


def data_codewords(version: int, level: str) -> int:
    """Codewords of data."""
    return codewords(version) - correction(version, level) * blocks(version, level)


def count_bits(version: int) -> int:
    """Bits that tell the number of bytes (table 3, byte mode)."""
    return 16 if version >= _LONG_COUNT_FROM else 8


def most_bytes(version: int, level: str) -> int:
    """The longest text: four bits name the mode, then comes the count."""
    return (data_codewords(version, level) * 8 - 4 - count_bits(version)) // 8
