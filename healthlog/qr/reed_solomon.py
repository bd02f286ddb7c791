"""Reed-Solomon codes over the field of 256 elements that QR codes use.

Its elements are polynomials modulo x^8 + x^4 + x^3 + x^2 + 1, of which 2 is a generator
(ISO/IEC 18004:2015, clause 7.5.2).
"""

from __future__ import annotations

from collections.abc import Iterable

_MODULUS = 0x11D
_ORDER = 255


def _powers() -> tuple[int, ...]:
    found, element = [], 1
    for _ in range(_ORDER):
        found.append(element)
        element <<= 1
        if element > 0xFF:
            element ^= _MODULUS
    return tuple(found)


_POWER = _powers()
_LOG = {element: exponent for exponent, element in enumerate(_POWER)}


def _times(a: int, b: int) -> int:
    return _POWER[(_LOG[a] + _LOG[b]) % _ORDER] if a and b else 0


def generator(degree: int) -> bytes:
    """(x - 1)(x - 2)(x - 4)…, `degree` factors: its coefficients without the leading 1, that of
    the highest power first."""
    found = [1]
    for exponent in range(degree):
        root = _POWER[exponent]
        found = [a ^ _times(b, root) for a, b in zip([*found, 0], [0, *found], strict=True)]
    return bytes(found[1:])


def remainder(data: Iterable[int], divisor: bytes) -> bytes:
    """What is left of data times x^n when divided by a generator of degree n: its correction."""
    rest = [0] * len(divisor)
    for codeword in data:
        factor = codeword ^ rest[0]
        rest = [*rest[1:], 0]
        if factor:
            shift = _LOG[factor]
            rest = [
                have ^ _POWER[(_LOG[wanted] + shift) % _ORDER]
                for have, wanted in zip(rest, divisor, strict=True)
            ]
    return bytes(rest)
