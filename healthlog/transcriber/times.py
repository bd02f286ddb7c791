"""When something was recorded: instants with the offset of the place where that was."""

from __future__ import annotations

import re

from healthlog.base.clock import parse_us, text_us

_OFFSET = re.compile(r"([+-])(\d\d):(\d\d)$", re.ASCII)
_MINUTE_US = 60_000_000
_SECOND_US = 1_000_000
_WIDEST_MIN = 18 * 60


def moment_of(text: str) -> tuple[int, int | None]:
    """An RFC 3339 instant: microseconds since 1970 UTC, offset in minutes. `Z` says nothing about
    where it was. ValueError when it is no such instant, or one before 1970."""
    at_us = parse_us(text)
    if at_us < 0:
        raise ValueError("before 1970")
    match = _OFFSET.search(text)
    if match is None:
        return at_us, None
    offset_min = (int(match[2]) * 60 + int(match[3])) * (-1 if match[1] == "-" else 1)
    if abs(offset_min) > _WIDEST_MIN:
        raise ValueError("offset out of range")
    moment_text(at_us, offset_min)
    return at_us, offset_min


def moment_text(at_us: int, offset_min: int | None = None) -> str:
    """`2026-08-02T10:01:42+02:00`, with as many digits of the second as say something; without an
    offset in UTC. ValueError outside the years 1 to 9999."""
    shifted = text_us(at_us + (offset_min or 0) * _MINUTE_US).removesuffix("Z")
    plain = shifted.partition(".")[0] if at_us % _SECOND_US == 0 else shifted
    if offset_min is None:
        return f"{plain}Z"
    hours, minutes = divmod(abs(offset_min), 60)
    return f"{plain}{'-' if offset_min < 0 else '+'}{hours:02}:{minutes:02}"
