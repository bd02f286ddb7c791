"""Which part of a metric a page looks at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from healthlog.web.scale import date_of, day_of

DAY, WEEK, MONTH, YEAR, ALL = "day", "week", "month", "year", "all"
SPANS = (DAY, WEEK, MONTH, YEAR, ALL)
BUCKETS: Mapping[str, str] = {DAY: "hour", WEEK: "day", MONTH: "day", YEAR: "day", ALL: "month"}
"""In which buckets each span is drawn."""

_LENGTH_DAYS: Mapping[str, int] = {DAY: 1, WEEK: 7, MONTH: 31, YEAR: 366}


@dataclass(frozen=True, slots=True)
class View:
    """Which part of a metric is looked at: the dates from `first` to before `until`."""

    metric: str
    span: str
    first: int
    until: int

    @property
    def bucket(self) -> str:
        return BUCKETS[self.span]


def stretch(metric: str, span: str, at: int, first_known: int) -> View:
    """The stretch of a span that ends with the date `at`; all of it begins with `first_known`."""
    if span == ALL:
        first = date_of(min(first_known, at)).replace(day=1)
        return View(metric, span, day_of(first), at + 1)
    return View(metric, span, at + 1 - _LENGTH_DAYS[span], at + 1)


def month_after(day: int) -> int:
    """The first date of the month behind the one that begins on a date."""
    return day_of(date_of(day + 31).replace(day=1))


def address(metric: str, **query: str) -> str:
    """Where a metric's page is."""
    path = f"/metric/{quote(metric, safe='')}"
    return f"{path}?{urlencode(query)}" if query else path
