"""Strict readers of JSON values: numbers, words, source lists, canonical text."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

_EXACT = 2.0**53


class NotFinite(ValueError):
    """NaN, infinity, or an integer beyond the reach of a double."""


def number(value: object) -> float | None:
    """`value` as a double; None when it is no number (text and booleans are none).

    NotFinite when a double can't hold it."""
    if type(value) is float:
        if not math.isfinite(value):
            raise NotFinite
        return value + 0.0  # -0.0 becomes 0.0
    if type(value) is int:
        try:
            return float(value)
        except OverflowError:
            raise NotFinite from None
    return None


def total(values: Iterable[float]) -> float:
    """The sum to the last digit, whatever the order; infinite where no double holds it."""
    try:
        return math.fsum(values)
    except (OverflowError, ValueError):  # too large, or infinities of both signs
        return math.inf


def words(value: object) -> str | None:
    """Text with blanks of every kind folded to one and trimmed; None when nothing is left."""
    if not isinstance(value, str):
        return None
    return " ".join(value.split()) or None


def source_set(value: object) -> tuple[str, ...]:
    """The devices named in a `source` text: split at `|`, folded, sorted, without doubles.

    The phone joins them in random order, so the order carries nothing."""
    if not isinstance(value, str):
        return ()
    parts = (" ".join(part.split()) for part in value.split("|"))
    return tuple(sorted({part for part in parts if part}))


def is_empty(value: object) -> bool:
    """Null, blank, [] or {}; 0 and false say something."""
    if value is None:
        return True
    if isinstance(value, str):
        return not value.strip()
    return isinstance(value, list | dict) and not value


def canonical(value: object) -> str:
    """JSON with sorted keys, no blanks, shortest numbers, nothing null or empty in objects."""
    return json.dumps(_settled(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def canonical_object(members: dict[str, object]) -> str:
    """Canonical text of an object, "" when nothing is left of it."""
    text = canonical(members)
    return "" if text == "{}" else text


def _settled(value: object) -> Any:
    if isinstance(value, dict):
        settled = {key: _settled(member) for key, member in value.items()}
        return {key: member for key, member in settled.items() if not is_empty(member)}
    if isinstance(value, list):
        return [_settled(member) for member in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return shortest(value)
    return value


def shortest(value: float) -> int | float | None:
    """5.0 as 5 and -0.0 as 0; what a double can't hold finitely is None."""
    try:
        double = float(value)
    except OverflowError:
        return None
    if not math.isfinite(double):
        return None
    return int(double) if double.is_integer() and abs(double) <= _EXACT else double
