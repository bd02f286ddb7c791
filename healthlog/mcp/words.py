"""Short words for the texts of answers: ages, dates, lists."""

from __future__ import annotations

from collections.abc import Sequence

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
_LISTED = 8


def age(seconds: int) -> str:
    """`5 minutes`, in the largest unit of which there are at least two, or one second."""
    for size, name in _UNITS:
        if seconds >= 2 * size or size == 1:
            return counted(seconds // size, name)
    raise AssertionError("unreachable")


def counted(number: int, thing: str) -> str:
    """`1 night`, `2 nights`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def listed(words: Sequence[str], most: int = _LISTED) -> str:
    """`a, b, c`; of many the first, with how many others there are."""
    if len(words) <= most:
        return ", ".join(words)
    return f"{', '.join(words[:most])} and {len(words) - most} others"


def plain(value: object) -> str:
    """A number as short as it can be read, a pair of them by name; anything else as it is."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {plain(one)}" for name, one in value.items())
    return f"{value:.6g}" if isinstance(value, float) else str(value)
