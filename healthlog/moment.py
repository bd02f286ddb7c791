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
HOUR_S = 3_600
_WIDEST_OFFSET_MIN = 18 * 60
# Before and after these some offset would carry an instant out of the calendar.
_BEGIN_OF_TIME = date(1, 1, 3).toordinal() - EPOCH_ORDINAL
_END_OF_TIME = date(9999, 12, 30).toordinal() - EPOCH_ORDINAL

# Blanks are of every kind: iOS puts U+202F before am/pm.
_FORM = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})"
    r"(?:(?:[Tt]|\s+)(?P<hour>\d{1,2}):(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"(?:\s*(?P<half>[AaPp])\.?[Mm]\.?)?"
    r"\s*(?:(?P<zulu>[Zz])|(?P<sign>[+-])(?P<oh>\d{2}):?(?P<om>\d{2})?))?"
)
_DEFAULT_FORM = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}", re.ASCII)
_new = tuple.__new__


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


class Moments(dict[str, Moment]):
    """Moments by their texts, each read when it is first asked for: one body repeats the same few
    hundred times. ValueError for a text in none of the known forms: `2026-05-03 07:57:00 +0200`,
    the 12-hour form, ISO 8601 with offset, a date alone."""

    def __init__(self, most: int = 20_000) -> None:
        super().__init__()
        self._most = most
        # What texts of the default form were made of: date and hour; minute, second and offset. In
        # a new text of known parts nothing is left to read but their sum.
        self._hours: dict[str, tuple[int, int, int]] = {}
        self._tails: dict[str, tuple[int, int, int]] = {}

    def __missing__(self, text: str) -> Moment:
        try:
            day, second, hour_ms = self._hours[text[:14]]
            more, more_ms, offset_min = self._tails[text[14:]]
        except (KeyError, TypeError):
            return self._learned(text)
        if len(self) >= self._most:
            self.clear()
        moment = self[text] = _new(Moment, (day, second + more, hour_ms + more_ms, offset_min))
        return moment

    def _learned(self, text: object) -> Moment:
        # Whole columns are asked for at once, whatever the phone has put there.
        if not isinstance(text, str):
            raise ValueError("a date is a text")  # noqa: TRY004 - as unreadable as other texts
        if len(self) >= self._most:
            for known in (self, self._hours, self._tails):
                known.clear()
        moment = self[text] = parse(text)
        if moment.offset_min is not None and _DEFAULT_FORM.fullmatch(text):
            more = moment.second % HOUR_S
            hour = moment.second - more
            self._hours[text[:14]] = (moment.day, hour, _at_ms(moment.day, hour, 0))
            self._tails[text[14:]] = (more, _at_ms(0, more, moment.offset_min), moment.offset_min)
        return moment


def parse(text: str) -> Moment:
    """The moment a text stands for; ValueError when it is in none of the known forms, or no day
    and time that there are."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise ValueError("no known form of a date")
    of_calendar = date(int(found["year"]), int(found["month"]), int(found["day"]))
    day = of_calendar.toordinal() - EPOCH_ORDINAL
    if not _BEGIN_OF_TIME <= day < _END_OF_TIME:
        raise ValueError("no date within the calendar")
    if found["hour"] is None:
        return Moment(day, 0, None, None)
    second = _wall_second(found)
    offset_min = 0 if found["zulu"] else _offset_min(found)
    fraction_ms = int((found["fraction"] or "").ljust(3, "0")[:3])
    at_ms = _at_ms(day, second, offset_min) + fraction_ms
    return Moment(day, second, at_ms, None if found["zulu"] else offset_min)


def _at_ms(day: int, second: int, offset_min: int) -> int:
    return day * DAY_MS + second * 1000 - offset_min * MINUTE_MS


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
