"""JSON read back from a database, where anything else than what was written is damage."""

from __future__ import annotations

import json
from typing import Any

from healthlog.base.errors import Damaged

UNREADABLE = "a text in it can't be read any more"
DANGLING = "a row names another that isn't there"


def items(text: str) -> list[Any]:
    """An array. Damaged, without a word of the text, when it is none; so are the others."""
    found = _read(text)
    if not isinstance(found, list):
        raise Damaged(UNREADABLE)
    return found


def pairs(text: str) -> list[tuple[Any, Any]]:
    """An array of arrays of two."""
    return [_pair(one) for one in items(text)]


def pair(text: str) -> tuple[Any, Any]:
    """An array of two."""
    return _pair(_read(text))


def members(text: str | None) -> dict[str, Any]:
    """An object; an empty one where there is no text."""
    found = {} if text is None else _read(text)
    if not isinstance(found, dict):
        raise Damaged(UNREADABLE)
    return found


def _pair(found: object) -> tuple[Any, Any]:
    if not isinstance(found, list) or len(found) != 2:
        raise Damaged(UNREADABLE)
    return found[0], found[1]


def _read(text: str) -> object:
    try:
        found: object = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        # Not as a cause: its text and its fields quote what was stored.
        raise Damaged(UNREADABLE) from None
    return found
