"""Times as the phone writes them: text to instant, local date, wall time."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
DAY_MS = 86_400_000
HOUR_MS = 3_600_000
MINUTE_MS = 60_000
DAY_S = 86_400
_REMEMBERED = 200_000
_WIDEST_OFFSET_MIN = 18 * 60

# Blanks are of every kind: iOS puts U+202F before am/pm.
_FORM = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})"
    r"(?:(?:[Tt]|\s+)(?P<hour>\d{1,2}):(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"(?:\s*(?P<half>[AaPp])\.?[Mm]\.?)?"
    r"\s*(?:(?P<zulu>[Zz])|(?P<sign>[+-])(?P<oh>\d{2}):?(?P<om>\d{2})?))?"
)


class Moment(NamedTuple):
    """One date as sent.

    `day` is the local date (days since 1970-01-01), `second` the wall time within it;
    `at_ms` the instant, None for a date alone; `offset_min` the offset as sent, None for a
    date alone and for a time in `Z`, which says nothing about where it was measured.
    """

    day: int
    second: int
    at_ms: int | None
    offset_min: int | None

    @property
    def nearest_day(self) -> int:
        """Date of the nearest midnight: 23:00 around a clock change belongs to the day after."""
        return self.day + (self.second >= DAY_S // 2)


class Moments:
    """Reader that remembers what it has read: one body repeats the same few hundred times."""

    def __init__(self) -> None:
        self._seen: dict[str, Moment] = {}

    def read(self, text: str) -> Moment:
        """The moment written in `text`; ValueError when it is none of the known forms:
        `2026-05-03 07:57:00 +0200`, the 12-hour form, ISO 8601 with offset, a date alone."""
        moment = self._seen.get(text)
        if moment is None:
            if len(self._seen) >= _REMEMBERED:
                self._seen.clear()
            moment = self._seen[text] = parse(text)
        return moment


def parse(text: str) -> Moment:
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise ValueError("no known form of a date")
    day = (
        date(int(found["year"]), int(found["month"]), int(found["day"])).toordinal() - EPOCH_ORDINAL
    )
    if found["hour"] is None:
        return Moment(day, 0, None, None)
    second = _wall_second(found)
    offset_min = 0 if found["zulu"] else _offset_min(found)
    fraction_ms = int((found["fraction"] or "").ljust(3, "0")[:3])
    at_ms = day * DAY_MS + second * 1000 + fraction_ms - offset_min * MINUTE_MS
    return Moment(day, second, at_ms, None if found["zulu"] else offset_min)


def _wall_second(found: re.Match[str]) -> int:
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"] or 0)
    if found["half"]:
        if not 1 <= hour <= 12:
            raise ValueError("no hour of a 12-hour clock")
        hour = hour % 12 + (12 if found["half"] in "pP" else 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError("no time of day")
    return hour * 3600 + minute * 60 + second


def _offset_min(found: re.Match[str]) -> int:
    hours, minutes = int(found["oh"]), int(found["om"] or 0)
    offset_min = hours * 60 + minutes
    if minutes > 59 or offset_min > _WIDEST_OFFSET_MIN:
        raise ValueError("no offset from UTC")
    return -offset_min if found["sign"] == "-" else offset_min


def day_text(day: int) -> str:
    """`YYYY-MM-DD` of a day number."""
    return date.fromordinal(day + EPOCH_ORDINAL).isoformat()


def instant_text(at_ms: int, offset_min: int | None = None) -> str:
    """RFC 3339 text of an instant at an offset (`Z` without), milliseconds only where there are
    any."""
    day, rest = divmod(at_ms + (offset_min or 0) * MINUTE_MS, DAY_MS)
    second, fraction = divmod(rest, 1000)
    text = f"{day_text(day)}T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    if fraction:
        text += f".{fraction:03}"
    if offset_min is None:
        return text + "Z"
    sign, size = ("-", -offset_min) if offset_min < 0 else ("+", offset_min)
    return f"{text}{sign}{size // 60:02}:{size % 60:02}"
