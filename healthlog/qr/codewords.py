"""From bytes to the codewords of a QR code, in the order in which they are placed.

ISO/IEC 18004:2015, clauses 7.4.5 (byte mode), 7.4.10 (padding), 7.5 and 7.6 (blocks).
"""

from __future__ import annotations

from itertools import chain, cycle, islice, zip_longest

from healthlog.qr import capacity
from healthlog.qr.reed_solomon import generator, remainder

_BYTE_MODE = 0b0100
_PADDING = b"\xec\x11"


def placed(data: bytes, version: int, level: str) -> bytes:
    """Data, padding, correction, interleaved block by block."""
    parts = _parts(_packed(data, version, level), capacity.blocks(version, level))
    divisor = generator(capacity.correction(version, level))
    corrections = [remainder(part, divisor) for part in parts]
    return _interleaved(parts) + _interleaved(corrections)


def _packed(data: bytes, version: int, level: str) -> bytes:
    """Mode, number of bytes, data, end, padding."""
    room = capacity.data_codewords(version, level)
    counted = (_BYTE_MODE << capacity.count_bits(version)) | len(data)
    # Mode and end have four bits each: together they fill whole codewords, with nothing between.
    bits = ((counted << 8 * len(data)) | int.from_bytes(data)) << 4
    used = len(data) + 1 + capacity.count_bits(version) // 8
    return bits.to_bytes(used) + bytes(islice(cycle(_PADDING), room - used))


def _parts(codewords: bytes, count: int) -> list[bytes]:
    """`count` blocks, the later ones longer by one where they can't all be equal."""
    short, longer = divmod(len(codewords), count)
    sizes = [short] * (count - longer) + [short + 1] * longer
    source = iter(codewords)
    return [bytes(islice(source, size)) for size in sizes]


def _interleaved(parts: list[bytes]) -> bytes:
    """The first codeword of every block, the second of every block, and so on."""
    rows = zip_longest(*parts)
    return bytes(codeword for codeword in chain.from_iterable(rows) if codeword is not None)
