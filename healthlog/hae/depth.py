"""How deep the JSON of a body nests, told from its bytes."""

from __future__ import annotations

import re

DEEPEST = 100
"""Levels a body may nest; deeper is no health data but an attack or an accident."""

_BRACKETS = b"[]{}"
_NO_BRACKET = bytes(set(range(256)) - set(_BRACKETS))
_NO_MARK = bytes(set(range(256)) - set(_BRACKETS + b'"'))
_TEXT = re.compile(rb'"[^"]*+"')
_ESCAPED_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_LEAF = re.compile(rb"\[\]|\{\}")


def nests_too_deep(body: bytes) -> bool:
    """Whether a JSON text has more than DEEPEST levels, decided before it is decoded: where the
    decoder gives up differs between Pythons and with the depth of its caller, and a body must
    mean the same to all of them. What is no JSON may be said to nest either way.
    """
    level = _skeleton(body)
    for _ in range(DEEPEST):
        level, peeled = _LEAF.subn(b"", level)
        if not peeled:
            return False
    return _LEAF.search(level) is not None


def _skeleton(body: bytes) -> bytes:
    """The brackets of a JSON text alone, without those inside of its strings."""
    if b"\\\\" in body or b'\\"' in body:
        return _ESCAPED_TEXT.sub(b"", body).translate(None, _NO_BRACKET)
    # No quote is escaped, so that quotes come in pairs. Two that meet are an empty string, or end
    # one and begin the next with nothing of interest between them.
    marks = body.translate(None, _NO_MARK).replace(b'""', b"")
    return _TEXT.sub(b"", marks).translate(None, b'"')
