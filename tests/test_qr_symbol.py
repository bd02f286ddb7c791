"""QR codes, read by a decoder that knows nothing of ours."""

from __future__ import annotations

import random

import pytest

from healthlog.qr import capacity
from healthlog.qr.frame import frame
from healthlog.qr.mask import MASKS
from healthlog.qr.symbol import TooLong, encode
from tests.support.qr import read_symbol

LEVELS = capacity.LEVELS


@pytest.mark.scenario("pairing", "Every version and mask is read by another program")
@pytest.mark.parametrize("version", capacity.VERSIONS)
def test_every_version_level_and_mask_is_read(version: int) -> None:
    chance = random.Random(version)
    for mask in (n % len(MASKS) for n in range(version, version + 5)):
        level = LEVELS[(mask + version) % len(LEVELS)]
        data = chance.randbytes(capacity.most_bytes(version, level))
        found = read_symbol(encode(data, level, version=version, mask=mask))
        assert found is not None
        assert found.bytes == data
        assert found.extra == {
            "Version": str(version), "ECLevel": level, "DataMask": mask, "UEC": 1.0
        }  # fmt: skip


@pytest.mark.scenario("pairing", "Smallest version that holds the text is taken")
@pytest.mark.parametrize("level", LEVELS)
def test_texts_of_many_lengths_are_read(level: str) -> None:
    chance = random.Random(level)
    lengths = [0, 1, 2, *(chance.randrange(1_200) for _ in range(12))]
    for length in lengths:
        data = chance.randbytes(length)
        symbol = encode(data, level)
        assert length <= capacity.most_bytes(symbol.version, symbol.level)
        assert symbol.version == 1 or length > capacity.most_bytes(symbol.version - 1, level)
        found = read_symbol(symbol)
        # An empty code is one without words; the decoder gives nothing for it.
        assert length == 0 or (found is not None and found.bytes == data)


def test_the_level_is_the_strongest_that_fits() -> None:
    assert encode(b"x" * 17, "L").level == "L"
    assert encode(b"x" * 14, "L").level == "M"
    assert encode(b"x" * 7, "M").level == "H"
    assert {encode(b"x" * n, "L").version for n in (7, 14, 17)} == {1}
    assert encode(b"x", "L", version=5).level == "L"


@pytest.mark.parametrize(
    ("length", "level", "version"), [(18, "L", 1), (2_954, "L", None), (2_332, "M", None)]
)
def test_what_fits_into_no_code_is_refused(length: int, level: str, version: int | None) -> None:
    with pytest.raises(TooLong, match=str(length)):
        encode(b"x" * length, level, version=version)


def test_the_longest_text_fits() -> None:
    assert encode(b"x" * 2_953, "L").version == 40
    assert encode(b"x" * 1_273, "H").version == 40


@pytest.mark.parametrize("version", capacity.VERSIONS)
def test_fixed_patterns_leave_the_places_that_the_capacity_counts(version: int) -> None:
    layout = frame(version)
    free = sum(layout.size - row.bit_count() for row in layout.fixed)
    assert free // 8 == capacity.codewords(version)
    assert free % 8 in (0, 3, 4, 7)


# ISO/IEC 18004:2015, table 7 (bytes) with table E.1 (alignment).


@pytest.mark.parametrize(
    ("version", "most"),
    [(1, (17, 14, 11, 7)), (2, (32, 26, 20, 14)), (10, (271, 213, 151, 119)),
     (27, (1465, 1125, 805, 625)), (40, (2953, 2331, 1663, 1273))],
)  # fmt: skip
def test_capacities_are_those_of_the_standard(version: int, most: tuple[int, ...]) -> None:
    assert tuple(capacity.most_bytes(version, level) for level in LEVELS) == most


@pytest.mark.parametrize(
    ("version", "centres"),
    [(1, ()), (2, (6, 18)), (7, (6, 22, 38)), (15, (6, 26, 48, 70)), (16, (6, 26, 50, 74)),
     (22, (6, 26, 50, 74, 98)), (32, (6, 34, 60, 86, 112, 138)),
     (36, (6, 24, 50, 76, 102, 128, 154)), (40, (6, 30, 58, 86, 114, 142, 170))],
)  # fmt: skip
def test_alignment_patterns_stand_where_the_standard_has_them(
    version: int, centres: tuple[int, ...]
) -> None:
    assert capacity.aligned_at(version) == centres
