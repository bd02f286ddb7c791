"""How deep the JSON of a body nests, told from its bytes."""

from __future__ import annotations

import re
from array import array
from itertools import accumulate

DEEPEST = 100
"""Levels a body may nest; deeper is no health data but an attack or an accident."""

_BRACKETS = b"[]{}"
_NO_BRACKET = bytes(set(range(256)) - set(_BRACKETS))
_NO_MARK = bytes(set(range(256)) - set(_BRACKETS + b'"'))
_TEXT = re.compile(rb'"[^"]*+"')
_ESCAPED_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_STEPS = bytes.maketrans(_BRACKETS, b"\x01\xff\x01\xff")
"""A level up, a level down, as signed bytes."""

_PIECE = 1 << 20
"""So much is walked through at a time, for nobody else's turn comes meanwhile."""


def nests_too_deep(body: bytes, deepest: int = DEEPEST) -> bool:
    """Whether a JSON text has more than so many levels, decided by its text alone: where the
    decoder gives up differs between Pythons and with the depth of its caller, and a body must
    mean the same to all of them. What is no JSON may be said to nest either way, but never less
    deep than its decoder would have to follow it.
    """
    steps = _skeleton(body).translate(_STEPS)
    level = 0
    for begin in range(0, len(steps), _PIECE):
        piece = array("b", steps[begin : begin + _PIECE])
        if max(accumulate(piece, initial=level)) > deepest:
            return True
        level += sum(piece)
    return False


def _skeleton(body: bytes) -> bytes:
    """The brackets of a JSON text alone, without those inside of its strings."""
    if b"\\\\" in body or b'\\"' in body:
        return _ESCAPED_TEXT.sub(b"", body).translate(None, _NO_BRACKET)
    # No quote is escaped, so that quotes come in pairs. Two that meet are an empty string, or end
    # one and begin the next with nothing of interest between them.
    marks = body.translate(None, _NO_MARK).replace(b'""', b"")
    return _TEXT.sub(b"", marks).translate(None, b'"')
