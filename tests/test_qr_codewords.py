"""Codewords of QR codes: padding, blocks, correction."""

from __future__ import annotations

from dataclasses import replace

import pytest

from healthlog.qr.codewords import placed
from healthlog.qr.reed_solomon import generator, remainder
from healthlog.qr.symbol import encode
from tests.support.qr import read_symbol

# The example of ISO/IEC 18004:2015, annex I: 01234567 in numeric mode, version 1-M.

EXAMPLE = bytes.fromhex("10200c566180" + "ec11" * 5)
CORRECTION = bytes.fromhex("a524d4c1ed36c7872c55")


def test_correction_is_that_of_the_standard_s_example() -> None:
    assert remainder(EXAMPLE, generator(10)) == CORRECTION


def test_a_generator_is_a_product_of_its_roots() -> None:
    assert generator(2) == bytes([3, 2])
    assert remainder(bytes(5), generator(7)) == bytes(7)


def test_blocks_are_interleaved() -> None:
    # Version 5-Q: two blocks of 15 and two of 16 codewords of data, 18 of correction each.
    found = placed(bytes(range(60)), 5, "Q")
    # Mode and number of bytes take twelve bits, so each byte lies across two codewords.
    data = bytes.fromhex("43c" + bytes(range(60)).hex() + "0")
    blocks = [data[:15], data[15:30], data[30:46], data[46:62]]
    assert [found[n:60:4] for n in range(4)] == [block[:15] for block in blocks]
    assert found[60:62] == bytes(block[15] for block in blocks[2:])
    assert [found[62 + n :: 4] for n in range(4)] == [
        remainder(block, generator(18)) for block in blocks
    ]


def test_what_is_left_is_padded() -> None:
    assert placed(b"a", 1, "M")[:16] == bytes.fromhex("401610" + "ec11" * 6 + "ec")


@pytest.mark.parametrize("spoiled", [5, 15])
def test_a_spoiled_code_is_still_read(spoiled: int) -> None:
    symbol = encode(b"a" * 150, "H")
    rows = tuple(
        row ^ 0b1110000000000 if 20 <= y < 20 + spoiled else row
        for y, row in enumerate(symbol.rows)
    )
    found = read_symbol(replace(symbol, rows=rows))
    assert found is not None
    assert found.bytes == b"a" * 150
