"""The wall clock, its texts, the monotonic clock: the only module that asks for the time."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,18}))?"
    r"(?:[Zz]|([+-])(\d\d):(\d\d))",
    re.ASCII,
)


class Clock(Protocol):
    """What the rest of the program may ask about time."""

    def now_us(self) -> int:
        """Wall clock, microseconds since 1970-01-01 UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds from an unknown start, never going back: for deadlines."""
        ...


class SystemClock:
    """The clock of this machine."""

    def now_us(self) -> int:
        """Wall clock, microseconds since 1970-01-01 UTC."""
        return time.time_ns() // 1000

    def monotonic(self) -> float:
        """Seconds from an unknown start, never going back: for deadlines."""
        return time.monotonic()


def text_us(us: int) -> str:
    """`2026-08-02T08:01:42.123456Z`; ValueError outside the years 1 to 9999."""
    return _text(us, "microseconds")


def text_ms(us: int) -> str:
    """`2026-08-02T08:01:42.123Z`, the rest cut off; ValueError outside the years 1 to 9999."""
    return _text(us, "milliseconds")


def parse_us(text: str) -> int:
    """Microseconds since 1970 UTC of an RFC 3339 instant; ValueError if it is none.

    A fraction finer than microseconds is cut off. A leap second (`:60`) is refused: this count
    of microseconds has no place for it.
    """
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise ValueError("not an RFC 3339 instant with Z or an offset")
    year, month, day, hour, minute, second = (int(match[n]) for n in range(1, 7))
    fraction_us = int((match[7] or "")[:6].ljust(6, "0"))
    local = datetime(year, month, day, hour, minute, second, fraction_us, tzinfo=UTC)
    us = (local - _EPOCH) // _MICROSECOND - _offset_us(match[8], match[9], match[10])
    _datetime(us)
    return us


def _offset_us(sign: str | None, hours: str, minutes: str) -> int:
    if sign is None:
        return 0
    if int(hours) > 23 or int(minutes) > 59:
        raise ValueError("offset out of range")
    span = (int(hours) * 60 + int(minutes)) * 60_000_000
    return -span if sign == "-" else span


def _datetime(us: int) -> datetime:
    try:
        return _EPOCH + timedelta(microseconds=us)
    except OverflowError:
        raise ValueError("instant outside the years 1 to 9999") from None


def _text(us: int, timespec: str) -> str:
    return _datetime(us).replace(tzinfo=None).isoformat(timespec=timespec) + "Z"
