"""QR codes: from bytes to dark or light modules (ISO/IEC 18004:2015, byte mode)."""

from __future__ import annotations

from dataclasses import dataclass

from healthlog.qr import capacity
from healthlog.qr.codewords import placed
from healthlog.qr.frame import Frame, frame, free_places, with_format
from healthlog.qr.mask import MASKS, masked, penalty

QUIET = 4
"""Light modules around a code (clause 6.3.8)."""


class TooLong(ValueError):
    """No QR code holds so many bytes."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A code without the light border around it. Bit x of row y is the module in column x, row y;
    1 is dark."""

    version: int
    level: str
    mask: int
    rows: tuple[int, ...]

    @property
    def size(self) -> int:
        """Modules along one side."""
        return len(self.rows)

    def dark(self, x: int, y: int) -> bool:
        """Whether a module is dark; outside of the code none is."""
        return 0 <= x < self.size and 0 <= y < self.size and bool(self.rows[y] >> x & 1)


def encode(
    data: bytes, level: str = "M", *, version: int | None = None, mask: int | None = None
) -> Symbol:
    """The smallest code that holds the bytes at `level`, with the strongest level it has room for.

    `version` and `mask` are chosen unless given; with a version the level stays as asked. TooLong
    when the bytes don't fit.
    """
    taken, kept = _room(len(data), level) if version is None else (version, level)
    if len(data) > capacity.most_bytes(taken, kept):
        raise TooLong(f"{len(data)} bytes don't fit into a QR code of version {taken}-{kept}")
    layout = frame(taken)
    rows = _filled(layout, placed(data, taken, kept))
    tried = {
        one: with_format(masked(rows, layout, one), kept, one)
        for one in (MASKS if mask is None else (mask,))
    }
    best = min(tried, key=lambda one: penalty(tried[one])) if mask is None else mask
    return Symbol(taken, kept, best, tuple(tried[best]))


def _room(length: int, level: str) -> tuple[int, str]:
    """Version and level for so many bytes."""
    for version in capacity.VERSIONS:
        if length <= capacity.most_bytes(version, level):
            stronger = capacity.LEVELS[capacity.LEVELS.index(level) :]
            fitting = [one for one in stronger if length <= capacity.most_bytes(version, one)]
            return version, fitting[-1]
    return capacity.VERSIONS[-1], level


def _filled(layout: Frame, codewords: bytes) -> list[int]:
    """The fixed patterns with the data between them, most significant bit first. What is left over
    is as light as a 0."""
    rows = list(layout.dark)
    bits = "".join(f"{codeword:08b}" for codeword in codewords)
    for (x, y), bit in zip(free_places(layout), bits, strict=False):
        rows[y] |= int(bit) << x
    return rows
