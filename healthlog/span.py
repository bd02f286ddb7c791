"""A stretch of time as a question names it: by instants, or by local dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

from healthlog.base.clock import parse_us
from healthlog.moment import DAY_MS, EPOCH_ORDINAL

LEAST, MOST = -(2**63), 2**63 - 1
"""Ends of what SQLite can compare."""

_DAY_US = DAY_MS * 1000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_OFFSET = re.compile(r".*([+-])(\d\d):(\d\d)", re.ASCII)
# What becomes of an offset whose plus sign was not escaped in the address.
_LOST_PLUS = re.compile(r"(:\d\d(?:\.\d+)?) (\d\d:\d\d)\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Edge:
    """One end of a stretch: the instant (microseconds UTC), and the first local date (days since
    1970) that doesn't begin before it; `dated` where it was named by that date alone."""

    at_us: int
    day: int
    dated: bool = False

    @property
    def at_ms(self) -> int:
        """The first whole millisecond that isn't before the edge."""
        return -(-self.at_us // 1000)


@dataclass(frozen=True, slots=True)
class Span:
    """From the first edge, included, to the last, excluded; None leaves an end open."""

    first: Edge | None = None
    last: Edge | None = None

    @property
    def instants_us(self) -> tuple[int | None, int | None]:
        """The ends as they are."""
        return (
            None if self.first is None else self.first.at_us,
            None if self.last is None else self.last.at_us,
        )

    @property
    def instants_ms(self) -> tuple[int, int]:
        """The ends for what has an instant."""
        return (
            LEAST if self.first is None else self.first.at_ms,
            MOST if self.last is None else self.last.at_ms,
        )

    @property
    def dates_ms(self) -> tuple[int, int]:
        """The ends for what has a local date alone, as the date's midnight in UTC."""
        return (
            LEAST if self.first is None else self.first.day * DAY_MS,
            MOST if self.last is None else self.last.day * DAY_MS,
        )


def edge(text: str, zone: tzinfo) -> Edge:
    """The edge written in `text`: an RFC 3339 instant, or a date, which means its first instant in
    `zone`. ValueError for anything else.

    The local date of an instant is that of the offset it is written with; one in `Z` says nothing
    of a place, and has it from `zone`.
    """
    found = _DATE.fullmatch(text)
    if found is not None:
        return _of_date(date(int(found[1]), int(found[2]), int(found[3])), zone)
    return _of_instant(_LOST_PLUS.sub(r"\1+\2", text), zone)


def local_date(text: str) -> int:
    """The date written in `text`, in days since 1970; ValueError for anything else."""
    if not is_date(text):
        raise ValueError("no date")
    return date.fromisoformat(text).toordinal() - EPOCH_ORDINAL


def is_date(text: str) -> bool:
    """Whether an edge is written as a date."""
    return _DATE.fullmatch(text) is not None


def _of_date(day: date, zone: tzinfo) -> Edge:
    # Where clocks skip midnight this is the instant at which they do so: the first of the day.
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
    at_us = (midnight - _EPOCH) // _MICROSECOND
    return Edge(at_us, day.toordinal() - EPOCH_ORDINAL, dated=True)


def _of_instant(text: str, zone: tzinfo) -> Edge:
    at_us = parse_us(text)
    local_us = at_us + _offset_us(text, at_us, zone)
    return Edge(at_us, -(-local_us // _DAY_US))


def _offset_us(text: str, at_us: int, zone: tzinfo) -> int:
    found = _OFFSET.fullmatch(text)
    if found is None:
        return _zone_offset_us(at_us, zone)
    offset_us = (int(found[2]) * 60 + int(found[3])) * 60_000_000
    return -offset_us if found[1] == "-" else offset_us


def zone_offset_min(at_us: int, zone: tzinfo) -> int:
    """Offset of a zone from UTC at an instant, in whole minutes."""
    return _zone_offset_us(at_us, zone) // 60_000_000


def _zone_offset_us(at_us: int, zone: tzinfo) -> int:
    try:
        local = (_EPOCH + at_us * _MICROSECOND).astimezone(zone)
    except OverflowError:
        return 0  # at the ends of the calendar, which stand for "always"
    return (local.utcoffset() or timedelta()) // _MICROSECOND
